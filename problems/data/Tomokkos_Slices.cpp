// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_Slices.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

namespace Tomokkos {

namespace {

/// Entries of all slices that are moved together, so that both arrays stay in the cache.
constexpr std::size_t entries_of_block = 256;

/// Calls move(entry, slice) for all entries of all slices, with all threads of the host or with the
/// calling one.
template <class Move>
void for_entries_of_slices(std::size_t entries, std::size_t slices, const Move& move,
                           bool with_all_threads = true) {
  const std::size_t blocks = (entries + entries_of_block - 1) / entries_of_block;
  const auto move_block = [&](const std::size_t block) {
    const std::size_t begin = block * entries_of_block;
    const std::size_t end = std::min(begin + entries_of_block, entries);
    for (std::size_t slice = 0; slice < slices; ++slice)
      for (std::size_t entry = begin; entry < end; ++entry) move(entry, slice);
  };
  if (!with_all_threads) {
    for (std::size_t block = 0; block < blocks; ++block) move_block(block);
    return;
  }
  using Host = TOMOKKOS_HOST_SPACE;
  const Host host;
  Kokkos::parallel_for("Tomokkos::slices",
                       Kokkos::RangePolicy<Host, Kokkos::IndexType<std::size_t>>(host, 0, blocks),
                       move_block);
  host.fence();
}

/// Value of a slice: `to(j, i) = from(i, j)`.
template <class Scalar>
struct SlicesInTurn {
  std::size_t length, slices;
  const Scalar* from;
  Scalar* to;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto at = static_cast<std::size_t>(index);
    const std::size_t slice = at / length, entry = at - slice * length;
    to[at] = from[entry * slices + slice];
  }
};

/// Columns in natural order: \p values themselves, or a copy in \p buffer if there is a map.
template <class ExecutionSpace, class Scalar,
          class MemorySpace = typename ExecutionSpace::memory_space>
VectorView<const Scalar, MemorySpace> natural_columns(
    const ExecutionSpace& exec, const VectorView<const Scalar, MemorySpace>& values, Ordinal slices,
    const std::optional<IndexMap<MemorySpace>>& map, Vector<Scalar, MemorySpace>& buffer) {
  if (!map) return values;
  buffer = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::natural_columns",
                                                 Offset{map->natural_size()} * slices);
  // Entries that a mask removes are 0.
  if (!map->is_permutation()) Kokkos::deep_copy(exec, buffer, Scalar(0));
  scatter<ExecutionSpace, Scalar>(exec, *map, columns_of<const Scalar, MemorySpace>(values, slices),
                                  columns_of<Scalar, MemorySpace>(buffer, slices));
  return buffer;
}

}  // namespace

Ordinal count_gap_patterns(std::span<const double> values, Ordinal slices) {
  const std::size_t length = values.size() / static_cast<std::size_t>(slices);
  std::set<std::vector<std::size_t>> patterns;
  for (Ordinal slice = 0; slice < slices; ++slice) {
    const auto own = values.subspan(static_cast<std::size_t>(slice) * length, length);
    std::vector<std::size_t> gaps;
    for (std::size_t i = 0; i < length; ++i)
      if (std::isnan(own[i])) gaps.push_back(i);
    patterns.insert(std::move(gaps));
  }
  return static_cast<Ordinal>(patterns.size());
}

std::vector<double> counted_rays(std::span<const double> data, Ordinal slices,
                                 const std::vector<char>& mask) {
  const auto count = static_cast<std::size_t>(slices);
  const std::size_t rows = data.size() / count;
  std::vector<double> counts;
  for (std::size_t slice = 0; slice < count; ++slice) {
    const std::span<const double> of_slice = data.subspan(slice * rows, rows);
    std::size_t counted = 0;
    for (std::size_t ray = 0; ray < rows; ++ray)
      if ((mask.empty() || mask[ray] != 0) && !std::isnan(of_slice[ray])) ++counted;
    counts.push_back(static_cast<double>(counted));
  }
  return counts;
}

template <class Scalar>
std::vector<Scalar> side_by_side(const std::vector<double>& values, Ordinal slices) {
  const auto s = static_cast<std::size_t>(slices);
  const std::size_t length = values.size() / s;
  std::vector<Scalar> result(values.size());
  const auto move = [&](std::size_t i, std::size_t j) {
    result[i * s + j] = static_cast<Scalar>(values[j * length + i]);
  };
  for_entries_of_slices(length, s, move, false);
  return result;
}

template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space> to_device_columns(
    const ExecutionSpace& exec, const char* label, std::span<const double> values, Ordinal slices) {
  const auto s = static_cast<std::size_t>(slices);
  const std::size_t length = values.size() / s;
  const auto converted = std::make_unique_for_overwrite<Scalar[]>(values.size());
  Scalar* const to = converted.get();
  for_entries_of_slices(length, s, [&](std::size_t i, std::size_t j) {
    to[i * s + j] = static_cast<Scalar>(values[j * length + i]);
  });
  const auto result =
      allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(exec, label, values.size());
  Kokkos::deep_copy(exec, result, VectorView<const Scalar, Kokkos::HostSpace>(to, values.size()));
  exec.fence();
  return result;
}

