// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MpiRanks.hpp>
#include <Tomokkos_StepRegions.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <impl/Tomokkos_MpiError.hpp>
#include <iostream>
#include <limits>
#include <vector>

namespace Tomokkos {

using Impl::check_mpi;

namespace {

/// Maximum number of doubles from all ranks that a sum holds at a time.
constexpr std::size_t doubles_at_a_time = std::size_t{1} << 20;

/// Calls `piece(begin, count)` for the pieces of `length` elements, of at most `largest` each.
template <class Piece>
void in_pieces(std::size_t length, std::size_t largest, const Piece& piece) {
  for (std::size_t begin = 0; begin < length; begin += largest)
    piece(begin, std::min(largest, length - begin));
}

}  // namespace

MpiRanks::MpiRanks(MPI_Comm comm, std::size_t largest_message) : largest_message_(largest_message) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  require(initialized != 0, "MPI has not been initialised");
  require(largest_message >= 2 * sizeof(double) &&
              largest_message <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
          "the largest message must have at least 16 and less than 2^31 bytes");
  check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_rank(node, &local_rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(node, &local_size_), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
}

MpiRanks::~MpiRanks() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

void MpiRanks::sum(std::span<double> values) const {
  const Impl::ScopedRegion region(Impl::StepRegions::ranks);
  const auto ranks = static_cast<std::size_t>(size_);
  const std::size_t largest = std::max<std::size_t>(
      1, std::min(largest_message_ / sizeof(double), doubles_at_a_time) / ranks);
  std::vector<double> all(ranks * std::min(largest, values.size()));
  in_pieces(values.size(), largest, [&](std::size_t begin, std::size_t count) {
    double* const piece = values.data() + begin;
    check_mpi(MPI_Allgather(piece, static_cast<int>(count), MPI_DOUBLE, all.data(),
                            static_cast<int>(count), MPI_DOUBLE, comm_),
              "MPI_Allgather");
    for (std::size_t i = 0; i < count; ++i) {
      double sum = all[i];
      for (std::size_t r = 1; r < ranks; ++r) sum += all[r * count + i];
      piece[i] = sum;
    }
  });
}

void MpiRanks::max(std::span<double> values) const {
  in_pieces(values.size(), largest_message_ / sizeof(double),
            [&](std::size_t begin, std::size_t count) {
              check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data() + begin, static_cast<int>(count),
                                      MPI_DOUBLE, MPI_MAX, comm_),
                        "MPI_Allreduce");
            });
}

void MpiRanks::broadcast(std::span<std::byte> bytes, int root) const {
  in_pieces(bytes.size(), largest_message_, [&](std::size_t begin, std::size_t count) {
    check_mpi(MPI_Bcast(bytes.data() + begin, static_cast<int>(count), MPI_BYTE, root, comm_),
              "MPI_Bcast");
  });
}

void MpiRanks::gather(std::span<const double> part, std::span<double> whole) const {
  require_equal("length of the whole", static_cast<long long>(whole.size()), "that of all parts",
                static_cast<long long>(part.size()) * size_);
  if (part.size_bytes() <= largest_message_) {
    check_mpi(MPI_Allgather(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, whole.data(),
                            static_cast<int>(part.size()), MPI_DOUBLE, comm_),
              "MPI_Allgather");
    return;
  }
  std::copy(part.begin(), part.end(),
            whole.begin() + static_cast<std::ptrdiff_t>(part.size()) * rank_);
  for (int r = 0; r < size_; ++r)
    broadcast(std::as_writable_bytes(
                  whole.subspan(part.size() * static_cast<std::size_t>(r), part.size())),
              r);
}

void MpiRanks::wait_for_all() const { check_mpi(MPI_Barrier(comm_), "MPI_Barrier"); }

void MpiRanks::abort_all(int status) const {
  // Flush before the launcher ends this process.
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  MPI_Abort(comm_, status);
  std::abort();
}

}  // namespace Tomokkos
