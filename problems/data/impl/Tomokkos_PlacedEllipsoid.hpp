// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllipsoidPhantom.hpp>
#include <vector>

namespace Tomokkos::Impl {

/// The ellipse in which an ellipsoid meets a plane z: (p/a)^2 + (q/b)^2 <= limit, (p, q) along its
/// axes.
struct CutEllipsoid {
  double value, x, y, per_a, per_b, cosine, sine;
  double limit;
  double reach;  // of its points from (x, y), at most

  bool contains(double px, double py) const {
    const double dx = px - x, dy = py - y;
    const double p = (dx * cosine + dy * sine) * per_a;
    const double q = (dy * cosine - dx * sine) * per_b;
    return p * p + q * q <= limit;
  }
};

/// An ellipsoid in the length unit of a volume.
struct PlacedEllipsoid {
  CutEllipsoid ellipse;  // in its middle
  double z, per_c;
  double longest;  // of the semi-axes a and b

  /// Adds the ellipse at height \p at, if there is one.
  void cut(double at, std::vector<CutEllipsoid>& ellipses) const;
};

/// Shapes of \p phantom in a volume, in their order. Throws `Error` for an extent or a semi-axis
/// that is not positive and finite.
std::vector<PlacedEllipsoid> place(const EllipsoidPhantom& phantom, const HalfExtent3D& extent);

/// The density where these ellipses are.
double density(const std::vector<CutEllipsoid>& ellipses, bool clamp_at_zero, double x, double y);

}  // namespace Tomokkos::Impl
