// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders in which GPUs process blocks of ray tiles: for all blocks, for ranges of rows and for
// ranges of columns. Hosts have no such orders.
#include <algorithm>
#include <cmath>
#include <utility>

#include "RayTilesTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
class RayTilesOrders : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RayTilesOrders, Scalars);

template <class Scalar>
using Tiles = RayTilesMatrix<Scalar, TestMemory>;
template <class Scalar>
using Plan = RayTilesPlan<TestSpace, Tiles<Scalar>>;

template <class Scalar>
Tiles<Scalar> tiles_of(const PlainCsr& plain, const RayTilesOptions& options) {
  return ray_tiles_from_csr<TestSpace, Scalar>(TestSpace(), on_device<Scalar>(plain), options);
}

constexpr bool on_host = Impl::is_host_space<TestSpace>;

std::vector<PlainCsr> matrices() {
  std::vector<PlainCsr> all{rays(), rays(3000, 700)};
  for (const PlainCsr& plain : format_battery())
    if (plain.rows > 0 && plain.rows < 700) all.push_back(plain);
  return all;
}

/// Number of chunks that the rows of a block fill, computed from the rows of the matrix.
class PartSizes {
 public:
  template <class Scalar>
  PartSizes(const PlainCsr& plain, const Tiles<Scalar>& A)
      : tiles_(to_std_vector(A.block_tiles)),
        offsets_(to_std_vector(A.segment_offsets)),
        rows_(to_std_vector(A.segment_rows)) {
    const auto groups = to_std_vector(A.block_groups);
    packs_.resize(rows_.size());
    for (std::size_t b = 0; b < tiles_.size(); ++b)
      for (Offset s = offsets_[b]; s < offsets_[b + 1]; ++s) {
        const auto i = static_cast<std::size_t>(s);
        rows_[i] += static_cast<std::uint32_t>(groups[b] * A.group_rows);
        Offset entries = 0;
        for (auto k = plain.offsets[rows_[i]]; k < plain.offsets[rows_[i] + 1]; ++k)
          if (plain.indices[static_cast<std::size_t>(k)] / A.tile == tiles_[b]) ++entries;
        packs_[i] = (entries + tile_pack - 1) / tile_pack;
      }
  }
  std::size_t num_blocks() const { return tiles_.size(); }
  Ordinal tile(std::size_t b) const { return tiles_[b]; }

  Offset chunks(std::size_t b, RowRange rows) const {
    Offset before = 0, in = 0;
    for (Offset s = offsets_[b]; s < offsets_[b + 1]; ++s) {
      const auto i = static_cast<std::size_t>(s);
      const auto row = static_cast<Ordinal>(rows_[i]);
      if (row < rows.begin) before += packs_[i];
      if (row >= rows.begin && row < rows.end) in += packs_[i];
    }
    return in == 0 ? 0 : (before + in + tile_chunk - 1) / tile_chunk - before / tile_chunk;
  }

 private:
  std::vector<Ordinal> tiles_;
  std::vector<Offset> offsets_;
  std::vector<std::uint32_t> rows_;
  std::vector<Offset> packs_;
};

/// Expects that \p list holds each block for which \p size is not 0 once, and that none is more
/// than \p slack larger than any block before it.
template <class Size>
void expect_order(const std::vector<Ordinal>& list, std::size_t num_blocks, const Size& size,
                  Offset slack, const std::string& what) {
  std::vector<Ordinal> sorted = list, expected;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t b = 0; b < num_blocks; ++b)
    if (size(b) > 0) expected.push_back(static_cast<Ordinal>(b));
  ASSERT_EQ(sorted, expected) << what;
  for (std::size_t i = 1; i < list.size(); ++i)
    ASSERT_GE(size(static_cast<std::size_t>(list[i - 1])) + slack,
              size(static_cast<std::size_t>(list[i])))
        << what << ", place " << i;
}

TYPED_TEST(RayTilesOrders, of_all_blocks_begin_with_the_largest) {
  for (const PlainCsr& plain : matrices()) {
    const auto A = tiles_of<TypeParam>(plain, {64, 29});
    const Plan<TypeParam> plan(TestSpace(), A);
    if (on_host) {
      EXPECT_EQ(plan.largest_first().extent(0), 0u);
      continue;
    }
    const PartSizes sizes(plain, A);
    expect_order(
        to_std_vector(plan.largest_first()), sizes.num_blocks(),
        [&](std::size_t b) {
          return sizes.chunks(b, {0, plain.rows});
        },
        0, plain.name);
  }
}

TYPED_TEST(RayTilesOrders, of_rows_begin_with_the_largest_part_and_leave_the_others_out) {
  const TestSpace exec;
  for (const PlainCsr& plain : matrices())
    for (const RayTilesOptions& options : {RayTilesOptions{64, 29}, RayTilesOptions{512, 1400}}) {
      const auto A = tiles_of<TypeParam>(plain, options);
      const Plan<TypeParam> plan(exec, A);
      const PartSizes sizes(plain, A);
      for (const RowRange rows : {RowRange{0, plain.rows / 3}, RowRange{plain.rows / 3, plain.rows},
                                  RowRange{plain.rows / 2, plain.rows / 2 + 1}}) {
        if (rows.begin == rows.end) continue;
        const auto* const list = plan.largest_of_rows(exec, A, rows);
        if (on_host) {
          EXPECT_EQ(list, nullptr);
          continue;
        }
        ASSERT_NE(list, nullptr);
        // The first chunk behind the rows is read, too, if it begins with another segment.
        expect_order(
            to_std_vector(*list), sizes.num_blocks(),
            [&](std::size_t b) { return sizes.chunks(b, rows); }, 1,
            plain.name + ", rows from " + std::to_string(rows.begin));
        EXPECT_EQ(plan.largest_of_rows(exec, A, rows), list) << "made again";
      }
    }
}

