// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_PairCounts.hpp>
#include <vector>

namespace {

using namespace Tomokkos;

using Array = std::vector<double>;

TEST(PairCounts, events_in_no_order_are_added_to_the_pairs_of_the_matrix) {
  Array counts{7, 1, 2, 3, 8, 5, 4, 0, 9};
  const PairCounts sums = fold_pair_counts(counts, 3);
  EXPECT_EQ(counts, (Array{7, 4, 6, 0, 8, 5, 0, 0, 9}));
  EXPECT_TRUE(sums.added);
  EXPECT_EQ(sums.above, 8);
  EXPECT_EQ(sums.below, 7);
}

TEST(PairCounts, a_symmetric_array_counts_once) {
  Array counts{0, 1, 2, 1, 0, 5.0000001, 2, 5, 0};
  EXPECT_FALSE(fold_pair_counts(counts, 3).added);
  EXPECT_EQ(counts, (Array{0, 1, 2, 0, 0, 5.0000001, 0, 0, 0}));
  // Corrected counts are rounded. A small one may be so by much.
  Array rounded{0, 1, 2, 1, 0, 5.001, 2, 5, 0};
  EXPECT_FALSE(fold_pair_counts(rounded, 3).added);
  rounded = {0, 1e-5, 2.5, 0, 0, 5, 2.50002, 5, 0};
  EXPECT_FALSE(fold_pair_counts(rounded, 3).added);
  EXPECT_EQ(rounded, (Array{0, 1e-5, 2.5, 0, 0, 5, 0, 0, 0}));
  Array other{0, 1, 2, 1, 0, 5.01, 2, 5, 0};
  EXPECT_TRUE(fold_pair_counts(other, 3).added);
  // Whole counts are events.
  Array counted{0, 100, 20000, 100, 0, 50001, 20000, 50000, 0};
  EXPECT_TRUE(fold_pair_counts(counted, 3).added);
}

TEST(PairCounts, either_half_may_be_empty) {
  const Array upper{0, 1, 2, 0, 0, 5, 0, 0, 0}, lower{0, 0, 0, 1, 0, 0, 2, 5, 0};
  Array counts = upper;
  EXPECT_FALSE(fold_pair_counts(counts, 3).added);
  EXPECT_EQ(counts, upper);
  counts = lower;
  EXPECT_TRUE(fold_pair_counts(counts, 3).added);
  EXPECT_EQ(counts, upper);
}

}  // namespace
