// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paired rows: conversions in both directions, the contract, and the order of the columns.
#include <map>
#include <set>

#include "PairBlockedTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
class PairBlockedTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PairBlockedTest, Scalars);

template <class Scalar>
void expect_equal(const TestCsr<Scalar>& back, const TestCsr<Scalar>& A, const std::string& what) {
  EXPECT_EQ(back.num_cols, A.num_cols) << what;
  EXPECT_EQ(to_std_vector(back.row_offsets), to_std_vector(A.row_offsets)) << what;
  EXPECT_TRUE(to_std_vector(back.columns) == to_std_vector(A.columns)) << what;
  EXPECT_TRUE(to_std_vector(back.values) == to_std_vector(A.values)) << what;
}

/// Lengths in descending order, by plain loops.
std::vector<std::int64_t> sorted_lengths(const PlainCsr& A) {
  std::vector<std::int64_t> lengths;
  for (std::int32_t i = 0; i < A.rows; ++i) lengths.push_back(A.offsets[i + 1] - A.offsets[i]);
  std::sort(lengths.rbegin(), lengths.rend());
  return lengths;
}

TYPED_TEST(PairBlockedTest, there_and_back) {
  const TestSpace exec;
  for (const PlainCsr& plain : pair_battery()) {
    const auto A = on_device<TypeParam>(plain);
    for (const bool spread : {false, true}) {
      const std::string what = plain.name + ", spread " + std::to_string(spread);
      const auto pairs = pair_up<TypeParam>(plain, spread);
      ASSERT_NO_THROW(validate(exec, pairs)) << what;
      EXPECT_EQ(pairs.num_nonzeros(), plain.nonzeros()) << what;
      expect_equal(to_csr<TestSpace, TypeParam>(exec, pairs), A, what);
    }
  }
}

TYPED_TEST(PairBlockedTest, bytes_and_borders_are_known_beforehand) {
  const TestSpace exec;
  for (const PlainCsr& plain : pair_battery()) {
    const auto size = pair_blocked_size<TestSpace, TypeParam>(exec, on_device<TypeParam>(plain));
    const auto pairs = pair_up<TypeParam>(plain);
    EXPECT_EQ(size.bytes, pairs.memory_bytes()) << plain.name;
    EXPECT_EQ(size.stored, pairs.num_stored()) << plain.name;
    EXPECT_EQ(size.pairs, pairs.num_pairs()) << plain.name;
    EXPECT_EQ(size.mixed_begin, pairs.mixed_begin) << plain.name;
    EXPECT_EQ(size.mixed_end, pairs.mixed_end) << plain.name;
    EXPECT_EQ(size.width, pairs.width) << plain.name;

    const auto lengths = sorted_lengths(plain);
    const auto n = static_cast<std::int64_t>(lengths.size());
    const std::int64_t half = (n + 1) / 2, groups = (half + 31) / 32;
    std::int64_t width = 0;
    for (std::int64_t p = 0; p < half; ++p)
      width = std::max(width, lengths[p] + (n - 1 - p > p ? lengths[n - 1 - p] : 0));
    const std::int64_t begin = n > 0 ? lengths[half - 1] : 0, end = n > 0 ? lengths[0] : 0;
    EXPECT_EQ(pairs.mixed_begin, begin) << plain.name;
    EXPECT_EQ(pairs.mixed_end, end) << plain.name;
    EXPECT_EQ(pairs.width, width) << plain.name;
    const std::int64_t stride = Impl::is_host_space<TestSpace> ? half : 32 * groups;
    const auto value_bytes = static_cast<std::int64_t>(sizeof(TypeParam));
    EXPECT_EQ(static_cast<std::int64_t>(size.bytes),
              (4 + value_bytes) * width * stride + 4 * (end - begin) * groups + 4 * n)
        << plain.name;
  }
}

/// Rows of lengths 2, 1, 4, 0, 3 in six columns.
PlainCsr small() {
  PlainCsr A;
  A.name = "small";
  A.columns = 6;
  double value = 1;
  for (const auto& row : std::vector<std::vector<int>>{{1, 4}, {0}, {0, 2, 3, 5}, {}, {1, 2, 4}}) {
    for (const int column : row) A.add(column, value++);
    A.end_row();
  }
  return A;
}

