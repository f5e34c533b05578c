// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AxisOrder.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

/// All orders of an array, those with rows before detectors first.
std::vector<AxisOrder> all_orders(std::size_t dimensions) {
  using enum ScanAxis;
  if (dimensions == 2) return {{views, detectors}, {detectors, views}};
  if (dimensions == 3)
    return {{views, rows, detectors}, {rows, views, detectors}, {rows, detectors, views},
            {detectors, rows, views}, {views, detectors, rows}, {detectors, views, rows}};
  return {};
}

}  // namespace

std::optional<AxisOrder> complete_order(const AxisOrder& order, std::size_t dimensions) {
  for (const AxisOrder& known : all_orders(dimensions))
    if (order.empty() || order == known) return known;
  return std::nullopt;
}

ScanShape scan_shape(const AxisOrder& order, const std::vector<std::size_t>& shape) {
  std::array<std::size_t, 3> lengths{1, 1, 1};
  for (std::size_t axis = 0; axis < order.size(); ++axis)
    lengths[static_cast<std::size_t>(order[axis])] = shape[axis];
  return {lengths[0], lengths[1], lengths[2]};
}

std::optional<std::size_t> position_of(ScanAxis axis, const AxisOrder& order) {
  const auto found = std::find(order.begin(), order.end(), axis);
  if (found == order.end()) return std::nullopt;
  return static_cast<std::size_t>(found - order.begin());
}

std::vector<AxisOrder> fitting_orders(const std::vector<std::size_t>& shape,
                                      std::optional<std::size_t> views,
                                      std::optional<std::size_t> detectors) {
  std::vector<AxisOrder> fitting;
  for (const AxisOrder& order : all_orders(shape.size())) {
    const ScanShape lengths = scan_shape(order, shape);
    if (lengths.views == views.value_or(lengths.views) &&
        lengths.detectors == detectors.value_or(lengths.detectors))
      fitting.push_back(order);
  }
  return fitting;
}

std::string axis_names(const AxisOrder& order) {
  std::string text;
  for (const ScanAxis axis : order)
    text += (text.empty() ? "" : ", ") + std::string(to_string(axis));
  return "[" + text + "]";
}

}  // namespace Tomokkos
