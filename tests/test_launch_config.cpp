// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_LaunchConfig.hpp>

using namespace Tomokkos;

namespace {

RowStatistics rows_of_length(Offset length, Ordinal rows = 100000) {
  RowStatistics statistics;
  statistics.rows = statistics.columns = rows;
  statistics.nonzeros = length * rows;
  statistics.shortest = statistics.longest = length;
  statistics.mean = static_cast<double>(length);
  return statistics;
}

const DeviceTraits gpu{true, 270336};
const DeviceTraits host{false, 4};

}  // namespace

TEST(LaunchConfig, LanesFollowTheLengthOfRowsOnAGpu) {
  for (const auto& [length, lanes] :
       {std::pair{0, 2}, {7, 2}, {16, 4}, {27, 4}, {64, 16}, {922, 32}}) {
    const auto chosen = choose_spmv_launch(gpu, rows_of_length(length), {});
    EXPECT_EQ(chosen.vector_length, lanes) << length;
    EXPECT_EQ(chosen.vector_length * chosen.team_size, 512) << length;
    EXPECT_GE(chosen.rows_per_team, chosen.team_size);
    EXPECT_EQ(chosen.variant, SpmvVariant::team_vector);
  }
}

TEST(LaunchConfig, SkewedRowsTakeTheMergePathOnAGpu) {
  auto skewed = rows_of_length(10);
  skewed.longest = 50000;
  EXPECT_EQ(choose_spmv_launch(gpu, skewed, {}).variant, SpmvVariant::merge_path);
}

TEST(LaunchConfig, HostsTakeOneTileAThread) {
  const auto rows = rows_of_length(27);
  const auto chosen = choose_spmv_launch(host, rows, {});
  EXPECT_EQ(chosen.variant, SpmvVariant::merge_path);
  EXPECT_EQ(chosen.items_per_tile, (28 * 100000) / 4);
}

TEST(LaunchConfig, DeterministicTilesDoNotFollowTheThreads) {
  SpmvOptions options;
  options.deterministic = true;
  const auto rows = rows_of_length(27);
  EXPECT_EQ(choose_spmv_launch({false, 1}, rows, options).items_per_tile,
            choose_spmv_launch({false, 64}, rows, options).items_per_tile);
}

TEST(LaunchConfig, WhatIsAskedForIsTaken) {
  SpmvOptions options;
  options.variant = SpmvVariant::merge_path;
  options.vector_length = 8;
  options.team_size = 16;
  options.items_per_tile = 999;
  const auto chosen = choose_spmv_launch(gpu, rows_of_length(922), options);
  EXPECT_EQ(chosen.variant, SpmvVariant::merge_path);
  EXPECT_EQ(chosen.vector_length, 8);
  EXPECT_EQ(chosen.team_size, 16);
  EXPECT_EQ(chosen.items_per_tile, 999);
}

TEST(LaunchConfig, EmptyMatricesGetNumbersThatRun) {
  for (const auto& device : {gpu, host}) {
    const auto chosen = choose_spmv_launch(device, {}, {});
    EXPECT_GE(chosen.items_per_tile, 1);
    EXPECT_GE(chosen.rows_per_team, 1);
    EXPECT_NE(chosen.variant, SpmvVariant::automatic);
  }
}

TEST(LaunchConfig, ImpossibleOptionsAreRefused) {
  const auto refuse = [](auto change) {
    SpmvOptions options;
    change(options);
    EXPECT_THROW(choose_spmv_launch(gpu, {}, options), Error);
  };
  refuse([](SpmvOptions& options) { options.vector_length = 3; });
  refuse([](SpmvOptions& options) { options.vector_length = 64; });
  refuse([](SpmvOptions& options) { options.vector_length = -1; });
  refuse([](SpmvOptions& options) { options.team_size = -1; });
  refuse([](SpmvOptions& options) { options.rows_per_team = -1; });
  refuse([](SpmvOptions& options) { options.items_per_tile = -5; });
  refuse([](SpmvOptions& options) { options.vector_length = 32, options.team_size = 64; });
}
