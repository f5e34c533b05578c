// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contract of ray tiles: conversions keep it, and validation names violations. Also sizes computed
// in advance, and the effect of the order and magnitude of the data on a product.
#include <gtest/gtest.h>

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_RayTilesCount.hpp>
#include <Tomokkos_SpmvRayTiles.hpp>
#include <Tomokkos_ValidateRayTiles.hpp>
#include <algorithm>
#include <functional>
#include <numeric>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

using MemorySpace = TestSpace::memory_space;
constexpr bool on_host = Impl::is_host_space<TestSpace>;
using Tiles = RayTilesMatrix<float, MemorySpace>;

/// Runs of 20 to 70 entries. If \p decades is set, the values span six decades by columns.
PlainCsr runs(std::int32_t rows = 500, std::int32_t columns = 3000, bool decades = false) {
  std::mt19937 random(23);
  PlainCsr A;
  A.name = "runs";
  A.columns = columns;
  for (std::int32_t i = 0; i < rows; ++i) {
    for (auto j = static_cast<std::int32_t>(random() % 90U); j < columns;
         j += 100 + static_cast<std::int32_t>(random() % 300U))
      for (const std::int32_t end = std::min<std::int32_t>(columns, j + 20 + random() % 50U);
           j < end; ++j)
        A.add(j, (0.1 + static_cast<double>(random() % 1000U) / 1000) *
                     (decades ? std::pow(10.0, -(j % 7)) : 1.0));
    A.end_row();
  }
  return A;
}

/// Tiles with a single entry are padded to 128 entries, so they are used only for small matrices.
std::vector<RayTilesOptions> shapes(const PlainCsr& plain) {
  if (plain.nonzeros() < 2000) return {{largest_tile, 0}, {64, 7}, {1, 1}};
  return {{largest_tile, 0}, {1000, 100000}, {300, 33}};
}

template <StoredPrecision Values = StoredPrecision::plain, class Scalar = float>
auto tiles_of(const PlainCsr& plain, const RayTilesOptions& options) {
  const TestSpace exec;
  return ray_tiles_from_csr<TestSpace, Scalar, Values>(
      exec, to_device<TestSpace, Scalar>(exec, plain), options);
}

template <class Scalar, StoredPrecision Values>
std::string fault_of(const RayTilesMatrix<Scalar, MemorySpace, Values>& A) {
  try {
    validate<TestSpace, Scalar, Values>(TestSpace(), A);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Returns a copy of \p view after a change.
template <class View>
View changed(const View& view,
             const std::function<void(std::vector<typename View::non_const_value_type>&)>& change) {
  auto values = to_std_vector(view);
  change(values);
  return to_device<TestSpace, typename View::non_const_value_type>(TestSpace(), values);
}

std::vector<PlainCsr> matrices() {
  std::vector<PlainCsr> all;
  for (auto& plain : battery::matrices())
    if (plain.name != "rows in no order") all.push_back(std::move(plain));
  all.push_back(runs());
  return all;
}

TEST(RayTilesContract, conversions_keep_it) {
  for (const PlainCsr& plain : matrices())
    for (const RayTilesOptions& options : shapes(plain)) {
      const std::string what = plain.name + ", tile " + std::to_string(options.tile);
      EXPECT_EQ(fault_of(tiles_of(plain, options)), "") << what;
      EXPECT_EQ(fault_of(tiles_of<StoredPrecision::plain, double>(plain, options)), "") << what;
      EXPECT_EQ(fault_of(tiles_of<StoredPrecision::half>(plain, options)), "") << what;
      EXPECT_EQ(fault_of(tiles_of<StoredPrecision::scaled>(plain, options)), "") << what;
    }
}

TEST(RayTilesContract, counts_are_those_of_the_conversion) {
  for (const PlainCsr& plain : matrices())
    for (const RayTilesOptions& options : shapes(plain)) {
      const std::string what = plain.name + ", tile " + std::to_string(options.tile);
      const auto A = tiles_of(plain, options);
      const TOMOKKOS_HOST_SPACE host;
      const auto csr = to_device<TOMOKKOS_HOST_SPACE, float>(host, plain);
      const RayTilesCount count =
          count_ray_tiles(plain.rows, plain.columns, csr.row_offsets, csr.columns, options);
      EXPECT_EQ(count.tile, A.tile) << what;
      EXPECT_EQ(count.group_rows, A.group_rows) << what;
      EXPECT_EQ(count.segments, A.num_segments()) << what;
      EXPECT_EQ(count.blocks, A.num_blocks()) << what;
      EXPECT_EQ(count.chunks * tile_chunk * tile_pack, A.num_stored()) << what;
      EXPECT_EQ(count.mean_segment(), A.mean_segment()) << what;
      EXPECT_EQ(count.bytes(Tiles::entry_bytes), A.memory_bytes()) << what;
      EXPECT_EQ(count.bytes(4), tiles_of<StoredPrecision::half>(plain, options).memory_bytes())
          << what;
      const RayTilesSize size = ray_tiles_size<TestSpace, float>(
          TestSpace(), to_device<TestSpace, float>(TestSpace(), plain), options.tile);
      const RayTilesCount bound =
          bound_ray_tiles(plain.rows, plain.columns, plain.nonzeros(), size, options);
      EXPECT_EQ(bound.segments, count.segments) << what;
      EXPECT_GE(bound.blocks, count.blocks) << what;
      EXPECT_GE(bound.chunks, count.chunks) << what;
      EXPECT_LE(bound.chunks, size.packs) << what;
    }
}

TEST(RayTilesContract, columns_elsewhere_are_counted_there) {
  const PlainCsr plain = runs();
  std::vector<Ordinal> places(static_cast<std::size_t>(plain.columns));
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), std::mt19937(2));
  PlainCsr moved;
  moved.columns = plain.columns;
  for (std::int32_t i = 0; i < plain.rows; ++i) {
    std::vector<std::int32_t> row;
    for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
      row.push_back(places[static_cast<std::size_t>(plain.indices[k])]);
    std::sort(row.begin(), row.end());
    for (const auto j : row) moved.add(j, 1);
    moved.end_row();
  }
  const TOMOKKOS_HOST_SPACE host;
  const auto csr = to_device<TOMOKKOS_HOST_SPACE, float>(host, plain);
  const RayTilesOptions options{100, 20};
  const RayTilesCount count =
      count_ray_tiles(plain.rows, plain.columns, csr.row_offsets, csr.columns, options, places);
  EXPECT_EQ(count.bytes(6), tiles_of(moved, options).memory_bytes());
}

