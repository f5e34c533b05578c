// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <Tomokkos_Ranks.hpp>
#include <cstddef>

namespace Tomokkos {

/// \brief Ranks of an MPI communicator.
///
/// Works on a duplicate of the communicator, so that its messages do not interfere with those of
/// the caller. All ranks must create and destroy it together, between `MPI_Init` and
/// `MPI_Finalize`. Errors of MPI become `Error`, with the text of MPI.
///
/// Sums gather the values of all ranks and add them on each: P times the minimum traffic, and the
/// same bits on all ranks. Meant for short arrays; long ones are processed in pieces.
class MpiRanks final : public Ranks {
 public:
  /// \brief Number of bytes above which a message is divided: MPI counts in `int`, and few networks
  /// benefit from longer messages.
  static constexpr std::size_t default_largest_message = std::size_t{1} << 30;

  /// \brief Duplicates \p comm.
  ///
  /// \param largest_message maximum bytes per message, from 16 to the maximum of an `int`; equal on
  /// all ranks
  explicit MpiRanks(MPI_Comm comm, std::size_t largest_message = default_largest_message);
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  /// \brief Returns the position of this rank among those that share its memory (its node), and
  /// their number.
  int local_rank() const { return local_rank_; }
  int local_size() const { return local_size_; }

  void sum(std::span<double> values) const override;
  void max(std::span<double> values) const override;
  void broadcast(std::span<std::byte> bytes, int root) const override;
  void gather(std::span<const double> part, std::span<double> whole) const override;
  void wait_for_all() const override;

  /// \brief Returns the duplicate communicator. MPI returns its errors instead of aborting.
  MPI_Comm comm() const { return comm_; }
  std::size_t largest_message() const { return largest_message_; }

  /// \brief Ends all processes of the launch, including this one, with \p status (not 0). For a
  /// rank that cannot continue while the others wait for it.
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
