// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles and sections: those of the merge path, of hosts and of reductions.
#include <gtest/gtest.h>

#include <Tomokkos_ReductionLaunch.hpp>
#include <limits>

#include "LaunchTesting.hpp"

TEST(LaunchConfig, rows_that_keep_a_warp_for_long_are_cut_on_a_gpu) {
  auto skewed = rows_of_length(10);
  skewed.longest = 50000;
  EXPECT_EQ(choose_spmv_launch(gpu, skewed, {}).variant, SpmvVariant::merge_path);
  auto power_law = rows_of_length(30, 1048576);
  power_law.longest = 64839;
  power_law.sigma = 250;
  EXPECT_EQ(choose_spmv_launch(gpu, power_law, {}).variant, SpmvVariant::merge_path);
  // The other rows together take longer than the longest one.
  auto long_rows = rows_of_length(500, 1048576);
  long_rows.longest = 64839;
  EXPECT_EQ(choose_spmv_launch(gpu, long_rows, {}).variant, SpmvVariant::team_vector);
}

TEST(LaunchConfig, tiles_of_short_rows_keep_their_products_in_scratch_memory) {
  SpmvOptions options;
  options.variant = SpmvVariant::merge_path;
  const auto chosen = choose_spmv_launch(gpu, rows_of_length(27), options);
  EXPECT_EQ(chosen.vector_length, 1);
  EXPECT_EQ(chosen.team_size, Impl::merge_product_threads);
  EXPECT_EQ(chosen.items_per_tile, Impl::largest_merge_product_tile);
  EXPECT_FALSE(uses_packs(chosen));
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(27), options, 8).items_per_tile,
            Impl::largest_merge_product_tile / 2);
  // One dense row does not make a power law.
  auto dense_row = rows_of_length(10);
  dense_row.longest = 100000;
  dense_row.sigma = 316;
  EXPECT_EQ(choose_spmv_launch(gpu, dense_row, options).items_per_tile,
            Impl::largest_merge_product_tile);
  auto power_law = rows_of_length(30);
  power_law.longest = 20000;
  power_law.sigma = 150;
  EXPECT_LT(choose_spmv_launch(gpu, power_law, options).items_per_tile,
            Impl::largest_merge_product_tile);
  // If the requested tile exceeds the scratch memory, or several lanes are requested, the kernel
  // uses lanes.
  options.items_per_tile = 10000;
  EXPECT_GT(choose_spmv_launch(gpu, rows_of_length(27), options).vector_length, 1);
  options.vector_length = 1;
  EXPECT_THROW(choose_spmv_launch(gpu, rows_of_length(27), options), Error);
  options.items_per_tile = 0;
  options.team_size = 128;
  EXPECT_THROW(choose_spmv_launch(gpu, rows_of_length(27), options), Error);
  options.vector_length = 4;
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(27), options).vector_length, 4);
  // A choice made before is kept.
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(27), chosen).items_per_tile,
            chosen.items_per_tile);
  const DeviceTraits h200{true, 132 * 2048, false, 2048, 228 * 1024};
  EXPECT_TRUE(Impl::merge_product_teams_fit(h200, sizeof(double)));
  EXPECT_FALSE(Impl::merge_product_teams_fit(DeviceTraits(), sizeof(double)));
}

TEST(LaunchConfig, lanes_of_the_merge_path_follow_the_mean_of_the_pieces) {
  SpmvOptions options;
  options.variant = SpmvVariant::merge_path;
  auto rows = rows_of_length(300);
  rows.sigma = 1000;
  EXPECT_EQ(choose_spmv_launch(gpu, rows, options).vector_length, 32);
  EXPECT_EQ(choose_spmv_launch(gpu, rows, options).entries_per_load, pack_entries);
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(480), options).vector_length, 32);
}

TEST(LaunchConfig, hosts_take_whole_rows_where_none_is_long) {
  const auto tile = choose_spmv_launch(host, rows_of_length(27), {}).items_per_tile;
  EXPECT_GE(tile, 27 * Impl::rows_of_whole_tile);
}

