// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_ScanCoverage.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <Tomokkos_ViewShares.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace Tomokkos {

namespace {

using std::numbers::pi;

constexpr double most_turns = 2;
constexpr std::size_t least_views = 10;
constexpr double smallest_span = 5;       // deg
constexpr double outer_part = 0.1;        // of the detector
constexpr double least_rays = 0.1;        // that meet the image
constexpr double least_image = 0.01;      // that the detector sees
constexpr double least_pixel = 1.0 / 20;  // in elements
constexpr double largest_factor = 1000;   // of the 99.9th percentile

double degrees(double radians) { return radians * 180 / pi; }

bool is_multiple_of_a_twentieth(double value) {
  const double twentieths = value * 20;
  return std::abs(twentieths - std::round(twentieths)) < 1e-6 * std::max(1.0, std::abs(twentieths));
}

/// Centre on which both methods agree; empty if the data do not have one.
std::optional<double> clear_center(const ScanGeometry& scan, std::span<const double> slice) {
  try {
    const RotationCenter found = find_rotation_center<double>(slice, scan);
    if (found.is_supported() && found.disagreement().value_or(HUGE_VAL) <= 1) return found.center;
  } catch (const Error&) {
    // The data cannot contradict.
  }
  return std::nullopt;
}

}  // namespace

std::optional<Suspicion> suspect_range(double start, double range) {
  for (const auto& [name, value] : {std::pair{"range", range}, {"start", start}}) {
    if (!(std::abs(value) > most_turns * 2 * pi)) continue;
    const std::string number = Impl::formatted("%.12g", value);
    return Suspicion{SuspicionKind::angles, std::string("problem.geometry.") + name,
                     number + " has no unit and is read as radians, " +
                         Impl::formatted("%.3g", std::abs(value) / (2 * pi)) + " turns",
                     "write " + std::string(name) + ": " + number + " deg, or state the unit (" +
                         number + " rad) if that is meant"};
  }
  return std::nullopt;
}

