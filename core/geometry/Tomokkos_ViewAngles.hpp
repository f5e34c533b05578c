// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Unit of the numbers of angles.
enum class AngleUnit { degrees, radians };

template <>
struct EnumNames<AngleUnit> {
  static constexpr std::array<std::pair<AngleUnit, std::string_view>, 2> names{
      {{AngleUnit::degrees, "deg"}, {AngleUnit::radians, "rad"}}};
};

/// \brief An angle that remembers that it is an exact fraction of a turn, where it is one.
///
/// cos(pi / 2) of a double is not 0, and 180 deg / 7 has no exact double: an angle kept as a
/// fraction makes views that are mirror images of each other exactly that, bit for bit.
class Angle {
 public:
  /// \brief Zero.
  Angle() = default;

  /// \brief \p numerator / \p denominator of a turn, exactly.
  ///
  /// \throw Error when the denominator is not positive or the reduced fraction exceeds 2^40 in
  /// its denominator or in whole turns.
  static Angle turns(std::int64_t numerator, std::int64_t denominator);

  /// \brief \p value degrees, taken as the shortest decimal number that reads back as \p value:
  /// `degrees(0.1)` is exactly 1/3600 of a turn. Falls back to radians beyond the limits of
  /// `turns`.
  ///
  /// \throw Error when \p value is not finite.
  static Angle degrees(double value);

  /// \brief \p value radians. Within 2 ulp of n pi / d with 1 <= d <= 1440 it is taken as exactly
  /// that fraction (up to 1024 turns), else by value.
  ///
  /// \throw Error when \p value is not finite.
  static Angle radians(double value);

  /// \brief An angle as a person writes it: `180 deg`, `0.25deg`, `1.5 rad`, `1.5` (radians).
  /// Decimal degrees are exact.
  ///
  /// \throw Error naming \p text and what is allowed.
  static Angle parse(std::string_view text);

  /// \brief True when the angle is kept as a fraction of a turn.
  bool is_fraction() const { return denominator_ != 0; }

  /// \brief The reduced fraction of a turn; meaningful when `is_fraction()`.
  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }

  /// \brief The angle in radians, rounded to double.
  double in_radians() const;

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;  // 0: the angle is radians_
  double radians_ = 0.0;
};

/// \brief Signs and order that `ViewDirection` has stripped off, as bits.
///
/// (x, y) -> (+-x, +-y) with the sign of x changed by `flip_x` and that of y by `flip_y`, and then,
/// with `swap_axes`, x and y exchanged.
enum AxisSymmetry : unsigned { flip_x = 1U, flip_y = 2U, swap_axes = 4U };

/// \brief The direction (cos t, sin t) of a view, reduced to the first octant: `a >= b >= 0` are
/// the larger and the smaller of |cos t| and |sin t|, `symmetry` says how it got there.
struct ViewDirection {
  double a = 1.0;
  double b = 0.0;
  unsigned symmetry = 0;

  // Adding 0 turns -0 into 0.
  double cosine() const {
    return ((symmetry & flip_x) != 0 ? -1.0 : 1.0) * ((symmetry & swap_axes) != 0 ? b : a) + 0.0;
  }
  double sine() const {
    return ((symmetry & flip_y) != 0 ? -1.0 : 1.0) * ((symmetry & swap_axes) != 0 ? a : b) + 0.0;
  }
};

/// \brief The angles of the views of a scan: evenly spaced, or a list.
///
/// Evenly spaced views t_v = start + range v / count (the end of the range is excluded) are reduced
/// by their index as a fraction of the turn when start and range are fractions: views that are
/// mirror images of each other get bit-equal (a, b), and cos and sin of 90, 180, 270 degrees are
/// exactly 0 or +-1. Listed angles are taken by value, except that an angle within 4 ulp of a
/// multiple of pi / 4 is that multiple.
class ViewAngles {
 public:
  /// \brief No views: not a usable scan.
  ViewAngles() = default;

  /// \brief \p count views from \p start over \p range (default half a turn, which a parallel
  /// beam needs).
  ///
  /// \throw Error when \p count < 1.
  static ViewAngles evenly_spaced(Ordinal count, Angle start = {}, Angle range = half_turn());

  /// \brief The views at \p radians.
  ///
  /// \throw Error when the list is empty or longer than `Ordinal`, or an angle is not finite (it
  /// is named).
  static ViewAngles list(std::vector<double> radians);

  static Angle half_turn() { return Angle::turns(1, 2); }
  static Angle full_turn() { return Angle::turns(1, 1); }

  Ordinal count() const { return count_; }
  bool is_evenly_spaced() const { return list_.empty(); }
  Angle start() const { return start_; }
  Angle range() const { return range_; }

  /// \brief Angle of \p view in radians, rounded to double, not reduced to one turn.
  double radians(Ordinal view) const;

  /// \brief All angles in radians.
  std::vector<double> radians() const;

  /// \brief Direction of \p view. Host work: two function calls in long double.
  ViewDirection direction(Ordinal view) const;

 private:
  Ordinal count_ = 0;
  Angle start_;
  Angle range_;
  std::vector<double> list_;
};

/// \brief The direction of an angle by value, with the rule for multiples of pi / 4.
ViewDirection direction_of(double radians);

}  // namespace Tomokkos
