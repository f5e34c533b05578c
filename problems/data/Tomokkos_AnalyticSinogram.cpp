// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AnalyticSinogram.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipse.hpp>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

namespace Tomokkos {
namespace {

using Impl::PlacedEllipse;
using Impl::Point;
using Impl::Shadow;

void check_finite(std::string_view what, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw Error(std::string(what) + " number " + std::to_string(i) + " is " +
                  std::to_string(values[i]));
}

void check_scan(std::span<const double> angles, std::span<const double> positions,
                double bin_width) {
  check_finite("angle", angles);
  check_finite("detector position", positions);
  if (!(bin_width >= 0.0) || !std::isfinite(bin_width))
    throw Error("the width of a detector bin must be finite and not negative, not " +
                std::to_string(bin_width));
}

// Unit normal of a ray, and its distance from the origin.
struct Line {
  double nx, ny, distance;
};

struct FanView {
  double cosine, sine, source_distance, detector_distance;  // the second is the distance from
                                                            // source to detector
  double source_shift = 0;  // position of the source along the detector, where s = 0

  Point source() const {
    return {source_distance * sine + source_shift * cosine,
            source_shift * sine - source_distance * cosine};
  }
  // Ray to the detector position s.
  Line ray(double s) const {
    const double length = std::hypot(detector_distance, s);
    return {(detector_distance * cosine + s * sine) / length,
            (detector_distance * sine - s * cosine) / length,
            (s * source_distance + detector_distance * source_shift) / length};
  }
  // Detector position of the ray through a point; infinite if the point is not in front of the
  // source.
  double shadow_of(double x, double y) const {
    const Point s = source();
    const double depth = (y - s.y) * cosine - (x - s.x) * sine;
    if (!(depth > 0.0)) return std::numeric_limits<double>::infinity();
    return ((x - s.x) * cosine + (y - s.y) * sine) / depth * detector_distance;
  }
};

// Nodes and weights of Gauss-Legendre quadrature on [-1, 1].
struct GaussRule {
  std::vector<double> node, weight;

