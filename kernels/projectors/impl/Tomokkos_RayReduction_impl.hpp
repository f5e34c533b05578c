// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rays in half pixels, centred on the image, reduced to the first octant. All operations commute
// with sign changes and with exchanging the axes, so mirrored rays get the same bits. This requires
// a compiler that does not contract products and sums.
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <cmath>
#include <vector>

namespace Tomokkos::Impl {

/// Exact sum of two doubles as `high + low`.
struct TwoTerms {
  double high;
  double low;
};

KOKKOS_INLINE_FUNCTION TwoTerms two_sum(double x, double y) {
  const double sum = x + y;
  const double part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

/// Computes the exact product of two doubles; `high` is the rounded product. Away from overflow and
/// underflow both branches are exact, so they give the same bits.
KOKKOS_INLINE_FUNCTION TwoTerms two_product(double x, double y) {
  const double product = x * y;
#if defined(__x86_64__) && !defined(__FMA__) && !defined(__CUDA_ARCH__)
  // Without the instruction, fma is a call that costs more than splitting the factors.
  constexpr double split = 134217729.0;  // 2^27 + 1
  const double x_high = split * x - (split * x - x);
  const double y_high = split * y - (split * y - y);
  const double x_low = x - x_high;
  const double y_low = y - y_high;
  return {product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low};
#else
  return {product, Impl::fma(x, y, -product)};
#endif
}

/// Computes a x + b y - s in twice the working precision, rounded at the end. For the small
/// integers x and y of a grid nothing is lost before that rounding. Signs are therefore right, even
/// near zero, and values keep their relative accuracy. Odd in (x, y, s), symmetric in (a, x) <->
/// (b, y).
KOKKOS_INLINE_FUNCTION double signed_distance(double a, double x, double b, double y, double s) {
  const TwoTerms ax = two_product(a, x);
  const TwoTerms by = two_product(b, y);
  const TwoTerms sum = two_sum(ax.high, by.high);
  const TwoTerms difference = two_sum(sum.high, -s);
  return difference.high + ((ax.low + by.low) + (sum.low + difference.low));
}

/// Parameters of volume and scan for kernels; lengths in half pixels unless stated otherwise.
struct ScanParameters {
  Ordinal rows;
  Ordinal columns;
  Ordinal detectors;
  double pixel;   ///< width of a pixel in the length unit of the scan
  double aspect;  ///< height of a pixel divided by its width
  // Curved detectors only.
  double arc_center = 0;             ///< index of the element on the central ray
  double arc_step = 0;               ///< angle of an element as seen from the source
  const double* tangents = nullptr;  ///< see `arc_tangents`

  /// Return the centre of a pixel.
  KOKKOS_FUNCTION double x(Ordinal column) const { return 2.0 * column - (columns - 1.0); }
  KOKKOS_FUNCTION double y(Ordinal row) const { return rows - 1.0 - 2.0 * row; }

  KOKKOS_FUNCTION bool has_square_pixels() const { return aspect == 1.0; }

  /// Returns s of the point \p fraction (-0.5, 0 or 0.5) widths from the centre of element \p
  /// detector.
  KOKKOS_FUNCTION double position(const ViewRays& view, Ordinal detector,
                                  double fraction = 0.0) const {
    if (tangents == nullptr) return (detector - view.center_index + fraction) * view.width;
    const double offset = tangents[2 * detector + 1 + static_cast<int>(2 * fraction)];
    return (offset + (arc_center - view.center_index)) * view.width;
  }
};

/// Returns the parameters of a scan. A curved detector lacks its `tangents`.
inline ScanParameters make_scan_parameters(const VolumeGeometry& volume, const ScanGeometry& scan) {
  ScanParameters result{volume.rows, volume.columns, scan.detectors, volume.pixel,
                        volume.pixel_height() / volume.pixel};
  if (scan.detector_shape == DetectorShape::curved) {
    result.arc_center = scan.center_index();
    result.arc_step = scan.arc_step();
  }
  return result;
}

/// Returns, for the edges and centres of the elements of a curved detector in order, where their
/// rays meet the flat detector that touches its middle: in elements, from the middle
/// (`ScanGeometry::flat_index`, with mirrored elements at exactly mirrored places). Computed on the
/// host, so that all backends use the same numbers.
inline std::vector<double> arc_tangents(const ScanGeometry& scan) {
  std::vector<double> result;
  if (scan.detector_shape == DetectorShape::flat) return result;
  const double step = scan.arc_step();
  for (Ordinal i = 0; i < scan.detectors; ++i)
    for (const double fraction : {-0.5, 0.0, 0.5}) {
      if (i > 0 && fraction < 0) continue;  // the upper edge of the element before
      const double offset = i - scan.center_index() + fraction;
      result.push_back(std::copysign(std::tan(std::fabs(offset) * step) / step, offset));
    }
  return result;
}

constexpr unsigned point_reflection = flip_x | flip_y;

/// Composes two symmetries: \p first, then \p second.
KOKKOS_INLINE_FUNCTION unsigned compose(unsigned first, unsigned second) {
  unsigned signs = second & (flip_x | flip_y);
  // A sign of an axis after the exchange is a sign of the other axis before it.
  if ((first & swap_axes) != 0 && (signs == flip_x || signs == flip_y)) signs ^= point_reflection;
  return first ^ (signs | (second & swap_axes));
}

/// Returns true for reflections, false for rotations.
KOKKOS_INLINE_FUNCTION bool changes_orientation(unsigned symmetry) {
  return (((symmetry & flip_x) != 0) != ((symmetry & flip_y) != 0)) !=
         ((symmetry & swap_axes) != 0);
}

/// Point of the image in the frame of a symmetry.
struct FramePoint {
  double x;
  double y;
};

KOKKOS_INLINE_FUNCTION FramePoint to_frame(unsigned symmetry, double x, double y) {
  if ((symmetry & flip_x) != 0) x = -x;
  if ((symmetry & flip_y) != 0) y = -y;
  if ((symmetry & swap_axes) != 0) return {y, x};
  return {x, y};
}

/// Maps a vector from the frame of a symmetry back to the image.
KOKKOS_INLINE_FUNCTION FramePoint from_frame(unsigned symmetry, double x, double y) {
  const double image_x = (symmetry & swap_axes) != 0 ? y : x;
  const double image_y = (symmetry & swap_axes) != 0 ? x : y;
  return {(symmetry & flip_x) != 0 ? -image_x : image_x,
          (symmetry & flip_y) != 0 ? -image_y : image_y};
}

/// Line a x + b y = s with unit normal (a, b), in the frame of `symmetry`.
struct Line {
  double a;
  double b;
  double s;
  unsigned symmetry;
};

/// Returns the same line with a >= b >= 0 and s >= 0.
KOKKOS_INLINE_FUNCTION Line reduce_line(Line line) {
  unsigned change = 0;
  if (line.a < 0) {
    line.a = -line.a;
    change |= flip_x;
  }
  if (line.b < 0) {
    line.b = -line.b;
    change |= flip_y;
  }
  if (line.b > line.a) {
    const double b = line.a;
    line.a = line.b;
    line.b = b;
    change |= swap_axes;
  }
  line.symmetry = compose(line.symmetry, change);
  if (line.s < 0) {
    line.s = -line.s;
    line.symmetry = compose(line.symmetry, point_reflection);
  }
  // The weights of a corner divide by a b. For any image such a direction is equivalent to an axis.
  if (line.b < 1e-150) line.b = 0;
  return line;
}

/// Frame of a fan view: detector axis (a, b) in the first octant, source at (b, -a) *
/// source_to_origin. Positions on the detector are multiplied by `orientation`.
struct FanFrame {
  unsigned symmetry;
  double orientation;
};

/// Computes the frame of the detector of a fan view. A reflection moves the source to the other
/// side; a point reflection moves it back and reverses the detector.
KOKKOS_INLINE_FUNCTION FanFrame fan_frame(const ViewDirection& view) {
  if (!changes_orientation(view.symmetry)) return {view.symmetry, 1.0};
  return {compose(view.symmetry, point_reflection), -1.0};
}

/// Returns the line from the source to position \p s of the detector, in the frame of the view.
/// Points on the side of growing s have a x + b y > s.
KOKKOS_INLINE_FUNCTION Line fan_line(const ViewRays& rays, const FanFrame& frame, double s) {
  const ViewDirection& view = rays.direction;
  const double source = rays.source_to_origin, distance = rays.source_to_detector;
  // Explicit fma: compilers have fused one of these expressions even with contraction disabled.
  const double normal_x = Impl::fma(distance, view.a, s * view.b);
  const double normal_y = Impl::fma(distance, view.b, -(s * view.a));
  const double length = Impl::sqrt(Impl::fma(distance, distance, s * s));
  const double offset = Impl::fma(distance, frame.orientation * rays.source_shift, source * s);
  return {normal_x / length, normal_y / length, offset / length, frame.symmetry};
}

/// Returns the ray to element \p detector, reduced to the first octant.
template <Beam beam>
KOKKOS_INLINE_FUNCTION Line central_ray(const ScanParameters& scan, const ViewRays& view,
                                        Ordinal detector) {
  const double s = scan.position(view, detector);
  if constexpr (beam == Beam::parallel) {
    const ViewDirection& normal = view.direction;
    return reduce_line({normal.a, normal.b, s, normal.symmetry});
  } else {
    const FanFrame frame = fan_frame(view.direction);
    return reduce_line(fan_line(view, frame, frame.orientation * s));
  }
}

/// Returns the length in the unit of the scan of two half pixels along a line.
KOKKOS_INLINE_FUNCTION double length_unit(const ScanParameters& scan, const Line& line) {
  if (scan.has_square_pixels()) return scan.pixel;
  const bool swapped = (line.symmetry & swap_axes) != 0;
  const double x = swapped ? line.b : line.a, y = swapped ? line.a : line.b;
  const double stretched = scan.aspect * x;
  return scan.pixel * Impl::sqrt(y * y + stretched * stretched);
}

/// Returns sqrt(a^2 + b^2) of a rounded unit normal, which is 1 only to working precision. The
/// length of the ray between two heights is this number times their difference divided by a.
KOKKOS_INLINE_FUNCTION double normal_length(double a, double b) {
  const TwoTerms aa = two_product(a, a);
  const TwoTerms bb = two_product(b, b);
  return 1.0 + 0.5 * (((aa.high - 1.0) + bb.high) + (aa.low + bb.low));
}

}  // namespace Tomokkos::Impl
