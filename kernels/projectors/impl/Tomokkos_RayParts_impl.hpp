// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a ray between surfaces, and the cells of a grid that they touch.
#pragma once

#include <impl/Tomokkos_BandEdge_impl.hpp>

namespace Tomokkos::Impl {

KOKKOS_INLINE_FUNCTION double smaller(double a, double b) { return b < a ? b : a; }
KOKKOS_INLINE_FUNCTION double larger(double a, double b) { return b > a ? b : a; }

/// Range of t, empty unless begin < end, and the share of it that counts.
struct RayPart {
  double begin, end;
  double share;

  KOKKOS_FUNCTION bool is_empty() const { return !(begin < end); }
  KOKKOS_FUNCTION RayPart clipped(double from, double to) const {
    return {larger(begin, from), smaller(end, to), share};
  }
};

KOKKOS_INLINE_FUNCTION double inverse_or_zero(double d) { return d == 0 ? 0.0 : 1 / d; }

/// Hull of numbers that are added one by one.
struct Hull {
  double low = 1e300;
  double high = -1e300;

  KOKKOS_FUNCTION void add(double value) {
    low = smaller(low, value);
    high = larger(high, value);
  }

  /// Returns the cells of unit length, the first at 0, that the hull may touch; none for an empty
  /// hull.
  KOKKOS_FUNCTION IndexRange cells(Ordinal count) const {
    // A margin larger than rounding; the lengths decide.
    constexpr double margin = 1e-6;
    IndexRange range{0, count - 1};
    range.keep_from(low - 1 - margin);
    range.keep_up_to(high + margin);
    return range;
  }
};

}  // namespace Tomokkos::Impl
