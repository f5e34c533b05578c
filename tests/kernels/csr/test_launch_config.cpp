// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_BcsrLaunchConfig.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <Tomokkos_ResidentTeams.hpp>
#include <limits>

#include "LaunchTesting.hpp"

// The space decides where kernels run, not whether hosts can access its memory.
static_assert(Impl::is_host_space<TOMOKKOS_HOST_SPACE>);
#if defined(KOKKOS_ENABLE_CUDA)
static_assert(!Impl::is_host_space<Kokkos::Cuda>);
#endif

TEST(LaunchConfig, lanes_follow_the_length_of_rows_on_a_gpu) {
  SpmvOptions options;
  options.variant = SpmvVariant::team_vector;
  const auto chosen_for = [&](Offset length, std::size_t scalar_bytes) {
    const auto chosen = choose_spmv_launch(gpu, rows_of_length(length), options, scalar_bytes);
    EXPECT_GE(chosen.rows_per_team, chosen.team_size);
    EXPECT_EQ(chosen.variant, SpmvVariant::team_vector);
    const int threads = chosen.entries_per_load == 1 ? 128 : 512;
    EXPECT_EQ(chosen.vector_length * chosen.team_size, threads) << length;
    return std::pair(chosen.vector_length, chosen.entries_per_load);
  };
  for (const auto& [length, lanes] : {std::pair{0, 4}, {7, 4}, {16, 8}, {64, 8}, {240, 8}}) {
    EXPECT_EQ(chosen_for(length, 4), std::pair(lanes, 1)) << length;
    EXPECT_EQ(chosen_for(length, 8), std::pair(lanes, 1)) << length;
  }
  // Long rows of floats that lie in memory, not in the cache, are read in packs.
  for (const auto& [length, lanes] : {std::pair{300, 16}, {480, 16}, {922, 32}})
    EXPECT_EQ(chosen_for(length, 4), std::pair(lanes, pack_entries)) << length;
  for (const auto& [length, lanes] : {std::pair{300, 16}, {480, 32}, {922, 32}})
    EXPECT_EQ(chosen_for(length, 8), std::pair(lanes, 1)) << length;
  options.entries_per_load = pack_entries;
  for (const auto& [length, lanes] : {std::pair{0, 2}, {27, 2}, {64, 4}, {119, 4}, {240, 8}})
    EXPECT_EQ(chosen_for(length, 8), std::pair(lanes, pack_entries)) << length;
}

TEST(LaunchConfig, few_rows_are_shared_by_more_lanes_on_a_gpu) {
  SpmvOptions options;
  options.variant = SpmvVariant::team_vector;
  const auto lanes = [&](Offset length, Ordinal rows) {
    return choose_spmv_launch(gpu, rows_of_length(length, rows), options).vector_length;
  };
  EXPECT_EQ(lanes(36, 480), 32);
  EXPECT_EQ(lanes(36, 100000), 8);
  EXPECT_EQ(lanes(2000, 2000), 32);
  EXPECT_EQ(lanes(6, 5000), 8) << "more lanes than entries would idle";
}

TEST(LaunchConfig, entries_and_not_rows_say_how_long_rows_are) {
  auto skewed = rows_of_length(30, 1000000);
  skewed.sigma = 200;
  skewed.longest = 10000;
  SpmvOptions options;
  options.variant = SpmvVariant::team_vector;
  EXPECT_EQ(choose_spmv_launch(gpu, skewed, options, 8).vector_length, 32);
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(30, 1000000), options, 8).vector_length, 8);
}

