// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of a scan that are images of each other under the maps of the square.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_SquareSymmetry.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos::Impl {

/// Direction (cos t, sin t) of a view, without -0.
using Direction = std::pair<double, double>;

inline Direction turned(const Direction& direction, unsigned g) {
  const double x = (g & flip_x) != 0 ? -direction.first + 0.0 : direction.first;
  const double y = (g & flip_y) != 0 ? -direction.second + 0.0 : direction.second;
  return (g & swap_axes) != 0 ? Direction{y, x} : Direction{x, y};
}

inline Direction opposite(const Direction& direction) {
  return {-direction.first + 0.0, -direction.second + 0.0};
}

inline std::string in_degrees(const Direction& direction) {
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

}  // namespace Tomokkos::Impl
