// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_Slices.hpp>
#include <algorithm>
#include <memory>

namespace Tomokkos {

namespace {

/// Entries of all slices that are moved together, so that both arrays stay in the cache.
constexpr std::size_t entries_of_block = 256;

/// Calls move(entry, slice) for the entries of a block, slice by slice.
template <class Move>
void for_block_of_slices(std::size_t block, std::size_t entries, std::size_t slices,
                         const Move& move) {
  const std::size_t begin = block * entries_of_block;
  const std::size_t end = std::min(begin + entries_of_block, entries);
  for (std::size_t slice = 0; slice < slices; ++slice)
    for (std::size_t entry = begin; entry < end; ++entry) move(entry, slice);
}

std::size_t blocks_of(std::size_t entries) {
  return (entries + entries_of_block - 1) / entries_of_block;
}

/// Calls move(entry, slice) for all entries of all slices, with all threads of the host.
template <class Move>
void for_entries_of_slices(std::size_t entries, std::size_t slices, const Move& move) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const Host host;
  Kokkos::parallel_for(
      "Tomokkos::slices",
      Kokkos::RangePolicy<Host, Kokkos::IndexType<std::size_t>>(host, 0, blocks_of(entries)),
      [&](const std::size_t block) { for_block_of_slices(block, entries, slices, move); });
  host.fence();
}

}  // namespace

template <class Scalar>
std::vector<Scalar> side_by_side(const std::vector<double>& values, Ordinal slices) {
  const auto s = static_cast<std::size_t>(slices);
  const std::size_t length = values.size() / s;
  std::vector<Scalar> result(values.size());
  for (std::size_t block = 0; block < blocks_of(length); ++block)
    for_block_of_slices(block, length, s, [&](std::size_t i, std::size_t j) {
      result[i * s + j] = static_cast<Scalar>(values[j * length + i]);
    });
  return result;
}

template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space> to_device_columns(
    const ExecutionSpace& exec, const char* label, const std::vector<double>& values,
    Ordinal slices) {
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
std::vector<Scalar> to_host_slices(
    const ExecutionSpace& exec,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& values, Ordinal slices,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map) {
  using memory_space = typename ExecutionSpace::memory_space;
  Vector<Scalar, memory_space> buffer;
  VectorView<Scalar, memory_space> natural = values;
  if (map) {
    buffer = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::to_host_slices",
                                                    Offset{map->natural_size()} * slices);
    // Entries that a mask removes are 0.
    if (!map->is_permutation()) Kokkos::deep_copy(exec, buffer, Scalar(0));
    scatter<ExecutionSpace, Scalar>(exec, *map,
                                    MultiVectorView<const Scalar, memory_space>(
                                        columns_of<Scalar, memory_space>(values, slices)),
                                    columns_of<Scalar, memory_space>(buffer, slices));
    natural = buffer;
  }
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
      const SPACE&, const char*, const std::vector<double>&, Ordinal);                    \
  template Vector<SCALAR, SPACE::memory_space> mapped_columns<SPACE, SCALAR>(             \
      const SPACE&, const char*, const VectorView<SCALAR, SPACE::memory_space>&, Ordinal, \
      const IndexMap<SPACE::memory_space>&);                                              \
  template std::vector<SCALAR> to_host_slices<SPACE, SCALAR>(                             \
      const SPACE&, const VectorView<SCALAR, SPACE::memory_space>&, Ordinal,              \
      const std::optional<IndexMap<SPACE::memory_space>>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
