// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <memory>
#include <vector>

namespace Tomokkos {

/// \brief The entries of a spread vector that a rank needs of others, its halo: which they are, who
/// sends them, and the buffers in which they travel.
///
/// Rank r holds the entries from `begins[r]` to `begins[r + 1]` of a vector of `begins.back()`. Its
/// halo is a list of foreign entries, ascending, hence in the order of the ranks that hold them.
/// What it sends is a list of entries of its own, for one rank after the other, each part
/// ascending; together they are the halos of all others. Nobody sends to himself.
///
/// Memory: 4 bytes an entry of the list that is sent, and `sizeof(Scalar)` bytes for every entry
/// sent and received and each of the vectors that were reserved. An exchange of s vectors reads and
/// writes `2 s sizeof(Scalar)` bytes an entry sent, and writes half of that for each received.
///
/// Serves one execution-space instance, and one exchange at a time. Copies share the lists and the
/// buffers.
template <class ExecutionSpace, class Scalar>
class HaloExchange {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using CommunicatorType = Communicator<ExecutionSpace>;

  /// \brief Tells the ranks what this one needs of them, and learns what they need. All ranks call
  /// it. Complete on return, with room for one vector.
  ///
  /// \param begins the same on all ranks; `size() + 1` of them, rising from 0
  /// \param halo foreign entries, ascending
  /// Throws `Error` on all ranks where it is another list on any.
  HaloExchange(const ExecutionSpace& exec, std::shared_ptr<const CommunicatorType> communicator,
               const std::vector<Ordinal>& begins, const std::vector<Ordinal>& halo);

  /// \brief Entries that this rank receives, and sends.
  Ordinal halo_size() const { return static_cast<Ordinal>(received_offsets_.back()); }
  Offset sent_size() const { return sent_offsets_.back(); }
  const std::shared_ptr<const CommunicatorType>& communicator() const { return communicator_; }

  /// \brief Makes room for \p vectors vectors at a time; does nothing where it is there.
  void reserve(const ExecutionSpace& exec, int vectors);
  int vectors() const { return vectors_; }

  /// \brief Gathers what the others need of X, `local entries x s`, and begins to exchange it; X
  /// may change when this returns, in the queue of \p exec. All ranks call it with the same s.
  /// Throws `Error` where s vectors have no room. One launch, no fence, no allocation.
  void begin(const ExecutionSpace& exec, const MultiVectorView<const Scalar, memory_space>& X);

  /// \brief Ends what was begun: the halo of X, `halo_size() x s`, for what is launched from now on
  /// until the next exchange.
  MultiVectorView<const Scalar, memory_space> finish(const ExecutionSpace& exec);

  /// \brief Bytes of the lists and the buffers.
  std::size_t memory_bytes() const;
  /// \brief Bytes that an exchange of \p vectors vectors moves on this device.
  std::size_t exchange_bytes(int vectors) const;

 private:
  std::shared_ptr<const CommunicatorType> communicator_;
  Ordinal num_entries_ = 0;  // that are here
  Kokkos::View<const Ordinal*, memory_space> sent_entries_;
  std::vector<Offset> sent_offsets_, received_offsets_;                // of a vector, by rank
  std::vector<Offset> sent_values_offsets_, received_values_offsets_;  // of an exchange
  Vector<Scalar, memory_space> sent_, received_;
  int vectors_ = 0;
  std::size_t travelling_ = 0;  // vectors of the exchange that was begun
};

}  // namespace Tomokkos
