// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_PhantomRegions.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipse.hpp>
#include <map>

namespace Tomokkos {
namespace {

using Impl::Point;

/// Returns twice the area of a triangle, positive if it is counter-clockwise.
double turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Returns the corners of the convex hull, counter-clockwise (Andrew's monotone chain).
std::vector<Point> convex_hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Point> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t begin = hull.size();
    for (const Point& point : points) {
      while (hull.size() >= begin + 2 && turn(hull[hull.size() - 2], hull.back(), point) <= 0)
        hull.pop_back();
      hull.push_back(point);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

bool is_within(const std::vector<Point>& hull, const Point& point) {
  for (std::size_t i = 0; i < hull.size(); ++i)
    if (turn(hull[i], hull[(i + 1) % hull.size()], point) < 0) return false;
  return hull.size() >= 3;
}

/// Returns the centres of all pixels in phantom units, for a phantom that is scaled uniformly.
std::vector<Point> pixel_centres(long long rows, long long columns, double aspect) {
  const double unit =
      0.5 * std::min(aspect * static_cast<double>(rows), static_cast<double>(columns));
  std::vector<Point> centres;
  for (long long row = 0; row < rows; ++row)
    for (long long column = 0; column < columns; ++column)
      centres.push_back({(static_cast<double>(2 * column + 1 - columns)) / (2 * unit),
                         aspect * (static_cast<double>(rows - 1 - 2 * row)) / (2 * unit)});
  return centres;
}

/// Returns one region for each radius of the discs of a phantom.
std::vector<PhantomRegion> rod_regions(const std::vector<Point>& centres) {
  std::map<double, std::vector<Point>> sectors;
  for (const Ellipse& rod : make_phantom(PhantomKind::derenzo).shapes)
    sectors[rod.a].push_back({rod.x, rod.y});
  std::vector<PhantomRegion> regions;
  for (const auto& [radius, rods] : sectors) {
    PhantomRegion region;
    // The circle around the rods, 0.95 units, has radius 108 in the lengths of the insert.
    region.name = Impl::formatted("rods %.3g", 2 * radius * 108 / 0.95);
    const std::vector<Point> hull = convex_hull(rods);
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const Point& p = centres[i];
      const bool hot =
          std::any_of(rods.begin(), rods.end(), [&, radius = radius](const Point& rod) {
            return std::hypot(p.x - rod.x, p.y - rod.y) <= radius;
          });
      if (hot)
        region.hot.push_back(static_cast<Ordinal>(i));
      else if (is_within(hull, p))
        region.cold.push_back(static_cast<Ordinal>(i));
    }
    regions.push_back(std::move(region));
  }
  return regions;
}

PhantomRegion divided(const std::string& name, const std::vector<double>& image) {
  PhantomRegion region{name, {}, {}};
  for (std::size_t i = 0; i < image.size(); ++i)
    (image[i] > 0.5 ? region.hot : region.cold).push_back(static_cast<Ordinal>(i));
  return region;
}

}  // namespace

std::vector<PhantomRegion> phantom_regions(PhantomKind kind, long long rows, long long columns,
                                           const PhantomSampling& sampling) {
  half_extent(rows, columns, 1.0);  // rejects invalid sizes
  switch (kind) {
    case PhantomKind::derenzo:
      return rod_regions(pixel_centres(rows, columns, sampling.aspect));
    case PhantomKind::disc:
    case PhantomKind::off_center_disc:
      return {divided("disc", sample_phantom(kind, rows, columns, {1, 0, sampling.aspect}))};
    case PhantomKind::checkerboard:
      return {divided("squares", sample_phantom(kind, rows, columns, sampling))};
    case PhantomKind::shepp_logan:
    case PhantomKind::shepp_logan_original:
    case PhantomKind::forbild_head:
    case PhantomKind::single_pixel:
      break;
  }
  return {};
}

std::vector<PhantomRegion> through_slices(const std::vector<PhantomRegion>& regions, Ordinal slices,
                                          Ordinal pixels) {
  const auto repeated = [&](const std::vector<Ordinal>& of_slice) {
    std::vector<Ordinal> result;
    result.reserve(of_slice.size() * static_cast<std::size_t>(slices));
    for (Ordinal slice = 0; slice < slices; ++slice)
      for (const Ordinal pixel : of_slice) result.push_back(slice * pixels + pixel);
    return result;
  };
  std::vector<PhantomRegion> result;
  for (const PhantomRegion& region : regions)
    result.push_back({region.name, repeated(region.hot), repeated(region.cold)});
  return result;
}

template <class Scalar>
RegionValues values_in(std::span<const Scalar> image, const std::vector<Ordinal>& pixels) {
  if (pixels.empty()) return {};
  double sum = 0, squares = 0;
  for (const Ordinal i : pixels) sum += static_cast<double>(image[static_cast<std::size_t>(i)]);
  const double mean = sum / static_cast<double>(pixels.size());
  for (const Ordinal i : pixels) {
    const double difference = static_cast<double>(image[static_cast<std::size_t>(i)]) - mean;
    squares += difference * difference;
  }
  return {mean, std::sqrt(squares / static_cast<double>(pixels.size()))};
}

#define TOMOKKOS_INSTANTIATE(Scalar) \
  template RegionValues values_in(std::span<const Scalar>, const std::vector<Ordinal>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
