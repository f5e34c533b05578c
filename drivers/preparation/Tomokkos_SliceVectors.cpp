// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_SliceVectors.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {

void require_room_for_slices(std::uint64_t slice_bytes, std::uint64_t slices,
                             std::uint64_t available, const std::string& memory) {
  if (slice_bytes == 0 || slices <= available / slice_bytes) return;
  const std::uint64_t fitting = available / slice_bytes;
  Impl::MemoryNeed all;
  all.add(slices, slice_bytes);
  throw MemoryError("problem.slices: a slice needs about " + describe_bytes(slice_bytes) + " of " +
                    memory + " in addition to the matrix, " + std::to_string(slices) +
                    " slices need " + describe_bytes(all.bytes()) + "; " +
                    describe_bytes(available) + " are available, enough for " +
                    std::to_string(fitting) + " slices at a time");
}

template <class ExecutionSpace, class Scalar>
StackBytes bytes_of_slice(const RunConfig& config, const SliceShape& kept,
                          const SliceShape& natural) {
  const SolverSection& solver = config.solver;
  const RunSection& run = config.run;
  const auto m = static_cast<std::uint64_t>(kept.rays);
  const auto n = static_cast<std::uint64_t>(kept.pixels);
  const auto all_rays = static_cast<std::uint64_t>(natural.rays);
  const auto all_pixels = static_cast<std::uint64_t>(natural.pixels);
  // Data, image and the vectors of the solver.
  std::uint64_t device =
      (m + n) * (task_of(solver.kind()) == SolverTask::least_squares ? 3 : 2) * sizeof(Scalar);
  // The previous iterate.
  if (solver.subsets() > 1) device += n * sizeof(Scalar);
  // A whole image for products, if the image is split.
  const bool is_split = run.num_ranks > 1 && run.ranks.image == ImageDistribution::split;
  if (is_split) device += all_pixels * sizeof(Scalar);
  // The natural copy of one mapped vector at a time. With several ranks, vectors are mapped on the
  // host.
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
  if (config.problem.sinogram || !config.problem.rhs.empty()) host -= all_rays * sizeof(double);
  if (config.problem.phantom && !config.problem.phantom->file.empty()) {
    // Each slice may have its own phantom.
    device += n * sizeof(Scalar);
    host += all_pixels * sizeof(double);
  }
  return {device, host};
}

std::uint64_t bytes_of_weights(const SolverSection& solver, const SliceShape& kept,
                               std::uint64_t scalar_bytes) {
  const auto m = static_cast<std::uint64_t>(kept.rays);
  const auto n = static_cast<std::uint64_t>(kept.pixels);
  const auto subsets = static_cast<std::uint64_t>(solver.subsets());
  switch (solver.kind()) {
    case SolverKind::mlem:
      return (m + n + (subsets > 1 ? subsets * n : 0)) * scalar_bytes;
    case SolverKind::sirt:
    case SolverKind::sart:
    case SolverKind::os_sart:
      return subsets * n * scalar_bytes;
    default:
      return 0;
  }
}

template <class ExecutionSpace, class Scalar>
StackBytes bytes_of_slice_in_stack(const RunConfig& config, const SliceShape& kept,
                                   const SliceShape& natural, Ordinal slices, Ordinal patterns) {
  StackBytes result = bytes_of_slice<ExecutionSpace, Scalar>(config, kept, natural);
  if (patterns > 1)
    result.device += bytes_of_weights(config.solver, kept, sizeof(Scalar)) *
                     static_cast<std::uint64_t>(patterns) / static_cast<std::uint64_t>(slices);
  return result;
}

template <class ExecutionSpace, class Scalar>
void require_room_for_weights(const ExecutionSpace& exec, const RunConfig& config,
                              const SliceShape& kept, Ordinal patterns) {
  if (patterns < 2) return;
  Impl::MemoryNeed all;
  all.add(static_cast<std::uint64_t>(patterns),
          bytes_of_weights(config.solver, kept, sizeof(Scalar)));
  if (const std::uint64_t available = available_memory(exec); all.bytes() > available)
    throw MemoryError("problem.slab: the slices of a slab lack " + std::to_string(patterns) +
                      " different sets of rays, whose weights need " + describe_bytes(all.bytes()) +
                      "; " + describe_bytes(available) +
                      " are available; solve fewer slices at a time");
}

template <class ExecutionSpace, class Scalar>
void require_room_for_stack(const ExecutionSpace& exec, const RunConfig& config,
                            const SliceShape& kept, const SliceShape& natural, Ordinal slices,
                            Ordinal patterns) {
  const auto [device, host] =
      bytes_of_slice_in_stack<ExecutionSpace, Scalar>(config, kept, natural, slices, patterns);
  const auto wanted = static_cast<std::uint64_t>(slices);
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    require_room_for_slices(device + host, wanted, available_memory(exec), "memory");
  } else {
    require_room_for_slices(device, wanted, available_memory(exec), "device memory");
    require_room_for_slices(host, wanted, available_host_memory(), "host memory");
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template StackBytes bytes_of_slice<SPACE, SCALAR>(const RunConfig&, const SliceShape&,           \
                                                    const SliceShape&);                            \
  template StackBytes bytes_of_slice_in_stack<SPACE, SCALAR>(const RunConfig&, const SliceShape&,  \
                                                             const SliceShape&, Ordinal, Ordinal); \
  template void require_room_for_weights<SPACE, SCALAR>(const SPACE&, const RunConfig&,            \
                                                        const SliceShape&, Ordinal);               \
  template void require_room_for_stack<SPACE, SCALAR>(                                             \
      const SPACE&, const RunConfig&, const SliceShape&, const SliceShape&, Ordinal, Ordinal);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
