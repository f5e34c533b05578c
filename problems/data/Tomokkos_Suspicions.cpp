// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_ScanCoverage.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <Tomokkos_ViewShares.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace Tomokkos {

namespace {

constexpr double pi = 3.141592653589793238462643383279502884;
constexpr double most_turns = 2;

bool is_multiple_of_a_twentieth(double value) {
  const double twentieths = value * 20;
  return std::abs(twentieths - std::round(twentieths)) < 1e-6 * std::max(1.0, std::abs(twentieths));
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
  const std::string place = "problem.geometry.rotation_center";
  const std::string remedy =
      "set problem.geometry.rotation_center to the index of the element that sees the axis";
  if (found.pairs == 0)
    return Suspicion{
        SuspicionKind::rotation_center, place,
        Impl::formatted("the rotation centre %.2f is only the centre of mass; no view has an "
                        "opposite view to confirm it",
                        found.center),
        remedy};
  if (!found.is_supported())
    return Suspicion{
        SuspicionKind::rotation_center, place,
        Impl::formatted(
            "opposite views do not match at any rotation centre: at the best one, %.2f, "
            "they differ by %.2g of their energy, elsewhere by %.2g",
            *found.registered, found.mismatch, found.typical_mismatch),
        remedy};
  const auto apart = found.disagreement();
  if (!apart || *apart <= 0.5) return std::nullopt;
  return Suspicion{
      SuspicionKind::rotation_center, place,
      Impl::formatted("the rotation centre is %.2f by opposite views and %.2f by the centre of "
                      "mass, %.2f elements apart",
                      *found.registered, *found.center_of_mass, *apart),
      remedy};
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
  const auto degrees = [](double radians) { return radians * 180 / pi; };
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

}  // namespace Tomokkos
