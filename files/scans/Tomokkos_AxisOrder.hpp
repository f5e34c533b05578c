// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the axes of measured data: the only place that knows which axis of an array is
// which.
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Axes of measured data.
enum class ScanAxis {
  views,
  rows,      ///< rows of the detector, one for each slice
  detectors  ///< elements of a row of the detector
};

template <>
struct EnumNames<ScanAxis> {
  static constexpr std::array<std::pair<ScanAxis, std::string_view>, 3> names{
      {{ScanAxis::views, "views"}, {ScanAxis::rows, "rows"}, {ScanAxis::detectors, "detectors"}}};
};

/// \brief Names of the axes of an array, from the slowest to the fastest. Empty: views x detectors,
/// or views x rows x detectors.
using AxisOrder = std::vector<ScanAxis>;

/// \brief Lengths of the axes of measured data. Data without rows have one.
struct ScanShape {
  std::size_t views = 0, rows = 1, detectors = 0;
};

/// \brief Complete order for an array of \p dimensions dimensions.
///
/// \return empty if \p order does not name each axis of such an array once
std::optional<AxisOrder> complete_order(const AxisOrder& order, std::size_t dimensions);

/// \brief Lengths of the axes of an array of the shape \p shape.
///
/// \param order complete order
ScanShape scan_shape(const AxisOrder& order, const std::vector<std::size_t>& shape);

/// \brief Position of \p axis in \p order; empty if it is not there.
std::optional<std::size_t> position_of(ScanAxis axis, const AxisOrder& order);

/// \brief Rearranges an array of the shape \p shape to views x rows x detectors. Returns \p values
/// themselves if they have this order already.
///
/// \param order complete order
template <class Scalar>
std::vector<Scalar> to_scan_order(std::vector<Scalar> values, const std::vector<std::size_t>& shape,
                                  const AxisOrder& order) {
  const ScanShape lengths = scan_shape(order, shape);
  // Distance of neighbours along views, rows and detectors.
  std::array<std::size_t, 3> strides{0, 0, 0};
  std::size_t stride = 1;
  for (std::size_t axis = order.size(); axis-- > 0; stride *= shape[axis])
    strides[static_cast<std::size_t>(order[axis])] = stride;
  if (strides[2] == 1 && strides[0] == lengths.rows * lengths.detectors) return values;
  std::vector<Scalar> result(values.size());
  std::size_t to = 0;
  for (std::size_t view = 0; view < lengths.views; ++view)
    for (std::size_t row = 0; row < lengths.rows; ++row)
      for (std::size_t k = 0; k < lengths.detectors; ++k)
        result[to++] = values[view * strides[0] + row * strides[1] + k * strides[2]];
  return result;
}

/// \brief Finds the orders in which an array of the shape \p shape has the given numbers of views
/// and detectors. Orders whose rows come before the detectors are first.
std::vector<AxisOrder> fitting_orders(const std::vector<std::size_t>& shape,
                                      std::optional<std::size_t> views,
                                      std::optional<std::size_t> detectors);

/// \brief Returns the names of an order: `[rows, views, detectors]`.
std::string axis_names(const AxisOrder& order);

}  // namespace Tomokkos
