// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_EllipseChord.hpp>
#include <vector>

namespace Tomokkos::Impl {
namespace {

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

}  // namespace Tomokkos::Impl
