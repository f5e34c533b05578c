// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <Tomokkos_Ranks.hpp>
#include <cstddef>

namespace Tomokkos {

/// \brief The processes of an MPI communicator.
///
/// Works on a duplicate of the communicator, so no message meets one of the caller. Making and
/// destroying it are done by all ranks together, between `MPI_Init` and `MPI_Finalize`. Errors of
/// MPI become `Error`, with MPI's own words.
///
/// Sums are made by gathering what all ranks hold and adding it on each: P times the traffic of the
/// shortest way, and the same bits everywhere. Meant for short arrays; long ones work, in pieces.
class MpiRanks final : public Ranks {
 public:
  /// \brief Bytes beyond which a message is cut: MPI counts in `int`, and few networks gain from
  /// more.
  static constexpr std::size_t default_largest_message = std::size_t{1} << 30;

  /// \param largest_message in bytes, 16 at least, and at most what an `int` holds; the same on all
  /// ranks
  explicit MpiRanks(MPI_Comm comm, std::size_t largest_message = default_largest_message);
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  /// \brief The place of this rank among those that share its memory (its node), and their number.
  int local_rank() const { return local_rank_; }
  int local_size() const { return local_size_; }

  void sum(std::span<double> values) const override;
  void max(std::span<double> values) const override;
  void broadcast(std::span<std::byte> bytes, int root) const override;
  void gather(std::span<const double> part, std::span<double> whole) const override;
  void wait_for_all() const override;

  /// \brief The duplicate. Its errors are returned.
  MPI_Comm comm() const { return comm_; }
  std::size_t largest_message() const { return largest_message_; }

  /// \brief Ends all processes of the launch, this one too, with \p status (not 0). For a rank that
  /// cannot go on while the others wait for it.
  [[noreturn]] void abort_all(int status) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
  std::size_t largest_message_;
};

}  // namespace Tomokkos
