// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChartQuality.hpp>
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace Tomokkos {
namespace {

Point2 minus(const Point2& p, const Point2& q) { return {p[0] - q[0], p[1] - q[1]}; }
double inner(const Point2& p, const Point2& q) { return p[0] * q[0] + p[1] * q[1]; }
double turn(const Point2& p, const Point2& q) { return p[0] * q[1] - p[1] * q[0]; }

/// Triangle in the plane with corners (0, 0), (a, 0), (c, d), d > 0.
struct Frame {
  double a, c, d;
  std::array<Point2, 3> corners() const { return {{{0, 0}, {a, 0}, {c, d}}}; }
};

Frame make_frame(const TriangleMesh& mesh, Ordinal triangle) {
  const Triangle& corners = mesh.triangles[static_cast<std::size_t>(triangle)];
  const Point3& p = mesh.vertices[static_cast<std::size_t>(corners[0])];
  const Point3& q = mesh.vertices[static_cast<std::size_t>(corners[1])];
  const Point3& r = mesh.vertices[static_cast<std::size_t>(corners[2])];
  const double a = distance(p, q);
  const double along =
      (q[0] - p[0]) * (r[0] - p[0]) + (q[1] - p[1]) * (r[1] - p[1]) + (q[2] - p[2]) * (r[2] - p[2]);
  return {a, along / a, 2 * area(mesh, triangle) / a};
}

std::array<Point2, 3> chart_corners(const TriangleMesh& mesh, std::span<const Point2> uv,
                                    Ordinal triangle) {
  const Triangle& corners = mesh.triangles[static_cast<std::size_t>(triangle)];
  return {uv[static_cast<std::size_t>(corners[0])], uv[static_cast<std::size_t>(corners[1])],
          uv[static_cast<std::size_t>(corners[2])]};
}

double signed_double_area(const std::array<Point2, 3>& corners) {
  return turn(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
}

double angle_at(const std::array<Point2, 3>& corners, std::size_t k) {
  const Point2 a = minus(corners[(k + 1) % 3], corners[k]);
  const Point2 b = minus(corners[(k + 2) % 3], corners[k]);
  return std::atan2(std::abs(turn(a, b)), inner(a, b));
}

double angle_distortion(const Frame& frame, const std::array<Point2, 3>& chart) {
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double change = std::abs(angle_at(chart, k) - angle_at(frame.corners(), k));
    // NaN is kept once it occurs.
    if (std::isnan(change) || change > largest) largest = change;
  }
  return largest * 180 / std::numbers::pi;
}

double singular_value_ratio(const Frame& frame, const std::array<Point2, 3>& chart) {
  const Point2 side = minus(chart[1], chart[0]), other = minus(chart[2], chart[0]);
  const Point2 x{side[0] / frame.a, side[1] / frame.a};
  const Point2 y{(other[0] - frame.c * x[0]) / frame.d, (other[1] - frame.c * x[1]) / frame.d};
  // Parts of [x y] that preserve and that reverse orientation.
  const double keeps = std::hypot(x[0] + y[1], x[1] - y[0]);
  const double turns = std::hypot(x[0] - y[1], x[1] + y[0]);
  const double smaller = std::abs(keeps - turns);
  return smaller == 0 ? std::numeric_limits<double>::infinity() : (keeps + turns) / smaller;
}

ChartDistortion reserve_distortion(const TriangleMesh& mesh) {
  ChartDistortion result;
  result.singular_value_ratio.reserve(mesh.triangles.size());
  result.angle_distortion.reserve(mesh.triangles.size());
  return result;
}

void append(const Frame& frame, const std::array<Point2, 3>& chart, ChartDistortion& distortion) {
  distortion.singular_value_ratio.push_back(singular_value_ratio(frame, chart));
  distortion.angle_distortion.push_back(angle_distortion(frame, chart));
}

double energy_by_rows(const Frame& frame, const std::array<Point2, 3>& chart) {
  const auto [a, c, d] = frame;
  const Point2 &i = chart[0], &j = chart[1], &k = chart[2];
  const double real = (c - a) * i[0] - d * i[1] - c * j[0] + d * j[1] + a * k[0];
  const double imaginary = d * i[0] + (c - a) * i[1] - d * j[0] - c * j[1] + a * k[1];
  return (real * real + imaginary * imaginary) / (a * d);
}

double energy_by_cotangents(const Frame& frame, const std::array<Point2, 3>& chart) {
  const std::array<Point2, 3> corners = frame.corners();
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Point2 a = minus(corners[(k + 1) % 3], corners[k]);
    const Point2 b = minus(corners[(k + 2) % 3], corners[k]);
    const Point2 opposite = minus(chart[(k + 2) % 3], chart[(k + 1) % 3]);
    sum += inner(a, b) / turn(a, b) * inner(opposite, opposite);
  }
  return sum - 2 * signed_double_area(chart);
}

void check_sizes(const TriangleMesh& mesh, std::span<const Point2> uv) {
  require_equal("number of chart coordinates", static_cast<long long>(uv.size()),
                "number of vertices", static_cast<long long>(mesh.vertices.size()));
}

/// Computes the quantiles. Reorders the values and replaces NaN by infinity.
std::array<double, 5> quantiles(std::vector<double>& values) {
  std::array<double, 5> result{};
  if (values.empty()) return result;
  // NaN (from coordinates that are not finite) cannot be sorted, so it counts as the worst value.
  for (double& value : values) {
    if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
  }
  for (std::size_t k = 0; k < chart_quantiles.size(); ++k) {
    const double place = chart_quantiles[k] * static_cast<double>(values.size() - 1);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::floor(place + 0.5));
    std::nth_element(values.begin(), at, values.end());
    result[k] = *at;
  }
  return result;
}

}  // namespace

