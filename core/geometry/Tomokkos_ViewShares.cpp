// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ScanCoverage.hpp>
#include <Tomokkos_ViewShares.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace Tomokkos {
namespace {

constexpr double half_circle = std::numbers::pi, whole_circle = 2 * std::numbers::pi;

/// Largest angle between a ray of a fan beam and the central ray.
double half_fan(const ScanGeometry& scan) {
  const double distance = scan.source_to_origin + scan.origin_to_detector;
  const double largest =
      std::max(std::fabs(scan.position(0)), std::fabs(scan.position(scan.detectors - 1)));
  return std::atan2(largest, distance);
}

}  // namespace

ViewCircle::ViewCircle(const std::vector<double>& angles, double full)
    : order(angles.size()), period(full) {
  std::vector<double> reduced(angles.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    order[i] = i;
    reduced[i] = angles[i] - period * std::floor(angles[i] / period);
    // Angles that differ by rounding from a multiple of the period are 0.
    if (period - reduced[i] < 1e-9) reduced[i] = 0;
  }
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return reduced[i] < reduced[j] || (reduced[i] == reduced[j] && i < j);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool last = i + 1 == order.size();
    gaps.push_back(reduced[order[last ? 0 : i + 1]] - reduced[order[i]] + (last ? period : 0));
  }
  largest = static_cast<std::size_t>(std::max_element(gaps.begin(), gaps.end()) - gaps.begin());
}

double ViewCircle::usual_gap() const {
  std::vector<double> sorted;
  for (const double gap : gaps)
    if (gap > 1e-9) sorted.push_back(gap);
  std::sort(sorted.begin(), sorted.end());
  return sorted[(sorted.size() - 1) / 2];
}

ViewShares view_shares(const ScanGeometry& scan) {
  if (scan.has_vectors() || scan.detector_shape == DetectorShape::curved)
    throw Refused(
        "filtered back projection needs views that turn around the origin, and a flat detector");
  const bool is_fan = scan.beam == Beam::fan;
  const MeasuredLines lines = measured_lines(scan);
  const bool by_whole_turn = lines.is_displaced && lines.is_whole_turn;
  const std::vector<double> angles = scan.views.radians();
  const std::size_t count = angles.size();
  const double period = is_fan || by_whole_turn ? whole_circle : half_circle;
  const ViewCircle circle(angles, period);

  ViewShares result;
  result.needed = half_circle + (is_fan ? 2 * half_fan(scan) : 0);
  std::vector<double> gaps = circle.gaps;
  // The views end before the largest gap: the first and the last stand for their own step.
  const double between = period - circle.largest_gap();
  const double step = count > 1 ? between / static_cast<double>(count - 1) : 0.0;
  if (circle.is_closed()) {
    result.covered = count > 1 ? period : 0;
  } else {
    result.covered = between + step;
    result.gap = circle.largest_gap();
    result.gap_start = angles[circle.order[circle.largest]];
  }
  if (scan.views.is_evenly_spaced()) {
    const double range = std::fabs(scan.views.range().in_radians());
    if (range < result.needed * (1 - 1e-9)) result.covered = std::min(result.covered, range);
  }
  // Lines that only one side of the detector measures take a whole turn.
  if (by_whole_turn && result.has_missing_directions()) result.needed = whole_circle;
  // Without a displacement, views of a fan beam before and after a gap measure the same lines, and
  // weights for rays (Parker's) make good for the gap.
  const bool is_short_scan = is_fan && !by_whole_turn && !circle.is_closed();
  if (is_short_scan) {
    result.gap = 0;
    gaps[circle.largest] = step;
    result.arc = result.covered;
    result.start = angles[circle.order[(circle.largest + 1) % count]] - 0.5 * step;
  } else {
    // A gap is large beside its neighbours: the views of a part with larger steps are not cut.
    if (result.gap > 0)
      for (std::size_t i = 0; i < count; ++i)
        gaps[i] = std::min(gaps[i],
                           4 * std::max({circle.usual_gap(), circle.gaps[(i + count - 1) % count],
                                         circle.gaps[(i + 1) % count]}));
    result.arc = is_fan ? whole_circle : half_circle;
  }
  result.radians.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    result.radians[circle.order[i]] = 0.5 * (gaps[i] + gaps[(i + count - 1) % count]);

  double wanted = result.arc;
  if (is_short_scan) wanted = std::max(half_circle, result.arc);
  double sum = 0;
  for (const double share : result.radians) sum += share;
  // Rounding is left alone.
  if (std::fabs(sum - wanted) > 1e-9 * wanted)
    for (double& share : result.radians) share *= wanted / sum;
  return result;
}

}  // namespace Tomokkos
