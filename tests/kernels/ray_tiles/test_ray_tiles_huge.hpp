// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ray tiles with more nonzeros than 32 bits can count and more than a million rows, built from
// blocks of rows: as CSR the matrix would not fit in memory beside them. Entries follow a rule and
// are small multiples of 1/8, so that every sum is exact, also in fixed point, and follows from the
// rule. A small matrix with the same rule is tested on every machine.
#include <gtest/gtest.h>
#include <Tomokkos_RayTilesBuilder.hpp>
#include <Tomokkos_SpmvRayTiles.hpp>

#include "HugeMemory.hpp"

using namespace Tomokkos;

namespace {

using TestMemory = TestSpace::memory_space;
using Block = CsrMatrix<float, TestMemory>;

constexpr Ordinal tiles = 256;
constexpr Ordinal columns = tiles * largest_tile;
constexpr Ordinal run = 64;   // entries of a row in a tile
constexpr Ordinal runs = 64;  // tiles of a row: every fourth one
constexpr Ordinal row_length = run * runs;

/// Row i has the columns `64 k + 5 i % 64` of the tiles `4 m + i % 4`.
KOKKOS_FUNCTION Ordinal column_of(Ordinal i, Ordinal entry) {
  return (4 * (entry / run) + i % 4) * largest_tile + entry % run * 64 + 5 * (i % 64) % 64;
}
KOKKOS_FUNCTION float entry_of(Ordinal i, Ordinal j) {
  return static_cast<float>((i / 64 + j / 64 + j) % 17 - 8) / 8.0F;
}
KOKKOS_FUNCTION float element(Ordinal i) { return static_cast<float>(i % 29 - 14) / 2.0F; }

struct FillBlock {
  Ordinal first;
  Kokkos::View<Offset*, TestMemory> offsets;
  Kokkos::View<Ordinal*, TestMemory> columns;
  Kokkos::View<float*, TestMemory> values;
  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const auto row = static_cast<Ordinal>(at / row_length);
    const Ordinal j = column_of(first + row, static_cast<Ordinal>(at % row_length));
    columns(at) = j;
    values(at) = entry_of(first + row, j);
    if (at % row_length == 0) offsets(row + 1) = at + row_length;
    if (at == 0) offsets(0) = 0;
  }
};

struct FillVector {
  VectorView<float, TestMemory> x;
  KOKKOS_FUNCTION void operator()(const Offset i) const { x(i) = element(static_cast<Ordinal>(i)); }
};

struct CountWrongRows {
  VectorView<const float, TestMemory> y;
  KOKKOS_FUNCTION void operator()(const Offset at, Offset& wrong) const {
    const auto i = static_cast<Ordinal>(at);
    double sum = 0;
    for (Ordinal e = 0; e < row_length; ++e) {
      const Ordinal j = column_of(i, e);
      sum += static_cast<double>(entry_of(i, j)) * element(j);
    }
    if (y(at) != static_cast<float>(sum)) ++wrong;
  }
};

/// Column j meets the rows `i % 64 == 13 (j % 64) % 64`, where these belong to its tile.
struct CountWrongColumns {
  VectorView<const float, TestMemory> x;
  Ordinal rows;
  KOKKOS_FUNCTION void operator()(const Offset at, Offset& wrong) const {
    const auto j = static_cast<Ordinal>(at);
    const Ordinal first = 13 * (j % 64) % 64;
    double sum = 0;
    if (first % 4 == j / largest_tile % 4)
      for (Ordinal i = first; i < rows; i += 64)
        sum += static_cast<double>(entry_of(i, j)) * element(i);
    if (x(at) != static_cast<float>(sum)) ++wrong;
  }
};

template <class Functor>
Offset count(const TestSpace& exec, Offset size, const Functor& functor) {
  Offset wrong = 0;
  Kokkos::parallel_reduce("test::count_wrong", Impl::element_range(exec, size), functor, wrong);
  exec.fence();
  return wrong;
}

