// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_BandEdge_impl.hpp>

namespace Tomokkos::Impl {

/// Projector `linear`: Joseph's method.
///
/// In its frame a ray is steep, so it crosses the centre line of every row once, between two
/// centres. The weight of each centre is the distance of the other centre from the ray, divided by
/// the distance of the two (2 a), times p / a. At 45 degrees rows and columns give the same
/// weights.
template <Beam beam>
class LinearProjector {
 public:
  KOKKOS_FUNCTION LinearProjector(const ScanParameters& scan, const ViewRays& view,
                                  Ordinal detector)
      : line_(central_ray<beam>(scan, view, detector)) {
    full_ = normal_length(line_.a, line_.b) * length_unit(scan, line_) / line_.a;
    per_distance_ = full_ / (2 * line_.a);
    margin_ = 0x1p-48 * (1.0 * scan.rows + scan.columns + line_.s);
  }

  KOKKOS_FUNCTION BandEdge lower(const ScanParameters& scan) const {
    return lower_edge(scan, line_, line_.s - 2 * line_.a);
  }

  KOKKOS_FUNCTION BandEdge upper(const ScanParameters& scan) const {
    return upper_edge(scan, line_, line_.s + 2 * line_.a);
  }

  /// Returns the elements whose weight at (\p x, \p y) may be positive: see
  /// `detectors_near_point`.
  KOKKOS_FUNCTION static IndexRange detectors_near(const ScanParameters& scan, const ViewRays& view,
                                                   double x, double y, double margin) {
    const double reach = beam == Beam::parallel ? 2 * view.direction.a : 2.0;
    return detectors_near_point<beam>(scan, view, x, y, reach, 0.0, margin);
  }

  /// Returns the weight of the pixel with centre (\p x, \p y). It is computed from the distance of
  /// the neighbour across the ray, so that small weights keep their relative accuracy.
  KOKKOS_FUNCTION double weight(double x, double y) const {
    const FramePoint center = to_frame(line_.symmetry, x, y);
    double side = (line_.a * center.x + line_.b * center.y) - line_.s;
    if (Impl::fabs(side) <= margin_) side = at_center(center, 0);
    if (side == 0) return full_;
    const double across = side > 0 ? -at_center(center, -2) : at_center(center, 2);
    if (!(across > 0)) return 0.0;
    const double share = across * per_distance_;
    return share < full_ ? share : full_;
  }

 private:
  KOKKOS_FUNCTION double at_center(const FramePoint& center, double dx) const {
    return signed_distance(line_.a, center.x + dx, line_.b, center.y, line_.s);
  }

  Line line_;
  double full_;
  double per_distance_;
  double margin_;
};

}  // namespace Tomokkos::Impl
