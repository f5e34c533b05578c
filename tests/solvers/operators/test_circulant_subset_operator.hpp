// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordered subsets of the block rows of a block-circulant matrix, and masks of its rows and columns,
// compared with rows and columns of the expanded matrix.
#include <Tomokkos_CirculantSubsetOperator.hpp>
#include <Tomokkos_Orderings.hpp>

#include "AllocationCount.hpp"
#include "CirculantVariants.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

using Values = std::vector<double>;
using Numbers = std::vector<Ordinal>;

template <class Scalar>
class CirculantSubsetOperatorTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CirculantSubsetOperatorTest, Scalars);

/// A selection, and the rows and columns of the expanded matrix that it stands for.
struct Selected {
  CirculantSelection<TestMemory> selection;
  Numbers rows, columns;  // in the order `CirculantOrder::rotations`
  std::string name;
};

/// Keeps the numbers that are not multiples of \p left_out; 0: all of them.
Numbers kept(Ordinal count, Ordinal left_out) {
  Numbers result;
  for (Ordinal i = 0; i < count; ++i)
    if (left_out == 0 || i % left_out != 0) result.push_back(i);
  return result;
}

Selected selected(const PlainCirculant& A, int subsets, const Numbers& order, Ordinal left_out_rows,
                  Ordinal left_out_columns) {
  const TestSpace exec;
  const Ordinal k = A.blocks, m = A.block_rows(), n = A.block_cols();
  Selected result;
  result.name = A.block_row.name + ", " + std::to_string(subsets) + " subsets" +
                (order.empty() ? "" : " in another order") +
                (left_out_rows > 0 ? ", some rows" : "") +
                (left_out_columns > 0 ? ", some columns" : "");
  result.selection.subsets = subsets;
  result.selection.order = order;
  Numbers all;
  for (int place = 0; place < subsets; ++place)
    for (Ordinal i = 0; i < m; ++i)
      for (Ordinal p = 0; p < k; ++p)
        if (p % subsets == (order.empty() ? place : order[static_cast<std::size_t>(place)]))
          all.push_back(i * k + p);
  EXPECT_EQ(circulant_subset_rows(m, k, subsets, order), all);
  const Numbers rows = kept(m * k, left_out_rows);
  for (const Ordinal row : rows) result.rows.push_back(all[static_cast<std::size_t>(row)]);
  result.columns = kept(n * k, left_out_columns);
  if (left_out_rows > 0) result.selection.rows = make_index_map(exec, m * k, rows);
  if (left_out_columns > 0) result.selection.columns = make_index_map(exec, n * k, result.columns);
  return result;
}

/// Rows and columns of C in the order of a selection.
PlainCsr part_of(const PlainCsr& C, const Numbers& rows, const Numbers& columns) {
  Numbers place(static_cast<std::size_t>(C.columns), -1);
  for (std::size_t j = 0; j < columns.size(); ++j)
    place[static_cast<std::size_t>(columns[j])] = static_cast<Ordinal>(j);
  PlainCsr part;
  part.name = C.name;
  part.columns = static_cast<std::int32_t>(columns.size());
  for (const Ordinal row : rows) {
    for (auto e = C.offsets[row]; e < C.offsets[row + 1]; ++e)
      if (place[C.indices[e]] >= 0) part.add(place[C.indices[e]], C.values[e]);
    part.end_row();
  }
  return part;
}