template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space> mapped_columns(
    const ExecutionSpace& exec, const char* label,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& natural, Ordinal slices,
    const IndexMap<typename ExecutionSpace::memory_space>& map) {
  using memory_space = typename ExecutionSpace::memory_space;
  const auto result =
      allocate<Vector<Scalar, memory_space>>(exec, label, Offset{map.size()} * slices);
  gather<ExecutionSpace, Scalar>(exec, map,
                                 MultiVectorView<const Scalar, memory_space>(
                                     columns_of<Scalar, memory_space>(natural, slices)),
                                 columns_of<Scalar, memory_space>(result, slices));
  exec.fence();
  return result;
}

template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space> to_ordered_columns(
    const ExecutionSpace& exec, const char* label, std::span<const double> values, Ordinal slices,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map, bool by_host) {
  if (map && by_host) {
    using Host = TOMOKKOS_HOST_SPACE;
    const Host host;
    const auto mapped = mapped_columns<Host, Scalar>(
        host, label, to_device_columns<Host, Scalar>(host, label, values, slices), slices,
        map_on_host(*map));
    const auto result = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(
        exec, label, mapped.extent(0));
    Kokkos::deep_copy(exec, result, mapped);
    exec.fence();
    return result;
  }
  const auto natural = to_device_columns<ExecutionSpace, Scalar>(exec, label, values, slices);
  if (!map) return natural;
  return mapped_columns<ExecutionSpace, Scalar>(exec, label, natural, slices, *map);
}

template <class ExecutionSpace, class Scalar>
void put_slices_in_turn(
    const ExecutionSpace& exec,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& values, Ordinal slices,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& in_turn) {
  Vector<Scalar, typename ExecutionSpace::memory_space> buffer;
  const auto natural = natural_columns<ExecutionSpace, Scalar>(exec, values, slices, map, buffer);
  require_equal("values in turn", static_cast<long long>(in_turn.extent(0)), "values of the slices",
                static_cast<long long>(natural.extent(0)));
  const auto s = static_cast<std::size_t>(slices);
  const std::size_t length = natural.extent(0) / s;
  const Scalar* const from = natural.data();
  Scalar* const to = in_turn.data();
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    exec.fence();
    for_entries_of_slices(
        length, s, [=](std::size_t i, std::size_t j) { to[j * length + i] = from[i * s + j]; });
  } else {
    Kokkos::parallel_for("Tomokkos::put_slices_in_turn", Impl::element_range(exec, length * s),
                         SlicesInTurn<Scalar>{length, s, from, to});
    exec.fence();
  }
}

template <class ExecutionSpace, class Scalar>
std::vector<Scalar> to_host_slices(
    const ExecutionSpace& exec,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& values, Ordinal slices,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map) {
  Vector<Scalar, typename ExecutionSpace::memory_space> buffer;
  const auto natural = natural_columns<ExecutionSpace, Scalar>(exec, values, slices, map, buffer);
  std::vector<Scalar> host(natural.extent(0));
  Kokkos::deep_copy(exec, VectorView<Scalar, Kokkos::HostSpace>(host.data(), host.size()), natural);
  exec.fence();
  if (slices == 1) return host;
  const auto s = static_cast<std::size_t>(slices);
  const std::size_t length = host.size() / s;
  std::vector<Scalar> in_turn(host.size());
  for_entries_of_slices(
      length, s, [&](std::size_t i, std::size_t j) { in_turn[j * length + i] = host[i * s + j]; });
  return in_turn;
}

template std::vector<float> side_by_side<float>(const std::vector<double>&, Ordinal);
template std::vector<double> side_by_side<double>(const std::vector<double>&, Ordinal);

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                               \
  template Vector<SCALAR, SPACE::memory_space> to_device_columns<SPACE, SCALAR>(          \
      const SPACE&, const char*, std::span<const double>, Ordinal);                       \
  template Vector<SCALAR, SPACE::memory_space> mapped_columns<SPACE, SCALAR>(             \
      const SPACE&, const char*, const VectorView<SCALAR, SPACE::memory_space>&, Ordinal, \
      const IndexMap<SPACE::memory_space>&);                                              \
  template Vector<SCALAR, SPACE::memory_space> to_ordered_columns<SPACE, SCALAR>(         \
      const SPACE&, const char*, std::span<const double>, Ordinal,                        \
      const std::optional<IndexMap<SPACE::memory_space>>&, bool);                         \
  template void put_slices_in_turn<SPACE, SCALAR>(                                        \
      const SPACE&, const VectorView<const SCALAR, SPACE::memory_space>&, Ordinal,        \
      const std::optional<IndexMap<SPACE::memory_space>>&,                                \
      const VectorView<SCALAR, SPACE::memory_space>&);                                    \
  template std::vector<SCALAR> to_host_slices<SPACE, SCALAR>(                             \
      const SPACE&, const VectorView<const SCALAR, SPACE::memory_space>&, Ordinal,        \
      const std::optional<IndexMap<SPACE::memory_space>>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