template <StoredPrecision Values>
void check_products(const TestSpace& exec, Ordinal rows, Ordinal rows_of_block) {
  const Offset nonzeros = Offset{rows} * row_length;
  RayTilesBuilder<TestSpace, float, Values> builder(exec, rows, columns, nonzeros);
  {
    const auto most = static_cast<std::size_t>(rows_of_block) * row_length;
    const Kokkos::View<Offset*, TestMemory> offsets("test::offsets", rows_of_block + 1);
    const Kokkos::View<Ordinal*, TestMemory> block_columns("test::columns", most);
    const Kokkos::View<float*, TestMemory> values("test::values", most);
    for (const bool fills : {false, true})
      for (Ordinal begin = 0; begin < rows; begin += rows_of_block) {
        const Ordinal height = std::min(rows_of_block, rows - begin);
        const auto entries = static_cast<std::size_t>(height) * row_length;
        Kokkos::parallel_for("test::fill_block",
                             Impl::element_range(exec, static_cast<Offset>(entries)),
                             FillBlock{begin, offsets, block_columns, values});
        const Block block{
            height, columns,
            Kokkos::subview(offsets, std::pair<std::size_t, std::size_t>(0, height + 1)),
            Kokkos::subview(block_columns, std::pair<std::size_t, std::size_t>(0, entries)),
            Kokkos::subview(values, std::pair<std::size_t, std::size_t>(0, entries))};
        if (fills)
          builder.fill(exec, block);
        else
          builder.count(exec, block);
      }
  }
  const auto A = builder.finish(exec);
  EXPECT_EQ(A.num_nonzeros(), nonzeros);
  EXPECT_EQ(A.num_segments(), Offset{rows} * runs);
  const RayTilesPlan<TestSpace, typename RayTilesBuilder<TestSpace, float, Values>::Matrix> plan(
      exec, A);
  const Vector<float, TestMemory> x("test::x", columns), y("test::y", rows);
  Kokkos::parallel_for("test::fill_vector", Impl::element_range(exec, columns),
                       FillVector{as_vector(x)});
  Kokkos::deep_copy(exec, y, -1.0F);
  spmv(exec, plan, A, 1.0F, VectorView<const float, TestMemory>(x), 0.0F, as_vector(y));
  EXPECT_EQ(count(exec, rows, CountWrongRows{y}), 0);
  Kokkos::parallel_for("test::fill_vector", Impl::element_range(exec, rows),
                       FillVector{as_vector(y)});
  Kokkos::deep_copy(exec, x, -1.0F);
  spmv_transpose(exec, plan, A, 1.0F, VectorView<const float, TestMemory>(y), 0.0F, as_vector(x));
  EXPECT_EQ(count(exec, columns, CountWrongColumns{x, rows}), 0) << "transposed";
}

template <StoredPrecision Values>
void check_huge_products() {
  constexpr Ordinal rows = 16640 * 64;
  static_assert(Offset{rows} * row_length > (Offset{1} << 32));
  const TestSpace exec;
  // Bytes of the tiles, of a block, and of the arrays that bring segments from rows to tiles.
  TOMOKKOS_NEEDS_HUGE_MEMORY(exec, 10ULL * static_cast<std::uint64_t>(rows) * row_length);
  check_products<Values>(exec, rows, 65536);
}

}  // namespace

TEST(RayTilesHuge, the_rule_holds_for_few_rows) {
  check_products<StoredPrecision::plain>(TestSpace(), 640, 128);
  check_products<StoredPrecision::half>(TestSpace(), 640, 200);
}
TEST(RayTilesHuge, products_of_more_entries_than_32_bits_count) {
  check_huge_products<StoredPrecision::plain>();
}
TEST(RayTilesHuge, products_of_more_packed_entries_than_32_bits_count) {
  check_huge_products<StoredPrecision::half>();
}