  explicit GaussRule(int points) : node(points), weight(points) {
    for (int i = 0; i < points; ++i) {
      double x = std::cos(std::numbers::pi * (i + 0.75) / (points + 0.5));
      double slope = 1.0;
      for (int iteration = 0; iteration < 20; ++iteration) {
        double previous = 1.0, p = x;
        for (int k = 2; k <= points; ++k) {
          const double next = ((2 * k - 1) * x * p - (k - 1) * previous) / k;
          previous = p;
          p = next;
        }
        slope = points * (x * p - previous) / (x * x - 1.0);
        x -= p / slope;
      }
      node[i] = x;
      weight[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
  }
};

// Detector positions between which the chord of a shape is a smooth function: the two tangents from
// the source, and the corners between them.
std::vector<double> fan_breaks(const PlacedEllipse& shape, const FanView& view) {
  const Point source = view.source();
  const double dx = source.x - shape.x, dy = source.y - shape.y;
  // In coordinates that make the ellipse a unit circle, the tangents from a point at distance d
  // touch it at acos(1/d) on both sides of the direction to the point.
  const double p = (dx * shape.cosine + dy * shape.sine) / shape.a;
  const double q = (dy * shape.cosine - dx * shape.sine) / shape.b;
  const double distance = std::hypot(p, q);
  if (!(distance > 1.0))
    throw Error("the source of the fan beam, at distance " +
                Impl::number_text(view.source_distance) +
                " from the origin, lies inside a shape of the phantom; increase the distance");
  const double towards = std::atan2(q, p), aside = std::acos(1.0 / distance);
  std::vector<double> breaks;
  for (const double angle : {towards - aside, towards + aside}) {
    const double u = shape.a * std::cos(angle), v = shape.b * std::sin(angle);
    breaks.push_back(view.shadow_of(shape.x + u * shape.cosine - v * shape.sine,
                                    shape.y + u * shape.sine + v * shape.cosine));
  }
  if (!std::isfinite(breaks[0]) || !std::isfinite(breaks[1]))
    throw Error(
        "a shape of the phantom extends behind the source of the fan beam, which is at "
        "distance " +
        Impl::number_text(view.source_distance) + " from the origin");
  if (breaks[0] > breaks[1]) std::swap(breaks[0], breaks[1]);
  const double first = breaks[0], last = breaks[1];
  for (const Point& corner : shape.corners) {
    const double s = view.shadow_of(shape.x + corner.x, shape.y + corner.y);
    if (s > first && s < last) breaks.push_back(s);
  }
  std::sort(breaks.begin(), breaks.end());
  return breaks;
}

// Integral of the chord over the detector positions [from, to], or over the angles at the source
// that belong to them.
double fan_chord_integral(const PlacedEllipse& shape, const FanView& view,
                          const std::vector<double>& breaks, double from, double to,
                          bool over_angles) {
  static const GaussRule many(24), few(8);
  // Substitute s = middle + half sin(theta), from one tangent to the other: the square roots there
  // become cosines, and stay harmless for a bin or a corner close to a tangent but not at it.
  const double middle = 0.5 * (breaks.front() + breaks.back());
  const double half = 0.5 * (breaks.back() - breaks.front());
  double sum = 0.0;
  for (std::size_t i = 1; i < breaks.size(); ++i) {
    const double low = std::max(from, breaks[i - 1]), high = std::min(to, breaks[i]);
    if (!(low < high)) continue;
    const double theta1 = std::asin(std::clamp((low - middle) / half, -1.0, 1.0));
    const double theta2 = std::asin(std::clamp((high - middle) / half, -1.0, 1.0));
    // Most bins are narrow compared with a shape, so eight points are accurate enough.
    const GaussRule& rule = theta2 - theta1 > 0.25 ? many : few;
    for (std::size_t k = 0; k < rule.node.size(); ++k) {
      const double theta = 0.5 * ((theta2 - theta1) * rule.node[k] + theta1 + theta2);
      const double s = middle + half * std::sin(theta), distance = view.detector_distance;
      const Line line = view.ray(s);
      const Shadow shadow = Impl::cast_shadow(shape, line.nx, line.ny);
      const double part =
          0.5 * (theta2 - theta1) * rule.weight[k] * half * std::cos(theta) *
          Impl::chord(shape, shadow, line.nx, line.ny, line.distance - shadow.center);
      sum += over_angles ? part * distance / (distance * distance + s * s) : part;
    }
  }
  return sum;
}

// Adds a view of a parallel beam to its row of the sinogram.
void add_parallel_view(const std::vector<PlacedEllipse>& shapes, double nx, double ny,
                       std::span<const double> positions, double bin_width, double* row) {
  for (const PlacedEllipse& shape : shapes) {
    const Shadow shadow = Impl::cast_shadow(shape, nx, ny);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const double u = positions[i] - shadow.center;
      if (std::abs(u) >= shadow.radius + 0.5 * bin_width) continue;
      row[i] += bin_width == 0.0
                    ? shape.value * Impl::chord(shape, shadow, nx, ny, u)
                    : shape.value / bin_width *
                          Impl::chord_integral(shape, shadow, nx, ny, u - 0.5 * bin_width,
                                               u + 0.5 * bin_width);
    }
  }
}

// Positions of the elements of a fan beam on a flat detector.
struct FanBins {
  std::vector<double> centers;
  // Edges of each element; empty: only the rays to the centres count.
  std::vector<double> from, to;
  // By what a sum over a bin is divided, and whether it is one over angles.
  double width = 0;
  bool over_angles = false;
};

// Adds a view of a fan beam to its row of the sinogram.
void add_fan_view(const std::vector<PlacedEllipse>& shapes, const FanView& view,
                  const FanBins& bins, double* row) {
  for (const PlacedEllipse& shape : shapes) {
    const std::vector<double> breaks = fan_breaks(shape, view);
    for (std::size_t i = 0; i < bins.centers.size(); ++i) {
      const bool is_ray = bins.from.empty();
      const double from = is_ray ? bins.centers[i] : bins.from[i];
      const double to = is_ray ? bins.centers[i] : bins.to[i];
      if (to <= breaks.front() || from >= breaks.back()) continue;
      if (!is_ray) {
        row[i] += shape.value / bins.width *
                  fan_chord_integral(shape, view, breaks, from, to, bins.over_angles);
      } else {
        const Line line = view.ray(bins.centers[i]);
        const Shadow shadow = Impl::cast_shadow(shape, line.nx, line.ny);
        row[i] += shape.value *
                  Impl::chord(shape, shadow, line.nx, line.ny, line.distance - shadow.center);
      }
    }
  }
}

}  // namespace

std::vector<double> analytic_sinogram(const EllipsePhantom& phantom, const HalfExtent& extent,
                                      const std::optional<FanDistances>& distances,
                                      std::span<const double> angles,
                                      std::span<const double> positions, double bin_width) {
  check_scan(angles, positions, bin_width);
  if (distances && (!(distances->source_to_origin > 0.0 && distances->origin_to_detector >= 0.0) ||
                    !std::isfinite(distances->source_to_origin + distances->origin_to_detector)))
    throw Error(
        "a fan beam needs a positive distance of the source and a detector distance of at least 0, "
        "not " +
        std::to_string(distances->source_to_origin) + " and " +
        std::to_string(distances->origin_to_detector));
  const std::vector<PlacedEllipse> shapes = Impl::place(phantom, extent);
  std::vector<double> sinogram(angles.size() * positions.size(), 0.0);
  FanBins bins{{positions.begin(), positions.end()}, {}, {}, bin_width};
  if (bin_width > 0.0)
    for (const double s : positions) {
      bins.from.push_back(s - 0.5 * bin_width);
      bins.to.push_back(s + 0.5 * bin_width);
    }
  for (std::size_t v = 0; v < angles.size(); ++v) {
    const double cosine = std::cos(angles[v]), sine = std::sin(angles[v]);
    double* const row = sinogram.data() + v * positions.size();
    if (distances)
      add_fan_view(shapes,
                   {cosine, sine, distances->source_to_origin,
                    distances->source_to_origin + distances->origin_to_detector},
                   bins, row);
    else
      add_parallel_view(shapes, cosine, sine, positions, bin_width, row);
  }
  return sinogram;
}

std::vector<double> analytic_sinogram(const EllipsePhantom& phantom, const VolumeGeometry& volume,
                                      const ScanGeometry& scan, bool over_elements) {
  check(volume, scan);
  const HalfExtent extent =
      half_extent(volume.rows, volume.columns, volume.pixel, volume.pixel_height() / volume.pixel);
  const bool is_curved = scan.detector_shape == DetectorShape::curved;
  // The views of a centred scan on a flat detector differ in their angles alone.
  if (volume.is_centered() && volume.has_square_pixels() && !scan.has_vectors() && !is_curved) {
    std::vector<double> positions;
    for (Ordinal i = 0; i < scan.detectors; ++i) positions.push_back(scan.position(i));
    std::optional<FanDistances> distances;
    if (scan.beam == Beam::fan) distances = {scan.source_to_origin, scan.origin_to_detector};
    return analytic_sinogram(phantom, extent, distances, scan.views.radians(), positions,
                             over_elements ? scan.detector_width : 0.0);
  }
  const std::vector<PlacedEllipse> shapes = Impl::place(phantom, extent);
  // A pixel with sides of 2 keeps the unit of the scan.
  const VolumeGeometry unit{1, 1, 2.0, 0, volume.center_x, volume.center_y};
  const auto detectors = static_cast<std::size_t>(scan.detectors);
  std::vector<double> sinogram(static_cast<std::size_t>(scan.num_rays()), 0.0);
  for (Ordinal v = 0; v < scan.views.count(); ++v) {
    const ViewRays rays = rays_of_view(unit, scan, v);
    const auto position = [&](double index) {
      return (scan.flat_index(index) - rays.center_index) * rays.width;
    };
    FanBins bins;
    bins.width = is_curved ? scan.arc_step() : std::fabs(rays.width);
    bins.over_angles = is_curved;
    for (Ordinal i = 0; i < scan.detectors; ++i) {
      bins.centers.push_back(position(i));
      if (!over_elements) continue;
      const double one = position(i - 0.5), other = position(i + 0.5);
      bins.from.push_back(std::min(one, other));
      bins.to.push_back(std::max(one, other));
    }
    double* const row = sinogram.data() + static_cast<std::size_t>(v) * detectors;
    const double cosine = rays.direction.cosine(), sine = rays.direction.sine();
    if (scan.beam == Beam::parallel)
      add_parallel_view(shapes, cosine, sine, bins.centers, over_elements ? bins.width : 0.0, row);
    else
      add_fan_view(
          shapes, {cosine, sine, rays.source_to_origin, rays.source_to_detector, rays.source_shift},
          bins, row);
  }
  return sinogram;
}

}  // namespace Tomokkos
