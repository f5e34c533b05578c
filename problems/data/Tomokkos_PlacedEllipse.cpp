// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipse.hpp>
#include <string>
#include <vector>

namespace Tomokkos::Impl {
namespace {

bool is_length(double length) { return std::isfinite(length) && length > 0; }

// Unit normal of a cut. At multiples of 90 degrees its components get exact zeros, so that rounding
// does not cut a sliver off.
Point direction(double angle) {
  Point n{std::cos(angle), std::sin(angle)};
  if (std::abs(n.x) < 1e-15) n.x = 0.0;
  if (std::abs(n.y) < 1e-15) n.y = 0.0;
  return n;
}

void add_corners(PlacedEllipse& ellipse) {
  for (std::size_t i = 0; i < ellipse.cuts.size(); ++i) {
    const PlacedCut& cut = ellipse.cuts[i];
    const Shadow shadow = cast_shadow(ellipse, cut.nx, cut.ny);
    const double square = (shadow.radius - cut.distance) * (shadow.radius + cut.distance);
    if (square > 0.0) {
      const double half = shadow.height * std::sqrt(square);
      for (const double tau :
           {shadow.slope * cut.distance - half, shadow.slope * cut.distance + half})
        ellipse.corners.push_back(
            {cut.distance * cut.nx - tau * cut.ny, cut.distance * cut.ny + tau * cut.nx});
    }
    for (std::size_t j = 0; j < i; ++j) {
      const PlacedCut& other = ellipse.cuts[j];
      const double det = cut.nx * other.ny - cut.ny * other.nx;
      if (det == 0.0) continue;
      const Point corner{(cut.distance * other.ny - other.distance * cut.ny) / det,
                         (other.distance * cut.nx - cut.distance * other.nx) / det};
      // Almost parallel lines meet far away: such a point is not a corner of this ellipse.
      if (std::hypot(corner.x, corner.y) <= 2.0 * std::max(ellipse.a, ellipse.b))
        ellipse.corners.push_back(corner);
    }
  }
}

// Ends of the kept part [low, high] of a line, and the cut that made each end (nullptr: the
// ellipse).
struct Ends {
  double low, high;
  const PlacedCut* low_cut = nullptr;
  const PlacedCut* high_cut = nullptr;
};

// Value of tau at which u n + tau (-ny, nx) crosses the line of the cut is room / slope; the slope
// must not be 0.
double slope_along(const PlacedCut& cut, double nx, double ny) { return cut.ny * nx - cut.nx * ny; }
double room(const PlacedCut& cut, double nx, double ny, double u) {
  return cut.distance - (cut.nx * nx + cut.ny * ny) * u;
}

Ends clip(const PlacedEllipse& ellipse, const Shadow& shadow, double nx, double ny, double u) {
  const double half =
      shadow.height * std::sqrt(std::max(0.0, (shadow.radius - u) * (shadow.radius + u)));
  Ends ends{.low = shadow.slope * u - half, .high = shadow.slope * u + half};
  for (const PlacedCut& cut : ellipse.cuts) {
    const double slope = slope_along(cut, nx, ny);
    const double rest = room(cut, nx, ny, u);
    if (slope > 0.0) {
      if (rest / slope < ends.high) ends.high = rest / slope, ends.high_cut = &cut;
    } else if (slope < 0.0) {
      if (rest / slope > ends.low) ends.low = rest / slope, ends.low_cut = &cut;
    } else if (!(rest > 0.0)) {
      ends.high = ends.low;  // parallel to the line and beyond it
    }
  }
  return ends;
}

// Integral of height sqrt(radius^2 - u^2) over [0, u].
double half_area(const Shadow& shadow, double u) {
  const double r = shadow.radius;
  const double root = std::sqrt(std::max(0.0, (r - u) * (r + u)));
  return 0.5 * shadow.height * (u * root + r * r * std::asin(std::clamp(u / r, -1.0, 1.0)));
}

}  // namespace

Shadow cast_shadow(const PlacedEllipse& ellipse, double nx, double ny) {
  const double a = ellipse.a, b = ellipse.b;
  const double n1 = nx * ellipse.cosine + ny * ellipse.sine;
  const double n2 = ny * ellipse.cosine - nx * ellipse.sine;
  const double square = a * a * n1 * n1 + b * b * n2 * n2;
  return {.center = ellipse.x * nx + ellipse.y * ny,
          .radius = std::sqrt(square),
          .slope = n1 * n2 * (b - a) * (b + a) / square,
          .height = a * b / square};
}

double chord(const PlacedEllipse& ellipse, const Shadow& shadow, double nx, double ny, double u) {
  const double square = (shadow.radius - u) * (shadow.radius + u);
  if (!(square > 0.0)) return 0.0;
  if (ellipse.cuts.empty()) return 2.0 * shadow.height * std::sqrt(square);
  const Ends ends = clip(ellipse, shadow, nx, ny, u);
  return std::max(0.0, ends.high - ends.low);
}

double chord_integral(const PlacedEllipse& ellipse, const Shadow& shadow, double nx, double ny,
                      double from, double to) {
  from = std::max(from, -shadow.radius);
  to = std::min(to, shadow.radius);
  if (!(from < to)) return 0.0;
  if (ellipse.cuts.empty()) return 2.0 * (half_area(shadow, to) - half_area(shadow, from));

  std::vector<double> breaks{from, to};
  for (const Point& corner : ellipse.corners) {
    const double u = corner.x * nx + corner.y * ny;
    if (u > from && u < to) breaks.push_back(u);
  }
  std::sort(breaks.begin(), breaks.end());
  double sum = 0.0;
  for (std::size_t i = 1; i < breaks.size(); ++i) {
    const double p = breaks[i - 1], q = breaks[i], middle = 0.5 * (p + q);
    const Ends ends = clip(ellipse, shadow, nx, ny, middle);
    if (!(ends.low < ends.high)) continue;
    // An end on a line is linear in u: its integral is the value in the middle times the length.
    const double tilt = shadow.slope * middle * (q - p);
    const double bulge = half_area(shadow, q) - half_area(shadow, p);
    const double high = ends.high_cut ? ends.high * (q - p) : tilt + bulge;
    const double low = ends.low_cut ? ends.low * (q - p) : tilt - bulge;
    sum += high - low;
  }
  return sum;
}

std::vector<PlacedEllipse> place(const EllipsePhantom& phantom, const HalfExtent& extent) {
  if (!is_length(extent.width) || !is_length(extent.height))
    throw Error("a phantom needs an image of positive size, not of half width " +
                std::to_string(extent.width) + " and half height " + std::to_string(extent.height));
  const bool uniform = phantom.scaling == PhantomScaling::uniform;
  const double shorter = std::min(extent.width, extent.height);
  const double scale_x = uniform ? shorter : extent.width;
  const double scale_y = uniform ? shorter : extent.height;

  std::vector<PlacedEllipse> placed;
  placed.reserve(phantom.shapes.size());
  for (const Ellipse& shape : phantom.shapes) {
    if (!is_length(shape.a) || !is_length(shape.b))
      throw Error("ellipse " + std::to_string(placed.size()) + " has the semi-axes " +
                  std::to_string(shape.a) + " and " + std::to_string(shape.b) +
                  "; both must be positive");
    PlacedEllipse ellipse{.value = shape.value,
                          .x = shape.x * scale_x,
                          .y = shape.y * scale_y,
                          .a = shape.a * scale_x,
                          .b = shape.b * scale_y,
                          .cosine = std::cos(shape.rotation),
                          .sine = std::sin(shape.rotation),
                          .cuts = {},
                          .corners = {}};
    for (const HalfPlane& cut : shape.cuts) {
      Point n = direction(cut.normal_angle);
      // Line n . (dx / scale_x, dy / scale_y) = distance, with the normal scaled to length 1 again.
      n.x /= scale_x;
      n.y /= scale_y;
      const double length = std::hypot(n.x, n.y);
      ellipse.cuts.push_back({n.x / length, n.y / length, cut.distance / length});
    }
    add_corners(ellipse);
    placed.push_back(std::move(ellipse));
  }
  return placed;
}

std::vector<PlacedEllipsoid> place(const EllipsoidPhantom& phantom, const HalfExtent3D& extent) {
  if (!is_length(extent.width) || !is_length(extent.height) || !is_length(extent.depth))
    throw Error("a phantom needs a volume of positive size, not of half width " +
                std::to_string(extent.width) + ", half height " + std::to_string(extent.height) +
                " and half depth " + std::to_string(extent.depth));
  std::vector<PlacedEllipsoid> placed;
  for (const Ellipsoid& shape : phantom.shapes) {
    if (!is_length(shape.a) || !is_length(shape.b) || !is_length(shape.c))
      throw Error("ellipsoid " + std::to_string(placed.size()) + " has the semi-axes " +
                  std::to_string(shape.a) + ", " + std::to_string(shape.b) + " and " +
                  std::to_string(shape.c) + "; all must be positive");
    const double a = shape.a * extent.width, b = shape.b * extent.height;
    placed.push_back({{shape.value, shape.x * extent.width, shape.y * extent.height, 1 / a, 1 / b,
                       std::cos(shape.rotation), std::sin(shape.rotation), 1.0, std::max(a, b)},
                      shape.z * extent.depth,
                      1 / (shape.c * extent.depth)});
  }
  return placed;
}

void require_supersampling(int supersampling) {
  if (supersampling < 1)
    throw Error("supersampling must be at least 1, not " + std::to_string(supersampling));
}

std::vector<CutEllipsoid> cut(const std::vector<PlacedEllipsoid>& ellipsoids, double z) {
  std::vector<CutEllipsoid> ellipses;
  for (const PlacedEllipsoid& shape : ellipsoids) {
    const double height = (z - shape.z) * shape.per_c;
    const double limit = 1.0 - height * height;
    if (!(limit >= 0)) continue;
    ellipses.push_back(shape.ellipse);
    ellipses.back().limit = limit;
    ellipses.back().reach *= std::sqrt(limit);
  }
  return ellipses;
}

}  // namespace Tomokkos::Impl
