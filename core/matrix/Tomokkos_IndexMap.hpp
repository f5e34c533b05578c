// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>
#include <vector>

namespace Tomokkos {

/// \brief What `IndexMap::from_natural` says of an index that is not in the map.
inline constexpr Ordinal not_mapped = -1;

/// \brief A numbering of some or all of the indices 0, ..., n - 1 (the natural ones: pixels row by
/// row, rays view by view) by positions 0, ..., m - 1: an order where m = n, a mask in some order
/// otherwise.
///
/// Contract, checked by `validate`:
///  - `to_natural(p)` is the natural index at position p, each at most once;
///  - `from_natural(i)` is its inverse: the position of i, `not_mapped` where i is left out.
///
/// Memory: 4 (m + n) bytes. Copies share the arrays.
template <class MemorySpace>
struct IndexMap {
  using memory_space = MemorySpace;

  Kokkos::View<const Ordinal*, MemorySpace> to_natural;
  Kokkos::View<const Ordinal*, MemorySpace> from_natural;

  /// \brief Number of positions, m.
  Ordinal size() const { return static_cast<Ordinal>(to_natural.extent(0)); }

  /// \brief Number of natural indices, n.
  Ordinal natural_size() const { return static_cast<Ordinal>(from_natural.extent(0)); }

  /// \brief True when no index is left out.
  bool is_permutation() const { return size() == natural_size(); }
};

/// \brief The map whose position p holds the natural index `order[p]` of 0, ..., `natural_size -
/// 1`, in memory of \p exec.
///
/// Complete on return. Throws `Error` naming the position for an index that lies outside or stands
/// twice; `MemoryError`. Cost: one pass on the host, `4 natural_size` bytes there, two fences.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> make_index_map(const ExecutionSpace& exec,
                                                               Ordinal natural_size,
                                                               const std::vector<Ordinal>& order);

/// \brief The map that changes nothing.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> identity_map(const ExecutionSpace& exec,
                                                             Ordinal natural_size);

/// \brief \p map in host memory; what is there is shared. Complete on return.
template <class MemorySpace>
IndexMap<Kokkos::HostSpace> map_on_host(const IndexMap<MemorySpace>& map) {
  return {Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), map.to_natural),
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), map.from_natural)};
}

/// \brief Throws `Error` naming the first position, or natural index, that breaks the contract of
/// `IndexMap`. Cost: one pass over each array, two fences.
template <class ExecutionSpace>
void validate(const ExecutionSpace& exec,
              const IndexMap<typename ExecutionSpace::memory_space>& map);

}  // namespace Tomokkos

#include <impl/Tomokkos_IndexMap_impl.hpp>