TYPED_TEST(PairBlockedTest, is_laid_out_as_it_is_written) {
  const auto A = on_host(pair_up<TypeParam>(small(), false));
  EXPECT_EQ(to_std_vector(A.rows), (std::vector<Ordinal>{2, 4, 0, 1, 3}));
  EXPECT_EQ(A.mixed_begin, 2);
  EXPECT_EQ(A.mixed_end, 4);
  EXPECT_EQ(A.width, 4);
  const std::vector<std::vector<Ordinal>> columns{{0, 2, 3, 5}, {1, 2, 4, 0}, {1, 4, -1, -1}};
  const std::vector<std::vector<TypeParam>> values{{4, 5, 6, 7}, {8, 9, 10, 3}, {1, 2, 0, 0}};
  for (Ordinal pair = 0; pair < 3; ++pair)
    for (Ordinal place = 0; place < 4; ++place) {
      const Offset at = place * A.pair_stride + pair;
      EXPECT_EQ(A.columns(at), columns[pair][place]) << pair << ", " << place;
      EXPECT_EQ(A.values(at), values[pair][place]) << pair << ", " << place;
    }
  // Row 1 begins at place 3 of pair 1; row 3 is empty.
  EXPECT_EQ(to_std_vector(A.junctions), (std::vector<std::uint32_t>{0, 2}));
}

TYPED_TEST(PairBlockedTest, spreads_columns_as_documented) {
  // The drawing of docs/library/formats.md.
  PlainCsr plain;
  plain.columns = 6;
  for (const auto& row :
       std::vector<std::vector<int>>{{1, 3, 4}, {1}, {0, 1, 2, 4, 5}, {0, 5}, {4}, {2, 3}}) {
    for (const int column : row) plain.add(column, 1 + column);
    plain.end_row();
  }
  const auto A = on_host(pair_up<TypeParam>(plain));
  EXPECT_EQ(to_std_vector(A.rows), (std::vector<Ordinal>{2, 0, 3, 5, 1, 4}));
  EXPECT_EQ(A.mixed_begin, 2);
  EXPECT_EQ(A.mixed_end, 5);
  EXPECT_EQ(A.width, 6);
  const std::vector<std::vector<Ordinal>> columns{
      {0, 1, 2, 4, 5, 4}, {1, 3, 4, 1, -1, -1}, {5, 0, 3, 2, -1, -1}};
  for (Ordinal pair = 0; pair < 3; ++pair)
    for (Ordinal place = 0; place < 6; ++place)
      EXPECT_EQ(A.columns(place * A.pair_stride + pair), columns[pair][place])
          << pair << ", " << place;
  EXPECT_EQ(to_std_vector(A.junctions), (std::vector<std::uint32_t>{4, 2, 0}));
  EXPECT_EQ(count_collisions(A, 0), 0);
  EXPECT_EQ(count_collisions(on_host(pair_up<TypeParam>(plain, false)), 0), 2);
}

/// Columns of each row within each sub-matrix.
template <class Scalar>
std::map<std::pair<Ordinal, int>, std::set<Ordinal>> pieces(const HostPairs<Scalar>& A) {
  const Impl::PairBlocks<Scalar> blocks(A);
  std::map<std::pair<Ordinal, int>, std::set<Ordinal>> found;
  for (Ordinal pair = 0; pair < A.num_pairs(); ++pair)
    for (Ordinal place = 0; place < A.width; ++place) {
      const Ordinal column = A.columns(blocks.position(pair, place));
      if (column == padding_column) continue;
      const bool in_first = place < blocks.first_length(pair);
      const int part = place < A.mixed_begin ? 1 : place < A.mixed_end ? 2 : 3;
      EXPECT_TRUE(part == 2 || in_first == (part == 1));
      found[{in_first ? blocks.first_row(pair) : blocks.second_row(pair), part}].insert(column);
    }
  return found;
}

TYPED_TEST(PairBlockedTest, entries_stay_in_their_row_and_their_sub_matrix) {
  for (const PlainCsr& plain : pair_battery()) {
    const auto natural = on_host(pair_up<TypeParam>(plain, false));
    const auto spread = on_host(pair_up<TypeParam>(plain));
    EXPECT_EQ(pieces(spread), pieces(natural)) << plain.name;
  }
}