TYPED_TEST(RayTilesOrders, of_columns_begin_with_the_largest_block_of_their_tiles) {
  const TestSpace exec;
  for (const PlainCsr& plain : matrices()) {
    const auto A = tiles_of<TypeParam>(plain, {64, 29});
    const Plan<TypeParam> plan(exec, A);
    const PartSizes sizes(plain, A);
    const Ordinal border = A.num_tiles() / 2 * 64;
    for (const RowRange columns : {RowRange{0, border}, RowRange{border, plain.columns}}) {
      const auto* const list = plan.largest_of_columns(exec, A, columns);
      if (on_host) {
        EXPECT_EQ(list, nullptr);
        continue;
      }
      ASSERT_NE(list, nullptr);
      expect_order(
          to_std_vector(*list), sizes.num_blocks(),
          [&](std::size_t b) {
            const Ordinal first = sizes.tile(b) * 64;
            return first >= columns.begin && first < columns.end ? sizes.chunks(b, {0, plain.rows})
                                                                 : Offset{0};
          },
          0, plain.name + ", columns from " + std::to_string(columns.begin));
    }
  }
}

/// Each single row, and each run of tiles: more lists than there is memory for.
TYPED_TEST(RayTilesOrders, have_their_room_and_products_the_same_bits_beyond) {
  const TestSpace exec;
  const PlainCsr plain = rays(400, 3000);
  const auto A = tiles_of<TypeParam>(plain, {64, 200});
  const Plan<TypeParam> plan(exec, A), fresh(exec, A);
  const std::size_t before = plan.memory_bytes();
  const auto values = random_vector(3000, 1), weights = random_vector(400, 2);
  const auto x = to_device<TestSpace, TypeParam>(exec, values);
  const auto y = to_device<TestSpace, TypeParam>(exec, weights);
  const Vector<TypeParam, TestMemory> there("there", 400), back("back", 3000);
  spmv<TestSpace, Tiles<TypeParam>>(exec, plan, A, 1, x, 0, there);
  spmv_transpose<TestSpace, Tiles<TypeParam>>(exec, plan, A, 1, y, 0, back);
  const auto rows_there = to_std_vector(there), columns_back = to_std_vector(back);
  const auto nothing = static_cast<TypeParam>(std::nan(""));
  Kokkos::deep_copy(exec, there, nothing);
  using In = VectorView<const TypeParam, TestMemory>;
  using Out = VectorView<TypeParam, TestMemory>;
  bool listed = false, unlisted = false;
  for (Ordinal i = 0; i < 400; ++i) {
    spmv<TestSpace, Tiles<TypeParam>>(exec, plan, A, 1, x, 0, Out(there.data() + i, 1), {i, i + 1});
    const auto* const list = plan.largest_of_rows(exec, A, {i, i + 1});
    (list != nullptr ? listed : unlisted) = true;
    if (i % 10 != 9) continue;
    // Another plan has memory for a list.
    const Plan<TypeParam> roomy(exec, A);
    const Vector<TypeParam, TestMemory> one("one", 3000), other("other", 3000);
    spmv_transpose<TestSpace, Tiles<TypeParam>>(exec, plan, A, 1, In(y.data() + i, 1), 0, one,
                                                {i, i + 1});
    spmv_transpose<TestSpace, Tiles<TypeParam>>(exec, roomy, A, 1, In(y.data() + i, 1), 0, other,
                                                {i, i + 1});
    EXPECT_EQ(to_std_vector(one), to_std_vector(other)) << i;
  }
  EXPECT_EQ(to_std_vector(there), rows_there);
  for (Ordinal first = 0; first < A.num_tiles(); ++first)
    for (Ordinal last = first + 1; last <= A.num_tiles(); ++last) {
      const RowRange columns{first * 64, std::min(last * 64, plain.columns)};
      prepare_transpose_columns(exec, plan, A, In(y));
      const auto slab =
          std::pair(static_cast<std::size_t>(columns.begin), static_cast<std::size_t>(columns.end));
      Kokkos::deep_copy(exec, Kokkos::subview(back, slab), nothing);
      spmv_transpose_columns<TestSpace, Tiles<TypeParam>>(
          exec, plan, A, columns, 1, y, 0,
          Out(back.data() + columns.begin, static_cast<std::size_t>(columns.end - columns.begin)));
      ASSERT_EQ(to_std_vector(back), columns_back) << first << " to " << last;
    }
  EXPECT_NE(listed, on_host);
  EXPECT_TRUE(unlisted);
  const std::size_t lists = plan.memory_bytes() - before;
  constexpr std::size_t in_any_case = 2 * 64 * 128 * sizeof(Ordinal);
  EXPECT_LE(lists, static_cast<std::size_t>(A.num_blocks()) * 128 + in_any_case);
  EXPECT_EQ(lists > 0, !on_host);
  // Copies of the plan share the lists; other plans do not.
  EXPECT_EQ(Plan<TypeParam>(plan).memory_bytes(), plan.memory_bytes());
  EXPECT_EQ(fresh.memory_bytes(), before);
}

}  // namespace
