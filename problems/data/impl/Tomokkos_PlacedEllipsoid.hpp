// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllipsoidPhantom.hpp>
#include <vector>

namespace Tomokkos::Impl {

/// Ellipse in which an ellipsoid intersects a plane z: (p/a)^2 + (q/b)^2 <= limit, with (p, q)
/// along its axes.
struct CutEllipsoid {
  double value, x, y, per_a, per_b, cosine, sine;
  double limit;
  double reach;  // maximum distance of its points from (x, y)

  bool contains(double px, double py) const {
    const double dx = px - x, dy = py - y;
    const double p = (dx * cosine + dy * sine) * per_a;
    const double q = (dy * cosine - dx * sine) * per_b;
    return p * p + q * q <= limit;
  }
};

/// Ellipsoid in the length unit of a volume.
struct PlacedEllipsoid {
  CutEllipsoid ellipse;  // cut through its centre
  double z, per_c;
  double longest;  // larger of the semi-axes a and b

  /// Adds the ellipse at height \p at, if the ellipsoid reaches it.
  void cut(double at, std::vector<CutEllipsoid>& ellipses) const;
};

/// Returns the shapes of \p phantom in a volume, in their order. Throws `Error` when an extent or a
/// semi-axis is not positive and finite.
std::vector<PlacedEllipsoid> place(const EllipsoidPhantom& phantom, const HalfExtent3D& extent);

/// Returns the density of these ellipses at a point.
double density(const std::vector<CutEllipsoid>& ellipses, bool clamp_at_zero, double x, double y);

}  // namespace Tomokkos::Impl