/// One change, with the words of the message about it.
struct Breakage {
  std::string message;
  std::function<void(Tiles&)> breaks;
};

TEST(RayTilesContract, what_breaks_it_is_named) {
  const Tiles whole = tiles_of(runs(), {300, 33});
  ASSERT_EQ(fault_of(whole), "");
  ASSERT_GT(whole.num_blocks(), 20);
  const auto offsets = to_std_vector(whole.segment_offsets);
  const auto chunks = to_std_vector(whole.chunk_offsets);
  const auto indices = to_std_vector(whole.indices);
  constexpr Offset chunk_entries = Offset{tile_chunk} * tile_pack;
  const auto tile = static_cast<std::uint16_t>(whole.tile);
  // The first entries of block 4, and its last ones, which are padding.
  const std::size_t begin = static_cast<std::size_t>(chunks[4] * chunk_entries);
  const std::size_t end = static_cast<std::size_t>(chunks[5] * chunk_entries);
  ASSERT_EQ(indices[end - 1], tile);
  const auto swap_rows = [&](std::vector<std::uint32_t>& rows) {
    std::swap(rows[static_cast<std::size_t>(offsets[4])],
              rows[static_cast<std::size_t>(offsets[4]) + 1]);
  };
  const std::vector<Breakage> all{
      {"a tile has 1 to 4096 columns", [](Tiles& A) { A.tile = 0; }},
      {"a tile has 1 to 4096 columns", [](Tiles& A) { A.group_rows = 0; }},
      {"a negative number", [](Tiles& A) { A.num_rows = -1; }},
      {"length of tile_blocks", [](Tiles& A) { A.num_cols += 300; }},
      {"length of group_offsets", [](Tiles& A) { A.num_rows += 33; }},
      {"length of group_blocks",
       [](Tiles& A) { A.group_blocks = changed(A.group_blocks, [](auto& v) { v.pop_back(); }); }},
      {"length of block_groups",
       [](Tiles& A) { A.block_groups = changed(A.block_groups, [](auto& v) { v.pop_back(); }); }},
      {"length of segment_offsets",
       [](Tiles& A) {
         A.segment_offsets = changed(A.segment_offsets, [](auto& v) { v.push_back(v.back()); });
       }},
      {"length of chunk_offsets",
       [](Tiles& A) { A.chunk_offsets = changed(A.chunk_offsets, [](auto& v) { v.pop_back(); }); }},
      {"length of segment_rows",
       [](Tiles& A) { A.segment_rows = changed(A.segment_rows, [](auto& v) { v.push_back(0); }); }},
      {"length of chunk_segments",
       [](Tiles& A) {
         A.chunk_segments = changed(A.chunk_segments, [](auto& v) { v.pop_back(); });
       }},
      {"length of indices",
       [](Tiles& A) { A.indices = changed(A.indices, [](auto& v) { v.pop_back(); }); }},
      {"length of values",
       [](Tiles& A) { A.values = changed(A.values, [](auto& v) { v.push_back(0); }); }},
      {"the end of tile_blocks",
       [](Tiles& A) { A.tile_blocks = changed(A.tile_blocks, [](auto& v) { --v.back(); }); }},
      {"the end of group_offsets",
       [](Tiles& A) { A.group_offsets = changed(A.group_offsets, [](auto& v) { ++v.back(); }); }},
      {"block 4 is in no tile",
       [](Tiles& A) { A.block_tiles = changed(A.block_tiles, [](auto& v) { v[4] = 999; }); }},
      {"block 4 is in no tile",
       [](Tiles& A) { A.block_groups = changed(A.block_groups, [](auto& v) { v[4] = -1; }); }},
      {"block 4 is before a block of a lower",
       [](Tiles& A) {
         A.block_groups = changed(A.block_groups, [](auto& v) { std::swap(v[3], v[4]); });
       }},
      {"block 4 has no segments",
       [](Tiles& A) {
         A.segment_offsets = changed(A.segment_offsets, [](auto& v) { v[4] = v[5]; });
       }},
      {"block 4 has no chunks",
       [](Tiles& A) { A.chunk_offsets = changed(A.chunk_offsets, [](auto& v) { v[4] = v[5]; }); }},
      {"is not listed under its tile",
       [](Tiles& A) { A.tile_blocks = changed(A.tile_blocks, [](auto& v) { --v[1]; }); }},
      {"group 0 does not list its blocks",
       [](Tiles& A) {
         A.group_blocks = changed(A.group_blocks, [](auto& v) { std::swap(v[0], v[1]); });
       }},
      {"group 0 does not list its blocks",
       [](Tiles& A) { A.group_offsets = changed(A.group_offsets, [](auto& v) { ++v[1]; }); }},
      {"block 4 has rows that do not ascend",
       [&](Tiles& A) { A.segment_rows = changed(A.segment_rows, swap_rows); }},
      {"block 4 has rows that do not ascend",
       [&](Tiles& A) {
         A.segment_rows = changed(
             A.segment_rows, [&](auto& v) { v[static_cast<std::size_t>(offsets[5]) - 1] = 33; });
       }},
      {"block 4 has segments that its packs do not begin",
       [&](Tiles& A) { A.indices = changed(A.indices, [&](auto& v) { v[begin] &= 0x7fffU; }); }},
      {"block 4 has segments that its packs do not begin",
       [&](Tiles& A) {
         A.indices = changed(A.indices, [&](auto& v) { v[begin + 2] |= segment_flag; });
       }},
      {"block 4 has chunks that chunk_segments does not count",
       [&](Tiles& A) {
         A.chunk_segments = changed(A.chunk_segments,
                                    [&](auto& v) { ++v[static_cast<std::size_t>(chunks[4]) + 1]; });
       }},
      {"block 4 has padding that is not at the end",
       [&](Tiles& A) { A.indices = changed(A.indices, [&](auto& v) { v[begin + 1] = tile; }); }},
      {"block 4 has padding that is not at the end",
       [&](Tiles& A) {
         A.indices = changed(A.indices, [&](auto& v) {
           v[begin] = static_cast<std::uint16_t>(segment_flag | tile);
         });
       }},
      {"block 4 has columns that do not ascend",
       [&](Tiles& A) {
         A.indices = changed(A.indices, [&](auto& v) { std::swap(v[begin + 1], v[begin + 2]); });
       }},
      {"block 4 has columns that do not ascend",
       [&](Tiles& A) {
         A.indices = changed(A.indices,
                             [&](auto& v) { v[begin + 3] = static_cast<std::uint16_t>(tile + 1); });
       }},
      {"block 4 has a value that is not finite",
       [&](Tiles& A) {
         A.values = changed(A.values, [&](auto& v) { v[begin + 1] = std::nanf(""); });
       }},
      {"entries without padding", [](Tiles& A) { ++A.nonzeros; }}};
  for (const Breakage& breakage : all) {
    Tiles broken = whole;
    breakage.breaks(broken);
    const std::string message = fault_of(broken);
    EXPECT_NE(message.find(breakage.message), std::string::npos)
        << breakage.message << " is not in: " << message;
  }
}

