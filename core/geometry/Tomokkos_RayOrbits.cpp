// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

namespace Tomokkos {

namespace {

/// Direction (cos t, sin t) of a view, without -0.
using Direction = std::pair<double, double>;

Direction turned(const Direction& direction, unsigned g) {
  const double x = (g & flip_x) != 0 ? -direction.first + 0.0 : direction.first;
  const double y = (g & flip_y) != 0 ? -direction.second + 0.0 : direction.second;
  return (g & swap_axes) != 0 ? Direction{y, x} : Direction{x, y};
}

Direction opposite(const Direction& direction) {
  return {-direction.first + 0.0, -direction.second + 0.0};
}

std::string in_degrees(const Direction& direction) {
  const double degrees = std::atan2(direction.second, direction.first) * 180 / std::numbers::pi;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g deg", degrees < 0 ? degrees + 360 : degrees);
  return text.data();
}

/// View whose rays are images of the rays of another view, in the same or in reverse order.
struct ViewImage {
  Ordinal view;
  bool reversed;
};

class ViewSearch {
 public:
  explicit ViewSearch(const ScanGeometry& scan)
      : scan_(scan), centred_(2 * scan.center_index() == scan.detectors - 1.0) {
    directions_.reserve(static_cast<std::size_t>(scan.views.count()));
    for (Ordinal view = 0; view < scan.views.count(); ++view) {
      const ViewDirection direction = scan.views.direction(view);
      directions_.emplace_back(direction.cosine(), direction.sine());
      views_[directions_.back()].push_back(view);
    }
  }

  /// Finds the views whose rays are the images under \p g of the rays of \p view.
  std::vector<ViewImage> images(Ordinal view, unsigned g) const {
    const Direction target = turned(directions_[static_cast<std::size_t>(view)], g);
    std::vector<ViewImage> result;
    const auto add = [&](const Direction& direction, bool reversed) {
      const auto found = views_.find(direction);
      if (found == views_.end() || (reversed && !centred_)) return;
      for (const Ordinal image : found->second) result.push_back({image, reversed});
    };
    if (scan_.beam == Beam::parallel) {
      // x cos t + y sin t = s is also the line of -t and -s.
      add(target, false);
      add(opposite(target), true);
    } else if (is_rotation(g)) {
      add(target, false);
    } else {
      // A reflection also reflects the source and reverses the detector.
      add(opposite(target), true);
    }
    return result;
  }

  [[noreturn]] void refuse(Ordinal view, unsigned g) const {
    const Direction& direction = directions_[static_cast<std::size_t>(view)];
    const Direction target = turned(direction, g);
    const bool fan = scan_.beam == Beam::fan;
    const bool by_opposite = !fan || !is_rotation(g);
    const Direction wanted = fan && by_opposite ? opposite(target) : target;
    std::string text = Impl::text(
        "the scan does not have the symmetries of the square: view {} at {} needs a view at {}",
        view, in_degrees(direction), in_degrees(wanted));
    if (!fan) text += " or, with a centred detector, at " + in_degrees(opposite(target));
    text += " as its image";
    if (by_opposite && !centred_ && views_.contains(opposite(target)))
      text += "; there is one at " + in_degrees(opposite(target)) +
              ", but the detector is not centred (detector_offset: 0)";
    text += "; evenly spaced views that start at 0 or at half a step have these symmetries: ";
    text += fan ? "a multiple of 4 over 360 deg"
                : "an even number over 180 deg, or a multiple of 4 over 360 deg";
    throw Refused(text);
  }

 private:
  const ScanGeometry& scan_;
  bool centred_;
  std::vector<Direction> directions_;
  std::map<Direction, std::vector<Ordinal>> views_;
};

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
  const ViewSearch search(scan);
  const Ordinal detectors = scan.detectors;
  RayOrbits orbits;
  constexpr Ordinal none = -1;
  orbits.slots.assign(static_cast<std::size_t>(scan.num_rays()), none);
  std::array<std::vector<ViewImage>, num_square_symmetries> images;
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
        for (const ViewImage& image : images[g]) {
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