TEST(LaunchConfig, short_rows_on_a_gpu_are_staged_or_a_thread_each_and_long_ones_shared) {
  const auto staged = choose_spmv_launch(gpu, rows_of_length(27, 200000), {});
  EXPECT_EQ(staged.variant, SpmvVariant::staged);
  EXPECT_EQ(staged.vector_length, 1);
  EXPECT_EQ(staged.team_size, 2 * staged.rows_per_team);
  EXPECT_GE(staged.items_per_tile, 27 * staged.rows_per_team);
  EXPECT_EQ(staged.items_per_tile % 4, 0);
  const auto shorter = choose_spmv_launch(gpu, rows_of_length(12, 1000000), {});
  EXPECT_EQ(shorter.variant, SpmvVariant::staged);
  EXPECT_EQ(shorter.team_size, shorter.rows_per_team);
  EXPECT_GE(shorter.items_per_tile, 12 * shorter.rows_per_team);
  // The scratch memory holds the rows of a team at once or, if there are many rows, in equal parts.
  for (Offset length = 9; length <= 40; ++length) {
    if (length >= 27) {  // shorter rows of a matrix this small fit in the cache and are not staged
      const auto chosen = choose_spmv_launch(gpu, rows_of_length(length, 200000), {});
      EXPECT_EQ(chosen.variant, SpmvVariant::staged) << length;
      EXPECT_GE(chosen.items_per_tile, length * chosen.rows_per_team) << length;
    }
    const auto many = choose_spmv_launch(gpu, rows_of_length(length, 1000000), {});
    EXPECT_EQ(many.variant, SpmvVariant::staged) << length;
    EXPECT_EQ(many.rows_per_team, many.team_size) << length;
    const Offset entries = length * many.rows_per_team;
    const Offset parts = (entries + many.items_per_tile - 1) / many.items_per_tile;
    EXPECT_LE(parts * many.items_per_tile, 1.06 * entries + 24) << length;
  }
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(7, 1000000), {}).variant, SpmvVariant::scalar);
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(922), {}).variant, SpmvVariant::team_vector);
  // For a matrix that fits in the cache, staging pays only if its rows are equally long. Few rows
  // would leave threads idle.
  auto unequal = rows_of_length(27, 100000);
  unequal.longest = 60;
  EXPECT_EQ(choose_spmv_launch(gpu, unequal, {}).variant, SpmvVariant::team_vector);
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(39, 49152), {}).variant, SpmvVariant::staged);
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(39, 5000), {}).variant,
            SpmvVariant::team_vector);
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(27, 170000), {}, 8).variant,
            SpmvVariant::staged);
  EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(7, 100000), {}).variant,
            SpmvVariant::team_vector);
  // A few much longer rows would make their team wait. Larger matrices use equal shares of entries,
  // matrices that fit in the cache use lanes.
  auto uneven = rows_of_length(10, 1000000);
  uneven.longest = 600;
  EXPECT_EQ(choose_spmv_launch(gpu, uneven, {}).variant, SpmvVariant::merge_path);
  uneven = rows_of_length(10, 100000);
  uneven.longest = 600;
  EXPECT_EQ(choose_spmv_launch(gpu, uneven, {}).variant, SpmvVariant::team_vector);
  SpmvOptions options;
  options.variant = SpmvVariant::staged;
  const auto refused = [&](auto change) {
    SpmvOptions changed = options;
    change(changed);
    EXPECT_THROW(choose_spmv_launch(gpu, rows_of_length(27), changed), Error);
  };
  refused([](SpmvOptions& o) { o.items_per_tile = 6; });
  refused([](SpmvOptions& o) { o.items_per_tile = 100000; });
  refused([](SpmvOptions& o) { o.rows_per_team = 256; });
  refused([](SpmvOptions& o) { o.team_size = 256; });
}

TEST(PaddedLaunchConfig, ellpack_r_takes_more_threads_a_row_where_rows_are_few) {
  EXPECT_EQ(choose_ell_r_launch(gpu, 1000000, 27000000, {}).vector_length, 1);
  EXPECT_EQ(choose_ell_r_launch(gpu, 1000, 500000, {}).vector_length, 8);
  EXPECT_EQ(choose_ell_r_launch(gpu, 1000, 3000, {}).vector_length, 1);
  EXPECT_EQ(choose_ell_r_launch(host, 1000, 500000, {}).vector_length, 1);
  SpmvOptions options;
  options.vector_length = 4;
  EXPECT_EQ(choose_ell_r_launch(gpu, 1000, 3000, options).vector_length, 4);
  for (const int wrong : {3, 16, -1}) {
    options.vector_length = wrong;
    EXPECT_THROW(choose_ell_r_launch(gpu, 1000, 3000, options), Error) << wrong;
  }
}

