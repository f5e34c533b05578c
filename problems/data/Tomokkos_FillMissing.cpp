// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_FillMissing.hpp>
#include <Tomokkos_ViewShares.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace Tomokkos {
namespace {

/// Fills the values for which `is_missing` between positions that are not. Positions are ascending.
/// Returns false if all are missing.
template <class Position, class Value, class Missing>
bool interpolate(std::size_t count, const Position& position, const Value& value,
                 const Missing& is_missing) {
  std::size_t last = count;  // measured
  for (std::size_t i = 0; i < count; ++i) {
    if (is_missing(i)) continue;
    const std::size_t begin = last == count ? 0 : last + 1;
    for (std::size_t k = begin; k < i; ++k) {
      if (last == count) {
        value(k) = value(i);
        continue;
      }
      const double width = position(i) - position(last);
      const double part = width > 0 ? (position(k) - position(last)) / width : 0.5;
      value(k) = (1 - part) * value(last) + part * value(i);
    }
    last = i;
  }
  if (last == count) return false;
  for (std::size_t k = last + 1; k < count; ++k) value(k) = value(last);
  return true;
}

/// "views 3, 7 to 9, 12", at most `most` ranges.
std::string named(const std::string& name, const std::set<Ordinal>& all) {
  constexpr int most = 8;
  const std::vector<Ordinal> numbers(all.begin(), all.end());
  std::string text;
  int ranges = 0;
  for (std::size_t i = 0; i < numbers.size(); ++ranges) {
    text += i == 0 ? name + (numbers.size() == 1 ? " " : "s ") : ", ";
    if (ranges == most) return text + "...";
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += std::to_string(numbers[i]);
    if (end - i > 1) text += (end - i > 2 ? " to " : ", ") + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace

void FilledRays::add(const FilledRays& others) {
  values += others.values;
  of += others.of;
  views.insert(others.views.begin(), others.views.end());
  elements.insert(others.elements.begin(), others.elements.end());
}

std::string FilledRays::describe() const {
  const std::string text = std::to_string(values) + " of " + std::to_string(of) + " values";
  const std::string of_elements = named("element", elements), of_views = named("view", views);
  if (of_elements.empty() && of_views.empty()) return text;
  const bool has_both = !of_elements.empty() && !of_views.empty();
  return text + " (" + of_elements + (has_both ? "; " : "") + of_views + ")";
}

FilledRays fill_missing(const ScanGeometry& scan, std::span<const char> mask,
                        std::span<double> data) {
  const auto views = static_cast<std::size_t>(scan.views.count());
  const auto detectors = static_cast<std::size_t>(scan.detectors), rays = views * detectors;
  // Neighbours look in nearly the same direction, whatever turn they belong to. The order begins
  // after the largest gap, or at the smallest angle if the gap before it is as large.
  const ViewCircle circle(scan.views.radians(), 2 * std::numbers::pi);
  const std::size_t last =
      circle.gaps.back() > circle.largest_gap() - 1e-9 ? views - 1 : circle.largest;
  std::vector<std::size_t> order(views);
  std::vector<double> position(views, 0.0);
  for (std::size_t i = 0; i < views; ++i) {
    const std::size_t at = (last + 1 + i) % views;
    order[i] = circle.order[at];
    if (i + 1 < views) position[i + 1] = position[i] + circle.gaps[at];
  }
  FilledRays filled;
  filled.of = data.size();
  for (std::size_t begin = 0; begin < data.size(); begin += rays) {
    const std::span<double> slice = data.subspan(begin, rays);
    std::vector<char> missing(rays);
    for (std::size_t i = 0; i < rays; ++i)
      missing[i] = std::isnan(slice[i]) || (!mask.empty() && mask[i] == 0);
    const auto count =
        static_cast<std::size_t>(std::count(missing.begin(), missing.end(), char(1)));
    if (count == 0 || count == rays) continue;
    filled.values += count;
    std::vector<char> is_lost(views), is_dead(detectors, 1);
    for (std::size_t view = 0; view < views; ++view) {
      const std::size_t first = view * detectors;
      is_lost[view] = !interpolate(
          detectors, [](std::size_t k) { return static_cast<double>(k); },
          [&](std::size_t k) -> double& { return slice[first + k]; },
          [&](std::size_t k) { return missing[first + k] != 0; });
      if (is_lost[view] != 0) {
        filled.views.insert(static_cast<Ordinal>(view));
        continue;
      }
      for (std::size_t k = 0; k < detectors; ++k)
        if (missing[first + k] == 0) is_dead[k] = 0;
    }
    for (std::size_t k = 0; k < detectors; ++k) {
      if (is_dead[k] != 0) filled.elements.insert(static_cast<Ordinal>(k));
      interpolate(
          views, [&](std::size_t v) { return position[v]; },
          [&](std::size_t v) -> double& { return slice[order[v] * detectors + k]; },
          [&](std::size_t v) { return is_lost[order[v]] != 0; });
    }
  }
  return filled;
}

}  // namespace Tomokkos
