// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipse.hpp>
#include <string>

namespace Tomokkos::Impl {
namespace {

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

std::vector<PlacedEllipse> place(const EllipsePhantom& phantom, const HalfExtent& extent) {
  if (!(extent.width > 0.0 && extent.height > 0.0 && std::isfinite(extent.width) &&
        std::isfinite(extent.height)))
    throw Error("a phantom needs an image of positive size, not of half width " +
                std::to_string(extent.width) + " and half height " + std::to_string(extent.height));
  const bool uniform = phantom.scaling == PhantomScaling::uniform;
  const double shorter = std::min(extent.width, extent.height);
  const double scale_x = uniform ? shorter : extent.width;
  const double scale_y = uniform ? shorter : extent.height;

  std::vector<PlacedEllipse> placed;
  placed.reserve(phantom.shapes.size());
  for (const Ellipse& shape : phantom.shapes) {
    if (!(shape.a > 0.0 && shape.b > 0.0 && std::isfinite(shape.a) && std::isfinite(shape.b)))
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

}  // namespace Tomokkos::Impl
