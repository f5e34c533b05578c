// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <memory>
#include <vector>

namespace Tomokkos {

/// \brief Exchange of the halo of a distributed vector: the entries that a rank needs from other
/// ranks.
///
/// Rank r holds the entries from `begins[r]` to `begins[r + 1]` of a vector of length
/// `begins.back()`. Its halo is an ascending list of entries of other ranks, hence ordered by these
/// ranks. The list of entries that a rank sends consists of its own entries, for one destination
/// after another, ascending for each destination. Together these lists are the halos of all other
/// ranks. No rank sends to itself.
///
/// Memory: 4 bytes per entry in the list of sent entries, and `sizeof(Scalar)` bytes per entry sent
/// or received and reserved vector. An exchange of s vectors reads and writes `2 s sizeof(Scalar)`
/// bytes per entry sent, and writes half of that per entry received.
///
/// Serves one execution-space instance and one exchange at a time. Copies share the lists and the
/// buffers.
template <class ExecutionSpace, class Scalar>
class HaloExchange {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using CommunicatorType = Communicator<ExecutionSpace>;

  /// \brief Exchanges the lists of needed entries between the ranks. All ranks must call it.
  ///
  /// The object is complete on return, with room for one vector.
  ///
  /// \param begins first entry of each rank and the length of the vector: `size() + 1` numbers,
  /// ascending from 0, the same on all ranks
  /// \param halo entries of other ranks, ascending
  /// \throws Error on all ranks when the lists of any rank are invalid
  HaloExchange(const ExecutionSpace& exec, std::shared_ptr<const CommunicatorType> communicator,
               const std::vector<Ordinal>& begins, const std::vector<Ordinal>& halo);

  /// \brief Returns the number of entries that this rank receives; `sent_size` the number it sends.
  Ordinal halo_size() const { return static_cast<Ordinal>(received_offsets_.back()); }
  Offset sent_size() const { return sent_offsets_.back(); }
  const std::shared_ptr<const CommunicatorType>& communicator() const { return communicator_; }

  /// \brief Reserves room for \p vectors vectors at a time; does nothing if there is enough room.
  void reserve(const ExecutionSpace& exec, int vectors);
  int vectors() const { return vectors_; }

  /// \brief Packs the entries of X that other ranks need and starts to exchange them.
  ///
  /// X is `local entries x s`. Later work in the queue of \p exec may change X. All ranks must call
  /// it with the same s. One launch, no fence, no allocation.
  ///
  /// \throws Error when there is no room for s vectors
  void begin(const ExecutionSpace& exec, const MultiVectorView<const Scalar, memory_space>& X);

  /// \brief Completes the exchange and returns the halo of X, `halo_size() x s`. It is valid for
  /// work launched from now on until the next exchange.
  MultiVectorView<const Scalar, memory_space> finish(const ExecutionSpace& exec);

  /// \brief Returns the bytes of the lists and the buffers.
  std::size_t memory_bytes() const;
  /// \brief Returns the bytes that an exchange of \p vectors vectors moves on this device.
  std::size_t exchange_bytes(int vectors) const;

 private:
  std::shared_ptr<const CommunicatorType> communicator_;
  Ordinal num_entries_ = 0;  // entries of this rank
  Kokkos::View<const Ordinal*, memory_space> sent_entries_;
  std::vector<Offset> sent_offsets_, received_offsets_;  // offsets of one vector, by rank
  std::vector<Offset> sent_values_offsets_, received_values_offsets_;  // offsets of an exchange
  Vector<Scalar, memory_space> sent_, received_;
  int vectors_ = 0;
  std::size_t num_exchanged_vectors_ = 0;  // number of vectors in the current exchange
};

}  // namespace Tomokkos
