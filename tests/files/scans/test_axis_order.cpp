// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_AxisOrder.hpp>
#include <vector>

namespace {

using namespace Tomokkos;
using enum ScanAxis;

TEST(AxisOrder, arrays_are_rearranged_to_views_rows_detectors) {
  constexpr std::size_t V = 3, R = 4, D = 5;
  std::vector<int> expected;
  for (std::size_t i = 0; i < V * R * D; ++i) expected.push_back(static_cast<int>(i));
  for (const AxisOrder& order :
       {AxisOrder{views, rows, detectors}, AxisOrder{views, detectors, rows},
        AxisOrder{rows, views, detectors}, AxisOrder{rows, detectors, views},
        AxisOrder{detectors, views, rows}, AxisOrder{detectors, rows, views}}) {
    ASSERT_EQ(complete_order(order, 3), order);
    const auto length = [](ScanAxis axis) { return axis == views ? V : axis == rows ? R : D; };
    const std::vector<std::size_t> shape{length(order[0]), length(order[1]), length(order[2])};
    const ScanShape lengths = scan_shape(order, shape);
    EXPECT_EQ(lengths.views, V);
    EXPECT_EQ(lengths.rows, R);
    EXPECT_EQ(lengths.detectors, D);
    std::vector<int> stored;
    std::vector<std::size_t> at(3);
    for (at[0] = 0; at[0] < shape[0]; ++at[0])
      for (at[1] = 0; at[1] < shape[1]; ++at[1])
        for (at[2] = 0; at[2] < shape[2]; ++at[2]) {
          const auto index = [&](ScanAxis axis) { return at[*position_of(axis, order)]; };
          stored.push_back(
              static_cast<int>((index(views) * R + index(rows)) * D + index(detectors)));
        }
    EXPECT_EQ(to_scan_order(stored, shape, order), expected) << axis_names(order);
  }
  EXPECT_EQ(to_scan_order(std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}, {detectors, views}),
            (std::vector<int>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(to_scan_order(std::vector<int>{1, 2, 3, 4}, {1, 1, 4}, {rows, detectors, views}),
            (std::vector<int>{1, 2, 3, 4}));
}

TEST(AxisOrder, each_axis_is_named_once) {
  EXPECT_EQ(complete_order({}, 2), (AxisOrder{views, detectors}));
  EXPECT_EQ(complete_order({}, 3), (AxisOrder{views, rows, detectors}));
  for (const AxisOrder& order : {AxisOrder{views, detectors}, AxisOrder{views, views, detectors},
                                 AxisOrder{views}, AxisOrder{views, rows, detectors, rows}})
    EXPECT_FALSE(complete_order(order, 3));
  EXPECT_FALSE(complete_order({views, rows}, 2));
  EXPECT_FALSE(complete_order({}, 1));
  EXPECT_EQ(position_of(rows, {views, detectors}), std::nullopt);
}

TEST(AxisOrder, orders_that_fit_are_found) {
  const auto found = fitting_orders({20, 24, 47}, 24, std::nullopt);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(axis_names(found.front()), "[rows, views, detectors]");
  EXPECT_EQ(fitting_orders({20, 24, 47}, 24, 20),
            (std::vector<AxisOrder>{{detectors, views, rows}}));
  EXPECT_EQ(fitting_orders({47, 24}, 24, std::nullopt),
            (std::vector<AxisOrder>{{detectors, views}}));
  EXPECT_TRUE(fitting_orders({20, 24, 47}, 25, std::nullopt).empty());
}

}  // namespace
