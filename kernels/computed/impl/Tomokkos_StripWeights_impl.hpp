// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of `strip` from positions. A pixel, seen from the detector, is the convolution of two
// boxes, and so is the part of a strip in a line of the image. A weight is the difference of the
// areas of such a trapezoid up to two positions: edges of elements, or of pixels.
#pragma once

#include <impl/Tomokkos_ViewSteps_impl.hpp>

namespace Tomokkos::Impl {

/// Area of a trapezoid beyond a distance z >= 0 from its middle: `bend t^2 + m`, where t is
/// `steep_at - steep z` and m is `flat_at - flat z`, both clamped to [0, 1].
template <class Scalar>
struct TrapezoidTail {
  Scalar steep, steep_at, flat, flat_at, bend;

  TrapezoidTail() = default;
  /// \param total area of the trapezoid, at most 2
  KOKKOS_FUNCTION TrapezoidTail(double box, double other_box, double total) {
    // Such a side changes no area, but has an inverse.
    constexpr double narrowest = 0x1p-60;
    const double wide = box > other_box ? box : other_box;
    double narrow = box > other_box ? other_box : box;
    if (narrow < narrowest) narrow = narrowest;
    const double height = total / wide;
    steep = static_cast<Scalar>(1 / narrow);
    steep_at = static_cast<Scalar>(0.5 * (wide + narrow) / narrow);
    flat = static_cast<Scalar>(height);
    flat_at = static_cast<Scalar>(height * 0.5 * (wide - narrow));
    bend = static_cast<Scalar>(0.5 * height * narrow);
  }

  /// \tparam Values Scalar, or a register of them
  template <class Values>
  KOKKOS_FORCEINLINE_FUNCTION Values beyond(Values z) const {
    return tail(multiply_add(all_lanes<Values>(-steep), z, all_lanes<Values>(steep_at)),
                multiply_add(all_lanes<Values>(-flat), z, all_lanes<Values>(flat_at)), bend);
  }
  template <class Values>
  KOKKOS_FORCEINLINE_FUNCTION static Values tail(Values t, Values m, Scalar bend) {
    t = clamped(t);
    return multiply_add(bend * t, t, clamped(m));
  }
};

/// A pixel as the elements of a view see it, in elements.
template <class Scalar>
KOKKOS_FUNCTION TrapezoidTail<Scalar> pixel_on_detector(const StripSides& sides) {
  return {sides.larger / sides.width, sides.smaller / sides.width, 1.0};
}

/// The part of a strip in a line, in pixels of the line.
template <class Scalar>
KOKKOS_FUNCTION TrapezoidTail<Scalar> strip_in_line(const StripSides& sides) {
  return {sides.area_in_line(), sides.smaller / sides.larger, sides.area_in_line()};
}

/// Weights of the strips near a pixel whose position is \p f - 1 behind the first edge.
template <class Scalar, class Values>
KOKKOS_FORCEINLINE_FUNCTION void strips_of_pixel(const TrapezoidTail<Scalar>& pixel, Values f,
                                                 Values (&weights)[3]) {
  weights[0] = pixel.beyond(f - Scalar(1));
  weights[2] = pixel.beyond(Scalar(2) - f);
  weights[1] = clamped(Scalar(1) - weights[0] - weights[2]);
}

/// Weights of the pixels in a line near a ray, which is \p f - 1 behind the second of them.
template <class Scalar, class Values>
KOKKOS_FORCEINLINE_FUNCTION void pixels_of_strip(const TrapezoidTail<Scalar>& part, Scalar area,
                                                 Values f, Values (&weights)[4]) {
  // Area up to the edge between the second and the third pixel.
  const Scalar half = Scalar(0.5) * area;
  const Values edge = Scalar(1.5) - f, more = half - part.beyond(Impl::fabs(edge));
  const Values before = edge < Values{} ? half - more : half + more;
  weights[0] = part.beyond(f - Scalar(0.5));
  weights[3] = part.beyond(Scalar(2.5) - f);
  weights[1] = clamped(before - weights[0]);
  weights[2] = clamped(area - before - weights[3]);
}

}  // namespace Tomokkos::Impl
