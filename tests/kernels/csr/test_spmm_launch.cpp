// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_SpmmLaunchConfig.hpp>

using namespace Tomokkos;

namespace {

const DeviceTraits gpu{true, 270336};

}  // namespace

TEST(SpmmLaunch, passes_are_rounded_up_to_a_compiled_width) {
  for (const auto& [left, width] : {std::pair{1, 1},
                                    {2, 2},
                                    {3, 4},
                                    {4, 4},
                                    {5, 8},
                                    {16, 16},
                                    {17, 32},
                                    {32, 32},
                                    {33, 32},
                                    {1000, 32}})
    EXPECT_EQ(spmm_pass_width(left), width) << left;
}

TEST(SpmmLaunch, wide_stacks_give_a_row_to_one_group_of_lanes) {
  const auto wide = choose_spmm_launch(gpu, 900, 4, 32, sizeof(float));
  EXPECT_EQ(wide.parts, 1);
  EXPECT_EQ(wide.team_size * 8, 256);
  EXPECT_EQ(choose_spmm_launch(gpu, 900, 4, 32, sizeof(double)).parts, 1);
}

TEST(SpmmLaunch, narrow_stacks_share_long_rows) {
  EXPECT_EQ(choose_spmm_launch(gpu, 900, 4, 8, sizeof(float)).parts, 4);
  EXPECT_EQ(choose_spmm_launch(gpu, 900, 4, 2, sizeof(float)).parts, 8);
  // With few packs in a part, the work around them would dominate.
  EXPECT_EQ(choose_spmm_launch(gpu, 54, 4, 8, sizeof(float)).parts, 1);
  EXPECT_EQ(choose_spmm_launch(gpu, 100, 4, 8, sizeof(float)).parts, 2);
  EXPECT_EQ(choose_spmm_launch(gpu, 3, 4, 2, sizeof(float)).parts, 1);
}

TEST(SpmmLaunch, what_is_asked_for_is_kept_or_refused) {
  const auto chosen = choose_spmm_launch(gpu, 900, 4, 8, sizeof(float), {2, 32});
  EXPECT_EQ(chosen.parts, 2);
  EXPECT_EQ(chosen.team_size, 32);
  EXPECT_THROW(choose_spmm_launch(gpu, 900, 4, 8, sizeof(float), {3, 0}), Error);
  EXPECT_THROW(choose_spmm_launch(gpu, 900, 4, 32, sizeof(float), {8, 0}), Error);
  EXPECT_THROW(choose_spmm_launch(gpu, 900, 4, 32, sizeof(float), {1, 64}), Error);
  EXPECT_THROW(choose_spmm_launch(gpu, 900, 4, 32, sizeof(float), {-1, 0}), Error);
}

TEST(SpmmLaunch, a_host_needs_no_numbers) {
  const auto chosen = choose_spmm_launch({false, 4}, 900, 4, 32, sizeof(float), {4, 7});
  EXPECT_EQ(chosen.parts, 1);
  EXPECT_EQ(chosen.team_size, 1);
}
