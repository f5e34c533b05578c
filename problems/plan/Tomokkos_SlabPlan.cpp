// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_KeptRecords.hpp>
#include <Tomokkos_SlabPlan.hpp>

namespace Tomokkos {

bool may_need_slabs(std::uint64_t slices, std::uint64_t rays, std::uint64_t pixels,
                    std::size_t scalar_bytes, std::uint64_t available) {
  Impl::MemoryNeed slice, stack;
  slice.add(rays, host_bytes_per_ray(scalar_bytes)).add(pixels, host_bytes_per_pixel(scalar_bytes));
  stack.add(slices, slice.bytes());
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
  MatrixNumbers numbers;
  numbers.rays = kept.rays;
  numbers.pixels = kept.pixels;
  numbers.all_rays = rays;
  numbers.all_pixels = pixels;
  if (task.wish.symmetric()) numbers.stored_rays = stored_rays_of(task);
  PlaceBytes beside{pixels * scalar + bytes_of_products(task, task.wish, machine, numbers),
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
