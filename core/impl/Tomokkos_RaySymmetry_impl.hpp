// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RaySymmetry.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// The first ray whose slot does not exist or does not list it.
template <class MemorySpace>
struct FirstRayOfBadSlot {
  RaySymmetry<MemorySpace> symmetry;

  KOKKOS_FUNCTION void operator()(const Ordinal ray, Ordinal& first) const {
    const Ordinal slot = symmetry.slots(ray);
    bool good = slot >= 0 && slot < symmetry.num_slots();
    if (good) {
      good = false;
      for (Ordinal at = symmetry.slot_offsets(slot); at < symmetry.slot_offsets(slot + 1); ++at)
        good = good || symmetry.slot_rays(at) == ray;
    }
    if (!good && ray < first) first = ray;
  }
};

/// The first slot whose rays do not follow those of the slot before, or do not ascend.
template <class MemorySpace>
struct FirstBadSlotRays {
  RaySymmetry<MemorySpace> symmetry;

  KOKKOS_FUNCTION void operator()(const Ordinal slot, Ordinal& first) const {
    const Ordinal begin = symmetry.slot_offsets(slot), end = symmetry.slot_offsets(slot + 1);
    bool good = begin >= 0 && begin <= end && end <= symmetry.num_rays();
    if (slot == 0) good = good && begin == 0;
    if (slot + 1 == symmetry.num_slots()) good = good && end == symmetry.num_rays();
    for (Ordinal at = begin + 1; good && at < end; ++at)
      good = symmetry.slot_rays(at - 1) < symmetry.slot_rays(at);
    if (!good && slot < first) first = slot;
  }
};

/// The slots of the rays, and the rays of each slot.
template <class ExecutionSpace>
void set_slots(const ExecutionSpace& exec, const std::vector<Ordinal>& slots,
               RaySymmetry<typename ExecutionSpace::memory_space>& result) {
  std::vector<Ordinal> offsets(static_cast<std::size_t>(result.num_slots()) + 1, 0);
  for (const Ordinal slot : slots) ++offsets[static_cast<std::size_t>(slot) + 1];
  for (std::size_t slot = 1; slot < offsets.size(); ++slot) offsets[slot] += offsets[slot - 1];
  std::vector<Ordinal> next(offsets.begin(), offsets.end() - 1);
  std::vector<Ordinal> rays(slots.size());
  for (std::size_t ray = 0; ray < slots.size(); ++ray)
    rays[static_cast<std::size_t>(next[static_cast<std::size_t>(slots[ray])]++)] =
        static_cast<Ordinal>(ray);
  result.slots = copy_indices(exec, "Tomokkos::RaySymmetry::slots", slots);
  result.slot_offsets = copy_indices(exec, "Tomokkos::RaySymmetry::slot_offsets", offsets);
  result.slot_rays = copy_indices(exec, "Tomokkos::RaySymmetry::slot_rays", rays);
}

}  // namespace Impl

template <class ExecutionSpace>
RaySymmetry<typename ExecutionSpace::memory_space> make_ray_symmetry(
    const ExecutionSpace& exec, Ordinal side, const RayOrbits& orbits,
    const std::vector<Ordinal>& pixel_order) {
  RaySymmetry<typename ExecutionSpace::memory_space> result;
  result.side = side;
  result.num_stored = static_cast<Ordinal>(orbits.stored.size());
  require_equal("pixels in the order", static_cast<long long>(pixel_order.size()),
                "pixels of the image", static_cast<long long>(side) * side);
  result.pixels = make_index_map(exec, side * side, pixel_order);
  Impl::set_slots(exec, orbits.slots, result);
  return result;
}

template <class ExecutionSpace>
RaySymmetry<typename ExecutionSpace::memory_space> rays_in_order(
    const ExecutionSpace& exec, const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
    const std::vector<Ordinal>& order) {
  require_equal("rays in the order", static_cast<long long>(order.size()), "rays of the scan",
                symmetry.num_rays());
  // Throws where one is left out.
  make_index_map(exec, symmetry.num_rays(), order);
  std::vector<Ordinal> natural(order.size()), slots(order.size());
  Kokkos::deep_copy(exec, VectorView<Ordinal, Kokkos::HostSpace>(natural.data(), natural.size()),
                    symmetry.slots);
  Impl::fence(exec, "rays_in_order: the slots have arrived");
  for (std::size_t k = 0; k < slots.size(); ++k)
    slots[k] = natural[static_cast<std::size_t>(order[k])];
  RaySymmetry<typename ExecutionSpace::memory_space> result = symmetry;
  Impl::set_slots(exec, slots, result);
  return result;
}

template <class ExecutionSpace>
void validate(const ExecutionSpace& exec,
              const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  validate(exec, symmetry.pixels);
  require_equal("pixels of the map", symmetry.pixels.natural_size(), "pixels of the image",
                symmetry.num_pixels());
  require(symmetry.pixels.is_permutation(), "the map of the pixels leaves some out");
  require_equal("offsets of slots", static_cast<long long>(symmetry.slot_offsets.extent(0)),
                "slots + 1", symmetry.num_slots() + 1);
  require_equal("rays of slots", static_cast<long long>(symmetry.slot_rays.extent(0)), "rays",
                symmetry.num_rays());
  Ordinal bad = symmetry.num_slots();
  Kokkos::parallel_reduce("Tomokkos::validate::ray_symmetry::slots",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, symmetry.num_slots()),
                          Impl::FirstBadSlotRays<MemorySpace>{symmetry}, Kokkos::Min<Ordinal>(bad));
  if (bad < symmetry.num_slots())
    throw Error("not a valid symmetry of rays: the rays of slot " + std::to_string(bad) +
                " do not follow those before, or do not ascend");
  bad = symmetry.num_rays();
  Kokkos::parallel_reduce("Tomokkos::validate::ray_symmetry::rays",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, symmetry.num_rays()),
                          Impl::FirstRayOfBadSlot<MemorySpace>{symmetry},
                          Kokkos::Min<Ordinal>(bad));
  if (bad < symmetry.num_rays())
    throw Error("not a valid symmetry of rays: the slot of ray " + std::to_string(bad) +
                " is outside, or has not that ray");
}

}  // namespace Tomokkos
