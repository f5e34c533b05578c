// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_BandEdge_impl.hpp>

namespace Tomokkos::Impl {

/// Smallest depth, in pixels, by which a beam must enter a pixel to count. A direction is rounded
/// to 2^-53, which moves the far corners of the largest images by less.
constexpr double least_strip_depth = 0x1p-40;

/// Area of the part of a unit square, centred on the origin, where a x + b y > z. The normal has
/// unit length; the signs and the order of its components do not matter.
class HalfPlaneArea {
 public:
  KOKKOS_FUNCTION HalfPlaneArea(double a, double b) {
    a = Impl::fabs(a);
    b = Impl::fabs(b);
    larger_ = a > b ? a : b;
    double smaller = a > b ? b : a;
    // For any image such a direction is equivalent to an axis, and the product must not underflow.
    if (smaller < 1e-150) smaller = 0;
    reach_ = 0.5 * (larger_ + smaller);
    middle_ = 0.5 * (larger_ - smaller);
    double_product_ = 2 * larger_ * smaller;
  }

  /// Returns the area beyond a line at the distance \p z >= 0 from the centre.
  KOKKOS_FUNCTION double far_side(double z) const {
    if (z >= reach_) return 0.0;
    if (z > middle_) return (reach_ - z) * (reach_ - z) / double_product_;
    return 0.5 - z / larger_;
  }

  KOKKOS_FUNCTION double above(double z) const { return z >= 0 ? far_side(z) : 1.0 - far_side(-z); }

  KOKKOS_FUNCTION double reach() const { return reach_; }

 private:
  double larger_;
  double reach_;
  double middle_;
  double double_product_;
};

/// Returns the area of a unit square between two lines that do not cross in it, at \p low and \p
/// high from its centre along their normals. Both sides of the centre give the same bits.
KOKKOS_INLINE_FUNCTION double area_between(const HalfPlaneArea& lower, double low,
                                           const HalfPlaneArea& upper, double high) {
  if (low >= lower.reach() - least_strip_depth || high <= least_strip_depth - upper.reach())
    return 0.0;
  if (low >= 0) return lower.far_side(low) - upper.above(high);
  if (high <= 0) return upper.far_side(-high) - lower.above(-low);
  return 1.0 - (lower.far_side(-low) + upper.far_side(high));
}

template <Beam beam>
class StripProjector;

/// Projector `strip` for a parallel beam: overlap area / w.
template <>
class StripProjector<Beam::parallel> {
 public:
  KOKKOS_FUNCTION StripProjector(const ScanParameters& scan, const ViewRays& view, Ordinal detector)
      : line_{view.direction.a, view.direction.b, 0.0, view.direction.symmetry},
        low_(scan.position(view, detector, -0.5)),
        high_(scan.position(view, detector, 0.5)),
        area_(line_.a, line_.b),
        scale_(length_unit(scan, line_) * 2 / view.width) {}

  KOKKOS_FUNCTION BandEdge lower(const ScanParameters& scan) const {
    return lower_edge(scan, line_, low_ - (line_.a + line_.b));
  }

  KOKKOS_FUNCTION BandEdge upper(const ScanParameters& scan) const {
    return upper_edge(scan, line_, high_ + (line_.a + line_.b));
  }

  /// Returns the elements whose weight at (\p x, \p y) may be positive: see
  /// `detectors_near_point`.
  KOKKOS_FUNCTION static IndexRange detectors_near(const ScanParameters& scan, const ViewRays& view,
                                                   double x, double y, double margin) {
    return detectors_near_point<Beam::parallel>(scan, view, x, y,
                                                view.direction.a + view.direction.b, 0.5, margin);
  }

  /// Returns the weight of the pixel with centre (\p x, \p y).
  KOKKOS_FUNCTION double weight(double x, double y) const {
    const FramePoint center = to_frame(line_.symmetry, x, y);
    // In pixels.
    const double low = -0.5 * signed_distance(line_.a, center.x, line_.b, center.y, low_);
    const double high = -0.5 * signed_distance(line_.a, center.x, line_.b, center.y, high_);
    return area_between(area_, low, area_, high) * scale_;
  }

