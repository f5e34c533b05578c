// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ray tiles: conversions in both directions, and both products against plain loops.
#include <gtest/gtest.h>

#include <Tomokkos_RayTilesBuilder.hpp>
#include <algorithm>
#include <impl/Tomokkos_RayTilesLayoutKernels.hpp>

#include "RayTilesTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
class RayTilesTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RayTilesTest, Scalars);

std::vector<RayTilesOptions> shapes() {
  return {{largest_tile, 0}, {64, 7}, {1, 1}, {1000, 100000}};
}

std::vector<PlainCsr> matrices() {
  auto all = format_battery();
  all.push_back(rays());
  return all;
}

TYPED_TEST(RayTilesTest, there_and_back) {
  const TestSpace exec;
  for (const PlainCsr& plain : matrices()) {
    const auto A = on_device<TypeParam>(plain);
    for (const RayTilesOptions& options : shapes()) {
      const auto tiles = ray_tiles_from_csr(exec, A, options);
      const std::string what = plain.name + ", tile " + std::to_string(options.tile);
      const auto size = ray_tiles_size<TestSpace, TypeParam>(exec, A, options.tile);
      EXPECT_EQ(size.segments, tiles.num_segments()) << what;
      EXPECT_LE(size.packs * tile_pack, tiles.num_stored()) << what;
      EXPECT_LE(tiles.num_stored(),
                (size.packs + tiles.num_blocks() * (tile_chunk - 1)) * tile_pack)
          << what;
      EXPECT_EQ(tiles.num_nonzeros(), plain.nonzeros()) << what;
      const auto back = to_csr<TestSpace, TypeParam, StoredPrecision::plain>(exec, tiles);
      EXPECT_EQ(to_std_vector(back.row_offsets), to_std_vector(A.row_offsets)) << what;
      EXPECT_EQ(to_std_vector(back.columns), to_std_vector(A.columns)) << what;
      EXPECT_EQ(to_std_vector(back.values), to_std_vector(A.values)) << what;
    }
  }
}

