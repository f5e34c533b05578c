// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares of the device, of streaming and of the host, from their speeds.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_SplitPlan.hpp>

#include "Complaint.hpp"

namespace {

using namespace Tomokkos;

TEST(SplitPlan, shares_rows_by_speed_if_everything_fits) {
  const SplitPlan plan = plan_split(100, 1000, {90, 0, 10}, true, Overflow::automatic);
  EXPECT_DOUBLE_EQ(plan.device, 90);
  EXPECT_DOUBLE_EQ(plan.host, 10);
  EXPECT_EQ(plan.streamed, 0);
  EXPECT_DOUBLE_EQ(plan.seconds, 1);
  EXPECT_EQ(plan.streaming_seconds, 0);  // nothing needed to be chosen
  const SplitPlan alone = plan_split(100, 100, {90, 0, 10}, false, Overflow::automatic);
  EXPECT_DOUBLE_EQ(alone.device, 100);
  EXPECT_EQ(alone.host, 0);
}

TEST(SplitPlan, takes_the_faster_way_for_rows_that_do_not_fit) {
  // 60 nonzeros do not fit: 60 / 20 seconds by the host, 40 / 100 + 60 / 30 by streaming.
  const SplitPlan streams = plan_split(100, 40, {100, 30, 20}, false, Overflow::automatic);
  EXPECT_DOUBLE_EQ(streams.device, 40);
  EXPECT_DOUBLE_EQ(streams.streamed, 60);
  EXPECT_EQ(streams.host, 0);
  EXPECT_DOUBLE_EQ(streams.seconds, 2.4);
  EXPECT_DOUBLE_EQ(streams.streaming_seconds, 2.4);
  EXPECT_DOUBLE_EQ(streams.host_seconds, 3);
  const SplitPlan leaves = plan_split(100, 40, {100, 30, 60}, false, Overflow::automatic);
  EXPECT_EQ(leaves.streamed, 0);
  EXPECT_DOUBLE_EQ(leaves.host, 60);
  EXPECT_DOUBLE_EQ(leaves.seconds, 1);
  EXPECT_DOUBLE_EQ(plan_split(100, 40, {100, 30, 60}, false, Overflow::streamed).streamed, 60);
  EXPECT_DOUBLE_EQ(plan_split(100, 40, {100, 30, 20}, false, Overflow::host).host, 60);
}

TEST(SplitPlan, lets_the_host_work_while_the_device_streams) {
  const PartSpeeds speeds{100, 30, 20};
  const SplitPlan plan = plan_split(100, 40, speeds, true, Overflow::automatic);
  EXPECT_DOUBLE_EQ(plan.device, 40);
  EXPECT_DOUBLE_EQ(plan.device + plan.streamed + plan.host, 100);
  // Both end at the same time, before either way alone.
  EXPECT_NEAR(plan.host / speeds.host,
              plan.device / speeds.device + plan.streamed / speeds.streamed, 1e-12);
  EXPECT_LT(plan.seconds, 2.4);
}

TEST(SplitPlan, counts_the_copies_of_the_host) {
  // Without copies the host would take 10 of 100 and both would need a second.
  const SplitPlan plan = plan_split(100, 1000, {90, 0, 10, 0.5}, true, Overflow::automatic);
  EXPECT_NEAR(0.5 + plan.host / 10, plan.device / 90, 1e-12);
  EXPECT_GT(plan.host, 0);
  EXPECT_GT(plan.seconds, 1);
  EXPECT_LT(plan.seconds, 100.0 / 90);
  const SplitPlan alone = plan_split(100, 1000, {90, 0, 10, 2}, true, Overflow::automatic);
  EXPECT_EQ(alone.host, 0);
  EXPECT_DOUBLE_EQ(alone.seconds, 100.0 / 90);
}

TEST(SplitPlan, refuses_what_it_cannot_treat) {
  EXPECT_THROW(plan_split(100, 40, {100, 30, 20}, false, Overflow::refused), Refused);
  EXPECT_THROW(plan_split(100, 40, {100, 0, 0}, false, Overflow::automatic), Refused);
  EXPECT_THROW(plan_split(100, 40, {100, 0, 20}, false, Overflow::streamed), Refused);
  EXPECT_DOUBLE_EQ(plan_split(0, 0, {0, 0, 0}, false, Overflow::automatic).seconds, 0);
}

TEST(SplitPlan, describes_shares_and_both_times) {
  const std::string text =
      describe_plan(plan_split(100, 40, {100, 30, 20}, false, Overflow::automatic));
  EXPECT_CONTAINS(text, "40.0 % of the nonzeros on the device");
  EXPECT_CONTAINS(text, "60.0 % streamed");
  EXPECT_CONTAINS(text, "2.4 s with streaming, 3 s without");
}

}  // namespace
