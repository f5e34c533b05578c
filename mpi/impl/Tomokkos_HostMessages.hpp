// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <Tomokkos_Types.hpp>
#include <cstddef>
#include <vector>

namespace Tomokkos::Impl {

/// Posted messages between ranks that have not been waited for, of floats or doubles in host
/// memory. Sender and receiver divide a long message in the same way. All messages have the same
/// tag: MPI keeps the order of those between two ranks, and all ranks post theirs in the same
/// order.
class HostMessages {
 public:
  HostMessages(MPI_Comm comm, std::size_t largest_message);

  int rank() const { return rank_; }
  int size() const { return size_; }

  void send(const void* data, std::size_t length, bool is_double, int to);
  void receive(void* data, std::size_t length, bool is_double, int from);
  /// Replaces the values by their sum, in the order that the library chooses.
  void sum(void* data, std::size_t length, bool is_double);
  /// Gathers all values on all ranks; rank r holds those from `offsets[r]` to `offsets[r + 1]`.
  void gather(void* data, const std::vector<Offset>& offsets, bool is_double);

  /// Number of messages posted since the last `clear`.
  std::size_t posted() const { return requests_.size(); }
  /// Waits for the messages from `begin` to `end`.
  void wait(std::size_t begin, std::size_t end);
  /// Lets the library make progress on posted messages, without waiting.
  void progress();
  /// Discards all messages. They must have been waited for.
  void clear() { requests_.clear(); }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  std::size_t largest_message_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace Tomokkos::Impl
