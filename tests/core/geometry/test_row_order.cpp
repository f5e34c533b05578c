// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visiting orders of rows: permutations, small known cases, and strides that keep rays apart.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace Tomokkos;

namespace {

using Order = std::vector<Ordinal>;

constexpr ViewOrder every_order[] = {ViewOrder::sequential, ViewOrder::random, ViewOrder::golden,
                                     ViewOrder::multilevel};

Order sequence(Ordinal count) {
  Order order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order sorted(Order order) {
  std::sort(order.begin(), order.end());
  return order;
}

std::string error_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(RowOrder, visits_every_view_once) {
  for (const ViewOrder order : every_order)
    for (Ordinal views : {0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 60, 64, 90, 180, 257, 720, 1023})
      EXPECT_EQ(sorted(view_visits(views, order)), sequence(views))
          << to_string(order) << ", " << views << " views";
}

TEST(RowOrder, multilevel_visits_by_halves) {
  EXPECT_EQ(view_visits(1, ViewOrder::multilevel), (Order{0}));
  EXPECT_EQ(view_visits(2, ViewOrder::multilevel), (Order{0, 1}));
  EXPECT_EQ(view_visits(4, ViewOrder::multilevel), (Order{0, 2, 1, 3}));
  EXPECT_EQ(view_visits(8, ViewOrder::multilevel), (Order{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(view_visits(16, ViewOrder::multilevel),
            (Order{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}));
  // The views floor(6 q / 8) for the 8 positions q = 0, 4, 2, 6, 1, 5, 3, 7, without repetitions.
  EXPECT_EQ(view_visits(6, ViewOrder::multilevel), (Order{0, 3, 1, 4, 2, 5}));
  const Order order = view_visits(180, ViewOrder::multilevel);
  EXPECT_EQ(Order(order.begin(), order.begin() + 8), (Order{0, 90, 45, 135, 22, 112, 67, 157}));
}

TEST(RowOrder, golden_steps_by_the_golden_ratio) {
  // floor(10 frac(k g)): 0, 6, 2, 8, 4, 0 (already used, so 1), 7, 3, 9, 5.
  EXPECT_EQ(view_visits(10, ViewOrder::golden), (Order{0, 6, 2, 8, 4, 1, 7, 3, 9, 5}));
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  const Order order = view_visits(1000, ViewOrder::golden);
  for (int k = 0; k < 300; ++k) {
    const double position = 1000 * (k * ratio - std::floor(k * ratio));
    EXPECT_NEAR(order[static_cast<std::size_t>(k)], position, 2.0) << k;
  }
}

TEST(RowOrder, random_follows_the_seed) {
  const Order first = view_visits(180, ViewOrder::random, 1);
  EXPECT_EQ(view_visits(180, ViewOrder::random, 1), first);
  EXPECT_NE(view_visits(180, ViewOrder::random, 2), first);
  EXPECT_NE(first, sequence(180));
  // Every view comes first about equally often: of 3000 seeds, 500 expected for each of 6 views,
  // sigma 20.
  std::vector<int> count(6, 0);
  for (std::uint64_t seed = 0; seed < 3000; ++seed)
    ++count[static_cast<std::size_t>(view_visits(6, ViewOrder::random, seed).front())];
  for (const int times : count) EXPECT_NEAR(times, 500, 120);
}

TEST(RowOrder, strided_returns_for_the_skipped_rays) {
  EXPECT_EQ(ray_visits(7, WithinView::sequential, 3), sequence(7));
  EXPECT_EQ(ray_visits(7, WithinView::strided, 1), sequence(7));
  EXPECT_EQ(ray_visits(7, WithinView::strided, 3), (Order{0, 3, 6, 1, 4, 2, 5}));
  EXPECT_EQ(ray_visits(3, WithinView::strided, 100), sequence(3));
  EXPECT_EQ(ray_visits(0, WithinView::strided, 2), Order{});
}

TEST(RowOrder, row_order_combines_view_and_ray_orders) {
  EXPECT_EQ(row_visits(4, 3, ViewOrder::multilevel, WithinView::strided, 2),
            (Order{0, 2, 1, 6, 8, 7, 3, 5, 4, 9, 11, 10}));
  for (const ViewOrder order : every_order)
    EXPECT_EQ(sorted(row_visits(9, 11, order, WithinView::strided, 4, 7)), sequence(99));
}

TEST(RowOrder, independent_stride_keeps_rays_apart) {
  EXPECT_EQ(independent_stride(Projector::line, 1, 1), 2);    // sqrt(2)
  EXPECT_EQ(independent_stride(Projector::linear, 1, 1), 2);  // 2
  EXPECT_EQ(independent_stride(Projector::strip, 1, 1), 3);   // sqrt(2) + 1
  EXPECT_EQ(independent_stride(Projector::line, 1, 0.5), 3);
  EXPECT_EQ(independent_stride(Projector::linear, 1, 0.5), 4);
  EXPECT_EQ(independent_stride(Projector::line, 1, 4), 1);
  EXPECT_EQ(independent_stride(Projector::strip, 1, 4), 2);
  EXPECT_EQ(independent_stride(Projector::linear, 0.3, 0.1), 6);
}

TEST(RowOrder, refuses_invalid_counts_and_widths) {
  EXPECT_NE(error_of([] { view_visits(-1, ViewOrder::golden); }).find("-1 views"),
            std::string::npos);
  EXPECT_NE(error_of([] { ray_visits(3, WithinView::strided, 0); }).find("at least 1"),
            std::string::npos);
  EXPECT_NE(error_of([] { row_visits(70000, 70000, ViewOrder::sequential); }).find("32-bit"),
            std::string::npos);
  EXPECT_NE(error_of([] { independent_stride(Projector::line, 0, 1); }).find("positive"),
            std::string::npos);
}

}  // namespace