template <class Scalar>
void expect_products(const PlainCirculant& plain, const Selected& rows,
                     const Options<Scalar>& options) {
  const TestSpace exec;
  const PlainCsr C = part_of(plain.expanded(CirculantOrder::rotations), rows.rows, rows.columns);
  const AnyOperator<TestSpace, Scalar> op = CirculantSubsetOperator<TestSpace, Scalar>(
      exec, on_device<Scalar>(plain), options, rows.selection);
  ASSERT_EQ(op.num_rows(), C.rows) << rows.name;
  ASSERT_EQ(op.num_cols(), C.columns) << rows.name;
  EXPECT_TRUE(op.has_transpose());
  EXPECT_TRUE(op.supports_ranges());
  const double u = std::numeric_limits<Scalar>::epsilon();
  const Ordinal all = C.rows, of_subset = all / rows.selection.subsets;
  // Subsets, parts of them, and ranges that begin and end in several.
  const std::vector<RowRange> ranges{all_rows,
                                     {of_subset, 2 * of_subset},
                                     {all / 2, all / 2},
                                     {all / 3, all / 3 + all / 7},
                                     {all / 5, all - all / 4}};
  for (const int s : {1, 3})
    for (const RowRange range : ranges) {
      const RowRange resolved = range.resolved(all);
      if (resolved.begin < 0 || resolved.end > all || resolved.begin > resolved.end) continue;
      const PlainCsr part = rows_of(C, resolved.begin, resolved.end), T = part.transposed();
      const std::string what = rows.name + ", " + name_of(options) + ", rows " +
                               std::to_string(resolved.begin) + " to " +
                               std::to_string(resolved.end) + ", " + std::to_string(s) + " vectors";
      const auto x = random_vector(static_cast<std::size_t>(part.columns) * s, 1);
      const auto y = random_vector(static_cast<std::size_t>(part.rows) * s, 2);
      const auto check = [&](const PlainCsr& M, const std::vector<Scalar>& computed, double alpha,
                             const Values& from, double beta, const Values& to, double step) {
        for (int t = 0; t < s; ++t) {
          const auto expected =
              reference_product(M, alpha, column_of(from, t, s), beta, column_of(to, t, s));
          const auto result = column_of(computed, t, s);
          ASSERT_EQ(result.size(), expected.y.size()) << what;
          for (std::size_t i = 0; i < result.size(); ++i)
            ASSERT_NEAR(result[i], expected.y[i],
                        static_cast<double>(expected.row_length[i] + 2 + rows.selection.subsets) *
                                u * expected.magnitude[i] +
                            std::abs(alpha) * rows.selection.subsets * step + 1e-300)
                << what << ", vector " << t << ", entry " << i;
        }
      };
      const auto device_x = to_device<TestSpace, Scalar>(exec, x);
      const auto device_y = to_device<TestSpace, Scalar>(exec, y);
      const auto to_x = to_device<TestSpace, Scalar>(exec, x);
      const auto to_y = to_device<TestSpace, Scalar>(exec, y);
      op.apply(exec, Scalar(-2.5),
               MultiVectorView<const Scalar, TestMemory>(device_x.data(), part.columns, s),
               Scalar(0.75), MultiVectorView<Scalar, TestMemory>(to_y.data(), part.rows, s), range);
      check(part, to_std_vector(to_y), -2.5, x, 0.75, y, 0);
      op.apply_transpose(
          exec, Scalar(2), MultiVectorView<const Scalar, TestMemory>(device_y.data(), part.rows, s),
          Scalar(-0.5), MultiVectorView<Scalar, TestMemory>(to_x.data(), part.columns, s), range);
      const bool direct = options.transpose == TransposeMethod::direct;
      check(T, to_std_vector(to_x), 2, y, -0.5, x,
            direct && C.nonzeros() > 0 ? unit_of<Scalar>(plain, y) : 0);
    }
}

TYPED_TEST(CirculantSubsetOperatorTest, ranges_are_those_of_the_expanded_matrix) {
  for (const auto& [k, subsets] :
       std::vector<std::pair<std::int32_t, int>>{{1, 1}, {6, 6}, {12, 4}})
    for (const PlainCirculant& plain : circulant_battery(k))
      expect_products<TypeParam>(plain, selected(plain, subsets, subset_class_order(subsets), 0, 0),
                                 {});
}

TYPED_TEST(CirculantSubsetOperatorTest, masked_rows_and_columns_are_left_out) {
  for (const PlainCirculant& plain : circulant_battery(12)) {
    if (plain.block_rows() == 0 || plain.block_cols() == 0) continue;
    expect_products<TypeParam>(plain, selected(plain, 1, {}, 3, 5), {});
    expect_products<TypeParam>(plain, selected(plain, 4, {2, 0, 3, 1}, 7, 2), {});
  }
}

TYPED_TEST(CirculantSubsetOperatorTest, every_way_of_the_products_gives_them) {
  const PlainCirculant plain = make_circulant("any", 21, 13, 12, [](int i) { return i * 5 % 37; });
  for (const Options<TypeParam>& options : ways<TypeParam>()) {
    expect_products<TypeParam>(plain, selected(plain, 3, {2, 0, 1}, 5, 4), options);
  }
}

TYPED_TEST(CirculantSubsetOperatorTest, the_matrix_of_a_subset_is_valid) {
  const TestSpace exec;
  for (const PlainCirculant& plain : circulant_battery(12))
    for (const int subsets : {1, 2, 3, 4, 6, 12}) {
      const auto A = on_device<TypeParam>(plain);
      const auto part = circulant_of_subset<TestSpace, TypeParam>(exec, A, subsets);
      validate(exec, part);
      EXPECT_EQ(part.blocks, 12 / subsets);
      EXPECT_EQ(part.num_cols(), A.num_cols());
      EXPECT_EQ(part.num_stored(), A.num_stored());
    }
}