TEST(PaddedLaunchConfig, coo_tiles) {
  EXPECT_EQ(choose_coo_launch(gpu, 1000000, {}).vector_length, coo_lanes);
  EXPECT_EQ(choose_coo_launch(gpu, 1000000, {}).items_per_tile % 4, 0);
  EXPECT_EQ(choose_coo_launch(host, 4000, {}).items_per_tile, 1000);
  SpmvOptions options;
  options.deterministic = true;
  EXPECT_EQ(choose_coo_launch({false, 1}, 100000, options).items_per_tile,
            choose_coo_launch({false, 64}, 100000, options).items_per_tile);
  options.items_per_tile = 6;
  EXPECT_THROW(choose_coo_launch(gpu, 1000, options), Error);
}

TEST(BcsrLaunchConfig, blocks_keep_their_lanes_together) {
  for (const int block : {2, 3, 4, 8}) {
    for (const Offset blocks_per_row : {1, 7, 100}) {
      const auto chosen = choose_bcsr_launch(gpu, block, 1000, 1000 * blocks_per_row, {});
      EXPECT_EQ(chosen.vector_length % bcsr_lanes_per_block(block), 0);
      EXPECT_LE(chosen.vector_length, 32);
      EXPECT_GE(chosen.team_size, 1);
    }
  }
  for (const auto& [block, lanes] : {std::pair{2, 8}, {3, 16}, {4, 16}, {8, 32}})
    EXPECT_EQ(choose_bcsr_launch(gpu, block, 1000, 27000, {}).vector_length, lanes) << block;
  SpmvOptions options;
  options.vector_length = 6;
  EXPECT_THROW(choose_bcsr_launch(gpu, 2, 1000, 7000, options), Error);
}

TEST(LaunchConfig, teams_of_staged_need_what_an_h200_has) {
  DeviceTraits device{true, 132 * 2048, false, 2048, 228 * 1024};
  for (const std::size_t scalar_bytes : {4, 8}) {
    EXPECT_TRUE(Impl::staged_teams_fit(device, scalar_bytes));
    DeviceTraits a100{true, 108 * 2048, false, 2048, 164 * 1024};
    EXPECT_FALSE(Impl::staged_teams_fit(a100, scalar_bytes));
    DeviceTraits few_threads = device;
    few_threads.threads_per_multiprocessor = 1000;
    EXPECT_FALSE(Impl::staged_teams_fit(few_threads, scalar_bytes));
    EXPECT_FALSE(Impl::staged_teams_fit(DeviceTraits(), scalar_bytes));
  }
}

TEST(LaunchConfig, packs_are_of_products_by_lanes) {
  SpmvOptions chosen;
  chosen.entries_per_load = pack_entries;
  chosen.vector_length = 8;
  for (const auto& [variant, name] : EnumNames<SpmvVariant>::names) {
    chosen.variant = variant;
    const bool by_lanes = variant == SpmvVariant::team_vector ||
                          variant == SpmvVariant::crs_vector || variant == SpmvVariant::merge_path;
    EXPECT_EQ(uses_packs(chosen), by_lanes) << name;
  }
  chosen.variant = SpmvVariant::team_vector;
  chosen.vector_length = 1;
  EXPECT_FALSE(uses_packs(chosen));
  chosen.vector_length = 8;
  chosen.entries_per_load = 1;
  EXPECT_FALSE(uses_packs(chosen));
}

