// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RaySymmetry.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Finds the first ray whose slot does not exist or does not list the ray.
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

/// Finds the first slot whose rays do not follow those of the previous slot or do not ascend.
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

/// Finds the first pixel that is kept without one of its images, whose column does not follow the
/// column of the previous kept pixel, or that has a column without being kept.
template <class MemorySpace>
struct FirstBadPixel {
  RaySymmetry<MemorySpace> symmetry;

  KOKKOS_FUNCTION bool is_kept(Ordinal pixel) const {
    return symmetry.pixels.from_natural(pixel) != not_mapped;
  }
  KOKKOS_FUNCTION void operator()(const Ordinal pixel, Ordinal& first) const {
    bool good = true;
    if (is_kept(pixel)) {
      for (unsigned g = 1; g < num_square_symmetries; ++g)
        good = good && is_kept(symmetric_pixel(symmetry.side, g, pixel));
      Ordinal before = pixel - 1;
      while (before >= 0 && !is_kept(before)) --before;
      good = good && symmetry.columns(pixel) == (before < 0 ? 0 : symmetry.columns(before) + 1);
    } else {
      good = symmetry.columns(pixel) == not_mapped;
    }
    if (!good && pixel < first) first = pixel;
  }
};

/// Counts, for each pixel, the smaller pixels in the order; empty if the order contains all
/// `side^2` pixels.
inline std::vector<Ordinal> columns_of_kept(Ordinal side, const std::vector<Ordinal>& pixel_order) {
  const auto all = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  if (pixel_order.size() == all) return {};
  std::vector<char> mask(all, 0);
  for (const Ordinal pixel : pixel_order) mask[static_cast<std::size_t>(pixel)] = 1;
  require_symmetric_pixels(side, mask);
  std::vector<Ordinal> columns(all, not_mapped);
  Ordinal count = 0;
  for (std::size_t pixel = 0; pixel < all; ++pixel)
    if (mask[pixel] != 0) columns[pixel] = count++;
  return columns;
}

/// Sets the slots of the rays and the rays of each slot.
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
  result.pixels = make_index_map(exec, side * side, pixel_order);
  const std::vector<Ordinal> columns = Impl::columns_of_kept(side, pixel_order);
  if (!columns.empty())
    result.columns = Impl::copy_indices(exec, "Tomokkos::RaySymmetry::columns", columns);
  Impl::set_slots(exec, orbits.slots, result);
  return result;
}

template <class ExecutionSpace>
RaySymmetry<typename ExecutionSpace::memory_space> rays_in_order(
    const ExecutionSpace& exec, const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
    const std::vector<Ordinal>& order) {
  require_equal("rays in the order", static_cast<long long>(order.size()), "rays of the scan",
                symmetry.num_rays());
  // Throws unless the order is a permutation.
  make_index_map(exec, symmetry.num_rays(), order);
  std::vector<Ordinal> natural(order.size()), slots(order.size());
  Kokkos::deep_copy(exec, VectorView<Ordinal, Kokkos::HostSpace>(natural.data(), natural.size()),
                    symmetry.slots);
  Impl::fence(exec, "rays_in_order: the slots must have arrived");
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
  const Ordinal pixels = symmetry.side * symmetry.side;
  require_equal("pixels of the map", symmetry.pixels.natural_size(), "pixels of the image", pixels);
  const bool masked = symmetry.columns.extent(0) > 0;
  require(masked || symmetry.pixels.is_permutation(),
          "the map of the pixels leaves pixels out, but no columns of the others are given");
  require_equal("offsets of slots", static_cast<long long>(symmetry.slot_offsets.extent(0)),
                "slots + 1", symmetry.num_slots() + 1);
  require_equal("rays of slots", static_cast<long long>(symmetry.slot_rays.extent(0)), "rays",
                symmetry.num_rays());
  Ordinal bad = pixels;
  if (masked) {
    require_equal("columns of pixels", static_cast<long long>(symmetry.columns.extent(0)),
                  "pixels of the image", pixels);
    Kokkos::parallel_reduce("Tomokkos::validate::ray_symmetry::pixels",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, pixels),
                            Impl::FirstBadPixel<MemorySpace>{symmetry}, Kokkos::Min<Ordinal>(bad));
  }
  if (bad < pixels)
    throw Refused(
        Impl::text("not a valid symmetry of rays: pixel {} is kept without its images, or its "
                   "column does not follow the previous ones",
                   bad));
  bad = symmetry.num_slots();
  Kokkos::parallel_reduce("Tomokkos::validate::ray_symmetry::slots",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, symmetry.num_slots()),
                          Impl::FirstBadSlotRays<MemorySpace>{symmetry}, Kokkos::Min<Ordinal>(bad));
  if (bad < symmetry.num_slots())
    throw Refused(Impl::text(
        "not a valid symmetry of rays: the rays of slot {} do not follow the previous ones "
        "or do not ascend",
        bad));
  bad = symmetry.num_rays();
  Kokkos::parallel_reduce("Tomokkos::validate::ray_symmetry::rays",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, symmetry.num_rays()),
                          Impl::FirstRayOfBadSlot<MemorySpace>{symmetry},
                          Kokkos::Min<Ordinal>(bad));
  if (bad < symmetry.num_rays())
    throw Refused(Impl::text(
        "not a valid symmetry of rays: the slot of ray {} does not exist or does not list this ray",
        bad));
}

}  // namespace Tomokkos
