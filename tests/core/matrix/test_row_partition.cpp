// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <numeric>
#include <random>

namespace {

using namespace Tomokkos;
using Lengths = std::vector<Offset>;

Kokkos::View<const Offset*, Kokkos::HostSpace> offsets_of(const Lengths& lengths) {
  const Kokkos::View<Offset*, Kokkos::HostSpace> offsets("offsets", lengths.size() + 1);
  for (std::size_t i = 0; i < lengths.size(); ++i) offsets(i + 1) = offsets(i) + lengths[i];
  return offsets;
}

std::vector<Offset> nonzeros_of(const Lengths& lengths, const std::vector<Ordinal>& begins) {
  std::vector<Offset> result;
  for (std::size_t p = 0; p + 1 < begins.size(); ++p)
    result.push_back(
        std::accumulate(lengths.begin() + begins[p], lengths.begin() + begins[p + 1], Offset{0}));
  return result;
}

TEST(RowPartition, parts_get_their_shares_of_the_nonzeros) {
  std::mt19937 random(1);
  Lengths lengths(20000);
  for (auto& length : lengths) length = static_cast<Offset>(random() % 200);
  for (const std::vector<double>& weights : {std::vector<double>{1},
                                             {1, 1},
                                             {1, 1, 1, 1},
                                             {1, 3},
                                             {0.2, 5, 1},
                                             {7, 1, 1, 1, 1, 1, 1, 1}}) {
    const auto begins = partition_rows(offsets_of(lengths), all_rows, weights);
    ASSERT_EQ(begins.size(), weights.size() + 1);
    EXPECT_EQ(begins.front(), 0);
    EXPECT_EQ(begins.back(), 20000);
    EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end()));
    EXPECT_LT(partition_imbalance(nonzeros_of(lengths, begins), weights), 0.01);
  }
}

TEST(RowPartition, cuts_are_as_close_to_the_share_as_possible) {
  // Half of 12 is 6. The first two rows have 5 nonzeros, the first three have 9.
  EXPECT_EQ(partition_rows(offsets_of({2, 3, 4, 3}), all_rows, {1, 1}),
            (std::vector<Ordinal>{0, 2, 4}));
  EXPECT_EQ(partition_rows(offsets_of({2, 2, 3, 5}), all_rows, {1, 1}),
            (std::vector<Ordinal>{0, 3, 4}));
}

TEST(RowPartition, a_range_of_rows_is_partitioned_on_its_own) {
  EXPECT_EQ(partition_rows(offsets_of({100, 1, 1, 1, 1, 100}), {1, 5}, {1, 1}),
            (std::vector<Ordinal>{1, 3, 5}));
  EXPECT_EQ(partition_rows(offsets_of({1, 1}), {1, 1}, {1, 1}), (std::vector<Ordinal>{1, 1, 1}));
}

TEST(RowPartition, more_parts_than_rows_leave_some_empty) {
  const auto begins = partition_rows(offsets_of({5, 5}), all_rows, {1, 1, 1, 1, 1});
  EXPECT_EQ(begins.front(), 0);
  EXPECT_EQ(begins.back(), 2);
  EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end()));
}

TEST(RowPartition, rows_without_nonzeros_are_divided_evenly) {
  EXPECT_EQ(partition_rows(offsets_of({0, 0, 0, 0}), all_rows, {1, 1}),
            (std::vector<Ordinal>{0, 2, 4}));
  EXPECT_EQ(partition_rows(offsets_of({}), all_rows, {1, 1}), (std::vector<Ordinal>{0, 0, 0}));
}

TEST(RowPartition, one_long_row_is_not_cut) {
  const Lengths lengths{1, 1000, 1, 1};
  const auto begins = partition_rows(offsets_of(lengths), all_rows, {1, 1});
  EXPECT_NEAR(partition_imbalance(nonzeros_of(lengths, begins), {1, 1}), 1.0, 0.01);
}

TEST(RowPartition, imbalance_is_the_largest_excess_over_a_share) {
  EXPECT_DOUBLE_EQ(partition_imbalance({30, 10}, {1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(partition_imbalance({30, 10}, {3, 1}), 0);
  EXPECT_DOUBLE_EQ(partition_imbalance({0, 0}, {1, 1}), 0);
}

TEST(RowPartition, equal_rows_are_divided_by_weight) {
  EXPECT_EQ(partition_evenly(10, {1, 1}), (std::vector<Ordinal>{0, 5, 10}));
  EXPECT_EQ(partition_evenly(10, {3, 1, 1}), (std::vector<Ordinal>{0, 6, 8, 10}));
  EXPECT_EQ(partition_evenly(1, {1, 1, 1}), (std::vector<Ordinal>{0, 0, 1, 1}));
  EXPECT_THROW(partition_evenly(1, {1, 0}), Error);
}

TEST(RowPartition, bad_weights_and_rows_are_refused) {
  EXPECT_THROW(partition_rows(offsets_of({1}), all_rows, {}), Error);
  EXPECT_THROW(partition_rows(offsets_of({1}), all_rows, {1, 0}), Error);
  EXPECT_THROW(partition_rows(offsets_of({1}), all_rows, {1, -1}), Error);
  EXPECT_THROW(partition_rows(offsets_of({1}), {0, 2}, {1}), Error);
}

}  // namespace