ChartDistortion chart_distortion(const TriangleMesh& mesh, std::span<const Point2> uv) {
  check_sizes(mesh, uv);
  ChartDistortion result = reserve_distortion(mesh);
  for (Ordinal t = 0; t < num_triangles(mesh); ++t)
    append(make_frame(mesh, t), chart_corners(mesh, uv, t), result);
  return result;
}

AreaScales area_scales(const TriangleMesh& mesh, std::span<const Point2> uv) {
  check_sizes(mesh, uv);
  AreaScales result;
  result.relative.reserve(mesh.triangles.size());
  for (Ordinal t = 0; t < num_triangles(mesh); ++t)
    result.relative.push_back(0.5 * std::abs(signed_double_area(chart_corners(mesh, uv, t))) /
                              area(mesh, t));
  // Triangles with coordinates that are not finite do not affect the scale of the others.
  std::vector<double> finite;
  std::copy_if(result.relative.begin(), result.relative.end(), std::back_inserter(finite),
               [](double scale) { return std::isfinite(scale); });
  result.median = quantiles(finite)[2];
  for (double& scale : result.relative) scale /= result.median;
  return result;
}

ChartQuality chart_quality(const TriangleMesh& mesh, std::span<const Point2> uv,
                           ChartOrientation sense) {
  check_sizes(mesh, uv);
  ChartDistortion distortion = reserve_distortion(mesh);
  ChartQuality quality;
  quality.num_triangles = num_triangles(mesh);
  Offset positive = 0;
  Offset negative = 0;
  for (Ordinal t = 0; t < num_triangles(mesh); ++t) {
    const Frame frame = make_frame(mesh, t);
    const std::array<Point2, 3> chart = chart_corners(mesh, uv, t);
    append(frame, chart, distortion);
    const double double_area = signed_double_area(chart);
    if (double_area > 0) ++positive;
    if (double_area < 0) ++negative;
    quality.area += 0.5 * double_area;
    quality.lscm_energy += energy_by_rows(frame, chart);
    quality.lscm_energy_by_cotangents += energy_by_cotangents(frame, chart);
  }
  if (sense == ChartOrientation::majority && negative > positive) quality.sense = -1;
  quality.flips = quality.num_triangles - (quality.sense > 0 ? positive : negative);
  quality.singular_value_ratio = quantiles(distortion.singular_value_ratio);
  quality.angle_distortion = quantiles(distortion.angle_distortion);
  AreaScales scales = area_scales(mesh, uv);
  quality.area_scale = quantiles(scales.relative);
  return quality;
}

std::vector<bool> flipped_triangles(const TriangleMesh& mesh, std::span<const Point2> uv,
                                    int sense) {
  check_sizes(mesh, uv);
  std::vector<bool> flipped(mesh.triangles.size());
  for (Ordinal t = 0; t < num_triangles(mesh); ++t) {
    const double double_area = signed_double_area(chart_corners(mesh, uv, t));
    flipped[static_cast<std::size_t>(t)] = !(sense * double_area > 0);
  }
  return flipped;
}

}  // namespace Tomokkos
