// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-circulant matrices: the contract, and conversions to and from it.
#include "CirculantTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
class BlockCirculantTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlockCirculantTest, Scalars);

template <class Matrix>
void expect_same_csr(const Matrix& computed, const PlainCsr& expected, const std::string& what) {
  using Scalar = typename Matrix::scalar_type;
  EXPECT_EQ(computed.num_rows, expected.rows) << what;
  EXPECT_EQ(computed.num_cols, expected.columns) << what;
  EXPECT_EQ(to_std_vector(computed.row_offsets), expected.offsets) << what;
  EXPECT_EQ(to_std_vector(computed.columns), expected.indices) << what;
  EXPECT_EQ(to_std_vector(computed.values),
            std::vector<Scalar>(expected.values.begin(), expected.values.end()))
      << what;
}

template <class Matrix>
void expect_same(const Matrix& a, const Matrix& b, const std::string& what) {
  EXPECT_EQ(a.block_rows, b.block_rows) << what;
  EXPECT_EQ(a.block_cols, b.block_cols) << what;
  EXPECT_EQ(a.blocks, b.blocks) << what;
  EXPECT_EQ(a.pitch, b.pitch) << what;
  EXPECT_EQ(to_std_vector(a.row_offsets), to_std_vector(b.row_offsets)) << what;
  EXPECT_EQ(to_std_vector(a.positions), to_std_vector(b.positions)) << what;
  EXPECT_EQ(to_std_vector(a.values), to_std_vector(b.values)) << what;
}

template <class Visit>
void for_each_matrix(const Visit& visit) {
  for (const std::int32_t k : block_counts())
    for (const PlainCirculant& plain : circulant_battery(k)) visit(plain);
  // Rows long enough that a GPU uses a team for each.
  visit(make_circulant("long rows", 7, 40, 32, [](int i) { return i * 200; }));
}

TYPED_TEST(BlockCirculantTest, block_row_there_and_back) {
  const TestSpace exec;
  for_each_matrix([&](const PlainCirculant& plain) {
    const auto A = on_device<TypeParam>(plain);
    const std::string& what = plain.block_row.name;
    validate(exec, A);
    EXPECT_EQ(A.num_rows(), plain.block_rows() * plain.blocks) << what;
    EXPECT_EQ(A.num_cols(), plain.block_row.columns) << what;
    EXPECT_EQ(A.num_stored(), plain.block_row.nonzeros()) << what;
    EXPECT_EQ(A.num_nonzeros(), plain.block_row.nonzeros() * plain.blocks) << what;
    expect_same_csr(block_row_from_block_circulant<TestSpace, TypeParam>(exec, A), plain.block_row,
                    what);
  });
}

