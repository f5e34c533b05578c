// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_OrderNames.hpp>
#include <Tomokkos_Reduce.hpp>
#include <Tomokkos_SliceBytes.hpp>
#include <algorithm>

namespace Tomokkos {
namespace {

using Host = TOMOKKOS_HOST_SPACE;

std::uint64_t entries_of(const VectorCounts& vectors, const SliceShape& slice) {
  return static_cast<std::uint64_t>(vectors.rows) * static_cast<std::uint64_t>(slice.rays) +
         static_cast<std::uint64_t>(vectors.columns) * static_cast<std::uint64_t>(slice.pixels);
}

}  // namespace

StackBytes bytes_of_slice(const SystemTask& task, std::size_t scalar_bytes, const SliceShape& kept,
                          const SliceShape& natural) {
  const SolverNeeds& needs = task.needs;
  const auto pixels = static_cast<std::uint64_t>(kept.pixels);
  const auto all_rays = static_cast<std::uint64_t>(natural.rays);
  const auto all_pixels = static_cast<std::uint64_t>(natural.pixels);
  // Data, image and the vectors of the solver.
  std::uint64_t values = entries_of(needs.of_slice, kept);
  const bool is_split = task.share.ranks > 1 && task.share.image_is_split;
  // A whole image for products, if the image is split.
  if (is_split) values += all_pixels;
  // The natural copy of one mapped vector at a time. With several ranks, vectors are mapped on the
  // host.
  const bool is_mapped = !is_natural(task.wish.ordering) || is_split || kept.rays != natural.rays ||
                         kept.pixels != natural.pixels;
  if (is_mapped) values += task.share.ranks > 1 ? all_pixels : std::max(all_rays, all_pixels);
  if (task.data.has_phantoms) values += pixels;
  const std::uint64_t records = Impl::IterationLog<Host>::slice_bytes(needs.iterations);
  using Workspace = ReductionWorkspace<Host::memory_space>;
  const std::uint64_t sums = 2 * sizeof(double) * Workspace::max_blocks * Workspace::max_sums;
  std::uint64_t host = all_rays * host_bytes_per_ray(scalar_bytes) +
                       all_pixels * host_bytes_per_pixel(scalar_bytes) + records;
  if (task.data.are_measured) host -= all_rays * sizeof(double);
  if (task.data.has_phantoms) host += all_pixels * sizeof(double);
  return {values * scalar_bytes + sums + records, host};
}

std::uint64_t bytes_of_weights(const SolverNeeds& needs, std::size_t scalar_bytes,
                               const SliceShape& kept) {
  return entries_of(needs.of_pattern, kept) * scalar_bytes;
}

StackBytes bytes_of_slice_in_stack(const SystemTask& task, std::size_t scalar_bytes,
                                   const SliceShape& kept, const SliceShape& natural,
                                   Ordinal patterns) {
  StackBytes result = bytes_of_slice(task, scalar_bytes, kept, natural);
  if (patterns > 1)
    result.device += bytes_of_weights(task.needs, scalar_bytes, kept) *
                     static_cast<std::uint64_t>(patterns) /
                     static_cast<std::uint64_t>(task.needs.vectors);
  return result;
}

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

void require_room_for_slices(const MachineFacts& machine, const StackBytes& slice,
                             std::uint64_t slices) {
  if (!machine.gpu)
    return require_room_for_slices(slice.device + slice.host, slices, machine.host_free, "memory");
  require_room_for_slices(slice.device, slices, machine.device_free, "device memory");
  require_room_for_slices(slice.host, slices, machine.host_free, "host memory");
}

void require_room_for_weights(const SystemTask& task, const MachineFacts& machine,
                              const SliceShape& kept, Ordinal patterns) {
  if (patterns < 2) return;
  Impl::MemoryNeed all;
  all.add(static_cast<std::uint64_t>(patterns),
          bytes_of_weights(task.needs, machine.scalar_bytes, kept));
  if (all.bytes() > machine.device_free)
    throw MemoryError("problem.slab: the slices of a slab lack " + std::to_string(patterns) +
                      " different sets of rays, whose weights need " + describe_bytes(all.bytes()) +
                      "; " + describe_bytes(machine.device_free) +
                      " are available; solve fewer slices at a time");
}

}  // namespace Tomokkos