/// Counts collisions by their definition: at each position, entries minus distinct columns.
template <class Scalar>
Offset collisions_by_hand(const HostPairs<Scalar>& A, Ordinal group) {
  Offset lost = 0;
  for (Ordinal place = 0; place < A.width; ++place) {
    std::set<Ordinal> columns;
    for (Ordinal pair = 32 * group; pair < std::min(32 * group + 32, A.num_pairs()); ++pair) {
      const Ordinal column = A.columns(place * A.pair_stride + pair);
      if (column >= 0 && !columns.insert(column).second) ++lost;
    }
  }
  return lost;
}

TYPED_TEST(PairBlockedTest, spread_columns_collide_less) {
  for (const PlainCsr& plain : pair_battery()) {
    const auto natural = on_host(pair_up<TypeParam>(plain, false));
    const auto spread = on_host(pair_up<TypeParam>(plain));
    Offset sum = 0;
    for (Ordinal group = 0; group < spread.num_groups(); ++group) {
      EXPECT_EQ(count_collisions(natural, group), collisions_by_hand(natural, group)) << plain.name;
      EXPECT_EQ(count_collisions(spread, group), collisions_by_hand(spread, group)) << plain.name;
      EXPECT_LE(count_collisions(spread, group), count_collisions(natural, group)) << plain.name;
      sum += count_collisions(spread, group);
    }
    EXPECT_EQ(count_collisions(spread), sum) << plain.name;
  }
  EXPECT_GT(count_collisions(on_host(pair_up<TypeParam>(crossing(), false))), 100);
  EXPECT_EQ(count_collisions(on_host(pair_up<TypeParam>(crossing()))), 0);
  EXPECT_THROW(count_collisions(on_host(pair_up<TypeParam>(crossing())), 4), Error);
  EXPECT_THROW(count_collisions(on_host(pair_up<TypeParam>(crossing())), -1), Error);
}

TYPED_TEST(PairBlockedTest, all_rows_alike_can_be_told_apart) {
  // 64 rows of the same 40 columns: in natural order 31 of 32 lanes collide at every place.
  PlainCsr plain;
  plain.columns = 100;
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 40; ++j) plain.add(2 * j, 1);
    plain.end_row();
  }
  const auto natural = on_host(pair_up<TypeParam>(plain, false));
  EXPECT_EQ(natural.num_groups(), 1);
  EXPECT_EQ(count_collisions(natural), 80 * 31);
  EXPECT_EQ(count_collisions(on_host(pair_up<TypeParam>(plain))), 0);
  // 20 columns cannot serve 32 lanes: 12 collide at every position.
  PlainCsr narrow;
  narrow.columns = 20;
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 20; ++j) narrow.add(j, 1);
    narrow.end_row();
  }
  EXPECT_EQ(count_collisions(on_host(pair_up<TypeParam>(narrow, false))), 40 * 31);
  EXPECT_GE(count_collisions(on_host(pair_up<TypeParam>(narrow))), 40 * 12);
  EXPECT_LE(count_collisions(on_host(pair_up<TypeParam>(narrow))), 40 * 15);
}

TYPED_TEST(PairBlockedTest, the_same_bytes_on_every_run) {
  const auto first = pair_up<TypeParam>(crowded());
  for (int run = 0; run < 3; ++run) {
    const auto again = pair_up<TypeParam>(crowded());
    EXPECT_TRUE(to_std_vector(again.columns) == to_std_vector(first.columns));
    EXPECT_TRUE(to_std_vector(again.values) == to_std_vector(first.values));
    EXPECT_EQ(to_std_vector(again.rows), to_std_vector(first.rows));
    EXPECT_EQ(to_std_vector(again.junctions), to_std_vector(first.junctions));
  }
}