/// Sums of the products of each entry, and of their absolute values.
struct Products {
  std::vector<double> there, back;
};

template <class Scalar, class Matrix>
Products products_of(const Matrix& A, const std::vector<double>& x, const std::vector<double>& y) {
  const TestSpace exec;
  const RayTilesPlan<TestSpace, Matrix> plan(exec, A);
  const Vector<Scalar, MemorySpace> to_y("y", y.size()), to_x("x", x.size());
  spmv<TestSpace, Matrix>(exec, plan, A, Scalar(1), to_device<TestSpace, Scalar>(exec, x),
                          Scalar(0), to_y);
  spmv_transpose<TestSpace, Matrix>(exec, plan, A, Scalar(1), to_device<TestSpace, Scalar>(exec, y),
                                    Scalar(0), to_x);
  const auto there = to_std_vector(to_y), back = to_std_vector(to_x);
  return {{there.begin(), there.end()}, {back.begin(), back.end()}};
}

/// Bound stated by `RayTilesPlan`, in addition to rounding.
template <class Scalar>
void expect_within_bound(const PlainCsr& A, const std::vector<double>& computed,
                         const std::vector<double>& x, bool transposed, const std::string& what) {
  const ReferenceProduct expected = reference_product(A, 1, x, 0, {});
  double vector = 0, matrix = 0;
  for (const double value : x) vector = std::max(vector, std::abs(value));
  for (std::int32_t i = 0; i < A.rows; ++i) {
    double sum = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) sum += std::abs(A.values[k]);
    matrix = std::max(matrix, sum);
  }
  const double unit = on_host ? 0.0
                              : (transposed && std::is_same_v<Scalar, float> ? 0x1p-30 : 0x1p-60) *
                                    1.01 * vector * matrix;
  const double u = std::numeric_limits<Scalar>::epsilon();
  for (std::size_t i = 0; i < computed.size(); ++i)
    ASSERT_NEAR(computed[i], expected.y[i],
                (static_cast<double>(expected.row_length[i]) + 2) * u * expected.magnitude[i] +
                    static_cast<double>(expected.row_length[i]) * unit + 1e-300)
        << what << ", entry " << i;
}

