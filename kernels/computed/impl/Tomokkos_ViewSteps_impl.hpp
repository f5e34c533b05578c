// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions and weights of stepped products. Lengths are in pixels, positions on the detector in
// elements.
#pragma once

#include <Tomokkos_ComputedProjection.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <impl/Tomokkos_BandEdge_impl.hpp>
#include <impl/Tomokkos_HostLanes_impl.hpp>

namespace Tomokkos::Impl {

/// Rays of `line` whose normal has a smaller ratio of its components are left to the exact weights:
/// the inverse of the ratio multiplies the rounding of positions.
constexpr double least_stepped_slope = 0x1p-10;

/// Scan in pixels, for kernels.
struct SteppedScan {
  Ordinal rows, columns, detectors;
  double width, center;       ///< of the detector, in elements
  double source, distance;    ///< of the source from the origin and the detector
  double middle_x, middle_y;  ///< column and row at the origin
  double pixel;               ///< in the length unit of the scan
  bool is_line, is_strip;

  SteppedScan(const VolumeGeometry& volume, const ScanGeometry& scan, Projector projector)
      : rows(volume.rows),
        columns(volume.columns),
        detectors(scan.detectors),
        width(scan.detector_width / volume.pixel),
        center(scan.center_index()),
        source(scan.source_to_origin / volume.pixel),
        distance((scan.source_to_origin + scan.origin_to_detector) / volume.pixel),
        middle_x(0.5 * (volume.columns - 1.0) - volume.center_x / volume.pixel),
        middle_y(0.5 * (volume.rows - 1.0) + volume.center_y / volume.pixel_height()),
        pixel(volume.pixel),
        is_line(projector == Projector::line),
        is_strip(projector == Projector::strip) {}

  KOKKOS_FUNCTION double position(Ordinal detector) const { return (detector - center) * width; }
  /// Distance of an element from the source.
  KOKKOS_FUNCTION double length(Ordinal detector) const {
    const double s = position(detector);
    return Impl::sqrt(distance * distance + s * s);
  }
  /// Largest distance of a pixel with a weight from its ray.
  double reach() const { return is_line ? 0.5 * half_diagonal : 1.0; }
};

/// Least distance of a pixel from the source of a fan beam, along the central ray, or less.
inline double nearest_to_source(const VolumeGeometry& volume, const SteppedScan& scan) {
  const double reach = volume.radius() + std::hypot(volume.center_x, volume.center_y);
  return scan.source - reach / volume.pixel;
}

/// Rays on each side of a pixel that may have a weight, in a fan beam.
inline double fan_taps(const VolumeGeometry& volume, const SteppedScan& scan) {
  const double nearest = nearest_to_source(volume, scan);
  const double longest = std::max(scan.length(0), scan.length(scan.detectors - 1));
  return std::ceil(scan.reach() * longest / (nearest * scan.width));
}

/// Positions and weights of one ray; `is_exact` as in `ViewSteps`.
struct RaySteps {
  bool is_exact;
  bool by_rows;
  double start, step;
  double scale, fall;
};

/// Steps of the line nx x + ny y = s with a unit normal.
KOKKOS_INLINE_FUNCTION RaySteps steps_of_line(const SteppedScan& scan, double nx, double ny,
                                              double s) {
  RaySteps ray;
  const double x = Impl::fabs(nx), y = Impl::fabs(ny);
  ray.by_rows = x >= y;
  if (ray.by_rows) {
    ray.start = (s - ny * scan.middle_y) / nx + scan.middle_x;
    ray.step = ny / nx;
  } else {
    ray.start = scan.middle_y - (s + nx * scan.middle_x) / ny;
    ray.step = nx / ny;
  }
  const double slope = Impl::fabs(ray.step);
  ray.scale = scan.pixel / (ray.by_rows ? x : y);
  ray.is_exact = scan.is_line && slope < least_stepped_slope;
  ray.fall = scan.is_line && !ray.is_exact ? 1 / slope : 1.0;
  return ray;
}

/// Normal of the ray to an element of a fan beam.
KOKKOS_INLINE_FUNCTION FramePoint fan_normal(const SteppedScan& scan, double cosine, double sine,
                                             Ordinal detector) {
  const double s = scan.position(detector), length = scan.length(detector);
  return {(scan.distance * cosine + s * sine) / length,
          (scan.distance * sine - s * cosine) / length};
}

KOKKOS_INLINE_FUNCTION RaySteps fan_steps(const SteppedScan& scan, double cosine, double sine,
                                          Ordinal detector) {
  const FramePoint normal = fan_normal(scan, cosine, sine, detector);
  return steps_of_line(scan, normal.x, normal.y,
                       scan.source * scan.position(detector) / scan.length(detector));
}

/// Finds the elements of a fan beam near the rays along an axis.
inline void set_exact_elements(const SteppedScan& scan, ViewSteps& view) {
  if (!scan.is_line) return;
  for (const int axis : {0, 1}) {
    // Position of the ray along the axis, and how fast the slope changes there.
    const double across = axis == 0 ? view.cosine : view.sine;
    const double along = axis == 0 ? -view.sine : view.cosine;
    if (std::fabs(along) < std::fabs(across) * 1e-3) continue;
    const double s = scan.distance * across / along;
    const double reach = 2 * least_stepped_slope * (scan.distance + s * s / scan.distance);
    view.exact_begin[axis] = (s - reach) / scan.width + scan.center - 2;
    view.exact_end[axis] = (s + reach) / scan.width + scan.center + 2;
  }
}

/// Steps of one view.
inline ViewSteps steps_of(const VolumeGeometry& volume, const ScanGeometry& scan,
                          Projector projector, Ordinal index) {
  const SteppedScan in_pixels(volume, scan, projector);
  const ViewRays rays = rays_of_view(volume, scan, index);
  const ViewDirection& view = rays.direction;
  const double nx = view.cosine(), ny = view.sine();
  ViewSteps steps;
  steps.cosine = nx;
  steps.sine = ny;
  if (scan.beam == Beam::fan) {
    steps.taps = static_cast<int>(fan_taps(volume, in_pixels));
    set_exact_elements(in_pixels, steps);
    return steps;
  }
  const double width = 0.5 * rays.width, center = rays.center_index;
  const double middle_x = 0.5 * (volume.columns - 1.0), middle_y = 0.5 * (volume.rows - 1.0);
  steps.by_rows = std::fabs(nx) >= std::fabs(ny);
  if (steps.by_rows) {
    steps.start = (-center * width - ny * middle_y) / nx + middle_x;
    steps.per_element = width / nx;
    steps.step = ny / nx;
  } else {
    steps.start = middle_y - (-center * width + nx * middle_x) / ny;
    steps.per_element = -width / ny;
    steps.step = nx / ny;
  }
  steps.origin = (-nx * middle_x + ny * middle_y) / width + center;
  steps.per_column = nx / width;
  steps.per_row = -ny / width;
  steps.scale =
      normal_length(view.a, view.b) *
      length_unit(make_scan_parameters(volume, scan), {view.a, view.b, 0, view.symmetry}) / view.a;
  if (in_pixels.is_strip) {
    steps.scale =
        length_unit(make_scan_parameters(volume, scan), {view.a, view.b, 0, view.symmetry}) / width;
    return steps;
  }
  const double slope = view.b / view.a;
  const bool is_line = in_pixels.is_line;
  steps.is_exact = is_line && slope < least_stepped_slope;
  if (steps.is_exact) return steps;
  steps.fall = is_line ? 1 / slope : 1.0;
  steps.fall_elements = steps.fall * width / view.a;
  steps.half = view.a / (2 * width);
  // Distance at which the weight ends.
  const double reach = is_line ? 0.5 * view.a * (1 + slope) : view.a;
  steps.taps = static_cast<int>(std::ceil(reach / width));
  return steps;
}

/// Sides of a pixel along the normal of the rays of a view, the larger one first, and the width of
/// an element, in pixels.
struct StripSides {
  double larger, smaller, width;

