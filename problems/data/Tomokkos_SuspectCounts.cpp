// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace Tomokkos {

namespace {

/// Largest value of whole numbers that are taken for line integrals.
constexpr double largest_whole_integral = 1000;

// Slices and views of a slice that are examined, spread evenly.
constexpr std::size_t most_slices = 33, most_views = 128;
constexpr std::size_t least_detectors = 8;  // of a view that is examined

/// Value at a share of the sorted values: 0.5 is the median. Reorders them.
double quantile(std::vector<double>& values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(
                                       std::lround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> result;
  std::copy_if(values.begin(), values.end(), std::back_inserter(result),
               [](double value) { return std::isfinite(value); });
  return result;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Levels of one view, or the medians of these over the views of a slice.
struct Levels {
  double left = 0, right = 0;  // medians of the outer sixteenths of the detector, or lower ones of
                               // the outer thirty-seconds
  double inner_left = 0, inner_right = 0;  // medians of the sixteenths beside them
  double middle = 0;                       // mean of the inner half
  double low = 0, high = 0;                // quantiles 0.02 and 0.98

  double lower_end() const { return std::min(left, right); }
  double range() const { return high - low; }
  /// Distance of a level from the highest values, as a share of all.
  double depth(double level) const { return (high - level) / range(); }
};

/// Levels of a view without missing elements at its ends. Empty if one of them has no values, and
/// for a view that is constant or too short.
std::optional<Levels> levels_of(std::span<const double> view) {
  while (!view.empty() && !std::isfinite(view.front())) view = view.subspan(1);
  while (!view.empty() && !std::isfinite(view.back())) view = view.first(view.size() - 1);
  if (view.size() < least_detectors) return std::nullopt;
  const std::size_t n = view.size(), band = std::max<std::size_t>(1, n / 16);
  const std::size_t edge = std::max<std::size_t>(2, n / 32);
  const auto median = [](std::span<const double> part) {
    std::vector<double> values = finite(part);
    return values.empty() ? std::numeric_limits<double>::quiet_NaN() : quantile(values, 0.5);
  };
  std::vector<double> all = finite(view);
  // A wall may reach almost to the end.
  const Levels levels{std::min(median(view.first(band)), median(view.first(edge))),
                      std::min(median(view.last(band)), median(view.last(edge))),
                      median(view.subspan(band, band)),
                      median(view.subspan(n - 2 * band, band)),
                      mean(finite(view.subspan(n / 4, n - 2 * (n / 4)))),
                      quantile(all, 0.02),
                      quantile(all, 0.98)};
  // The ends have values; the means and medians of other parts without values are NaN.
  for (const double level : {levels.inner_left, levels.inner_right, levels.middle})
    if (std::isnan(level)) return std::nullopt;
  if (!(levels.range() > 0)) return std::nullopt;
  return levels;
}

/// Statistics of a slice.
struct Slice {
  Levels levels;         // medians over the views
  double rise = 0;       // median of: lower end above the middle, relative to that end
  double depth = 0;      // median of: depth of the lower end
  double top_depth = 0;  // median of: depth of the higher one of the two ends of the slice
  double swing = 0;      // range of that end over the views without their outer tenths
  bool looks_like_counts = false;
};

template <class Function>
double median_of(const std::vector<Levels>& views, const Function& function) {
  std::vector<double> values;
  for (const Levels& view : views) values.push_back(function(view));
  return quantile(values, 0.5);
}

/// Both ends of the detector see air, the highest values, or far less of the object than the
/// middle.
bool ends_see_the_beam(const Slice& slice) {
  const double end = slice.levels.lower_end();
  const bool is_brighter =
      (slice.rise > 0.01 && slice.depth < 0.3) || (slice.rise > 0.2 && slice.depth < 0.6);
  return end > 0 && is_brighter && slice.levels.low > -0.1 * end;
}

/// One end of the detector sees air, the highest values and the same ones in all views. The other
/// end is near the axis, in the object, where the mean over all views has no slope. Line integrals
/// with the object beyond that end fall steeply there, and those of a whole object reach 0.
bool one_end_sees_the_beam(const Slice& slice) {
  const Levels& levels = slice.levels;
  const bool is_left = levels.left > levels.right;
  const double top = std::max(levels.left, levels.right), other = levels.lower_end();
  const double fall = (top - other) / 16;  // mean over a sixteenth of the detector
  const double slope =
      is_left ? levels.inner_right - levels.right : levels.inner_left - levels.left;
  return levels.low > 0.15 * top && levels.depth(other) > 0.3 && slice.top_depth < 0.1 &&
         slice.swing < 0.1 * levels.range() && slope < 0.7 * fall;
}

std::optional<Slice> examine(std::span<const double> values, std::size_t views,
                             std::size_t detectors) {
  std::vector<Levels> found;
  const std::size_t count = std::min(views, most_views);
  for (std::size_t i = 0; i < count; ++i)
    if (const auto levels = levels_of(values.subspan(i * views / count * detectors, detectors)))
      found.push_back(*levels);
  if (found.empty()) return std::nullopt;
  Slice slice;
  using Level = double Levels::*;
  for (const Level level : {&Levels::left, &Levels::right, &Levels::inner_left,
                            &Levels::inner_right, &Levels::middle, &Levels::low, &Levels::high})
    slice.levels.*level = median_of(found, [&](const Levels& view) { return view.*level; });
  slice.rise = median_of(found, [](const Levels& view) {
    return (view.lower_end() - view.middle) / std::max(std::abs(view.lower_end()), 1e-300);
  });
  slice.depth = median_of(found, [](const Levels& view) { return view.depth(view.lower_end()); });
  const auto top = slice.levels.left > slice.levels.right ? &Levels::left : &Levels::right;
  slice.top_depth = median_of(found, [&](const Levels& view) { return view.depth(view.*top); });
  std::vector<double> tops;
  for (const Levels& view : found) tops.push_back(view.*top);
  const double highest_top = quantile(tops, 0.9);
  slice.swing = highest_top - quantile(tops, 0.1);
  slice.looks_like_counts = ends_see_the_beam(slice) || one_end_sees_the_beam(slice);
  return slice;
}

std::string number(double value) { return Impl::formatted("%.4g", value); }

/// Evidence that most of the slices with a clear object are pictures of transmission.
std::optional<std::string> evidence_of_transmission(std::span<const double> values,
                                                    std::size_t slices, std::size_t views,
                                                    std::size_t detectors) {
  std::vector<Slice> found;
  const std::size_t count = std::min(slices, most_slices), length = views * detectors;
  double widest = 0;
  for (std::size_t j = 0; j < count; ++j)
    if (const auto slice =
            examine(values.subspan(j * slices / count * length, length), views, detectors)) {
      found.push_back(*slice);
      widest = std::max(widest, slice->levels.range());
    }
  std::erase_if(found, [&](const Slice& slice) { return slice.levels.range() < 0.5 * widest; });
  const auto suspicious = std::count_if(found.begin(), found.end(),
                                        [](const Slice& slice) { return slice.looks_like_counts; });
  if (2 * static_cast<std::size_t>(suspicious) <= found.size()) return std::nullopt;
  const Levels& levels = std::find_if(found.begin(), found.end(), [](const Slice& slice) {
                           return slice.looks_like_counts;
                         })->levels;
  return "looks like counts or transmission: its values are about " + number(levels.left) +
         " and " + number(levels.right) + " at the ends of the detector, " + number(levels.middle) +
         " in the middle, and begin at " + number(levels.low);
}

/// Evidence of whole numbers, all values being whole.
std::optional<std::string> evidence_of_whole_numbers(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (value != std::trunc(value)) return std::nullopt;
    largest = std::max(largest, value);
  }
  if (!(largest > largest_whole_integral)) return std::nullopt;
  return "holds whole numbers up to " + number(largest);
}

}  // namespace

std::optional<Suspicion> suspect_counts(std::span<const double> values, std::size_t slices,
                                        std::size_t views, std::size_t detectors,
                                        const std::string& name) {
  if (slices == 0 || views == 0 || values.size() != slices * views * detectors) return std::nullopt;
  auto evidence = evidence_of_transmission(values, slices, views, detectors);
  if (!evidence) evidence = evidence_of_whole_numbers(values);
  if (!evidence) return std::nullopt;
  return Suspicion{
      SuspicionKind::flat_fields, "problem.sinogram",
      name + " " + *evidence + "; without flat fields these values would be used as line integrals",
      "give problem.sinogram.flat, the open beam (ones for a transmission from 0 to 1), or "
      "set problem.sinogram.flat: none if these are line integrals"};
}

}  // namespace Tomokkos
