// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_ScanCoverage.hpp>
#include <Tomokkos_ScanSuspicions.hpp>
#include <Tomokkos_ViewShares.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace Tomokkos {

namespace {

constexpr std::size_t least_views = 10;
constexpr double smallest_span = 5;       // deg
constexpr double outer_part = 0.1;        // of the detector
constexpr double least_rays = 0.1;        // that meet the image
constexpr double least_image = 0.01;      // that the detector sees
constexpr double least_pixel = 1.0 / 20;  // in elements
constexpr double largest_factor = 1000;   // of the 99.9th percentile

double degrees(double radians) { return radians * 180 / std::numbers::pi; }

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
