// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_SliceVectors.hpp>
#include <algorithm>
#include <string>

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
    buffer = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Reconstruction::natural",
                                                    Offset{map->natural_size()} * slices);
    // What a mask leaves out is nothing.
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

void require_room_for_slices(std::uint64_t slice_bytes, std::uint64_t slices,
                             std::uint64_t available, const std::string& memory) {
  if (slice_bytes == 0 || slices <= available / slice_bytes) return;
  const std::uint64_t fitting = available / slice_bytes;
  Impl::MemoryNeed all;
  all.add(slices, slice_bytes);
  throw MemoryError("problem.slices: a slice takes about " + describe_bytes(slice_bytes) + " of " +
                    memory + " beside the matrix, " + std::to_string(slices) + " slices take " +
                    describe_bytes(all.bytes()) + "; " + describe_bytes(available) +
                    " are available, enough for " + std::to_string(fitting) + " slices at a time");
}

template <class ExecutionSpace, class Scalar>
void require_room_for_stack(const ExecutionSpace& exec, const RunConfig& config,
                            const SliceShape& kept, const SliceShape& natural, Ordinal slices) {
  const SolverSection& solver = config.solver;
  const RunSection& run = config.run;
  const auto m = static_cast<std::uint64_t>(kept.rays);
  const auto n = static_cast<std::uint64_t>(kept.pixels);
  const auto all_rays = static_cast<std::uint64_t>(natural.rays);
  const auto all_pixels = static_cast<std::uint64_t>(natural.pixels);
  // Data, image and the vectors of the solver.
  std::uint64_t device =
      (m + n) * (task_of(solver.kind()) == SolverTask::least_squares ? 3 : 2) * sizeof(Scalar);
  // The iterate before.
  if (solver.subsets() > 1) device += n * sizeof(Scalar);
  // A whole image, where its products are formed.
  const bool is_split = run.num_ranks > 1 && run.ranks.image == ImageSpread::split;
  if (is_split) device += all_pixels * sizeof(Scalar);
  // The natural copy of what is mapped, one at a time; what ranks share is mapped on the host.
  const bool is_mapped = !is_natural(config.matrix_operator.ordering) || is_split ||
                         kept.rays != natural.rays || kept.pixels != natural.pixels;
  if (is_mapped && run.num_ranks == 1) device += std::max(all_rays, all_pixels) * sizeof(Scalar);
  if (is_mapped && run.num_ranks > 1) device += all_pixels * sizeof(Scalar);
  using Workspace = ReductionWorkspace<typename ExecutionSpace::memory_space>;
  device += 2 * sizeof(double) * Workspace::max_blocks * Workspace::max_sums;
  const std::uint64_t records =
      Impl::IterationLog<ExecutionSpace>::slice_bytes(solver.iterations());
  device += records;
  std::uint64_t host = all_rays * host_bytes_per_ray(sizeof(Scalar)) +
                       all_pixels * host_bytes_per_pixel(sizeof(Scalar)) + records;
  if (config.problem.sinogram) host -= all_rays * sizeof(double);
  if (config.problem.phantom && !config.problem.phantom->file.empty()) {
    // Each slice may have a phantom of its own.
    device += n * sizeof(Scalar);
    host += all_pixels * sizeof(double);
  }
  const auto wanted = static_cast<std::uint64_t>(slices);
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    require_room_for_slices(device + host, wanted, available_memory(exec), "memory");
  } else {
    require_room_for_slices(device, wanted, available_memory(exec), "device memory");
    require_room_for_slices(host, wanted, available_host_memory(), "host memory");
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                               \
  template Vector<SCALAR, SPACE::memory_space> to_device_columns<SPACE, SCALAR>(          \
      const SPACE&, const char*, const std::vector<double>&, Ordinal);                    \
  template Vector<SCALAR, SPACE::memory_space> mapped_columns<SPACE, SCALAR>(             \
      const SPACE&, const char*, const VectorView<SCALAR, SPACE::memory_space>&, Ordinal, \
      const IndexMap<SPACE::memory_space>&);                                              \
  template std::vector<SCALAR> to_host_slices<SPACE, SCALAR>(                             \
      const SPACE&, const VectorView<SCALAR, SPACE::memory_space>&, Ordinal,              \
      const std::optional<IndexMap<SPACE::memory_space>>&);                               \
  template void require_room_for_stack<SPACE, SCALAR>(                                    \
      const SPACE&, const RunConfig&, const SliceShape&, const SliceShape&, Ordinal);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
