// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace Tomokkos {
namespace {

// Products of two fractions and a view index need more than 64 bits: 2^40 * 2^40 * 2^31.
__extension__ using Wide = __int128;

constexpr std::int64_t max_denominator = std::int64_t{1} << 40;
constexpr std::int64_t max_turns = 1024;
constexpr long double pi = 3.14159265358979323846264338327950288L;

Wide greatest_common_divisor(Wide x, Wide y) {
  if (x < 0) x = -x;
  while (y != 0) {
    const Wide rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

struct Fraction {
  std::int64_t numerator, denominator;
};

/// Reduces a fraction; empty if it exceeds the limits.
std::optional<Fraction> reduced(Wide numerator, Wide denominator) {
  const Wide divisor = greatest_common_divisor(numerator, denominator);
  numerator /= divisor;
  denominator /= divisor;
  if (denominator > max_denominator) return std::nullopt;
  if (numerator > max_turns * denominator || numerator < -max_turns * denominator)
    return std::nullopt;
  return Fraction{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

/// Converts a decimal number of degrees such as -12.25e1 to a fraction of a turn. Empty if \p text
/// is not plain decimal or exceeds the limits.
std::optional<Fraction> decimal_degrees(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  Wide mantissa = 0;
  int exponent = 0;
  bool after_point = false;
  bool any_digit = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !after_point) {
      after_point = true;
    } else if (c >= '0' && c <= '9') {
      any_digit = true;
      mantissa = mantissa * 10 + (c - '0');
      if (mantissa > (Wide{1} << 80)) return std::nullopt;
      if (after_point) --exponent;
    } else {
      break;
    }
  }
  if (!any_digit) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    const char* first = text.data() + at + 1;
    const char* last = text.data() + text.size();
    if (first != last && *first == '+') ++first;
    int written = 0;
    const auto [end, error] = std::from_chars(first, last, written);
    if (error != std::errc() || end != last) return std::nullopt;
    if (written > 100 || written < -100) return std::nullopt;
    exponent += written;
  }
  if (mantissa == 0) return Fraction{0, 1};
  Wide denominator = 360;
  for (; exponent < 0; ++exponent) {
    if (mantissa % 10 == 0) {
      mantissa /= 10;
    } else {
      denominator *= 10;
    }
    if (denominator > (Wide{1} << 60)) return std::nullopt;
  }
  for (; exponent > 0; --exponent) {
    mantissa *= 10;
    if (mantissa > (Wide{1} << 80)) return std::nullopt;
  }
  return reduced(negative ? -mantissa : mantissa, denominator);
}

double ulp(double value) {
  const double magnitude = std::fabs(value);
  return std::nextafter(magnitude, std::numeric_limits<double>::infinity()) - magnitude;
}

/// Finds n / d with the smallest d <= 1440 such that \p value lies within 2 ulp of n pi / d.
std::optional<Fraction> multiple_of_pi(double value) {
  constexpr std::int64_t max_d = 1440;
  if (std::fabs(value) > 2 * max_turns * static_cast<double>(pi)) return std::nullopt;
  // Uses the convergents of the continued fraction of value / pi, the best approximations for their
  // denominators. Within 2 ulp the result is unique (fractions with denominators up to 1440 lie
  // 5e-7 apart).
  long double rest = static_cast<long double>(value) / pi;
  std::int64_t n0 = 0, d0 = 1, n1 = 1, d1 = 0;
  for (int term = 0; term < 40; ++term) {
    const long double whole = std::floor(rest);
    const auto quotient = static_cast<std::int64_t>(whole);
    if (quotient > 2 * max_d * max_turns) return std::nullopt;
    const std::int64_t n = quotient * n1 + n0;
    const std::int64_t d = quotient * d1 + d0;
    if (d > max_d) return std::nullopt;
    const long double distance = std::fabs(value - pi * n / d);
    if (distance <= 2 * static_cast<long double>(ulp(value))) return reduced(n, 2 * Wide{d});
    rest -= whole;
    if (rest == 0) return std::nullopt;
    rest = 1 / rest;
    n0 = n1;
    d0 = d1;
    n1 = n;
    d1 = d;
  }
  return std::nullopt;
}

// Symmetry to apply to (cos, sin) of the angle within an octant. Octants are counted
// counter-clockwise from the positive x axis.
constexpr std::array<unsigned, 8> octant_symmetry{
    0U,
    swap_axes,
    swap_axes | flip_x,
    flip_x,
    flip_x | flip_y,
    swap_axes | flip_x | flip_y,
    swap_axes | flip_y,
    flip_y,
};

/// Direction at the angle \p numerator / \p denominator of a turn.
ViewDirection direction_of_fraction(Wide numerator, Wide denominator) {
  Wide eighths = numerator * 8;
  Wide octant = eighths / denominator;
  Wide rest = eighths % denominator;
  if (rest < 0) {
    rest += denominator;
    octant -= 1;
  }
  octant = ((octant % 8) + 8) % 8;
  if (octant % 2 != 0) rest = denominator - rest;
  ViewDirection direction;
  direction.symmetry = octant_symmetry[static_cast<std::size_t>(octant)];
  if (rest == 0) return direction;
  if (rest == denominator) {
    direction.a = direction.b = static_cast<double>(std::sqrt(0.5L));
    return direction;
  }
  // Reduced, so that symmetric views from different fractions give the same numbers.
  const Wide divisor = greatest_common_divisor(rest, denominator);
  const long double angle = pi / 4 * static_cast<long double>(rest / divisor) /
                            static_cast<long double>(denominator / divisor);
  direction.a = static_cast<double>(std::cos(angle));
  direction.b = std::min(static_cast<double>(std::sin(angle)), direction.a);
  return direction;
}

}  // namespace

Angle Angle::turns(std::int64_t numerator, std::int64_t denominator) {
  const std::string text = Impl::text("{} / {}", numerator, denominator);
  if (denominator <= 0)
    throw Refused("the angle of " + text + " turns needs a positive denominator");
  const auto fraction = reduced(numerator, denominator);
  if (!fraction)
    throw Refused("the angle of " + text + " turns exceeds 1024 turns or a denominator of 2^40");
  Angle angle;
  angle.numerator_ = fraction->numerator;
  angle.denominator_ = fraction->denominator;
  return angle;
}

Angle Angle::degrees(double value) {
  if (!std::isfinite(value)) throw Refused("an angle in degrees must be finite");
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  const std::string_view shortest(text.data(), static_cast<std::size_t>(end - text.data()));
  if (const auto fraction = decimal_degrees(shortest); error == std::errc() && fraction)
    return turns(fraction->numerator, fraction->denominator);
  return radians(static_cast<double>(pi / 180 * static_cast<long double>(value)));
}

Angle Angle::radians(double value) {
  if (!std::isfinite(value)) throw Refused("an angle in radians must be finite");
  if (value == 0) return {};
  if (const auto fraction = multiple_of_pi(value))
    return turns(fraction->numerator, fraction->denominator);
  Angle angle;
  angle.denominator_ = 0;
  angle.radians_ = value;
  return angle;
}

Angle Angle::parse(std::string_view text) {
  const auto trim = [](std::string_view part) {
    while (!part.empty() && (part.front() == ' ' || part.front() == '\t')) part.remove_prefix(1);
    while (!part.empty() && (part.back() == ' ' || part.back() == '\t')) part.remove_suffix(1);
    return part;
  };
  std::string_view number = trim(text);
  bool in_degrees = false;
  for (const std::string_view unit : {"degrees", "degree", "deg", "radians", "radian", "rad"}) {
    if (!number.ends_with(unit)) continue;
    in_degrees = unit.front() == 'd';
    number = trim(number.substr(0, number.size() - unit.size()));
    break;
  }
  if (in_degrees) {
    if (const auto fraction = decimal_degrees(number))
      return turns(fraction->numerator, fraction->denominator);
  }
  if (!number.empty() && number.front() == '+') number.remove_prefix(1);
  double value = 0;
  const char* last = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), last, value);
  if (number.empty() || error != std::errc() || end != last || !std::isfinite(value))
    throw Refused(
        "'" + std::string(text) +
        "' is not an angle; write a finite number of radians (1.5, 1.5 rad) or of degrees "
        "(90 deg)");
  return in_degrees ? degrees(value) : radians(value);
}

