// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_Slices.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space> to_device_columns(
    const ExecutionSpace& exec, const char* label, const std::vector<double>& values,
    Ordinal slices) {
  const auto s = static_cast<std::size_t>(slices);
  const std::size_t length = values.size() / s;
  std::vector<Scalar> converted(values.size());
  for (std::size_t j = 0; j < s; ++j)
    for (std::size_t i = 0; i < length; ++i)
      converted[i * s + j] = static_cast<Scalar>(values[j * length + i]);
  const auto result = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(
      exec, label, converted.size());
  Kokkos::deep_copy(
      exec, result,
      VectorView<const Scalar, Kokkos::HostSpace>(converted.data(), converted.size()));
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
  for (std::size_t i = 0; i < length; ++i)
    for (std::size_t j = 0; j < s; ++j) in_turn[j * length + i] = host[i * s + j];
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