  KOKKOS_FUNCTION explicit StripSides(const ViewSteps& view) {
    const double x = Impl::fabs(view.cosine), y = Impl::fabs(view.sine);
    larger = x > y ? x : y;
    smaller = x > y ? y : x;
    width = 1 / Impl::sqrt(view.per_column * view.per_column + view.per_row * view.per_row);
  }

  /// Area of the part of a strip in a line of the image.
  KOKKOS_FUNCTION double area_in_line() const { return width / larger; }

  /// True if at most three strips cross a pixel, and a strip at most four pixels of a line.
  bool has_few_neighbours() const {
    constexpr double tolerance = 1e-9, widest = 1.4142135623730951;
    return larger + smaller <= 2 * width + tolerance && width + smaller <= 3 * larger + tolerance &&
           width <= widest + tolerance;
  }
};

KOKKOS_FORCEINLINE_FUNCTION float float_of_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

KOKKOS_FORCEINLINE_FUNCTION float clamped(float weight) {
#if defined(__CUDA_ARCH__)
  return __saturatef(weight);
#else
  return weight > 0 ? (weight < 1 ? weight : 1) : 0;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION double clamped(double weight) {
  return weight > 0 ? (weight < 1 ? weight : 1) : 0;
}

/// Position that advances by equal steps and stays between 0 and 128.
///
/// `index` is its whole part, `fraction` 1 more than the rest.
template <class Scalar>
struct Track;

/// Fixed point: 7 bits for the index and 25 for the rest, whose first 23 become the mantissa of the
/// fraction. A step is an addition without rounding.
template <>
struct Track<float> {
  std::uint32_t at, step;

  KOKKOS_FORCEINLINE_FUNCTION Track(double start, double by)
      : at(bits_of(start)), step(bits_of(by)) {}
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t bits_of(double value) {
    const double scaled = value * 0x1p25;
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5)));
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal index() const { return static_cast<Ordinal>(at >> 25); }
  KOKKOS_FORCEINLINE_FUNCTION float fraction() const {
    return float_of_bits(((at >> 2) & 0x7fffffU) | 0x3f800000U);
  }
  KOKKOS_FORCEINLINE_FUNCTION void advance() { at += step; }
  /// Position after \p n steps.
  KOKKOS_FORCEINLINE_FUNCTION Track moved(int n) const {
    Track result = *this;
    result.at += static_cast<std::uint32_t>(n) * step;
    return result;
  }
};

template <>
struct Track<double> {
  double at, step;

  KOKKOS_FORCEINLINE_FUNCTION Track(double start, double by) : at(start), step(by) {}
  KOKKOS_FORCEINLINE_FUNCTION Ordinal index() const { return static_cast<Ordinal>(at); }
  KOKKOS_FORCEINLINE_FUNCTION double fraction() const { return at - index() + 1; }
  KOKKOS_FORCEINLINE_FUNCTION void advance() { at += step; }
  KOKKOS_FORCEINLINE_FUNCTION Track moved(int n) const {
    Track result = *this;
    result.at += n * step;
    return result;
  }
};

}  // namespace Tomokkos::Impl