TEST(RayTilesOptions, groups_give_blocks_a_mean_of_entries) {
  // Ten tiles.
  const auto rows_of_group = [](Offset nonzeros) {
    return Impl::complete({4096, 0}, 1000000, 40960, nonzeros).group_rows;
  };
  EXPECT_EQ(rows_of_group(4'000'000'000), 500);  // 200 000
  EXPECT_EQ(rows_of_group(614'400'000), 2445);   // of 4096 blocks
  EXPECT_EQ(rows_of_group(400'000'000), 2500);   // 100 000
  EXPECT_EQ(rows_of_group(102'400'000), 4902);   // of 2048 blocks
  EXPECT_EQ(rows_of_group(8'192'000), 5000);     // 4096
  EXPECT_EQ(rows_of_group(1000), 1000000);
}

TYPED_TEST(RayTilesTest, blocks_of_rows_make_the_same_bytes) {
  const TestSpace exec;
  for (const PlainCsr& plain : matrices())
    for (const std::int32_t rows : {1, 17, 400}) {
      if (rows == 1 && plain.rows > 1000) continue;
      const RayTilesOptions options{64, 29};
      const auto whole = ray_tiles_from_csr(exec, on_device<TypeParam>(plain), options);
      RayTilesBuilder<TestSpace, TypeParam> builder(exec, plain.rows, plain.columns,
                                                    plain.nonzeros(), options);
      for (const bool fills : {false, true})
        for (std::int32_t begin = 0; begin < plain.rows; begin += rows) {
          const auto block =
              on_device<TypeParam>(rows_of(plain, begin, std::min(plain.rows, begin + rows)));
          if (fills)
            builder.fill(exec, block);
          else
            builder.count(exec, block);
        }
      const auto tiles = builder.finish(exec);
      EXPECT_EQ(tiles.num_nonzeros(), whole.num_nonzeros()) << plain.name;
      EXPECT_EQ(to_std_vector(tiles.segment_rows), to_std_vector(whole.segment_rows));
      EXPECT_EQ(to_std_vector(tiles.segment_offsets), to_std_vector(whole.segment_offsets));
      EXPECT_EQ(to_std_vector(tiles.chunk_offsets), to_std_vector(whole.chunk_offsets));
      EXPECT_EQ(to_std_vector(tiles.chunk_segments), to_std_vector(whole.chunk_segments));
      EXPECT_EQ(to_std_vector(tiles.group_blocks), to_std_vector(whole.group_blocks));
      EXPECT_EQ(to_std_vector(tiles.indices), to_std_vector(whole.indices)) << plain.name;
      EXPECT_EQ(to_std_vector(tiles.values), to_std_vector(whole.values)) << plain.name;
    }
}

TYPED_TEST(RayTilesTest, other_blocks_than_were_counted_are_refused) {
  const TestSpace exec;
  const PlainCsr plain = rays(20, 500);
  const auto A = on_device<TypeParam>(plain);
  using Builder = RayTilesBuilder<TestSpace, TypeParam>;
  const auto begun = [&] {
    Builder builder(exec, A.num_rows, A.num_cols, A.num_nonzeros(), {64, 5});
    builder.count(exec, A);
    return builder;
  };
  {
    Builder builder(exec, A.num_rows, A.num_cols, A.num_nonzeros());
    EXPECT_THROW(builder.fill(exec, A), Error);  // nothing was counted before
    EXPECT_THROW(builder.finish(exec), Error);
  }
  EXPECT_THROW(begun().count(exec, A), Error);
  EXPECT_THROW(begun().finish(exec), Error);
  {
    Builder builder = begun();
    builder.fill(exec, A);
    EXPECT_THROW(builder.fill(exec, A), Error);
    EXPECT_THROW(builder.count(exec, A), Error);
  }
  Builder narrow(exec, A.num_rows, A.num_cols + 1, A.num_nonzeros());
  EXPECT_THROW(narrow.count(exec, A), Error);
}

TYPED_TEST(RayTilesTest, both_products_are_those_of_the_matrix) {
  const TestSpace exec;
  for (const PlainCsr& plain : matrices()) {
    const PlainCsr transposed = plain.transposed();
    const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
    const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
    for (const RayTilesOptions& options : shapes()) {
      const auto A = ray_tiles_from_csr(exec, on_device<TypeParam>(plain), options);
      const std::string what = plain.name + ", tile " + std::to_string(options.tile);
      for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-2.5, 0.75}, {0.0, 1.0}}) {
        expect_product(plain, forward<TypeParam>(A, alpha, x, beta, y), alpha, x, beta, y, false,
                       what);
        expect_product(transposed, back<TypeParam>(A, alpha, y, beta, x), alpha, y, beta, x, true,
                       what + ", transposed");
      }
    }
  }
}

TYPED_TEST(RayTilesTest, bits_repeat) {
  const TestSpace exec;
  const PlainCsr plain = rays();
  const auto A = ray_tiles_from_csr(exec, on_device<TypeParam>(plain), {largest_tile, 50});
  const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
  const auto there = forward<TypeParam>(A, 1, x, 0, y), and_back = back<TypeParam>(A, 1, y, 0, x);
  for (int run = 0; run < 9; ++run) {
    EXPECT_EQ(forward<TypeParam>(A, 1, x, 0, y), there);
    EXPECT_EQ(back<TypeParam>(A, 1, y, 0, x), and_back);
  }
}

TYPED_TEST(RayTilesTest, what_is_not_finite_reaches_what_it_touches) {
  const TestSpace exec;
  const PlainCsr plain = rays(60, 5000), transposed = plain.transposed();
  const auto A = ray_tiles_from_csr(exec, on_device<TypeParam>(plain));

  for (const double bad : {std::nan(""), HUGE_VAL}) {
    auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
    auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
    const auto x_clean = x, y_clean = y;
    x[70] = bad;
    y[11] = bad;
    const auto there = forward<TypeParam>(A, 1, x, 0, y_clean);
    const auto expected = reference_product(plain, 1, x, 0, y_clean);
    for (std::size_t i = 0; i < there.size(); ++i)
      EXPECT_EQ(std::isfinite(there[i]), std::isfinite(expected.y[i])) << i;
    const auto and_back = back<TypeParam>(A, 1, y, 0, x_clean);
    const auto expected_back = reference_product(transposed, 1, y, 0, x_clean);
    for (std::size_t j = 0; j < and_back.size(); ++j)
      EXPECT_EQ(std::isfinite(and_back[j]), std::isfinite(expected_back.y[j])) << j;
  }
  // Values that were not finite leave no trace in the plan.
  const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
  expect_product(plain, forward<TypeParam>(A, 1, x, 0, y), 1, x, 0, y, false, "after");
}