TYPED_TEST(CirculantSubsetOperatorTest, holds_the_memory_that_it_announces) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCirculant plain = make_circulant("any", 200, 90, 32, [](int i) { return i % 70; });
  for (const Ordinal left_out : {0, 3})
    for (const int s : {1, 4}) {
      const auto A = on_device<Scalar>(plain);
      const LiveBytes live("Tomokkos::");
      const CirculantSubsetOperator<TestSpace, Scalar> op(
          exec, A, {}, selected(plain, 4, {}, left_out, left_out).selection);
      op.reserve(exec, s);
      Kokkos::fence();
      EXPECT_LE(op.memory_bytes(), live.bytes());
      EXPECT_LE(live.bytes(), op.memory_bytes() + 4096);
      // Products with whole subsets allocate nothing further.
      const auto before = live.bytes();
      const Vector<Scalar, TestMemory> x("x", static_cast<std::size_t>(op.num_cols()) * s);
      const Vector<Scalar, TestMemory> y("y", static_cast<std::size_t>(op.num_rows()) * s);
      const MultiVectorView<Scalar, TestMemory> X(x.data(), op.num_cols(), s);
      const MultiVectorView<Scalar, TestMemory> Y(y.data(), op.num_rows(), s);
      op.apply(exec, Scalar(1), X, Scalar(0), Y);
      op.apply_transpose(exec, Scalar(1), Y, Scalar(0), X);
      Kokkos::fence();
      EXPECT_EQ(live.bytes(), before);
      EXPECT_GE(op.apply_bytes(s), 4 * op.of_subset().matrix().memory_bytes());
      EXPECT_GE(op.apply_transpose_bytes(s), 4 * op.of_subset().matrix().memory_bytes());
    }
}

TYPED_TEST(CirculantSubsetOperatorTest, is_made_by_make_operator_where_it_is_needed) {
  const TestSpace exec;
  const PlainCirculant plain = make_circulant("any", 5, 4, 6, [](int i) { return i + 1; });
  const auto A = on_device<TypeParam>(plain);
  EXPECT_FALSE(make_operator(exec, A, {}, CirculantSelection<TestMemory>()).A.supports_ranges());
  const auto made = make_operator(exec, A, {}, selected(plain, 3, {}, 0, 0).selection);
  EXPECT_TRUE(made.A.supports_ranges());
  ASSERT_NE(made.description.find("subsets"), nullptr);
  EXPECT_EQ(made.description.find("subsets")->value(), Description::Value(std::int64_t{3}));
  EXPECT_EQ(made.description.find("blocks")->value(), Description::Value(std::int64_t{6}));
}

TYPED_TEST(CirculantSubsetOperatorTest, wrong_selections_and_ranges_are_refused) {
  using Scalar = TypeParam;
  using Operator = CirculantSubsetOperator<TestSpace, Scalar>;
  const TestSpace exec;
  const PlainCirculant plain = make_circulant("any", 5, 4, 6, [](int i) { return i + 1; });
  const auto A = on_device<Scalar>(plain);
  CirculantSelection<TestMemory> selection;
  selection.subsets = 4;
  EXPECT_COMPLAINT((Operator(exec, A, {}, selection)), "4 subsets do not divide the 6 block rows");
  selection.subsets = 3;
  selection.order = {0, 1, 1};
  EXPECT_COMPLAINT((Operator(exec, A, {}, selection)), "must hold each of them once");
  selection.order = {};
  selection.rows = make_index_map(exec, 30, {4, 2});
  EXPECT_COMPLAINT((Operator(exec, A, {}, selection)), "must ascend");
  selection.rows = make_index_map(exec, 29, {2, 4});
  EXPECT_COMPLAINT((Operator(exec, A, {}, selection)), "rows of the mask");
  selection.rows.reset();
  selection.columns = make_index_map(exec, 25, {2, 4});
  EXPECT_COMPLAINT((Operator(exec, A, {}, selection)), "columns of the mask");
  selection.columns.reset();
  const Operator op(exec, A, {}, selection);
  const Vector<Scalar, TestMemory> x("x", 24), y("y", 30);
  EXPECT_COMPLAINT(
      op.apply(exec, Scalar(1), as_multivector(x), Scalar(0), as_multivector(y), RowRange{0, 31}),
      "is not within the 30 rows");
  EXPECT_THROW(
      op.apply(exec, Scalar(1), as_multivector(x), Scalar(0), as_multivector(y), RowRange{0, 10}),
      DimensionMismatch);
}

}  // namespace
