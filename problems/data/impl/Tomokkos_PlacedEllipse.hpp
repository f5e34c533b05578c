// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllipsePhantom.hpp>

#include <vector>

namespace Tomokkos::Impl {

/// Point or vector in the plane, with y upwards.
struct Point {
  double x, y;
};

/// Kept part of the plane: nx dx + ny dy < distance, with (dx, dy) relative to the centre of the
/// ellipse and (nx, ny) of length 1.
struct PlacedCut {
  double nx, ny, distance;
};

/// Ellipse in the length unit of an image.
struct PlacedEllipse {
  double value, x, y, a, b, cosine, sine;
  std::vector<PlacedCut> cuts;
  /// Points, relative to the centre, at which the outline may have a corner: the intersections of
  /// each cutting line with the ellipse and with the other lines. Between their shadows the length
  /// of a chord is one smooth formula.
  std::vector<Point> corners;

  bool contains(double px, double py) const {
    const double dx = px - x, dy = py - y;
    const double p = (dx * cosine + dy * sine) / a;
    const double q = (dy * cosine - dx * sine) / b;
    if (!(p * p + q * q <= 1.0)) return false;
    for (const PlacedCut& cut : cuts)
      if (!(cut.nx * dx + cut.ny * dy < cut.distance)) return false;
    return true;
  }
};

/// Shadow of an ellipse along a direction. A line with unit normal (nx, ny) at the signed distance
/// u from its centre cuts the ellipse in the points u n + tau (-ny, nx), |tau - slope u| <= height
/// sqrt(radius^2 - u^2).
struct Shadow {
  double center;  ///< distance of the ellipse's centre from the origin along the normal
  double radius;  ///< half width of the shadow: sqrt(a^2 n1^2 + b^2 n2^2)
  double slope;
  double height;
};

Shadow cast_shadow(const PlacedEllipse& ellipse, double nx, double ny);

/// Returns the shapes of \p phantom in an image of half extent \p extent, in their order.
std::vector<PlacedEllipse> place(const EllipsePhantom& phantom, const HalfExtent& extent);

}  // namespace Tomokkos::Impl
