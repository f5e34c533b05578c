// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <impl/Tomokkos_HostMessages.hpp>
#include <impl/Tomokkos_MpiError.hpp>

namespace Tomokkos::Impl {
namespace {

constexpr int tag = 0;

/// Calls `post(piece, count, type, request)` for the pieces of an array.
template <class Byte, class Post>
void post_pieces(Byte* data, std::size_t length, bool is_double, std::size_t largest_message,
                 std::vector<MPI_Request>& requests, const char* function, const Post& post) {
  const std::size_t scalar = is_double ? sizeof(double) : sizeof(float);
  const MPI_Datatype type = is_double ? MPI_DOUBLE : MPI_FLOAT;
  const std::size_t largest = largest_message / scalar;
  for (std::size_t begin = 0; begin < length; begin += largest) {
    const auto count = static_cast<int>(std::min(largest, length - begin));
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(post(data + begin * scalar, count, type, &request), function);
    requests.push_back(request);
  }
}

}  // namespace

HostMessages::HostMessages(MPI_Comm comm, std::size_t largest_message)
    : comm_(comm), largest_message_(largest_message) {
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

void HostMessages::send(const void* data, std::size_t length, bool is_double, int to) {
  post_pieces(static_cast<const std::byte*>(data), length, is_double, largest_message_, requests_,
              "MPI_Isend",
              [&](const std::byte* piece, int count, MPI_Datatype type, MPI_Request* request) {
                return MPI_Isend(piece, count, type, to, tag, comm_, request);
              });
}

void HostMessages::receive(void* data, std::size_t length, bool is_double, int from) {
  post_pieces(static_cast<std::byte*>(data), length, is_double, largest_message_, requests_,
              "MPI_Irecv",
              [&](std::byte* piece, int count, MPI_Datatype type, MPI_Request* request) {
                return MPI_Irecv(piece, count, type, from, tag, comm_, request);
              });
}

void HostMessages::sum(void* data, std::size_t length, bool is_double) {
  post_pieces(static_cast<std::byte*>(data), length, is_double, largest_message_, requests_,
              "MPI_Iallreduce",
              [&](std::byte* piece, int count, MPI_Datatype type, MPI_Request* request) {
                return MPI_Iallreduce(MPI_IN_PLACE, piece, count, type, MPI_SUM, comm_, request);
              });
}

void HostMessages::gather(void* data, const std::vector<Offset>& offsets, bool is_double) {
  const std::size_t scalar = is_double ? sizeof(double) : sizeof(float);
  const auto part = [&](int r) {
    return static_cast<std::byte*>(data) + static_cast<std::size_t>(offsets[r]) * scalar;
  };
  const auto length = [&](int r) { return static_cast<std::size_t>(offsets[r + 1] - offsets[r]); };
  // Start with different ranks, so that not all ranks send to the same one first.
  for (int k = 1; k < size_; ++k) {
    const int from = (rank_ - k + size_) % size_;
    receive(part(from), length(from), is_double, from);
  }
  for (int k = 1; k < size_; ++k) send(part(rank_), length(rank_), is_double, (rank_ + k) % size_);
}

void HostMessages::wait(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  statuses_.resize(end - begin);
  const int status =
      MPI_Waitall(static_cast<int>(end - begin), requests_.data() + begin, statuses_.data());
  if (status == MPI_ERR_IN_STATUS)
    for (const MPI_Status& one : statuses_)
      if (one.MPI_ERROR != MPI_SUCCESS && one.MPI_ERROR != MPI_ERR_PENDING)
        check_mpi(one.MPI_ERROR, "MPI_Waitall");
  check_mpi(status, "MPI_Waitall");
}

void HostMessages::progress() {
  if (requests_.empty()) return;
  int done = 0;
  // Completed requests stay in place, as null requests.
  statuses_.resize(requests_.size());
  check_mpi(
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, statuses_.data()),
      "MPI_Testall");
}

}  // namespace Tomokkos::Impl
