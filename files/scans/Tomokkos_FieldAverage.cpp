// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FieldAverage.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos {

namespace {

/// Median of \p values, whose order changes.
double middle_value(std::vector<double>& values) {
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
    return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  return 0.5 * (*std::max_element(values.begin(), middle) + *middle);
}

}  // namespace

std::vector<double> average_frames(std::span<const double> frames, std::size_t length,
                                   FieldAverage average) {
  const std::size_t count = length == 0 ? 0 : frames.size() / length;
  require_equal("values of the frames of a field", static_cast<long long>(frames.size()),
                "those of whole frames",
                static_cast<long long>(std::max<std::size_t>(count, 1) * length));
  std::vector<double> result(length);
  std::vector<double> values(count);
  for (std::size_t j = 0; j < length; ++j) {
    double sum = 0;
    for (std::size_t f = 0; f < count; ++f) sum += values[f] = frames[f * length + j];
    result[j] =
        average == FieldAverage::mean ? sum / static_cast<double>(count) : middle_value(values);
  }
  return result;
}

}  // namespace Tomokkos