TEST(PairBlockedConversion, too_much_padding_is_refused_with_the_numbers) {
  const TestSpace exec;
  const auto A = on_device<float>(
      battery::make("one long row", 1000, 3000, [](int i) { return i == 7 ? 3000 : 1; }));
  try {
    pair_blocked_from_csr(exec, A);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("would store 1500500 entries for 3999 nonzeros"),
              std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW((pair_blocked_from_csr(exec, A, {true, any_fill})));
}

template <class View, class Value>
auto changed(const View& view, std::size_t index, Value value) {
  using Entry = typename View::non_const_value_type;
  auto copy = to_std_vector(view);
  copy.at(index) = static_cast<Entry>(value);
  return to_device<TestSpace, Entry>(TestSpace(), copy);
}

TYPED_TEST(PairBlockedTest, validation_finds_what_is_wrong) {
  const TestSpace exec;
  const auto good = pair_up<TypeParam>(small(), false);
  EXPECT_NO_THROW(validate(exec, good));
  const auto stride = static_cast<std::size_t>(good.pair_stride);
  const auto at = [&](std::size_t pair, std::size_t place) { return place * stride + pair; };
  const auto expect_bad = [&](const std::string& message, const auto& change) {
    auto bad = good;
    change(bad);
    try {
      validate(exec, bad);
      ADD_FAILURE() << "accepted: " << message;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  expect_bad("a negative", [](auto& A) { A.num_cols = -1; });
  expect_bad("must be in order", [](auto& A) { A.mixed_begin = 5; });
  expect_bad("must be in order", [](auto& A) { A.mixed_end = 5; });
  expect_bad("pair_stride must not be below", [](auto& A) { A.pair_stride = 2; });
  expect_bad("length of values", [](auto& A) { ++A.width; });
  expect_bad("length of columns", [](auto& A) { A.columns = {}; });
  expect_bad("length of junctions", [](auto& A) { A.mixed_begin = 1; });
  expect_bad("length of rows", [](auto& A) { A.rows = {}; });
  expect_bad("does not have exactly one slot", [](auto& A) { A.rows = changed(A.rows, 1, 2); });
  expect_bad("pair 1 has padding before an entry",
             [&](auto& A) { A.columns = changed(A.columns, at(1, 1), -1); });
  expect_bad("pair 2 has padding before an entry, or padding that is not",
             [&](auto& A) { A.values = changed(A.values, at(2, 3), 1); });
  expect_bad("pair 2 has padding before an entry",
             [&](auto& A) { A.columns = changed(A.columns, at(2, 1), -1); });
  expect_bad("pair 2 has entries after", [&](auto& A) {
    A.columns = changed(A.columns, at(2, 2), 5);
    A.junctions = changed(A.junctions, 0, 4);
  });
  expect_bad("pair 1 has a column outside",
             [&](auto& A) { A.columns = changed(A.columns, at(1, 1), 6); });
  expect_bad("pair 0 has a column outside",
             [&](auto& A) { A.columns = changed(A.columns, at(0, 0), -2); });
  expect_bad("pair 0 has a column twice",
             [&](auto& A) { A.columns = changed(A.columns, at(0, 3), 2); });
  expect_bad("pair 1 has several bits", [](auto& A) { A.junctions = changed(A.junctions, 0, 2); });
  expect_bad("pair 2 has several bits, a bit without an entry",
             [](auto& A) { A.junctions = changed(A.junctions, 1, 6); });
  expect_bad("pair 3 has several bits, a bit without an entry, or a bit without a pair",
             [](auto& A) { A.junctions = changed(A.junctions, 1, 2 + 8); });
  // The second row of pair 0 begins at position 2, so its first row is shorter than that of pair 1.
  expect_bad("longer than the one before",
             [](auto& A) { A.junctions = changed(A.junctions, 0, 1); });
  expect_bad("the shortest first row", [](auto& A) {
    A.mixed_begin = 1;
    A.junctions = to_device<TestSpace, std::uint32_t>(TestSpace(), std::vector<int>{0, 0, 2});
  });
  expect_bad("the fullest pair", [&](auto& A) {
    ++A.width;
    auto columns = to_std_vector(A.columns);
    auto values = to_std_vector(A.values);
    columns.resize(5 * stride, padding_column);
    values.resize(5 * stride, 0);
    A.columns = to_device<TestSpace, Ordinal>(TestSpace(), columns);
    A.values = to_device<TestSpace, TypeParam>(TestSpace(), values);
  });
  expect_bad("the number of nonzeros", [](auto& A) { ++A.nonzeros; });

  // Two rows of two entries, without a slot for junctions. A third position would belong to no
  // first row.
  PlainCsr plain;
  plain.columns = 3;
  for (int i = 0; i < 2; ++i) {
    plain.add(0, 1);
    plain.add(2, 1);
    plain.end_row();
  }
  auto bad = pair_up<TypeParam>(plain);
  EXPECT_NO_THROW(validate(exec, bad));
  EXPECT_EQ(bad.junctions.extent(0), 0U);
  bad.mixed_end = 3;
  bad.junctions = to_device<TestSpace, std::uint32_t>(exec, std::vector<int>{1});
  EXPECT_THROW(validate(exec, bad), DimensionMismatch);
}

}  // namespace
