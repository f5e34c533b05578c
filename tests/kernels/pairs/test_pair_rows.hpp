// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single rows of a matrix in pairs of rows, and row actions with them beside those of CSR.
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_PairRows.hpp>

#include "PairBlockedTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
class PairRowsTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PairRowsTest, Scalars);

/// Writes the entries of each row to the positions of that row in a CSR matrix.
template <class Scalar>
struct CopyRow {
  PairRows<Scalar, TestMemory> rows;
  const Offset* offsets;
  Ordinal* sizes;
  Ordinal* columns;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    sizes[row] = rows.size(row);
    for (Ordinal e = 0; e < rows.size(row); ++e) {
      columns[offsets[row] + e] = rows.column(row, e);
      values[offsets[row] + e] = rows.value(row, e);
    }
  }
};

TYPED_TEST(PairRowsTest, are_those_of_the_matrix) {
  const TestSpace exec;
  for (const PlainCsr& plain : pair_battery())
    for (const bool spread : {false, true}) {
      const auto A = pair_up<TypeParam>(plain, spread);
      const auto index = pair_row_index<TestSpace, TypeParam>(exec, A);
      EXPECT_EQ(index.memory_bytes(), 12U * static_cast<std::size_t>(plain.rows));
      const auto csr = on_device<TypeParam>(plain);
      const Vector<Ordinal, TestMemory> sizes("sizes", plain.rows);
      const Vector<Ordinal, TestMemory> columns("columns", plain.nonzeros());
      const Vector<TypeParam, TestMemory> values("values", plain.nonzeros());
      Kokkos::parallel_for(
          "test::rows",
          Kokkos::RangePolicy<TestSpace, Kokkos::IndexType<Ordinal>>(exec, 0, plain.rows),
          CopyRow<TypeParam>{
              {A, index}, csr.row_offsets.data(), sizes.data(), columns.data(), values.data()});
      const auto found_sizes = to_std_vector(sizes), found_columns = to_std_vector(columns);
      const auto found_values = to_std_vector(values), expected_values = to_std_vector(csr.values);
      const auto expected_columns = to_std_vector(csr.columns);
      const auto offsets = to_std_vector(csr.row_offsets);
      using Entries = std::vector<std::pair<Ordinal, TypeParam>>;
      for (std::size_t i = 0; i < found_sizes.size(); ++i) {
        ASSERT_EQ(found_sizes[i], offsets[i + 1] - offsets[i]) << plain.name << ", row " << i;
        Entries found, expected;
        for (auto k = static_cast<std::size_t>(offsets[i]);
             k < static_cast<std::size_t>(offsets[i + 1]); ++k) {
          found.emplace_back(found_columns[k], found_values[k]);
          expected.emplace_back(expected_columns[k], expected_values[k]);
        }
        // Without spreading, entries are in the order of their columns.
        if (spread) std::sort(found.begin(), found.end());
        ASSERT_EQ(found, expected) << plain.name << ", row " << i;
      }
    }
}

/// Result of two sweeps over \p rows.
template <class Scalar, class Rows>
std::vector<Scalar> swept(const Rows& rows, KaczmarzVariant way) {
  const TestSpace exec;
  const auto norms = rows_squared_norms(exec, rows);
  const auto schedule = make_rows_kaczmarz_schedule(exec, rows, {}, norms);
  const auto b =
      to_device<TestSpace, Scalar>(exec, random_vector(static_cast<std::size_t>(rows.num_rows), 1));
  const auto x =
      to_device<TestSpace, Scalar>(exec, random_vector(static_cast<std::size_t>(rows.num_cols), 2));
  for (int sweep = 0; sweep < 2; ++sweep)
    rows_kaczmarz_sweep_levels(exec, rows, schedule, {Scalar(0.75), Scalar(-0.5), Scalar(2)}, b, x,
                               way);
  return to_std_vector(x);
}

// With columns in ascending order the sums of a row are those of CSR, entry by entry.
TYPED_TEST(PairRowsTest, sweep_like_those_of_csr) {
  const TestSpace exec;
  for (const PlainCsr& plain :
       {crowded(), crossing(), battery::make("ragged", 77, 90, [](int i) { return i % 19; })}) {
    const auto csr = on_device<TypeParam>(plain);
    const CsrRows<TypeParam, TestMemory> rows(csr);
    const auto expected = swept<TypeParam>(rows, KaczmarzVariant::automatic);
    for (const bool spread : {false, true}) {
      const auto A = pair_up<TypeParam>(plain, spread);
      const auto index = pair_row_index<TestSpace, TypeParam>(exec, A);
      const PairRows<TypeParam, TestMemory> paired(A, index);
      const auto found = swept<TypeParam>(paired, KaczmarzVariant::automatic);
      const auto blocks = RowSubsets(plain.rows, 7);
      EXPECT_EQ(to_std_vector(rows_largest_block_counts(exec, paired, blocks)),
                to_std_vector(rows_largest_block_counts(exec, rows, blocks)));
      if (spread) {
        for (std::size_t j = 0; j < found.size(); ++j)
          ASSERT_NEAR(found[j], expected[j], (std::is_same_v<TypeParam, float> ? 2e-5 : 1e-12))
              << plain.name;
      } else {
        EXPECT_EQ(found, expected) << plain.name;
        EXPECT_EQ(to_std_vector(rows_squared_norms(exec, paired)),
                  to_std_vector(rows_squared_norms(exec, rows)));
      }
      for (const auto way : {KaczmarzVariant::per_level, KaczmarzVariant::one_launch})
        EXPECT_EQ(swept<TypeParam>(paired, way), found) << plain.name;
    }
  }
}

}  // namespace
