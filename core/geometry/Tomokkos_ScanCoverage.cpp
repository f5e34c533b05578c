// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ScanCoverage.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <Tomokkos_ViewShares.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace Tomokkos {
namespace {

constexpr double least_displacement = 0.1;  // of the length of the detector
constexpr double rounding = 1e-6;           // of an element
constexpr double ramp_per_difference = 8;

/// Distances of the two ends of the detector from the axis, between centres of elements and in
/// elements. One is negative if the axis lies beside the detector.
struct Ends {
  double low, high;

  explicit Ends(const ScanGeometry& scan)
      : low(scan.center_index()), high(scan.detectors - 1 - scan.center_index()) {}
  double shorter() const { return std::min(low, high); }
  double longer() const { return std::max(low, high); }
  double difference() const { return std::fabs(high - low); }
};

/// Distance from the axis of the line to an element at \p elements from the axis.
double line_distance(const ScanGeometry& scan, double elements) {
  if (scan.beam == Beam::parallel) return elements * scan.detector_width;
  const double flat =
      (scan.flat_index(scan.center_index() + elements) - scan.center_index()) * scan.detector_width;
  const double distance = scan.source_to_origin + scan.origin_to_detector;
  return scan.source_to_origin * flat / std::hypot(flat, distance);
}

/// Index at which a ray meets the detector that meets its tangent at \p flat.
double detector_index(const ScanGeometry& scan, double flat) {
  if (scan.detector_shape == DetectorShape::flat) return flat;
  const double center = scan.center_index(), step = scan.arc_step();
  return center + std::atan((flat - center) * step) / step;
}

/// Indices at which the image begins and ends on the detector.
struct Shadow {
  double least, most;
};

Shadow shadow_of(const VolumeGeometry& volume, const ScanGeometry& scan, Ordinal view) {
  const ViewRays rays = rays_of_view(volume, scan, view);
  const double cosine = rays.direction.cosine(), sine = rays.direction.sine();
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double x : {-1.0 * volume.columns, 1.0 * volume.columns})
    for (const double y : {-1.0 * volume.rows, 1.0 * volume.rows}) {
      double s = x * cosine + y * sine;
      if (scan.beam == Beam::fan)
        s = (s - rays.source_shift) * rays.source_to_detector /
            (rays.source_to_origin - x * sine + y * cosine);
      const double index = detector_index(scan, rays.center_index + s / rays.width);
      least = std::min(least, index);
      most = std::max(most, index);
    }
  return {least, most};
}

/// Largest distance of a corner of the image from the axis.
double reach(const VolumeGeometry& volume) {
  return std::hypot(std::fabs(volume.center_x) + 0.5 * volume.columns * volume.pixel,
                    std::fabs(volume.center_y) + 0.5 * volume.rows * volume.pixel_height());
}

}  // namespace

int MeasuredLines::times(double distance) const {
  if (distance < none || distance > one_sided) return 0;
  if (distance <= two_sided) return is_whole_turn ? 2 : 1;
  return is_whole_turn ? 1 : 0;
}

MeasuredLines measured_lines(const ScanGeometry& scan) {
  MeasuredLines lines;
  if (scan.has_vectors()) return lines;
  const Ends ends(scan);
  lines.one_sided = line_distance(scan, std::max(0.0, ends.longer() + 0.5));
  const double nearest = std::min(ends.low, ends.high) + 0.5;
  if (nearest >= 0)
    lines.two_sided = line_distance(scan, nearest);
  else
    lines.none = line_distance(scan, -nearest);
  lines.is_displaced = ends.difference() > least_displacement * scan.detectors;
  if (ends.difference() > rounding)
    lines.short_side = ends.low < ends.high ? DetectorSide::low : DetectorSide::high;
  const ViewCircle turn(scan.views.radians(), 2 * std::numbers::pi);
  // A few views of half a turn may have a usual gap that is not much less than the other half.
  const bool surrounds = turn.is_closed() && turn.largest_gap() < 0.75 * std::numbers::pi;
  lines.is_whole_turn = surrounds || (lines.is_displaced && turn.largest_gap() <= largest_turn_gap);
  return lines;
}

ScanCoverage scan_coverage(const VolumeGeometry& volume, const ScanGeometry& scan) {
  ScanCoverage coverage;
  for (Ordinal view = 0; view < scan.views.count(); ++view) {
    const auto [least, most] = shadow_of(volume, scan, view);
    const double end = scan.detectors - 0.5;
    const Overhang overhang{std::max(0.0, -0.5 - least), std::max(0.0, most - end), least, most};
    coverage.largest.below = std::max(coverage.largest.below, overhang.below);
    coverage.largest.beyond = std::max(coverage.largest.beyond, overhang.beyond);
    coverage.views.push_back(overhang);
    const double seen = std::max(0.0, std::min(most, end) - std::max(least, -0.5));
    coverage.width = std::max(coverage.width, most - least);
    coverage.rays += seen;
    coverage.image = std::max(coverage.image, seen / (most - least));
  }
  coverage.rays /= static_cast<double>(scan.num_rays());
  coverage.lines = measured_lines(scan);
  coverage.is_inside = (coverage.largest.below == 0 && coverage.largest.beyond == 0) ||
                       (coverage.lines.is_whole_turn && coverage.lines.none == 0 &&
                        reach(volume) <= coverage.lines.one_sided);
  return coverage;
}

std::vector<double> opposite_weights(const ScanGeometry& scan) {
  const MeasuredLines lines = measured_lines(scan);
  if (!lines.is_whole_turn || lines.short_side == DetectorSide::none) return {};
  const Ends ends(scan);
  const double overlap = ends.shorter();
  const double ramp = std::min(overlap, ramp_per_difference * ends.difference());
  // No ramp fits into less than an element: elements count by the part of them in the overlap.
  const double edge = std::max(0.0, overlap + 0.5);
  std::vector<double> weights;
  for (Ordinal i = 0; i < scan.detectors; ++i) {
    const double s = i - scan.center_index();
    const bool on_short_side = (s < 0) == (lines.short_side == DetectorSide::low);
    if (overlap < 1) {
      weights.push_back(2 - std::max(0.0, std::min(s + 0.5, edge) - std::max(s - 0.5, -edge)));
      continue;
    }
    const double part = std::clamp((std::fabs(s) - (overlap - ramp)) / ramp, 0.0, 1.0);
    const double rise = std::sin(0.5 * std::numbers::pi * part);
    weights.push_back(on_short_side ? 1 - rise : 1 + rise);
  }
  return weights;
}

}  // namespace Tomokkos