double Angle::in_radians() const {
  if (!is_fraction()) return radians_;
  return static_cast<double>(2 * pi * static_cast<long double>(numerator_) /
                             static_cast<long double>(denominator_));
}

ViewAngles ViewAngles::evenly_spaced(Ordinal count, Angle start, Angle range) {
  if (count < 1) throw Refused(Impl::text("the scan has {} views; at least 1 is needed", count));
  ViewAngles angles;
  angles.count_ = count;
  angles.start_ = start;
  angles.range_ = range;
  return angles;
}

ViewAngles ViewAngles::list(std::vector<double> radians) {
  if (radians.empty()) throw Refused("the list of view angles is empty; at least 1 is needed");
  if (radians.size() > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw Refused(
        Impl::text("the list of view angles has {} entries, but a scan has at most {} views",
                   radians.size(), std::numeric_limits<Ordinal>::max()));
  for (std::size_t view = 0; view < radians.size(); ++view) {
    if (!std::isfinite(radians[view]))
      throw Refused(Impl::text("the angle of view {} is {}; angles must be finite", view,
                               std::to_string(radians[view])));
  }
  ViewAngles angles;
  angles.count_ = static_cast<Ordinal>(radians.size());
  angles.list_ = std::move(radians);
  return angles;
}

double ViewAngles::radians(Ordinal view) const {
  if (!list_.empty()) return list_[static_cast<std::size_t>(view)];
  const auto exact = [](const Angle& angle) {
    return angle.is_fraction() ? 2 * pi * static_cast<long double>(angle.numerator()) /
                                     static_cast<long double>(angle.denominator())
                               : static_cast<long double>(angle.in_radians());
  };
  return static_cast<double>(exact(start_) + exact(range_) * view / count_);
}

std::vector<double> ViewAngles::radians() const {
  std::vector<double> all(static_cast<std::size_t>(count_));
  for (Ordinal view = 0; view < count_; ++view) all[static_cast<std::size_t>(view)] = radians(view);
  return all;
}

ViewAngles ViewAngles::chosen(const std::vector<Ordinal>& views) const {
  std::vector<double> angles;
  std::vector<ViewDirection> directions;
  for (const Ordinal view : views) {
    angles.push_back(radians(view));
    directions.push_back(direction(view));
  }
  ViewAngles result = list(std::move(angles));
  result.directions_ = std::move(directions);
  return result;
}

ViewDirection ViewAngles::direction(Ordinal view) const {
  if (!directions_.empty()) return directions_[static_cast<std::size_t>(view)];
  if (list_.empty() && start_.is_fraction() && range_.is_fraction()) {
    const Wide start_denominator = start_.denominator();
    const Wide step_denominator = Wide{range_.denominator()} * count_;
    // Whole turns of the start do not matter. Removing them prevents overflow in the product.
    const Wide start_numerator = start_.numerator() % start_denominator;
    const Wide numerator =
        start_numerator * step_denominator + Wide{range_.numerator()} * view * start_denominator;
    return direction_of_fraction(numerator, start_denominator * step_denominator);
  }
  return direction_of(radians(view));
}

ViewDirection direction_of(double radians) {
  const long double eighths = static_cast<long double>(radians) / (pi / 4);
  const long double nearest = std::nearbyint(eighths);
  const long double distance = std::fabs(radians - nearest * (pi / 4));
  if (distance <= 4 * static_cast<long double>(ulp(radians)))
    return direction_of_fraction(static_cast<Wide>(std::fmod(nearest, 8.0L)), 8);
  return direction_of(std::cos(static_cast<long double>(radians)),
                      std::sin(static_cast<long double>(radians)));
}

ViewDirection direction_of(long double x, long double y) {
  const auto cosine = static_cast<double>(x), sine = static_cast<double>(y);
  ViewDirection direction;
  direction.a = std::max(std::fabs(cosine), std::fabs(sine));
  direction.b = std::min(std::fabs(cosine), std::fabs(sine));
  direction.symmetry = (cosine < 0 ? flip_x : 0U) | (sine < 0 ? flip_y : 0U) |
                       (std::fabs(sine) > std::fabs(cosine) ? swap_axes : 0U);
  return direction;
}

}  // namespace Tomokkos