TEST(LaunchConfig, what_is_asked_for_is_taken) {
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

TEST(LaunchConfig, variants_named_after_their_lanes_have_them) {
  for (const auto& [variant, lanes] :
       {std::pair{SpmvVariant::crs_vector, 32}, {SpmvVariant::spmv4gpu, 16}}) {
    SpmvOptions options;
    options.variant = variant;
    const auto chosen = choose_spmv_launch(gpu, rows_of_length(3), options);
    EXPECT_EQ(chosen.variant, variant);
    EXPECT_EQ(chosen.vector_length, lanes) << "whatever the rows are";
    EXPECT_EQ(chosen.entries_per_load, variant == SpmvVariant::crs_vector ? 1 : pack_entries);
    EXPECT_EQ(chosen.team_size, (chosen.entries_per_load == 1 ? 128 : 512) / lanes);
    EXPECT_EQ(choose_spmv_launch(host, rows_of_length(3), options).vector_length, 1);
    options.vector_length = lanes;
    EXPECT_EQ(choose_spmv_launch(gpu, rows_of_length(3), options).vector_length, lanes);
    for (const auto& device : {gpu, host}) {
      const auto once = choose_spmv_launch(device, rows_of_length(3), options);
      EXPECT_EQ(choose_spmv_launch(device, rows_of_length(3), once).vector_length,
                once.vector_length);
    }
    options.vector_length = 8;
    EXPECT_THROW(choose_spmv_launch(gpu, rows_of_length(3), options), Error);
  }
}

TEST(LaunchConfig, empty_matrices_get_numbers_that_run) {
  for (const auto& device : {gpu, host}) {
    const auto chosen = choose_spmv_launch(device, {}, {});
    EXPECT_GE(chosen.items_per_tile, 1);
    EXPECT_GE(chosen.rows_per_team, 1);
    EXPECT_NE(chosen.variant, SpmvVariant::automatic);
  }
}

TEST(LaunchConfig, lanes_leave_room_for_the_team_that_is_asked_for) {
  for (const auto& [team_size, lanes] :
       {std::pair{16, 32}, {32, 32}, {64, 16}, {256, 4}, {1000, 1}, {1024, 1}}) {
    SpmvOptions options;
    options.team_size = team_size;
    const auto chosen = choose_spmv_launch(gpu, rows_of_length(922), options);
    EXPECT_EQ(chosen.team_size, team_size);
    EXPECT_EQ(chosen.vector_length, lanes) << team_size;
  }
}

TEST(LaunchConfig, hosts_have_no_more_members_than_threads) {
  SpmvOptions options;
  const auto refused = [&](const DeviceTraits& device) {
    EXPECT_THROW(choose_spmv_launch(device, rows_of_length(27), options), Error)
        << options.team_size;
  };
  options.team_size = 4;
  EXPECT_EQ(choose_spmv_launch(host, rows_of_length(27), options).team_size, 4);
  options.team_size = 5;
  refused(host);
  options.team_size = 64;
  EXPECT_EQ(choose_spmv_launch({false, 256}, rows_of_length(27), options).team_size, 64);
  options.team_size = 65;
  refused({false, 256});
}

TEST(LaunchConfig, resident_teams_have_threads_for_their_rows) {
  const auto launch = [](Ordinal rows, Offset length) {
    const auto chosen = Impl::resident_launch(rows, rows * length, 132);
    return std::pair(chosen.lanes, chosen.threads);
  };
  EXPECT_EQ(launch(24389, 7), std::pair(1, 192));
  EXPECT_EQ(launch(24389, 27), std::pair(4, 768));
  EXPECT_EQ(launch(24389, 1000), std::pair(32, 1024));
  EXPECT_EQ(launch(1000000, 8), std::pair(1, 1024));
  EXPECT_EQ(launch(1, 1), std::pair(1, 32));
  EXPECT_EQ(launch(0, 0), std::pair(1, 32));
}

TEST(LaunchConfig, impossible_options_are_refused) {
  const auto refuse = [](auto change) {
    SpmvOptions options;
    change(options);
    EXPECT_THROW(choose_spmv_launch(gpu, {}, options), Error);
  };
  refuse([](SpmvOptions& options) { options.vector_length = 3; });
  refuse([](SpmvOptions& options) { options.vector_length = 64; });
  refuse([](SpmvOptions& options) { options.vector_length = -1; });
  refuse([](SpmvOptions& options) { options.entries_per_load = 2; });
  refuse([](SpmvOptions& options) { options.entries_per_load = -1; });
  refuse([](SpmvOptions& options) { options.team_size = -1; });
  refuse([](SpmvOptions& options) { options.rows_per_team = -1; });
  refuse([](SpmvOptions& options) { options.items_per_tile = -5; });
  refuse([](SpmvOptions& options) { options.vector_length = 32, options.team_size = 64; });
  refuse([](SpmvOptions& options) { options.team_size = 1025; });
  // Products of 2^31, and of 2^32, which is 0 in 32 bits.
  refuse([](SpmvOptions& options) { options.vector_length = 32, options.team_size = 1 << 26; });
  refuse([](SpmvOptions& options) { options.vector_length = 32, options.team_size = 1 << 27; });
}
