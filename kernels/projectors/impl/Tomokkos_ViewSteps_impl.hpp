// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions and weights of stepped products. Lengths are in pixels, positions on the detector in
// elements.
#pragma once

#include <Tomokkos_ComputedProjection.hpp>
#include <cstdint>
#include <cstring>
#include <impl/Tomokkos_RayReduction_impl.hpp>

namespace Tomokkos::Impl {

/// Smallest ratio of the components of a normal that weights are computed with. Where a ray is
/// along an axis, the weight falls from 1 to 0 within this part of a pixel, and is 1/2 on the edge.
constexpr double least_slope = 0x1p-20;
/// Rays of `line` with a smaller ratio, except 0, are left to the exact weights.
constexpr double least_stepped_slope = 0x1p-10;

/// True if positions of the rays fit into a `Track`, also those of narrow elements.
inline bool is_stepped(const VolumeGeometry& volume, const ScanGeometry& scan,
                       Projector projector) {
  constexpr double narrowest = 1.0 / 32;
  return scan.beam == Beam::parallel && projector != Projector::strip &&
         scan.detector_width >= narrowest * volume.pixel;
}

/// Steps of one view.
inline ViewSteps steps_of(const VolumeGeometry& volume, const ScanGeometry& scan,
                          Projector projector, const ViewDirection& view) {
  const double nx = view.cosine(), ny = view.sine();
  const double width = scan.detector_width / volume.pixel, center = scan.center_index();
  const double middle_x = 0.5 * (volume.columns - 1.0), middle_y = 0.5 * (volume.rows - 1.0);
  ViewSteps steps;
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
  steps.scale = normal_length(view.a, view.b) * volume.pixel / view.a;
  const double slope = view.b / view.a;
  const bool is_line = projector == Projector::line;
  steps.is_exact = is_line && slope != 0 && slope < least_stepped_slope;
  const double used = slope > least_slope ? slope : least_slope;
  steps.fall = is_line ? 1 / used : 1.0;
  steps.fall_elements = steps.fall * width / view.a;
  steps.half = view.a / (2 * width);
  // Distance at which the weight ends.
  const double reach = is_line ? 0.5 * view.a * (1 + used) : view.a;
  steps.taps = static_cast<int>(std::ceil(reach / width));
  return steps;
}

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
};

template <>
struct Track<double> {
  double at, step;

  KOKKOS_FORCEINLINE_FUNCTION Track(double start, double by) : at(start), step(by) {}
  KOKKOS_FORCEINLINE_FUNCTION Ordinal index() const { return static_cast<Ordinal>(at); }
  KOKKOS_FORCEINLINE_FUNCTION double fraction() const { return at - index() + 1; }
  KOKKOS_FORCEINLINE_FUNCTION void advance() { at += step; }
};

}  // namespace Tomokkos::Impl
