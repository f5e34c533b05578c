// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AngleDirection.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace Tomokkos {
namespace {

Angle negated(const Angle& angle) {
  return angle.is_fraction() ? Angle::turns(-angle.numerator(), angle.denominator())
                             : Angle::radians(-angle.in_radians());
}

/// Prints a number without zeros at its end, and without the sign of a zero.
std::string decimal(double value, int decimals) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  std::string text = buffer;
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

/// Number of decimals that shows \p value with \p digits significant digits; at least \p least.
int decimals_of(double value, int digits, int least) {
  if (value == 0) return least;
  const int place = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return std::clamp(digits - 1 - place, least, 12);
}

/// Prints an angle to a hundredth of a step.
std::string angle_text(double value, double step) {
  double scale = 10;
  int decimals = 1;
  while (decimals < 6 &&
         std::abs(std::round(value * scale) / scale - value) > 0.01 * std::abs(step)) {
    ++decimals;
    scale *= 10;
  }
  return decimal(value, decimals);
}

}  // namespace

ViewAngles counterclockwise_angles(const ViewAngles& views, AngleDirection direction) {
  if (direction == AngleDirection::counterclockwise) return views;
  if (views.is_evenly_spaced())
    return ViewAngles::evenly_spaced(views.count(), negated(views.start()), negated(views.range()));
  std::vector<double> angles = views.radians();
  for (double& angle : angles) angle = -angle;
  return ViewAngles::list(std::move(angles));
}

std::string describe_angles(const ViewAngles& views) {
  constexpr double degree = std::numbers::pi / 180;
  const Ordinal count = views.count();
  const double first = views.radians(0) / degree;
  if (count == 1) return "1 view, at " + decimal(first, 3) + " deg";
  const double last = views.radians(count - 1) / degree;
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (Ordinal view = 1; view < count; ++view) {
    const double step = (views.radians(view) - views.radians(view - 1)) / degree;
    least = std::min(least, step);
    most = std::max(most, step);
  }
  const double mean = (last - first) / (count - 1);
  std::string text = std::to_string(count) + " views, " + angle_text(first, mean) + " to " +
                     angle_text(last, mean) + " deg, ";
  if (most - least <= 0.01 * std::abs(mean)) {
    char step[400];
    std::snprintf(step, sizeof step, "step %.*f deg", decimals_of(mean, 3, 3), mean);
    return text + step;
  }
  return text + "steps " + decimal(least, decimals_of(least, 2, 1)) + " to " +
         decimal(most, decimals_of(most, 2, 1)) + " deg";
}

}  // namespace Tomokkos
