// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Phantoms.hpp>
#include <algorithm>
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

/// Returns the length of a (cut) ellipse along the line with unit normal (nx, ny) at distance u
/// from its centre.
double chord(const PlacedEllipse& ellipse, const Shadow& shadow, double nx, double ny, double u);

/// Returns the integral of `chord` over u in [from, to], in closed form.
double chord_integral(const PlacedEllipse& ellipse, const Shadow& shadow, double nx, double ny,
                      double from, double to);

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
};

/// Half width, half height and half depth of a volume, in the length unit of the scan.
struct HalfExtent3D {
  double width, height, depth;
};

/// Returns the shapes of \p phantom in an image or a volume, in their order. Throws `Error` when an
/// extent or a semi-axis is not positive and finite.
std::vector<PlacedEllipse> place(const EllipsePhantom& phantom, const HalfExtent& extent);
std::vector<PlacedEllipsoid> place(const EllipsoidPhantom& phantom, const HalfExtent3D& extent);

/// Returns the ellipses of the ellipsoids that reach height \p z.
std::vector<CutEllipsoid> cut(const std::vector<PlacedEllipsoid>& ellipsoids, double z);

/// Returns the density of these ellipses, of either kind, at a point.
template <class Shape>
double density(const std::vector<Shape>& shapes, bool clamp_at_zero, double x, double y) {
  double sum = 0;
  for (const Shape& shape : shapes)
    if (shape.contains(x, y)) sum += shape.value;
  return clamp_at_zero ? std::max(sum, 0.0) : sum;
}

/// Throws `Error` unless \p supersampling is at least 1.
void require_supersampling(int supersampling);

}  // namespace Tomokkos::Impl