TEST(LaunchConfig, hosts_take_one_tile_a_thread) {
  const auto rows = rows_of_length(27);
  const auto chosen = choose_spmv_launch(host, rows, {});
  EXPECT_EQ(chosen.variant, SpmvVariant::merge_path);
  EXPECT_EQ(chosen.items_per_tile, (28 * 100000) / 4);
}

TEST(LaunchConfig, deterministic_tiles_do_not_follow_the_threads) {
  SpmvOptions options;
  options.deterministic = true;
  const auto rows = rows_of_length(27);
  EXPECT_EQ(choose_spmv_launch({false, 1}, rows, options).items_per_tile,
            choose_spmv_launch({false, 64}, rows, options).items_per_tile);
}

TEST(LaunchConfig, sections_of_merge_atomic_have_a_thread_each) {
  SpmvOptions options;
  options.variant = SpmvVariant::merge_atomic;
  const auto rows = rows_of_length(27);
  for (const auto& device : {gpu, host}) {
    const auto chosen = choose_spmv_launch(device, rows, options);
    EXPECT_EQ(chosen.variant, SpmvVariant::merge_atomic);
    EXPECT_EQ(chosen.items_per_tile, device.gpu ? 5 : (28 * 100000) / 4);
    EXPECT_EQ(chosen.team_size, 1);
    EXPECT_FALSE(uses_packs(chosen));
    // A choice made before is kept, and so is a requested value.
    EXPECT_EQ(choose_spmv_launch(device, rows, chosen).items_per_tile, chosen.items_per_tile);
    auto asked = options;
    asked.items_per_tile = 256;
    EXPECT_EQ(choose_spmv_launch(device, rows, asked).items_per_tile, 256);
    asked.deterministic = true;
    EXPECT_THROW(choose_spmv_launch(device, rows, asked), Error);
    for (const Offset mean : {3, 27, 900})
      EXPECT_NE(choose_spmv_launch(device, rows_of_length(mean), {}).variant,
                SpmvVariant::merge_atomic);
  }
  for (const auto& [variant, name] : EnumNames<SpmvVariant>::names)
    EXPECT_EQ(is_repeatable(variant), variant != SpmvVariant::merge_atomic) << name;
}

TEST(LaunchConfig, tiles_are_counted_by_an_int) {
  SpmvOptions options;
  options.variant = SpmvVariant::merge_path;
  for (const Offset items : {0, 1, 5})
    for (const auto& device : {gpu, host}) {
      options.items_per_tile = items;
      const auto rows = rows_of_length(200000);  // 2 * 10^10 nonzeros
      const auto chosen = choose_spmv_launch(device, rows, options);
      const Offset path = rows.rows + rows.nonzeros;
      EXPECT_LE((path - 1) / chosen.items_per_tile + 1, std::numeric_limits<int>::max()) << items;
    }
  options.items_per_tile = 1;
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(20000), options).items_per_tile, 1);
}

TEST(LaunchConfig, tiles_of_a_reduction_cover_the_columns) {
  for (const Offset blocks : {1, 45, 512, 1024})
    for (Offset columns = 1; columns <= 200; ++columns) {
      const auto tiles = Impl::reduction_tiles(blocks, columns);
      EXPECT_EQ(tiles.lanes & (tiles.lanes - 1), 0);
      EXPECT_LE(tiles.lanes, 32);
      EXPECT_LE(tiles.width, tiles.lanes);
      EXPECT_GE(tiles.width * tiles.tiles, columns);
      EXPECT_LT(tiles.width * (tiles.tiles - 1), columns);
    }
  EXPECT_EQ(Impl::reduction_tiles(600, 1).lanes, 1);
  EXPECT_EQ(Impl::reduction_tiles(600, 32).lanes, 32);
  EXPECT_EQ(Impl::reduction_tiles(45, 32).lanes, 8);  // few blocks: more teams
  EXPECT_EQ(Impl::reduction_tiles(600, 33).width, 17);
}
