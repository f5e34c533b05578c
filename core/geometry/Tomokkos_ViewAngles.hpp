// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Unit of angles in configurations and files.
enum class AngleUnit { degrees, radians };

template <>
struct EnumNames<AngleUnit> {
  static constexpr std::array<std::pair<AngleUnit, std::string_view>, 2> names{
      {{AngleUnit::degrees, "deg"}, {AngleUnit::radians, "rad"}}};
};

/// \brief Angle, stored as an exact fraction of a turn if it is one.
///
/// cos(pi / 2) of a double is not 0, and 180 deg / 7 has no exact double. Angles stored as
/// fractions make views that are mirror images of each other exact mirror images, bit for bit.
class Angle {
 public:
  /// \brief Zero.
  Angle() = default;

  /// \brief Creates the exact angle \p numerator / \p denominator of a turn.
  ///
  /// \throws Error when the denominator is not positive, or when the reduced fraction exceeds a
  /// denominator of 2^40 or 1024 whole turns
  static Angle turns(std::int64_t numerator, std::int64_t denominator);

  /// \brief Creates an angle of \p value degrees, interpreted as the shortest decimal number that
  /// reads back as \p value: `degrees(0.1)` is exactly 1/3600 of a turn. Beyond the limits of
  /// `turns` the angle is stored in radians.
  ///
  /// \throws Error when \p value is not finite
  static Angle degrees(double value);

  /// \brief Creates an angle of \p value radians. A value within 2 ulp of n pi / d with 1 <= d <=
  /// 1440 becomes exactly that fraction (up to 1024 turns); others are stored by value.
  ///
  /// \throws Error when \p value is not finite
  static Angle radians(double value);

  /// \brief Reads an angle from text: `180 deg`, `0.25deg`, `1.5 rad`, `1.5` (radians). Decimal
  /// degrees are exact.
  ///
  /// \throws Error naming \p text and the allowed forms
  static Angle parse(std::string_view text);

  /// \brief True when the angle is stored as a fraction of a turn.
  bool is_fraction() const { return denominator_ != 0; }

  /// \brief Reduced fraction of a turn; valid only if `is_fraction()`.
  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }

  /// \brief Angle in radians, rounded to double.
  double in_radians() const;

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;  // 0: the angle is radians_
  double radians_ = 0.0;
};

/// \brief Signs and order of coordinates that `ViewDirection` has removed, as bits.
///
/// Maps (x, y) to (+-x, +-y): `flip_x` changes the sign of x, `flip_y` the sign of y. Then
/// `swap_axes` exchanges x and y.
enum AxisSymmetry : unsigned { flip_x = 1U, flip_y = 2U, swap_axes = 4U };

/// \brief Direction (cos t, sin t) of a view, reduced to the first octant. `a >= b >= 0` are the
/// larger and the smaller of |cos t| and |sin t|; `symmetry` maps them back.
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

/// \brief Angles of the views of a scan: evenly spaced, or a list.
///
/// Evenly spaced views are t_v = start + range v / count (the end of the range is excluded). If
/// start and range are fractions of a turn, so are all views. Then views that are mirror images of
/// each other get bit-equal (a, b), and cos and sin of 90, 180 and 270 degrees are exactly 0 or
/// +-1. Listed angles are used by value, except that an angle within 4 ulp of a multiple of pi / 4
/// becomes that multiple.
class ViewAngles {
 public:
  /// \brief Creates an empty list, which is not a usable scan.
  ViewAngles() = default;

  /// \brief Creates \p count views from \p start over \p range (default: half a turn, sufficient
  /// for a parallel beam).
  ///
  /// \throws Error when \p count < 1
  static ViewAngles evenly_spaced(Ordinal count, Angle start = {}, Angle range = half_turn());

  /// \brief Creates views at the angles \p radians.
  ///
  /// \throws Error when the list is empty, when it is longer than `Ordinal` allows, or when an
  /// angle is not finite (naming it)
  static ViewAngles list(std::vector<double> radians);

  /// \brief Returns the given views, with the same directions bit by bit.
  ///
  /// \throws Error when \p views is empty
  ViewAngles chosen(const std::vector<Ordinal>& views) const;

  static Angle half_turn() { return Angle::turns(1, 2); }
  static Angle full_turn() { return Angle::turns(1, 1); }

  Ordinal count() const { return count_; }
  bool is_evenly_spaced() const { return list_.empty(); }
  Angle start() const { return start_; }
  Angle range() const { return range_; }

  /// \brief Returns the angle of \p view in radians, rounded to double. It may exceed one turn.
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
  std::vector<ViewDirection> directions_;  // of chosen views; otherwise empty
};

/// \brief Direction of an angle given by value. Applies the rule for multiples of pi / 4.
ViewDirection direction_of(double radians);

/// \brief Direction of the unit vector (\p x, \p y), rounded to double.
ViewDirection direction_of(long double x, long double y);

}  // namespace Tomokkos