template <class Scalar>
class RayTilesBounds : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RayTilesBounds, Scalars);

TYPED_TEST(RayTilesBounds, hold_over_six_decades_of_data_and_of_entries) {
  using Scalar = TypeParam;
  for (const bool decades : {false, true}) {
    const PlainCsr plain = runs(500, 3000, decades), transposed = plain.transposed();
    const auto A = tiles_of<StoredPrecision::plain, Scalar>(plain, {1000, 50});
    for (const double scale : {1e-15, 1.0, 1e15}) {
      auto x = random_vector(3000, 1), y = random_vector(500, 2);
      for (auto* values : {&x, &y})
        for (std::size_t i = 0; i < values->size(); ++i)
          (*values)[i] =
              static_cast<float>((*values)[i] * scale * std::pow(10.0, -static_cast<int>(i % 7)));
      const Products computed = products_of<Scalar>(A, x, y);
      const std::string what = "scale " + std::to_string(scale);
      expect_within_bound<Scalar>(plain, computed.there, x, false, what);
      expect_within_bound<Scalar>(transposed, computed.back, y, true, what + ", transposed");
    }
  }
}

TYPED_TEST(RayTilesBounds, hold_in_any_order_of_the_rows) {
  using Scalar = TypeParam;
  const PlainCsr plain = runs();
  const auto x = random_vector(3000, 1), y = random_vector(500, 2);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::vector<std::int32_t> order(500);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    PlainCsr shuffled;
    shuffled.columns = plain.columns;
    std::vector<double> shuffled_y;
    for (const auto i : order) {
      for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
        shuffled.add(plain.indices[k], plain.values[k]);
      shuffled.end_row();
      shuffled_y.push_back(y[i]);
    }
    const Products computed = products_of<Scalar>(
        tiles_of<StoredPrecision::plain, Scalar>(shuffled, {1000, 50}), x, shuffled_y);
    const std::string what = "order " + std::to_string(seed);
    std::vector<double> there(500);
    for (std::size_t p = 0; p < 500; ++p)
      there[static_cast<std::size_t>(order[p])] = computed.there[p];
    expect_within_bound<Scalar>(plain, there, x, false, what);
    expect_within_bound<Scalar>(plain.transposed(), computed.back, y, true, what + ", transposed");
  }
}

template <StoredPrecision Values>
void expect_same_bits() {
  const PlainCsr plain = runs();
  const auto A = tiles_of<Values>(plain, {1000, 50});
  const auto x = random_vector(3000, 1), y = random_vector(500, 2);
  const Products first = products_of<float>(A, x, y);
  for (int run = 0; run < 9; ++run) {
    const Products again = products_of<float>(A, x, y);
    EXPECT_EQ(again.there, first.there);
    EXPECT_EQ(again.back, first.back);
    EXPECT_EQ(to_std_vector(tiles_of<Values>(plain, {1000, 50}).segment_rows),
              to_std_vector(A.segment_rows));
  }
}

TEST(RayTilesBits, of_ten_runs_are_equal) {
  expect_same_bits<StoredPrecision::plain>();
  expect_same_bits<StoredPrecision::half>();
  expect_same_bits<StoredPrecision::scaled>();
}

}  // namespace
