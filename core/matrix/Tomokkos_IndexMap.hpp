// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>
#include <numeric>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Entry of `IndexMap::from_natural` for an index outside the map.
inline constexpr Ordinal not_mapped = -1;

/// \brief Numbering of some or all natural indices 0, ..., n - 1 by positions 0, ..., m - 1.
///
/// Natural indices number pixels row by row and rays view by view. The map is a permutation if m =
/// n, otherwise a mask with an order.
///
/// Contract, checked by `validate`:
/// - `to_natural(p)` is the natural index at position p; each index occurs at most once;
/// - `from_natural(i)` is the inverse: the position of i, or `not_mapped` if i is left out.
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

/// \brief Creates the map in memory of \p exec whose position p holds the natural index `order[p]`
/// out of 0, ..., `natural_size - 1`.
///
/// Complete on return. Cost: one pass on the host, `4 natural_size` bytes there, two fences.
///
/// \throws Error naming the position of an index that is out of range or occurs twice
/// \throws MemoryError when the arrays cannot be allocated
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> make_index_map(const ExecutionSpace& exec,
                                                               Ordinal natural_size,
                                                               const std::vector<Ordinal>& order);

/// \brief Creates the identity map.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> identity_map(const ExecutionSpace& exec,
                                                             Ordinal natural_size);

/// \brief Copies \p map to host memory; shares arrays that are already there. A map without arrays
/// remains one. Complete on return.
template <class MemorySpace>
IndexMap<Kokkos::HostSpace> map_on_host(const IndexMap<MemorySpace>& map) {
  // The copy of a View without an array would have one.
  if (map.to_natural.data() == nullptr && map.from_natural.data() == nullptr) return {};
  return {Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), map.to_natural),
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), map.from_natural)};
}

/// \brief Checks the contract of `IndexMap`. Cost: one pass over each array, two fences.
///
/// \throws Error naming the first position or natural index that violates the contract
template <class ExecutionSpace>
void validate(const ExecutionSpace& exec,
              const IndexMap<typename ExecutionSpace::memory_space>& map);

namespace Impl {

/// Finds the first position whose natural index is out of range or mapped to another position.
template <class MemorySpace>
struct FirstBadPosition {
  IndexMap<MemorySpace> map;

  KOKKOS_FUNCTION void operator()(const Ordinal p, Ordinal& first) const {
    const Ordinal i = map.to_natural(p);
    const bool good =
        i >= 0 && i < static_cast<Ordinal>(map.from_natural.extent(0)) && map.from_natural(i) == p;
    if (!good && p < first) first = p;
  }
};

/// Finds the first natural index whose position is neither `not_mapped` nor mapped back to it.
template <class MemorySpace>
struct FirstBadNatural {
  IndexMap<MemorySpace> map;

  KOKKOS_FUNCTION void operator()(const Ordinal i, Ordinal& first) const {
    const Ordinal p = map.from_natural(i);
    const bool good =
        p == not_mapped ||
        (p >= 0 && p < static_cast<Ordinal>(map.to_natural.extent(0)) && map.to_natural(p) == i);
    if (!good && i < first) first = i;
  }
};

/// \brief Copies \p values to the memory of \p exec. Fences.
template <class ExecutionSpace>
Kokkos::View<Ordinal*, typename ExecutionSpace::memory_space> copy_indices(
    const ExecutionSpace& exec, const std::string& label, const std::vector<Ordinal>& values) {
  const auto result = allocate<Kokkos::View<Ordinal*, typename ExecutionSpace::memory_space>>(
      exec, label, values.size());
  Kokkos::deep_copy(
      exec, result,
      Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          values.data(), values.size()));
  fence(exec, "index_map: the indices must have arrived");
  return result;
}

}  // namespace Impl

template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> make_index_map(const ExecutionSpace& exec,
                                                               Ordinal natural_size,
                                                               const std::vector<Ordinal>& order) {
  require(natural_size >= 0, "the number of indices of a map must not be negative");
  std::vector<Ordinal> inverse(static_cast<std::size_t>(natural_size), not_mapped);
  for (std::size_t p = 0; p < order.size(); ++p) {
    const auto where = [&] {
      return Impl::text("position {} of the order: index {}", p, order[p]);
    };
    if (order[p] < 0 || order[p] >= natural_size)
      throw Refused(Impl::text("{} is outside 0 to {}", where(), natural_size - 1));
    Ordinal& position = inverse[static_cast<std::size_t>(order[p])];
    if (position != not_mapped)
      throw Refused(Impl::text("{} also occurs at position {}", where(), position));
    position = static_cast<Ordinal>(p);
  }
  return {Impl::copy_indices(exec, "Tomokkos::IndexMap::to_natural", order),
          Impl::copy_indices(exec, "Tomokkos::IndexMap::from_natural", inverse)};
}

template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> identity_map(const ExecutionSpace& exec,
                                                             Ordinal natural_size) {
  require(natural_size >= 0, "the number of indices of a map must not be negative");
  std::vector<Ordinal> order(static_cast<std::size_t>(natural_size));
  std::iota(order.begin(), order.end(), Ordinal(0));
  // The identity is its own inverse.
  const auto indices = Impl::copy_indices(exec, "Tomokkos::IndexMap::to_natural", order);
  return {indices, indices};
}

template <class ExecutionSpace>
void validate(const ExecutionSpace& exec,
              const IndexMap<typename ExecutionSpace::memory_space>& map) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(map.size() <= map.natural_size(),
          Impl::text("not a valid index map: {} positions for {} indices", map.size(),
                     map.natural_size()));
  Ordinal bad = map.size();
  Kokkos::parallel_reduce("Tomokkos::validate::index_map::positions",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, map.size()),
                          Impl::FirstBadPosition<MemorySpace>{map}, Kokkos::Min<Ordinal>(bad));
  if (bad < map.size())
    throw Refused(
        Impl::text("not a valid index map: position {} holds an index that is out of range or is "
                   "mapped to another position",
                   bad));
  bad = map.natural_size();
  Kokkos::parallel_reduce("Tomokkos::validate::index_map::indices",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, map.natural_size()),
                          Impl::FirstBadNatural<MemorySpace>{map}, Kokkos::Min<Ordinal>(bad));
  if (bad < map.natural_size())
    throw Refused(
        Impl::text("not a valid index map: index {} has a position that is out of range or holds "
                   "another index",
                   bad));
}

}  // namespace Tomokkos
