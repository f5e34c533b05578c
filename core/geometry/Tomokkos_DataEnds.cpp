// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_DataEnds.hpp>
#include <algorithm>
#include <cmath>
#include <vector>

namespace Tomokkos {
namespace {

/// Mean of the first measured values from position `first` on, in steps of `step`.
template <class Measured>
double level_at(std::span<const double> values, const Measured& is_measured, bool from_the_end,
                Ordinal count) {
  double sum = 0;
  Ordinal found = 0;
  for (std::size_t i = 0; i < values.size() && found < count; ++i) {
    const std::size_t k = from_the_end ? values.size() - 1 - i : i;
    if (!is_measured(k)) continue;
    sum += values[k];
    ++found;
  }
  return found > 0 ? sum / found : 0.0;
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

}  // namespace

DataEnds data_ends(std::span<const double> data, Ordinal views, Ordinal detectors,
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

}  // namespace Tomokkos