TYPED_TEST(BlockCirculantTest, positions_are_those_of_X_replicated) {
  const auto plain = make_circulant("positions", 5, 6, 3, [](int i) { return 4 + i; });
  const auto A = on_device<TypeParam>(plain);
  EXPECT_EQ(A.pitch, 5);
  std::vector<std::uint32_t> expected;
  std::vector<TypeParam> values;
  for (std::int32_t i = 0; i < 5; ++i) {
    std::vector<std::pair<std::uint32_t, double>> row;
    for (auto e = plain.block_row.offsets[i]; e < plain.block_row.offsets[i + 1]; ++e) {
      const auto column = static_cast<std::uint32_t>(plain.block_row.indices[e]);
      row.emplace_back(column % 6 * 5 + column / 6, plain.block_row.values[e]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [position, value] : row) {
      expected.push_back(position);
      values.push_back(static_cast<TypeParam>(value));
    }
  }
  EXPECT_EQ(to_std_vector(A.positions), expected);
  EXPECT_EQ(to_std_vector(A.values), values);
  EXPECT_EQ(circulant_pitch(1), 1);
  EXPECT_EQ(circulant_pitch(15), 29);
  EXPECT_EQ(circulant_pitch(16), 32);
  EXPECT_EQ(circulant_pitch(150), 304);
}

TYPED_TEST(BlockCirculantTest, all_entries_there_and_back) {
  const TestSpace exec;
  for_each_matrix([&](const PlainCirculant& plain) {
    const auto A = on_device<TypeParam>(plain);
    for (const auto& [order, name] : EnumNames<CirculantOrder>::names) {
      const std::string what = plain.block_row.name + ", " + std::string(name);
      const auto C = csr_from_block_circulant<TestSpace, TypeParam>(exec, A, order);
      expect_same_csr(C, plain.expanded(order), what);
      expect_same(block_circulant_from_csr<TestSpace, TypeParam>(exec, C, plain.blocks, order), A,
                  what);
    }
  });
}

TYPED_TEST(BlockCirculantTest, transposed) {
  const TestSpace exec;
  for_each_matrix([&](const PlainCirculant& plain) {
    const auto A = on_device<TypeParam>(plain);
    const auto T = transposed_block_circulant<TestSpace, TypeParam>(exec, A);
    const std::string& what = plain.block_row.name;
    validate(exec, T);
    for (const auto& [order, name] : EnumNames<CirculantOrder>::names)
      expect_same_csr(csr_from_block_circulant<TestSpace, TypeParam>(exec, T, order),
                      plain.expanded(order).transposed(), what);
    expect_same(transposed_block_circulant<TestSpace, TypeParam>(exec, T), A, what);
  });
}

TYPED_TEST(BlockCirculantTest, reuse_and_row_sums) {
  const TestSpace exec;
  for_each_matrix([&](const PlainCirculant& plain) {
    const auto A = on_device<TypeParam>(plain);
    const PlainCsr& row = plain.block_row;
    std::int64_t distinct = 0;
    std::vector<double> expected;
    for (std::int32_t i = 0; i < row.rows; ++i) {
      std::vector<std::int32_t> columns;
      double sum = 0;
      for (auto e = row.offsets[i]; e < row.offsets[i + 1]; ++e) {
        columns.push_back(row.indices[e] % plain.block_cols());
        sum += row.values[e];
      }
      std::sort(columns.begin(), columns.end());
      distinct += std::unique(columns.begin(), columns.end()) - columns.begin();
      expected.push_back(sum);
    }
    const double reuse = circulant_reuse<TestSpace, TypeParam>(exec, A);
    EXPECT_EQ(reuse, row.nonzeros() == 0
                         ? 1.0
                         : static_cast<double>(row.nonzeros()) / static_cast<double>(distinct))
        << row.name;
    const Vector<double, TestMemory> sums("test::sums", static_cast<std::size_t>(row.rows));
    circulant_row_sums<TestSpace, TypeParam>(exec, A, sums);
    const auto computed = to_std_vector(sums);
    ASSERT_EQ(computed.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(computed[i], expected[i], 1e-10);
  });
  const Vector<double, TestMemory> short_sums("test::sums", 1);
  EXPECT_THROW((circulant_row_sums<TestSpace, TypeParam>(
                   exec, on_device<TypeParam>(circulant_battery(3)[0]), short_sums)),
               DimensionMismatch);
}

/// Returns a copy of \p view after \p change was applied to it.
template <class View>
View changed(const View& view,
             const std::function<void(std::vector<typename View::non_const_value_type>&)>& change) {
  auto values = to_std_vector(view);
  change(values);
  return to_device<TestSpace, typename View::non_const_value_type>(TestSpace(), values);
}

TYPED_TEST(BlockCirculantTest, every_rule_of_the_contract_is_checked) {
  using Matrix = TestCirculant<TypeParam>;
  // Rows of 2, 3, 4 and 5 entries; 3 blocks of 4 x 5, pitch 5.
  const Matrix good =
      on_device<TypeParam>(make_circulant("rules", 4, 5, 3, [](int i) { return 2 + i; }));
  const TestSpace exec;
  validate(exec, good);
  const auto expect = [&](const char* part, const std::function<void(Matrix&)>& break_rule) {
    Matrix bad = good;
    break_rule(bad);
    EXPECT_COMPLAINT(validate(exec, bad), part);
  };
  const auto position = [](std::size_t e, std::uint32_t value) {
    return [=](Matrix& A) {
      A.positions = changed(A.positions, [&](auto& positions) { positions[e] = value; });
    };
  };
  const auto offset = [](std::size_t i, Offset value) {
    return [=](Matrix& A) {
      A.row_offsets = changed(A.row_offsets, [&](auto& offsets) { offsets[i] = value; });
    };
  };
  expect("at least one block", [](Matrix& A) { A.blocks = 0; });
  expect("a negative number", [](Matrix& A) { A.block_cols = -1; });
  expect("a negative number", [](Matrix& A) { A.block_rows = -1; });
  expect("pitch is 6", [](Matrix& A) { A.pitch = 6; });
  expect("length of row_offsets is 5", [](Matrix& A) { A.block_rows = 5; });
  expect("length of positions is 13", [](Matrix& A) {
    A.positions = changed(A.positions, [](auto& positions) { positions.pop_back(); });
  });
  expect("row_offsets(0) is 1", offset(0, 1));
  expect("row_offsets(block_rows) is 13", offset(4, 13));
  expect("row 1: offsets 2 to 1 do not form a range", offset(2, 1));
  expect("row 1: offsets 2 to 99 do not form a range", offset(2, 99));
  expect("row 2, entry 3: position 26 is column 5 of block 1, but blocks have 5 columns",
         position(8, 26));
  expect("row 2, entry 3: position 23 is column 4 of block 3, but there are 3 blocks",
         position(8, 23));
  const auto positions = to_std_vector(good.positions);
  expect("row 1, entry 1", position(3, positions[2]));
  expect("occurs twice in its row", position(3, positions[2]));
  expect("positions must ascend", [&](Matrix& A) {
    A.positions = changed(A.positions, [](auto& all) { std::swap(all[2], all[3]); });
  });
}

TEST(BlockCirculantShape, limits_of_indices) {
  check_circulant_shape(0, 0, 1);
  check_circulant_shape(1 << 30, 1, 1);
  check_circulant_shape(78400, 777738, 150);
  EXPECT_COMPLAINT(check_circulant_shape(1 << 30, 1, 2), "more rows or columns");
  EXPECT_COMPLAINT(check_circulant_shape(1, 1 << 30, 2), "more rows or columns");
  // The limit of 2^31 - 1 applies to the columns of C, not to the positions.
  check_circulant_shape(1, 14128181, 150);
  EXPECT_COMPLAINT(check_circulant_shape(1, 14128182, 150), "positions beyond 32 bits");
  EXPECT_COMPLAINT(check_circulant_shape(1, 1, (1 << 30) + 1), "positions beyond 32 bits");
}

TYPED_TEST(BlockCirculantTest, what_is_no_block_row_is_refused) {
  const TestSpace exec;
  const auto plain = make_circulant("block row", 4, 5, 3, [](int i) { return 2 + i; });
  const auto row = to_device<TestSpace, TypeParam>(exec, plain.block_row);
  const auto convert = [&](const auto& matrix, Ordinal blocks) {
    block_circulant_from_block_row<TestSpace, TypeParam>(exec, matrix, blocks);
  };
  EXPECT_COMPLAINT(convert(row, 4), "of 15 does not divide into 4 blocks");
  EXPECT_COMPLAINT(convert(row, 0), "at least one block, not 0");
  EXPECT_COMPLAINT(convert(row, -3), "at least one block, not -3");
  auto beyond = row;
  beyond.columns = changed(row.columns, [](auto& columns) { columns[8] = 15; });
  EXPECT_COMPLAINT(convert(beyond, 3), "row 2, entry 3: column 15 is outside 0 to 14");
}

/// C of 3 blocks of 4 x 5 with one entry changed, or with one row that lacks its first entry.
TYPED_TEST(BlockCirculantTest, what_is_not_block_circulant_is_refused) {
  const TestSpace exec;
  const auto plain = make_circulant("to break", 4, 5, 3, [](int i) { return 2 + i; });
  for (const auto& [order, name] : EnumNames<CirculantOrder>::names) {
    const PlainCsr C = plain.expanded(order);
    const auto convert = [&](const PlainCsr& matrix, Ordinal blocks) {
      block_circulant_from_csr<TestSpace, TypeParam>(
          exec, to_device<TestSpace, TypeParam>(exec, matrix), blocks, order);
    };
    convert(C, 3);
    EXPECT_COMPLAINT(convert(C, 5), "a number of rows of 12 does not divide into 5 blocks");
    EXPECT_COMPLAINT(convert(C, 2), "a number of columns of 15 does not divide into 2 blocks");
    EXPECT_COMPLAINT(convert(C, 0), "at least one block, not 0");
    if (order == CirculantOrder::blocks) {
      // With a single block every matrix is block circulant. In the wrong order only such matrices
      // are.
      convert(C, 1);
      EXPECT_COMPLAINT(
          (block_circulant_from_csr<TestSpace, TypeParam>(
              exec, to_device<TestSpace, TypeParam>(exec, C), 3, CirculantOrder::rotations)),
          "is not block circulant with 3 blocks (rotations): row ");
    }
    // Change the first entry of a row that is not in the first block row.
    const std::int32_t row = 11;
    const auto e = static_cast<std::size_t>(C.offsets[row]);
    const std::string entry = "row 11, column " + std::to_string(C.indices[e]) + " is ";
    const std::string first = order == CirculantOrder::blocks ? "row 3, column" : "row 9, column";
    PlainCsr other = C;
    other.values[e] = 7.5;
    EXPECT_COMPLAINT(convert(other, 3), entry + "7.5, but its counterpart, " + first);
    PlainCsr sign = C;
    sign.values[e] = -sign.values[e];
    EXPECT_COMPLAINT(convert(sign, 3), entry);
    PlainCsr missing = rows_of(C, 0, row);
    for (auto k = C.offsets[row] + 1; k < C.offsets[row + 1]; ++k)
      missing.add(C.indices[k], C.values[k]);
    missing.end_row();
    EXPECT_COMPLAINT(convert(missing, 3), entry + "not stored, but its counterpart, " + first);
    std::int32_t free = 0;
    while (std::count(C.indices.begin() + C.offsets[row], C.indices.end(), free) > 0) ++free;
    PlainCsr extra = rows_of(C, 0, row);
    std::vector<std::pair<std::int32_t, double>> entries{{free, 0.5}};
    for (auto k = C.offsets[row]; k < C.offsets[row + 1]; ++k)
      entries.emplace_back(C.indices[k], C.values[k]);
    std::sort(entries.begin(), entries.end());
    for (const auto& [column, value] : entries) extra.add(column, value);
    extra.end_row();
    EXPECT_COMPLAINT(convert(extra, 3),
                     "row 11, column " + std::to_string(free) + " is 0.5, but row ");
  }
}

}  // namespace
