// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat and dark fields as averages of frames.
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Average of the frames of a flat or dark field. The median ignores single bright pixels
/// and frames with a closed shutter.
enum class FieldAverage { mean, median };

template <>
struct EnumNames<FieldAverage> {
  static constexpr std::array<std::pair<FieldAverage, std::string_view>, 2> names{
      {{FieldAverage::mean, "mean"}, {FieldAverage::median, "median"}}};
};

/// \brief Averages frames of \p length values each, in double. The median of an even number of
/// values is the mean of the two in the middle. A value that is NaN in one frame is NaN.
///
/// \throws DimensionMismatch unless \p frames holds one or more whole frames
std::vector<double> average_frames(std::span<const double> frames, std::size_t length,
                                   FieldAverage average);

}  // namespace Tomokkos