 private:
  Line line_;
  double low_;
  double high_;
  HalfPlaneArea area_;
  double scale_;
};

/// Projector `strip` for a fan beam: overlap area with the wedge from the source to the element,
/// divided by the width of the beam at the pixel: w D r / d^2, or w r / D with a curved detector.
template <>
class StripProjector<Beam::fan> {
 public:
  KOKKOS_FUNCTION StripProjector(const ScanParameters& scan, const ViewRays& view, Ordinal detector)
      : StripProjector(scan, view, detector, fan_frame(view.direction)) {}

  KOKKOS_FUNCTION BandEdge lower(const ScanParameters& scan) const {
    return lower_edge(scan, low_, low_.s - (Impl::fabs(low_.a) + Impl::fabs(low_.b)));
  }

  KOKKOS_FUNCTION BandEdge upper(const ScanParameters& scan) const {
    return upper_edge(scan, high_, high_.s + (Impl::fabs(high_.a) + Impl::fabs(high_.b)));
  }

  /// Returns the elements whose weight at (\p x, \p y) may be positive: see
  /// `detectors_near_point`.
  KOKKOS_FUNCTION static IndexRange detectors_near(const ScanParameters& scan, const ViewRays& view,
                                                   double x, double y, double margin) {
    return detectors_near_point<Beam::fan>(scan, view, x, y, half_diagonal, 0.5, margin);
  }

  /// Returns the weight of the pixel with centre (\p x, \p y).
  KOKKOS_FUNCTION double weight(double x, double y) const {
    const FramePoint center = to_frame(low_.symmetry, x, y);
    const double low = -0.5 * signed_distance(low_.a, center.x, low_.b, center.y, low_.s);
    const double high = -0.5 * signed_distance(high_.a, center.x, high_.b, center.y, high_.s);
    const double area = area_between(low_area_, low, high_area_, high);
    if (!(area > 0)) return 0.0;
    const double dx = center.x - source_.x;
    const double dy = (center.y - source_.y) * aspect_;
    return area * scale_ / Impl::sqrt(dx * dx + dy * dy);
  }

 private:
  /// All quantities are in the frame of the view, which mirrored views share.
  KOKKOS_FUNCTION StripProjector(const ScanParameters& scan, const ViewRays& view, Ordinal detector,
                                 const FanFrame& frame)
      : low_(edge(scan, view, frame, detector, -0.5)),
        high_(edge(scan, view, frame, detector, 0.5)),
        low_area_(low_.a, low_.b),
        high_area_(high_.a, high_.b),
        source_{view.source_to_origin * view.direction.b +
                    frame.orientation * view.source_shift * view.direction.a,
                -view.source_to_origin * view.direction.a +
                    frame.orientation * view.source_shift * view.direction.b} {
    const bool swapped = (frame.symmetry & swap_axes) != 0;
    aspect_ = swapped ? 1.0 / scan.aspect : scan.aspect;
    // Length of a pixel along the first axis of the frame.
    const double pixel = swapped ? scan.pixel * scan.aspect : scan.pixel;
    if (scan.tangents != nullptr) {
      // Area p^2 / (w r / D): two of the lengths stay in half pixels.
      scale_ = 2 * pixel * aspect_ / scan.arc_step;
      return;
    }
    const double s = scan.position(view, detector);
    const double distance = view.source_to_detector, width = Impl::fabs(view.width);
    double squared_distance = distance * distance + s * s;
    if (!scan.has_square_pixels()) {
      const double along = frame.orientation * s;
      const double dx = along * view.direction.a - distance * view.direction.b;
      const double dy = (along * view.direction.b + distance * view.direction.a) * aspect_;
      squared_distance = dx * dx + dy * dy;
    }
    // Area p^2 d^2 / (w D r): two of the four lengths of the quotient stay in half pixels.
    scale_ = 2 * pixel * (squared_distance / (width * distance));
  }

  /// Returns the edge of the beam at \p fraction widths from the centre of the element, counted in
  /// the frame.
  KOKKOS_FUNCTION static Line edge(const ScanParameters& scan, const ViewRays& view,
                                   const FanFrame& frame, Ordinal detector, double fraction) {
    const double towards = view.width < 0 ? -frame.orientation : frame.orientation;
    const double s = frame.orientation * scan.position(view, detector, towards * fraction);
    return fan_line(view, frame, s);
  }

  Line low_;
  Line high_;
  HalfPlaneArea low_area_;
  HalfPlaneArea high_area_;
  FramePoint source_;
  double aspect_;  ///< ratio of the sides of a pixel along the axes of the frame
  double scale_;
};

}  // namespace Tomokkos::Impl
