// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <algorithm>
#include <array>
#include <impl/Tomokkos_ViewSearch_impl.hpp>
#include <limits>
#include <numeric>
#include <utility>

namespace Tomokkos {

namespace {

/// Sorts the stored rays into tiles and updates the slots.
void order_in_tiles(RayOrbits& orbits, Ordinal detectors) {
  constexpr Ordinal tile_views = 9, tile_detectors = 4;
  const std::size_t count = orbits.stored.size();
  std::vector<Ordinal> ranks(count);  // ranks of the stored views, in ascending order
  Ordinal rank = -1, last = -1;
  for (std::size_t i = 0; i < count; ++i) {
    const Ordinal view = orbits.stored[i] / detectors;
    if (view != last) ++rank;
    last = view;
    ranks[i] = rank;
  }
  const auto key = [&](Ordinal i) {
    const Ordinal view = ranks[static_cast<std::size_t>(i)];
    const Ordinal detector = orbits.stored[static_cast<std::size_t>(i)] % detectors;
    return std::array<Ordinal, 4>{view / tile_views, detector / tile_detectors, view % tile_views,
                                  detector % tile_detectors};
  };
  std::vector<Ordinal> order(count);
  std::iota(order.begin(), order.end(), Ordinal{0});
  std::sort(order.begin(), order.end(), [&](Ordinal i, Ordinal j) { return key(i) < key(j); });
  std::vector<Ordinal> stored(count), places(count);
  for (std::size_t p = 0; p < count; ++p) {
    const auto i = static_cast<std::size_t>(order[p]);
    stored[p] = orbits.stored[i];
    places[i] = static_cast<Ordinal>(p);
  }
  constexpr auto images = static_cast<Ordinal>(num_square_symmetries);
  for (Ordinal& slot : orbits.slots)
    slot = places[static_cast<std::size_t>(slot / images)] * images + slot % images;
  orbits.stored = std::move(stored);
}

}  // namespace

RayOrbits find_ray_orbits(const VolumeGeometry& volume, const ScanGeometry& scan) {
  check(volume, scan);
  require(volume.rows == volume.columns,
          Impl::text(
              "an image of {} x {} pixels does not have the symmetries of the square: the numbers "
              "of rows and columns must be equal",
              volume.rows, volume.columns));
  require(volume.has_square_pixels() && volume.is_centered(),
          "an image has the symmetries of the square only with square pixels around the origin: "
          "volume.pixel must be one number and volume.center [0, 0]");
  require(!scan.has_vectors(), "the symmetries of a scan by vectors are not known");
  const Impl::ViewSearch search(scan);
  const Ordinal detectors = scan.detectors;
  RayOrbits orbits;
  constexpr Ordinal none = -1;
  orbits.slots.assign(static_cast<std::size_t>(scan.num_rays()), none);
  std::array<std::vector<Impl::ViewImage>, num_square_symmetries> images;
  for (Ordinal view = 0; view < scan.views.count(); ++view) {
    Ordinal* const slots = orbits.slots.data() + Offset{view} * detectors;
    // A symmetry assigns slots to all rays of a view, or to all rays except the centre rays.
    if (std::none_of(slots, slots + detectors, [](Ordinal slot) { return slot == none; })) continue;
    for (unsigned g = 0; g < num_square_symmetries; ++g) {
      images[g] = search.images(view, g);
      if (images[g].empty()) search.refuse(view, g);
    }
    for (Ordinal detector = 0; detector < detectors; ++detector) {
      if (slots[detector] != none) continue;
      const auto first = static_cast<std::int64_t>(orbits.num_slots());
      require(first + static_cast<std::int64_t>(num_square_symmetries) <=
                  std::numeric_limits<Ordinal>::max(),
              "eight images of each stored ray are more than 32-bit indices can number");
      orbits.stored.push_back(view * detectors + detector);
      for (unsigned g = 0; g < num_square_symmetries; ++g)
        for (const Impl::ViewImage& image : images[g]) {
          Ordinal& slot = orbits.slots[static_cast<std::size_t>(
              Offset{image.view} * detectors +
              (image.reversed ? detectors - 1 - detector : detector))];
          if (slot == none) slot = static_cast<Ordinal>(first + g);
        }
    }
  }
  order_in_tiles(orbits, detectors);
  return orbits;
}

RayOrbits kept_orbits(RayOrbits orbits, const std::vector<char>& mask) {
  if (mask.empty()) return orbits;
  require_equal("rays of the mask", static_cast<long long>(mask.size()), "rays of the scan",
                static_cast<long long>(orbits.slots.size()));
  constexpr auto images = static_cast<Ordinal>(num_square_symmetries);
  constexpr Ordinal none = -1;
  RayOrbits result;
  std::vector<char> has_rays(orbits.stored.size(), 0);
  for (std::size_t ray = 0; ray < mask.size(); ++ray)
    if (mask[ray] != 0) {
      result.slots.push_back(orbits.slots[ray]);
      has_rays[static_cast<std::size_t>(orbits.slots[ray] / images)] = 1;
    }
  std::vector<Ordinal> places(orbits.stored.size(), none);
  for (std::size_t i = 0; i < has_rays.size(); ++i)
    if (has_rays[i] != 0) {
      places[i] = static_cast<Ordinal>(result.stored.size());
      result.stored.push_back(orbits.stored[i]);
    }
  for (Ordinal& slot : result.slots)
    slot = places[static_cast<std::size_t>(slot / images)] * images + slot % images;
  return result;
}

void require_symmetric_pixels(Ordinal side, const std::vector<char>& mask) {
  if (mask.empty()) return;
  require_equal("pixels of the mask", static_cast<long long>(mask.size()), "pixels of the image",
                static_cast<long long>(side) * side);
  const auto name = [&](Ordinal pixel) { return Impl::text("{}, {}", pixel / side, pixel % side); };
  for (Ordinal pixel = 0; pixel < side * side; ++pixel) {
    if (mask[static_cast<std::size_t>(pixel)] == 0) continue;
    for (unsigned g = 1; g < num_square_symmetries; ++g) {
      const Ordinal image = symmetric_pixel(side, g, pixel);
      if (mask[static_cast<std::size_t>(image)] == 0)
        throw Refused("pixel (" + name(pixel) + ") (row, column) is kept, but its image (" +
                      name(image) + ") under the symmetries of the square is not");
    }
  }
}

}  // namespace Tomokkos
