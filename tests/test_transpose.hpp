// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_Transpose.hpp>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

template <class Scalar>
void expect_equal(const PlainCsr& expected,
                  const CsrMatrix<Scalar, TestSpace::memory_space>& computed) {
  EXPECT_EQ(computed.num_rows, expected.rows) << expected.name;
  EXPECT_EQ(computed.num_cols, expected.columns) << expected.name;
  EXPECT_EQ(to_std_vector(computed.row_offsets), expected.offsets) << expected.name;
  EXPECT_EQ(to_std_vector(computed.columns), expected.indices) << expected.name;
  const std::vector<Scalar> values(expected.values.begin(), expected.values.end());
  EXPECT_EQ(to_std_vector(computed.values), values) << expected.name;
}

template <class Scalar>
void check(const PlainCsr& plain) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, Scalar>(exec, plain);
  const auto transposed = transpose<TestSpace, Scalar>(exec, A);
  validate(exec, transposed, ColumnOrder::sorted);
  expect_equal<Scalar>(plain.transposed(), transposed);
  // Twice gives the matrix back, its rows now sorted.
  expect_equal<Scalar>(plain.transposed().transposed(),
                       transpose<TestSpace, Scalar>(exec, transposed));
}

}  // namespace

TEST(Transpose, EqualsThePlainTransposeOnTheBattery) {
  for (const auto& plain : battery::matrices()) {
    check<float>(plain);
    check<double>(plain);
  }
}

TEST(Transpose, LongColumnsComeOutSorted) {
  // A column of 40 000 entries among short ones: far beyond what is sorted by one thread.
  auto plain = battery::make("long columns", 40000, 50, [](int i) { return i % 3; });
  PlainCsr tall;
  tall.name = plain.name;
  tall.columns = plain.columns;
  for (std::int32_t i = 0; i < plain.rows; ++i) {
    tall.add(17, 0.5 + i % 7);
    for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
      if (plain.indices[k] > 17) tall.add(plain.indices[k], plain.values[k]);
    tall.end_row();
  }
  check<float>(tall);
  check<double>(tall);
}

TEST(Transpose, WorkspaceIsTold) {
  const TestSpace exec;
  const auto plain = battery::make("told", 1000, 500, [](int i) { return i % 20; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  const auto bytes = transpose_workspace_bytes<TestSpace, float>(exec, A);
  EXPECT_GE(bytes, 500 * sizeof(Offset));
  EXPECT_LE(bytes, A.memory_bytes() + 1501 * sizeof(Offset));
}