TYPED_TEST(RayTilesTest, zeros_and_large_numbers) {
  const TestSpace exec;
  const PlainCsr plain = rays(60, 5000), transposed = plain.transposed();
  const auto A = ray_tiles_from_csr(exec, on_device<TypeParam>(plain));
  const auto ones = std::vector<double>(static_cast<std::size_t>(plain.rows), 1);
  const std::vector<double> zero(static_cast<std::size_t>(plain.columns), 0);
  for (const auto value : forward<TypeParam>(A, 1, zero, 0, ones)) EXPECT_EQ(value, 0);
  // Data that span six decades, scaled as a whole.
  std::vector<double> scales{1e-20, 1.0, 1e20};
  if (std::is_same_v<TypeParam, double>) scales.insert(scales.end(), {1e-285, 1e-300, 1e280});
  for (const double scale : scales) {
    auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = static_cast<TypeParam>(y[i] * scale * std::pow(10.0, -static_cast<double>(i % 7)));
    expect_product(transposed, back<TypeParam>(A, 1, y, 0, zero), 1, y, 0, zero, true, "decades");
    auto x = random_vector(static_cast<std::size_t>(plain.columns), 2);
    for (double& value : x) value = static_cast<TypeParam>(value * scale);
    expect_product(plain, forward<TypeParam>(A, 1, x, 0, ones), 1, x, 0, ones, false, "scaled");
  }
}

TYPED_TEST(RayTilesTest, what_cannot_be_is_refused) {
  const TestSpace exec;
  const auto A = on_device<TypeParam>(rays(20, 500));
  const auto make = [&](const RayTilesOptions& options) { ray_tiles_from_csr(exec, A, options); };
  EXPECT_THROW(make({0, 0}), Error);
  EXPECT_THROW(make({largest_tile + 1, 0}), Error);
  EXPECT_THROW(make({64, -1}), Error);
  PlainCsr bad = rays(20, 500);
  bad.values[7] = HUGE_VAL;
  EXPECT_THROW((ray_tiles_from_csr(exec, on_device<TypeParam>(bad))), Error);
}

template <StoredPrecision Values>
void expect_rounded(const PlainCsr& plain, double largest_error) {
  const TestSpace exec;
  const auto tiles =
      ray_tiles_from_csr<TestSpace, float, Values>(exec, on_device<float>(plain), {512, 90});
  EXPECT_LT(static_cast<double>(tiles.memory_bytes()),
            4.6 * static_cast<double>(plain.nonzeros()) +
                500 * static_cast<double>(tiles.num_blocks()) +
                100 * static_cast<double>(tiles.num_blocks()) +
                8 * static_cast<double>(tiles.num_segments()));
  const auto csr = to_csr<TestSpace, float, Values>(exec, tiles);
  const auto values = to_std_vector(csr.values);
  EXPECT_EQ(to_std_vector(csr.columns), to_std_vector(on_device<float>(plain).columns));
  PlainCsr rounded = plain;
  double worst = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    rounded.values[k] = values[k];
    const double error = std::abs(values[k] - plain.values[k]);
    worst = std::max(worst,
                     Values == StoredPrecision::half ? error / std::abs(plain.values[k]) : error);
  }
  EXPECT_LE(worst, largest_error);
  EXPECT_GT(worst, 0);
  // The products are exactly those of the stored values.
  const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
  expect_product(rounded, forward<float>(tiles, 1, x, 0, y), 1, x, 0, y, false, "rounded");
  expect_product(rounded.transposed(), back<float>(tiles, 1, y, 0, x), 1, y, 0, x, true,
                 "rounded, transposed");
}

TEST(RayTilesValues, sixteen_bits_are_near_by) {
  expect_rounded<StoredPrecision::half>(rays(), 0x1p-11);
  expect_rounded<StoredPrecision::scaled>(rays(), 1.1 / 65535 / 2 * 1.01);
  PlainCsr large = rays(20, 500);
  large.values[3] = 70000;
  EXPECT_THROW((ray_tiles_from_csr<TestSpace, float, StoredPrecision::half>(
                   TestSpace(), on_device<float>(large))),
               Error);
}

}  // namespace
