// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Table of the weights of a fan beam, for stepped products.
#pragma once

#include <impl/Tomokkos_SteppedCopies_impl.hpp>

namespace Tomokkos::Impl {

/// Table of `SteppedWorkspace::slopes`: for each ray, view by view, two values, from which its
/// weight at a pixel is `second - first away`, clamped to [0, 1]. `away` is the distance of the ray
/// from the pixel in elements times that of the pixel from the source. Rays with exact weights have
/// zeros. Then, for each element, its width over its distance from the source.
struct FanTable {
  Ordinal views, detectors;

  /// Rays of a view and zeros.
  KOKKOS_FUNCTION Ordinal pitch() const { return whole_units(detectors); }
  KOKKOS_FUNCTION Offset of_view(Ordinal view) const {
    return 2 * static_cast<Offset>(view) * pitch();
  }
  KOKKOS_FUNCTION Offset elements() const { return of_view(views); }
  Offset size() const { return elements() + detectors; }
};

/// Computes the table.
template <class Scalar>
struct FanSlopes {
  SteppedScan scan;
  FanTable table;
  const ViewSteps* steps;
  Scalar* slopes;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Ordinal pitch = table.pitch();
    const auto detector = static_cast<Ordinal>(i % pitch), view = static_cast<Ordinal>(i / pitch);
    const bool exists = detector < scan.detectors;
    const double inverse = exists ? scan.width / scan.length(detector) : 0.0;
    if (view == table.views) {
      if (exists) slopes[table.elements() + detector] = static_cast<Scalar>(inverse);
      return;
    }
    Scalar* const of_ray = slopes + table.of_view(view) + 2 * static_cast<Offset>(detector);
    of_ray[0] = of_ray[1] = 0;
    if (!exists) return;
    const double cosine = steps[view].cosine, sine = steps[view].sine;
    const FramePoint normal = fan_normal(scan, cosine, sine, detector);
    const double x = Impl::fabs(normal.x), y = Impl::fabs(normal.y);
    const double larger = x > y ? x : y, smaller = x > y ? y : x;
    if (fan_steps(scan, cosine, sine, detector).is_exact) return;
    const double slope = 1 / (scan.is_line ? smaller : larger);
    of_ray[0] = static_cast<Scalar>(slope * inverse);
    of_ray[1] = static_cast<Scalar>(0.5 + slope * 0.5 * larger);
  }
};

}  // namespace Tomokkos::Impl
