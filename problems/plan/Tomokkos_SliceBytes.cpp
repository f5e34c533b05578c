// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_KeptRecords.hpp>
#include <Tomokkos_Reduce.hpp>
#include <Tomokkos_RunBytes.hpp>
#include <Tomokkos_SliceBytes.hpp>
#include <algorithm>

namespace Tomokkos {
namespace {

using Host = TOMOKKOS_HOST_SPACE;

double entries_of(const VectorCounts& vectors, const SliceShape& slice) {
  return static_cast<double>(vectors.rows) * slice.rays +
         static_cast<double>(vectors.columns) * slice.pixels;
}

/// Bytes of the partial sums of a slice, of the solver and of the distances to a phantom.
double bytes_of_sums() {
  using Workspace = ReductionWorkspace<Host::memory_space>;
  return 2.0 * sizeof(double) * Workspace::max_blocks * Workspace::max_sums;
}

/// Bytes of the workspace of products for a slice.
double products_of_slice(const SystemTask& task, const MachineFacts& machine,
                         const SliceShape& kept, const SliceShape& natural) {
  MatrixNumbers of;
  of.rays = kept.rays;
  of.pixels = kept.pixels;
  of.all_rays = natural.rays;
  of.all_pixels = natural.pixels;
  if (task.wish.symmetric()) of.stored_rays = stored_rays_of(task);
  return bytes_of_products(task, task.wish, machine, of);
}

}  // namespace

PlaceBytes most(const PlaceBytes& one, const PlaceBytes& other) {
  return {std::max(one.device, other.device), std::max(one.host, other.host)};
}

SliceBytes bytes_of_slice(const SystemTask& task, const OperatorWish& wish,
                          const MachineFacts& machine, const SliceShape& kept,
                          const SliceShape& natural) {
  const SolverNeeds& needs = task.needs;
  const auto scalar = static_cast<double>(machine.scalar_bytes);
  const double all_rays = natural.rays, all_pixels = natural.pixels;
  const bool has_ranks = task.share.ranks > 1;
  const bool is_split = has_ranks && task.share.image_is_split;
  // Vectors are mapped one after the other. With several ranks, the host does it.
  const bool is_mapped = !is_natural(wish.ordering) || is_split || kept.rays != natural.rays ||
                         kept.pixels != natural.pixels;
  const double records =
      static_cast<double>(Impl::IterationLog<Host>::slice_bytes(needs.iterations));
  const bool has_phantom = task.data.phantoms > 1;

  // All the time: data and image; their values in the order of the file, in double and in the
  // precision of the output.
  PlaceBytes held{(entries_of({1, 1}, kept) + (has_phantom ? kept.pixels : 0)) * scalar,
                  all_rays * (scalar + (task.data.are_measured ? 0.0 : sizeof(double)))};
  if (has_phantom) held.host += all_pixels * sizeof(double);
  // A split image is gathered for products.
  if (is_split) held.device += all_pixels * scalar;

  PlaceBytes solver{
      entries_of({needs.of_slice.rows - 1, needs.of_slice.columns - 1}, kept) * scalar +
          bytes_of_sums() + records,
      records};
  // A start is read in double and converted, and so are masked pixels, which keep it.
  PlaceBytes start;
  if (task.data.reads_start) start.host += all_pixels * (sizeof(double) + scalar);
  // The result is copied back as columns and rearranged to slices. The report and its text take
  // 0.94 kB for each record.
  PlaceBytes written{is_mapped && !has_ranks ? all_pixels * scalar : 0,
                     all_pixels * scalar * (needs.vectors > 1 ? 2 : 1) +
                         940.0 * std::min(needs.iterations + 1, KeptRecords::most)};
  if (is_mapped) start.device += (has_ranks ? all_pixels : std::max(all_rays, all_pixels)) * scalar;
  if (!task.masks.columns.empty()) held.host += all_pixels * scalar;
  return {most((held + solver).on(machine), (held + start).on(machine)),
          (held + written).on(machine)};
}

double bytes_of_weights(const SolverNeeds& needs, std::size_t scalar_bytes,
                        const SliceShape& kept) {
  return entries_of(needs.of_pattern, kept) * static_cast<double>(scalar_bytes);
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

void require_room_for_slices(const MachineFacts& machine, const PlaceBytes& slice,
                             std::uint64_t slices) {
  require_room_for_slices(Impl::whole_bytes(slice.device), slices, machine.device_free,
                          machine.gpu ? "device memory" : "memory");
  if (machine.gpu)
    require_room_for_slices(Impl::whole_bytes(slice.host), slices, machine.host_free,
                            "host memory");
}

void require_room_for_weights(const SystemTask& task, const MachineFacts& machine,
                              const SliceShape& kept, Ordinal patterns) {
  if (patterns < 2) return;
  Impl::MemoryNeed all;
  all.add(static_cast<std::uint64_t>(patterns),
          Impl::whole_bytes(bytes_of_weights(task.needs, machine.scalar_bytes, kept)));
  if (all.bytes() > machine.device_free)
    throw MemoryError("problem.slab: the slices of a slab lack " + std::to_string(patterns) +
                      " different sets of rays, whose weights need " + describe_bytes(all.bytes()) +
                      "; " + describe_bytes(machine.device_free) +
                      " are available; solve fewer slices at a time");
}

void require_room_for_stack(const SystemTask& task, const MachineFacts& machine,
                            const SliceShape& kept, const SliceShape& natural, Ordinal patterns) {
  PlaceBytes slice = bytes_of_slice(task, task.wish, machine, kept, natural).peak();
  // Memory of a host counts as free until it is touched, which that of the products is not yet.
  if (!machine.gpu) slice.device += products_of_slice(task, machine, kept, natural);
  // Each slice takes its part of the weights.
  if (patterns > 1)
    slice.device +=
        bytes_of_weights(task.needs, machine.scalar_bytes, kept) * patterns / task.needs.vectors;
  require_room_for_slices(machine, slice, static_cast<std::uint64_t>(task.needs.vectors));
}

std::uint64_t host_bytes_of_slice(std::uint64_t rays, std::uint64_t pixels,
                                  std::size_t scalar_bytes) {
  const std::uint64_t entry = sizeof(double) + 2 * scalar_bytes;
  return Impl::MemoryNeed().add(rays, entry).add(pixels, entry).bytes();
}

bool may_need_slabs(std::uint64_t slices, std::uint64_t rays, std::uint64_t pixels,
                    std::size_t scalar_bytes, std::uint64_t available) {
  Impl::MemoryNeed stack;
  stack.add(slices, host_bytes_of_slice(rays, pixels, scalar_bytes));
  return stack.bytes() > available / 2;
}

PlaceBytes bytes_of_slice_in_slab(const SystemTask& task, const MachineFacts& machine,
                                  const SliceShape& kept, const SliceShape& natural,
                                  bool has_gaps) {
  const auto scalar = static_cast<double>(machine.scalar_bytes);
  PlaceBytes slice = bytes_of_slice(task, task.wish, machine, kept, natural).solve;
  if (has_gaps) slice.device += bytes_of_weights(task.needs, machine.scalar_bytes, kept);
  const double rays = natural.rays, pixels = natural.pixels;
  // The data of this slab, and the images of the previous one, which a GPU keeps as well until they
  // are written.
  PlaceBytes beside{pixels * scalar + products_of_slice(task, machine, kept, natural),
                    rays * sizeof(double)};
  if (machine.gpu) beside.host += pixels * scalar;
  return slice + beside.on(machine) + bytes_of_slice_being_read(machine, natural);
}

PlaceBytes bytes_of_slice_being_read(const MachineFacts& machine, const SliceShape& natural) {
  // The data are copied once while they are read.
  return PlaceBytes{0, 2.0 * natural.rays * sizeof(double)}.on(machine);
}

Ordinal slab_size(const SlabPlan& plan, const MachineFacts& machine, const PlaceBytes& slice,
                  int iterations) {
  const auto least = static_cast<std::uint64_t>(plan.solved(plan.size));
  require_room_for_slices(machine, slice, least);
  if (plan.size > 0) return plan.size;
  // The records of all slices are kept, copied for the checkpoint and put into the report: 0.94 kB
  // for each record and slice. Stop rules shorten them, so they reserve half of the memory at most.
  Impl::MemoryNeed records;
  records.add(static_cast<std::uint64_t>(plan.count) *
                  static_cast<std::uint64_t>(std::min(iterations + 1, KeptRecords::most)),
              940);
  const std::uint64_t room = machine.host_free - std::min(records.bytes(), machine.host_free / 2);
  // An eighth is left to what is not counted: buffers of files and fragments of the heap.
  const double host_bytes = machine.gpu ? slice.host : slice.device;
  auto size = std::min<std::uint64_t>(
      SlabPlan::most,
      std::max(Impl::whole_bytes(static_cast<double>(room - room / 8) / host_bytes), least));
  if (machine.gpu)
    size =
        std::min(size, Impl::whole_bytes(static_cast<double>(machine.device_free) / slice.device));
  size = std::min(size, static_cast<std::uint64_t>(plan.count));
  return static_cast<Ordinal>(size >= 8 ? size / 8 * 8 : size);
}

}  // namespace Tomokkos
