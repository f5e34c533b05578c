// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_BandEdge_impl.hpp>

namespace Tomokkos::Impl {

/// Projector `line`: length of a ray in a pixel.
///
/// In its frame a ray is steep (a >= b >= 0). A pixel that it enters through the bottom and leaves
/// through the top gets p / a. Otherwise the ray cuts off the lower left or the upper right corner:
/// a triangle with legs h / a and h / b, where h is the distance of that corner from the ray.
template <Beam beam>
class LineProjector {
 public:
  KOKKOS_FUNCTION LineProjector(const ScanParameters& scan, const ViewRays& view, Ordinal detector)
      : line_(central_ray<beam>(scan, view, detector)) {
    const double length = normal_length(line_.a, line_.b) * length_unit(scan, line_);
    full_ = length / line_.a;
    per_depth_ = line_.b > 0 ? length / (2 * line_.a * line_.b) : 0.0;
    // A margin larger than the rounding of a x + b y - s: outside it the sign is certain.
    const double margin = 0x1p-48 * (1.0 * scan.rows + scan.columns + line_.s);
    surely_full_ = (line_.a - line_.b) - margin;
    surely_missed_ = (line_.a + line_.b) + margin;
    margin_ = margin;
  }

  KOKKOS_FUNCTION BandEdge lower(const ScanParameters& scan) const {
    return lower_edge(scan, line_, line_.s - (line_.a + line_.b));
  }

  KOKKOS_FUNCTION BandEdge upper(const ScanParameters& scan) const {
    return upper_edge(scan, line_, line_.s + (line_.a + line_.b));
  }

  /// Returns the elements whose weight at (\p x, \p y) may be positive: see
  /// `detectors_near_point`.
  KOKKOS_FUNCTION static IndexRange detectors_near(const ScanParameters& scan, const ViewRays& view,
                                                   double x, double y, double margin) {
    const double reach =
        beam == Beam::parallel ? view.direction.a + view.direction.b : half_diagonal;
    return detectors_near_point<beam>(scan, view, x, y, reach, 0.0, margin);
  }

  /// Returns the length in the pixel with centre (\p x, \p y). The comparisons in plain double only
  /// save work.
  KOKKOS_FUNCTION double weight(double x, double y) const {
    const FramePoint center = to_frame(line_.symmetry, x, y);
    const double rough = (line_.a * center.x + line_.b * center.y) - line_.s;
    const double distance = Impl::fabs(rough);
    if (distance <= surely_full_) return full_;
    if (distance >= surely_missed_) return 0.0;
    if (line_.b == 0.0) return along_axis(center);
    if (distance <= surely_full_ + 2 * margin_ && at_corner(center, -1, 1) <= 0 &&
        at_corner(center, 1, -1) >= 0)
      return full_;
    const double depth =
        cuts_lower_left(rough, center) ? -at_corner(center, -1, -1) : at_corner(center, 1, 1);
    if (!(depth > 0)) return 0.0;
    const double length = depth * per_depth_;
    return length < full_ ? length : full_;
  }

 private:
  /// Returns the distance of a corner from the ray, positive on the side of growing x.
  KOKKOS_FUNCTION double at_corner(const FramePoint& center, double dx, double dy) const {
    return signed_distance(line_.a, center.x + dx, line_.b, center.y + dy, line_.s);
  }

  KOKKOS_FUNCTION bool cuts_lower_left(double rough, const FramePoint& center) const {
    if (Impl::fabs(rough) > margin_) return rough > 0;
    return at_corner(center, -1, 1) > 0;
  }

  /// Returns the length of a ray along an axis. A ray along a grid line belongs half to each side.
  KOKKOS_FUNCTION double along_axis(const FramePoint& center) const {
    const double left = at_corner(center, -1, 0);
    const double right = at_corner(center, 1, 0);
    if (left > 0 || right < 0) return 0.0;
    return left < 0 && right > 0 ? full_ : 0.5 * full_;
  }

  Line line_;
  double full_;
  double per_depth_;
  double surely_full_;
  double surely_missed_;
  double margin_;
};

}  // namespace Tomokkos::Impl
