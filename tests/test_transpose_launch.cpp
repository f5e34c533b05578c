// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>

using namespace Tomokkos;

namespace {

const DeviceTraits host{false, 8};

constexpr std::size_t entry = sizeof(Ordinal) + sizeof(float);

// Two matrices of tomography, a grid, one with short rows anywhere.
constexpr MatrixShape scan{130680, 262144, 60000000};
constexpr MatrixShape grid{1000000, 1000000, 26463592};

}  // namespace

TEST(TransposeLaunch, LongRowsAreTakenInNarrowBands) {
  const auto chosen = choose_transposition(host, scan, entry);
  EXPECT_EQ(chosen.variant, TransposeVariant::banded);
  EXPECT_EQ(chosen.parts, 8);
  EXPECT_EQ(chosen.band_columns, 4096);
}

TEST(TransposeLaunch, ShortRowsPayForFewBands) {
  // 26 entries a row, 4 of them a visit: 6 bands.
  EXPECT_EQ(choose_transposition(host, grid, entry).band_columns, 166667);
  EXPECT_EQ(choose_transposition(host, {1000, 50000, 3000}, entry).band_columns, 50000);
  EXPECT_EQ(choose_transposition(host, {1000, 300, 200000}, entry).band_columns, 300);
}

TEST(TransposeLaunch, CountersDoNotOutgrowTheMatrix) {
  // Wider than it has entries: the counters of a part are as large as the matrix.
  EXPECT_EQ(choose_transposition(host, {100, 1000000, 500000}, entry).parts, 1);
  EXPECT_EQ(choose_transposition(host, {100, 1000000, 1500000}, entry).parts, 3);
}

TEST(TransposeLaunch, PartsThatAreMergedAreAPowerOfTwo) {
  TransposeOptions merge{TransposeVariant::merge_trans};
  EXPECT_EQ(choose_transposition({false, 6}, scan, entry, merge).parts, 8);
  EXPECT_EQ(choose_transposition({false, 1}, scan, entry, merge).parts, 1);
  merge.parts = 6;
  EXPECT_THROW(choose_transposition(host, scan, entry, merge), Error);
  merge.parts = 16;
  EXPECT_EQ(choose_transposition(host, scan, entry, merge).parts, 16);
}

TEST(TransposeLaunch, WhatIsAskedForIsKeptOrRefused) {
  const auto kept = choose_transposition(host, scan, entry, {TransposeVariant::banded, 3, 100});
  EXPECT_EQ(kept.parts, 3);
  EXPECT_EQ(kept.band_columns, 100);
  EXPECT_THROW(choose_transposition(host, scan, entry, {TransposeVariant::claims}), Error);
  EXPECT_THROW(choose_transposition({true, 270336}, scan, entry, {TransposeVariant::banded}),
               Error);
  EXPECT_THROW(choose_transposition(host, scan, entry, {TransposeVariant::banded, -1}), Error);
  EXPECT_THROW(choose_transposition(host, scan, entry, {TransposeVariant::banded, 0, -1}), Error);
}

TEST(TransposeLaunch, EmptyMatricesHaveAChoice) {
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
