// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_Slices.hpp>
#include <algorithm>
#include <memory>

namespace Tomokkos {

namespace {

/// Calls move(entry, slice) for all entries of all slices, with all threads of the host: slice by
/// slice within some entries, so that both arrays stay in the cache.
template <class Move>
void for_entries_of_slices(std::size_t entries, std::size_t slices, const Move& move) {
  constexpr std::size_t block = 256;
  using Host = Kokkos::DefaultHostExecutionSpace;
  const Host host;
  Kokkos::parallel_for("Tomokkos::slices",
                       Kokkos::RangePolicy<Host, Kokkos::IndexType<std::size_t>>(
                           host, 0, (entries + block - 1) / block),
                       [&](const std::size_t i) {
                         const std::size_t begin = i * block;
                         const std::size_t end = std::min(begin + block, entries);
                         for (std::size_t slice = 0; slice < slices; ++slice)
                           for (std::size_t entry = begin; entry < end; ++entry) move(entry, slice);
                       });
  host.fence();
}

}  // namespace

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