std::optional<Suspicion> suspect_angles(std::span<const double> angles) {
  if (angles.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
  const double span = *high - *low;
  const double largest = std::max(std::abs(*low), std::abs(*high));
  // A single angle, or a few angles, may begin anywhere within two turns.
  if (!(std::max(span, largest) > most_turns * 2 * pi)) return std::nullopt;
  bool steps_look_like_degrees = span >= 30;
  for (std::size_t i = 1; i < angles.size() && steps_look_like_degrees; ++i)
    steps_look_like_degrees = is_multiple_of_a_twentieth(angles[i] - angles[i - 1]);
  return Suspicion{
      SuspicionKind::angles, "problem.geometry.angles",
      Impl::formatted(
          "%zu angles from %.6g to %.6g have no unit and are read as radians, %.3g turns",
          angles.size(), *low, *high, span / (2 * pi)) +
          (steps_look_like_degrees ? "; their steps look like degrees" : ""),
      "state their unit: angles: {file: FILE, unit: deg} (or rad), in a list [10 deg, 20 deg]"};
}

std::optional<Suspicion> suspect_theta(std::span<const double> theta, const std::string& path) {
  if (theta.size() < 30) return std::nullopt;
  const auto [low, high] = std::minmax_element(theta.begin(), theta.end());
  const double span = *high - *low;
  const double step = span / static_cast<double>(theta.size() - 1);
  if (!(std::abs(span - pi) <= 1.001 * step || std::abs(span - 2 * pi) <= 1.001 * step))
    return std::nullopt;
  return Suspicion{
      SuspicionKind::theta, "problem.sinogram",
      path + Impl::formatted(
                 " has no unit and is read as degrees, but its %zu angles span %.6g, which is %s "
                 "turn in radians",
                 theta.size(), span, span < 1.5 * pi ? "half a" : "a whole"),
      "if they are radians, set problem.geometry.angles: {unit: rad}; unit: deg confirms degrees"};
}

std::optional<Suspicion> suspect_rotation_center(const RotationCenter& found) {
  const auto suspect = [](const std::string& evidence) {
    return Suspicion{
        SuspicionKind::rotation_center, "problem.geometry.rotation_center", evidence,
        "set problem.geometry.rotation_center to the index of the element that sees the axis"};
  };
  if (found.pairs == 0)
    return suspect(
        Impl::formatted("the rotation centre %.2f is only the centre of mass; no view has an "
                        "opposite view to confirm it",
                        found.center));
  if (!found.is_supported())
    return suspect(Impl::formatted(
        "opposite views do not match at any rotation centre: at the best one, %.2f, they differ by "
        "%.2g of their energy, elsewhere by %.2g",
        *found.registered, found.mismatch, found.typical_mismatch));
  const auto apart = found.disagreement();
  if (!apart || *apart <= 0.5) return std::nullopt;
  return suspect(
      Impl::formatted("the rotation centre is %.2f by opposite views and %.2f by the centre of "
                      "mass, %.2f elements apart",
                      *found.registered, *found.center_of_mass, *apart));
}

std::optional<Suspicion> suspect_dark_views(std::span<const std::size_t> views, std::size_t count,
                                            std::size_t all, std::size_t slice) {
  if (views.empty() || count == 0) return std::nullopt;
  std::string numbers;
  for (const std::size_t view : views)
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(view);
  return Suspicion{SuspicionKind::data, "problem.sinogram",
                   std::to_string(count) + " of " + std::to_string(all) +
                       (count == 1 ? " views has" : " views have") +
                       " no signal above the dark field in slice " + std::to_string(slice) + ": " +
                       (count == 1 ? "view " : "views ") + numbers +
                       (views.size() < count ? ", ..." : "") + " (counted from 0)",
                   "they may be dark frames, or taken with a closed shutter: leave them out of the "
                   "data, name the list that tells frames apart (problem.sinogram.image_key), or "
                   "mask them (problem.ray_mask)"};
}

std::optional<Suspicion> suspect_missing_data(std::size_t without_beam, std::size_t not_a_number,
                                              std::size_t rays) {
  const std::size_t missing = without_beam + not_a_number;
  const double share = static_cast<double>(missing) / static_cast<double>(rays);
  if (rays == 0 || !(share > largest_missing_share)) return std::nullopt;
  return Suspicion{
      SuspicionKind::data, "problem.sinogram",
      Impl::formatted("%zu of %zu rays (%.1f %%) have no measurement: %zu have no open beam, "
                      "%zu are NaN",
                      missing, rays, 100 * share, without_beam, not_a_number),
      "check the flat and dark fields, or mask rays that are known to be bad "
      "(problem.ray_mask)"};
}

std::optional<Suspicion> suspect_views(const VolumeGeometry& volume, const ScanGeometry& scan,
                                       const DataEnds* ends, const std::string& place,
                                       const std::string& remedy) {
  const auto suspect = [&](std::string evidence) {
    return Suspicion{SuspicionKind::views, place, std::move(evidence), remedy};
  };
  const ViewShares shares = view_shares(scan);
  if (shares.has_missing_directions()) {
    std::string gap;
    const bool has_gap = shares.gap > 0 && !scan.views.is_evenly_spaced();
    if (has_gap)
      gap = Impl::formatted(" with a gap of %.4g deg after %.4g deg", degrees(shares.gap),
                            degrees(shares.gap_start));
    return suspect(Impl::formatted(
        "the views cover %.4g deg%s, but fbp of a %s needs at least %.4g deg%s",
        degrees(shares.covered), gap.c_str(), std::string(to_string(scan.beam)).c_str(),
        degrees(shares.needed), has_gap ? " without gaps" : ""));
  }
  const MeasuredLines lines = measured_lines(scan);
  if (lines.none > 0)
    return suspect(
        Impl::formatted("the axis lies beside the detector (element %.4g of 0 to %d), so no view "
                        "measures lines within %.4g of it",
                        scan.center_index(), scan.detectors - 1, lines.none));
  if (!lines.is_displaced || lines.is_whole_turn) return std::nullopt;
  const bool is_low = lines.short_side == DetectorSide::low;
  const double image = std::hypot(volume.center_x, volume.center_y) +
                       0.5 * std::min(volume.rows * volume.pixel_height(),
                                      static_cast<double>(volume.columns) * volume.pixel);
  const bool reaches_beyond = ends == nullptr || (is_low ? ends->low : ends->high).is_truncated();
  if (!(image > lines.two_sided && reaches_beyond)) return std::nullopt;
  return suspect(Impl::formatted(
      "the detector reaches %.4g from the axis on one side and %.4g on the other, and "
      "the views are no whole turn: the opposite rays are missing that would measure the "
      "object beyond the shorter side",
      lines.two_sided, lines.one_sided));
}

std::optional<Suspicion> suspect_small_span(std::span<const double> radians) {
  if (radians.size() < least_views) return std::nullopt;
  const auto [low, high] = std::minmax_element(radians.begin(), radians.end());
  const double span = degrees(*high - *low);
  if (!(span < smallest_span)) return std::nullopt;
  return Suspicion{SuspicionKind::angles, "problem.geometry",
                   Impl::formatted("%zu views %s %.3g deg", radians.size(),
                                   span == 0 ? "all have the angle" : "span only",
                                   span == 0 ? degrees(*low) : span),
                   "check the unit of the angles: radians given as deg look like this (unit: rad)"};
}

std::optional<Suspicion> suspect_clamped(std::size_t clamped, std::size_t values) {
  const double share = static_cast<double>(clamped) / static_cast<double>(values);
  if (values == 0 || !(share > largest_missing_share)) return std::nullopt;
  return Suspicion{SuspicionKind::data, "problem.sinogram",
                   Impl::formatted("%zu of %zu transmissions (%.1f %%) are at or below 0, where "
                                   "there is no logarithm",
                                   clamped, values, 100 * share),
                   "if the data are line integrals already, set problem.sinogram.flat: none; "
                   "otherwise check the flat and dark fields"};
}

std::optional<Suspicion> suspect_given_center(const ScanGeometry& scan,
                                              std::span<const double> slice,
                                              const std::string& place) {
  const double center = scan.center_index(), last = scan.detectors - 1;
  const double inside = std::min(center, last - center) + 0.5;  // from the nearer end
  const double outer = outer_part * scan.detectors;
  if (inside >= outer) return std::nullopt;
  std::string evidence =
      Impl::formatted("the rotation centre %.6g lies %s the detector of elements 0 to %g", center,
                      inside < 0 ? "outside" : "at the end of", last);
  const auto found = clear_center(scan, slice);
  const bool is_contradicted = found && std::abs(*found - center) > outer;
  if (inside >= 0 && !is_contradicted) return std::nullopt;
  if (is_contradicted) evidence += Impl::formatted(", but the data have it at %.2f", *found);
  return Suspicion{SuspicionKind::rotation_center, place, evidence,
                   "set problem.geometry.rotation_center to the index of the element that sees the "
                   "axis, or to auto"};
}

std::optional<Suspicion> suspect_coverage(const VolumeGeometry& volume, const ScanGeometry& scan) {
  const ScanCoverage coverage = scan_coverage(volume, scan);
  const double pixel = coverage.width / std::max(volume.rows, volume.columns);
  // That no ray meets the image is an error in any case.
  if (coverage.rays == 0) return std::nullopt;
  std::string evidence;
  if (coverage.image < least_image)
    evidence = Impl::formatted(
        "the detector sees only %.2g %% of the image, which is %.3g elements wide "
        "on a detector of %d",
        100 * coverage.image, coverage.width, scan.detectors);
  else if (coverage.rays < least_rays && !coverage.is_inside)
    evidence = Impl::formatted(
        "%.3g %% of the rays miss the image, which is partly outside the field of "
        "the detector",
        100 * (1 - coverage.rays));
  else if (coverage.rays < least_rays && pixel < least_pixel)
    evidence =
        Impl::formatted("%.3g %% of the rays miss the image, whose pixels are %.2g of an element",
                        100 * (1 - coverage.rays), pixel);
  if (evidence.empty()) return std::nullopt;
  return Suspicion{SuspicionKind::views, "problem.geometry", evidence,
                   "check that problem.volume.pixel, volume.center, detector_width and the "
                   "distances have the same unit of length, and rotation_center"};
}

std::string describe_outliers(std::span<const double> values, std::size_t rays) {
  std::size_t count = 0, first = 0;
  double largest = 0, usual = 0;
  std::vector<double> sizes;
  for (std::size_t begin = 0; rays > 0 && begin + rays <= values.size(); begin += rays) {
    const auto slice = values.subspan(begin, rays);
    sizes.clear();
    for (const double value : slice)
      if (!std::isnan(value)) sizes.push_back(std::abs(value));
    if (sizes.empty()) continue;
    const auto at =
        sizes.begin() + static_cast<std::ptrdiff_t>(0.999 * static_cast<double>(sizes.size() - 1));
    std::nth_element(sizes.begin(), at, sizes.end());
    const double limit = largest_factor * *at;
    if (limit == 0) continue;
    for (std::size_t i = 0; i < rays; ++i) {
      if (!(std::abs(slice[i]) > limit)) continue;
      if (count++ == 0) {
        first = begin + i;
        usual = *at;
      }
      if (std::abs(slice[i]) > std::abs(largest)) largest = slice[i];
    }
  }
  if (count == 0) return {};
  return Impl::formatted(
      "problem.sinogram: %zu value%s beyond 1000 times the 99.9th percentile, %.3g: up to "
      "%.4g, the first one at ray %zu%s; mark values that were not measured by NaN, or "
      "mask them (problem.ray_mask)",
      count, count == 1 ? " is" : "s are", usual, largest, first % rays,
      values.size() > rays ? (" of slice " + std::to_string(first / rays)).c_str() : "");
}

std::string describe_short_fan(const ScanGeometry& scan) {
  if (scan.beam != Beam::fan || scan.has_vectors() || scan.detector_shape == DetectorShape::curved)
    return {};
  const ViewShares shares = view_shares(scan);
  if (!(shares.covered < shares.needed * (1 - 1e-9))) return {};
  return Impl::formatted(
      "problem.geometry: the views cover %.4g deg, but a fan_beam needs at least %.4g "
      "deg, half a turn and the angle of the fan; directions are missing",
      degrees(shares.covered), degrees(shares.needed));
}

}  // namespace Tomokkos
