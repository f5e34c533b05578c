// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_DataEnds.hpp>
#include <algorithm>
#include <cmath>
#include <vector>

namespace Tomokkos {
namespace {

/// Level of the first measured values from one end of a view. 0 without any.
template <class Measured>
double level_at(std::span<const double> values, const Measured& is_measured, bool from_the_end,
                Ordinal count) {
  std::vector<double> found;
  const auto needed = static_cast<std::size_t>(std::max<Ordinal>(3, count));
  for (std::size_t i = 0; i < values.size() && found.size() < needed; ++i) {
    const std::size_t k = from_the_end ? values.size() - 1 - i : i;
    if (is_measured(k)) found.push_back(values[k]);
  }
  if (found.empty()) return 0;
  const std::size_t averaged = std::min(found.size(), static_cast<std::size_t>(count));
  double sum = 0;
  for (std::size_t i = 0; i < averaged; ++i) sum += found[i];
  const auto nth = [&](std::size_t i) { return found[std::min(i, found.size() - 1)]; };
  return end_level(sum / static_cast<double>(averaged), {nth(0), nth(1), nth(2)});
}

DataEnd end_of(const std::vector<double>& levels, const std::vector<double>& peaks) {
  DataEnd end;
  const auto views = static_cast<Ordinal>(levels.size());
  const Ordinal beside = neighbouring_views(views);
  for (Ordinal view = 0; view < views; ++view) {
    double level = 0, peak = 0;
    for (Ordinal v = std::max(0, view - beside); v <= std::min(views - 1, view + beside); ++v) {
      level += levels[static_cast<std::size_t>(v)];
      peak += peaks[static_cast<std::size_t>(v)];
    }
    if (!(peak > 0 && level > truncation_level * peak)) continue;
    ++end.views;
    end.level = std::max(end.level, level / peak);
  }
  return end;
}

/// Levels at the ends of one slice.
DataEnds ends_of_slice(std::span<const double> data, Ordinal views, Ordinal detectors,
                       std::span<const char> mask) {
  const Ordinal count = end_elements(detectors);
  const auto length = static_cast<std::size_t>(detectors);
  std::vector<double> low, high, peaks;
  for (Ordinal view = 0; view < views; ++view) {
    const std::size_t begin = static_cast<std::size_t>(view) * length;
    const std::span<const double> values = data.subspan(begin, length);
    const auto is_measured = [&](std::size_t k) {
      return !std::isnan(values[k]) && (mask.empty() || mask[begin + k] != 0);
    };
    double peak = 0;
    for (std::size_t k = 0; k < length; ++k)
      if (is_measured(k)) peak = std::max(peak, values[k]);
    peaks.push_back(peak);
    low.push_back(level_at(values, is_measured, false, count));
    high.push_back(level_at(values, is_measured, true, count));
  }
  return {end_of(low, peaks), end_of(high, peaks)};
}

}  // namespace

DataEnds data_ends(std::span<const double> data, Ordinal views, Ordinal detectors,
                   std::span<const char> mask) {
  DataEnds result;
  const std::size_t rays = static_cast<std::size_t>(views) * static_cast<std::size_t>(detectors);
  for (std::size_t begin = 0; rays > 0 && begin + rays <= data.size(); begin += rays) {
    const DataEnds slice = ends_of_slice(data.subspan(begin, rays), views, detectors, mask);
    for (const auto end : {&DataEnds::low, &DataEnds::high}) {
      (result.*end).views = std::max((result.*end).views, (slice.*end).views);
      (result.*end).level = std::max((result.*end).level, (slice.*end).level);
    }
  }
  return result;
}

}  // namespace Tomokkos
