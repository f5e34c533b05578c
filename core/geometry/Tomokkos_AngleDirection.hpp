// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <array>
#include <string>

namespace Tomokkos {

/// \brief Direction in which growing angles of a file or a configuration turn source and detector
/// around the image.
enum class AngleDirection { counterclockwise, clockwise };

template <>
struct EnumNames<AngleDirection> {
  static constexpr std::array<std::pair<AngleDirection, std::string_view>, 2> names{
      {{AngleDirection::counterclockwise, "counterclockwise"},
       {AngleDirection::clockwise, "clockwise"}}};
};

/// \brief Returns views whose angles, given as \p direction says, count counter-clockwise: the same
/// views, or those with all angles negated. Fractions of a turn stay exact.
ViewAngles counterclockwise_angles(const ViewAngles& views, AngleDirection direction);

/// \brief Describes number, first and last angle, and steps in degrees, as "181 views, 0.4 to 179.4
/// deg, step 0.994 deg" or "3 views, 0 to 10 deg, steps 3 to 7 deg".
///
/// Steps that differ by less than a hundredth count as equal; their mean is given.
std::string describe_angles(const ViewAngles& views);

}  // namespace Tomokkos
