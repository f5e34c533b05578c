// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>

using namespace Tomokkos;

namespace {

const DeviceTraits host{false, 8};

constexpr std::size_t entry = sizeof(Ordinal) + sizeof(float);

// Two matrices of tomography, a grid, and one with short rows at random.
constexpr MatrixShape scan{130680, 262144, 60000000};
constexpr MatrixShape grid{1000000, 1000000, 26463592};

}  // namespace

TEST(TransposeLaunch, long_rows_are_taken_in_narrow_bands) {
  const auto chosen = choose_transposition(host, scan, entry);
  EXPECT_EQ(chosen.variant, TransposeVariant::banded);
  EXPECT_EQ(chosen.parts, 8);
  EXPECT_EQ(chosen.band_columns, 4096);
}

TEST(TransposeLaunch, short_rows_pay_for_few_bands) {
  // 26 entries per row, 4 of them per visit: 6 bands.
  EXPECT_EQ(choose_transposition(host, grid, entry).band_columns, 166667);
  EXPECT_EQ(choose_transposition(host, {1000, 50000, 3000}, entry).band_columns, 50000);
  EXPECT_EQ(choose_transposition(host, {1000, 300, 200000}, entry).band_columns, 300);
}

TEST(TransposeLaunch, counters_do_not_outgrow_the_matrix) {
  // More columns than entries: the counters of a part are as large as the matrix.
  EXPECT_EQ(choose_transposition(host, {100, 1000000, 500000}, entry).parts, 1);
  EXPECT_EQ(choose_transposition(host, {100, 1000000, 1500000}, entry).parts, 3);
}

TEST(TransposeLaunch, parts_that_are_merged_are_a_power_of_two) {
  TransposeOptions merge{TransposeVariant::merge_trans};
  EXPECT_EQ(choose_transposition({false, 6}, scan, entry, merge).parts, 8);
  EXPECT_EQ(choose_transposition({false, 1}, scan, entry, merge).parts, 1);
  merge.parts = 6;
  EXPECT_THROW(choose_transposition(host, scan, entry, merge), Error);
  merge.parts = 16;
  EXPECT_EQ(choose_transposition(host, scan, entry, merge).parts, 16);
}

TEST(TransposeLaunch, digits_are_about_equal) {
  constexpr int tile = Impl::split_threads * Impl::split_thread_entries;
  // 1024 x 1024 pixels: two digits of ten bits.
  const auto plan = plan_transpose_splits({737280, 1 << 20, 679000000}, tile);
  ASSERT_EQ(plan.count, 2);
  EXPECT_EQ(plan.splits[0].shift, 10);
  EXPECT_EQ(plan.splits[0].buckets, 1024);
  EXPECT_EQ(plan.splits[0].segments, 1);
  EXPECT_EQ(plan.splits[0].tiles, Impl::split_group_tiles);
  EXPECT_EQ(plan.splits[1].shift, 0);
  EXPECT_EQ(plan.splits[1].buckets, 1024);
  EXPECT_EQ(plan.splits[1].segments, 1024);
  EXPECT_EQ(plan.splits[1].groups, 679000000 / (Impl::split_group_tiles * tile) + 1024);
  // 512 x 512: the higher digit is longer. Otherwise not all of its values would occur.
  EXPECT_EQ(plan_transpose_splits({9, 1 << 19, 100}, tile).splits[0].buckets, 1024);
  EXPECT_EQ(plan_transpose_splits({9, 784000, 100}, tile).splits[0].buckets, 766);
  EXPECT_EQ(plan_transpose_splits({9, 784000, 100}, tile).splits[1].buckets, 1024);
}

TEST(TransposeLaunch, splits_cover_every_number_of_columns) {
  for (const Offset nonzeros : {Offset(0), Offset(1000), Offset(12300000000)})
    for (int bits = 0; bits < 28; ++bits)
      for (const int more : {-1, 0, 1}) {
        const auto columns = static_cast<Ordinal>((1 << bits) + more);
        const auto plan = plan_transpose_splits({1000, columns, nonzeros}, 4096);
        Offset values = 1;
        for (int i = 0; i < plan.count; ++i) {
          const TransposeSplit& split = plan.splits[static_cast<std::size_t>(i)];
          EXPECT_LE(split.buckets, 1 << Impl::split_bits);
          EXPECT_EQ(split.segments, values);
          EXPECT_GE(split.groups, split.segments);
          EXPECT_GE((split.groups - split.segments + 1) * split.tiles * 4096, nonzeros);
          EXPECT_LE(split.tiles, Impl::split_group_tiles);
          values *= split.buckets;
        }
        EXPECT_EQ(plan.splits[static_cast<std::size_t>(plan.count) - 1].shift, 0);
        EXPECT_GE(values, columns);
        EXPECT_EQ(plan.count, columns <= 1024 ? 1 : columns <= 1 << 20 ? 2 : 3) << columns;
      }
  EXPECT_EQ(plan_transpose_splits({9, 2147483647, 9}, 4096).count, 4);
}

TEST(TransposeLaunch, what_is_asked_for_is_kept_or_refused) {
  const auto kept = choose_transposition(host, scan, entry, {TransposeVariant::banded, 3, 100});
  EXPECT_EQ(kept.parts, 3);
  EXPECT_EQ(kept.band_columns, 100);
  EXPECT_THROW(choose_transposition(host, scan, entry, {TransposeVariant::claims}), Error);
  EXPECT_THROW(choose_transposition({true, 270336}, scan, entry, {TransposeVariant::banded}),
               Error);
  EXPECT_THROW(choose_transposition(host, scan, entry, {TransposeVariant::banded, -1}), Error);
  EXPECT_THROW(choose_transposition(host, scan, entry, {TransposeVariant::banded, 0, -1}), Error);
}

TEST(TransposeLaunch, empty_matrices_have_a_choice) {
  for (const MatrixShape& shape : {MatrixShape{0, 0, 0}, {0, 5, 0}, {5, 0, 0}})
    for (const auto& [variant, name] : EnumNames<TransposeVariant>::names)
      for (const bool gpu : {false, true})
        if (has_transpose_variant(variant, gpu)) {
          const auto chosen = choose_transposition({gpu, 8}, shape, entry, {variant});
          EXPECT_NE(chosen.variant, TransposeVariant::automatic);
          EXPECT_GE(chosen.parts, 1) << name;
          EXPECT_GE(chosen.band_columns, 1) << name;
        }
}
