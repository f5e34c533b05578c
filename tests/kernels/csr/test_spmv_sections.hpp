// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by sections of the merge path with one thread each, whose partial rows are added
// atomically: on the battery, against plain loops in double.
#include <gtest/gtest.h>

#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <limits>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

using MemorySpace = TestSpace::memory_space;

template <class Scalar>
using Plan = SpmvPlan<TestSpace, CsrMatrix<Scalar, MemorySpace>>;

/// 0: chosen by the library. 1: one thread for every nonzero and every end of a row.
const Offset sections[] = {0, 1, 2, 5, 64, 1000, 1 << 20};

SpmvOptions by_sections(Offset items) {
  SpmvOptions options;
  options.variant = SpmvVariant::merge_atomic;
  options.items_per_tile = items;
  return options;
}

/// Start of y. It is NaN if beta is 0, so that it must be overwritten.
std::vector<double> start_vector(std::int32_t size, double beta) {
  if (beta == 0)
    return std::vector<double>(static_cast<std::size_t>(size),
                               std::numeric_limits<double>::quiet_NaN());
  return random_vector(static_cast<std::size_t>(size), 3);
}

/// Checks both products of A by sections of \p items, each row within its bound.
template <class Scalar>
void check_products(const PlainCsr& plain, Offset items) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, Scalar>(exec, plain);
  const auto transposed = plain.transposed();
  const Plan<Scalar> plan(exec, A, by_sections(items));
  const auto x_plain = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto b_plain = random_vector(static_cast<std::size_t>(plain.rows), 2);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  const auto b = to_device<TestSpace, Scalar>(exec, b_plain);
  for (const double alpha : {1.0, -0.5, 0.0})
    for (const double beta : {0.0, 1.0, 0.5}) {
      const auto y_plain = start_vector(plain.rows, beta);
      const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
      spmv(exec, plan, A, Scalar(alpha), x, Scalar(beta), y);
      EXPECT_LE(worst_row_error(to_std_vector(y),
                                reference_product(plain, alpha, x_plain, beta, y_plain)),
                1)
          << plain.name << ", sections of " << items << ", " << alpha << ", " << beta;
      const auto z_plain = start_vector(plain.columns, beta);
      const auto z = to_device<TestSpace, Scalar>(exec, z_plain);
      spmv_transpose_sections(exec, plan, A, Scalar(alpha), b, Scalar(beta), z);
      EXPECT_LE(worst_row_error(to_std_vector(z),
                                reference_product(transposed, alpha, b_plain, beta, z_plain)),
                1)
          << plain.name << " transposed, sections of " << items << ", " << alpha << ", " << beta;
    }
}

}  // namespace

TEST(SpmvSections, both_products_on_the_battery) {
  for (const auto& plain : battery::matrices())
    for (const Offset items : sections) {
      check_products<float>(plain, items);
      check_products<double>(plain, items);
    }
}

TEST(SpmvSections, every_entry_and_every_row_is_in_one_section) {
  // Whole numbers give the same sum in any order, and a piece that is added twice or left out is
  // noticed.
  const auto plain = battery::make("whole numbers", 500, 300, [](int i) {
    return i % 7 == 0 ? 0 : i % 50 == 3 ? 300 : i % 6;
  });
  PlainCsr ones = plain;
  for (auto& value : ones.values) value = 1;
  const TestSpace exec;
  const auto A = to_device<TestSpace, float>(exec, ones);
  const auto x = to_device<TestSpace, float>(exec, std::vector<double>(300, 1.0));
  const auto path = static_cast<Offset>(ones.values.size()) + ones.rows;
  for (Offset items = 1; items < 40; ++items) {
    const Plan<float> plan(exec, A, by_sections(items));
    EXPECT_EQ(plan.num_tiles(), (path + items - 1) / items);
    EXPECT_EQ(plan.memory_bytes(), 0U);
    const auto y = to_device<TestSpace, float>(exec, std::vector<double>(500, 0.25));
    spmv(exec, plan, A, 1.0F, x, 4.0F, y);
    const auto sums = to_std_vector(y);
    for (std::int32_t i = 0; i < ones.rows; ++i)
      ASSERT_EQ(sums[i], static_cast<float>(1 + ones.offsets[i + 1] - ones.offsets[i]))
          << "row " << i << ", sections of " << items;
  }
}

TEST(SpmvSections, the_operator_takes_them_for_both_products) {
  const auto plain = battery::make("uneven", 400, 350, [](int i) { return i % 90; });
  const TestSpace exec;
  OperatorOptions options;
  options.spmv = by_sections(3);
  options.transpose = TransposeMethod::atomic;
  const CsrOperator<TestSpace, double> op(exec, to_device<TestSpace, double>(exec, plain), options);
  EXPECT_EQ(op.options().spmv.variant, SpmvVariant::merge_atomic);
  EXPECT_EQ(op.options().spmv.items_per_tile, 3);
  const auto transposed = plain.transposed();
  for (const int s : {1, 2}) {  // several vectors have other kernels
    const auto b_plain = random_vector(400, 1);
    std::vector<double> wide;
    for (const double value : b_plain) wide.insert(wide.end(), s, value);
    const auto b = to_device<TestSpace, double>(exec, wide);
    const Vector<double, MemorySpace> z("z", static_cast<std::size_t>(350) * s);
    op.apply_transpose(exec, 1.0, MultiVectorView<const double, MemorySpace>(b.data(), 400, s), 0.0,
                       MultiVectorView<double, MemorySpace>(z.data(), 350, s));
    const auto reference = reference_product(transposed, 1, b_plain, 0, {});
    const auto computed = to_std_vector(z);
    for (int j = 0; j < s; ++j)
      EXPECT_LE(worst_row_error(column_of(computed, j, s), reference), 1) << j << " of " << s;
  }
}

TEST(SpmvSections, what_cannot_be_is_refused) {
  const TestSpace exec;
  const auto A =
      to_device<TestSpace, float>(exec, battery::make("small", 10, 20, [](int) { return 3; }));
  const auto image = to_device<TestSpace, float>(exec, std::vector<double>(20));
  const auto data = to_device<TestSpace, float>(exec, std::vector<double>(10));
  const Plan<float> plan(exec, A, by_sections(5));
  EXPECT_THROW((spmv(exec, plan, A, 1.0F, data, 0.0F, data)), DimensionMismatch);
  EXPECT_THROW((spmv_transpose_sections(exec, plan, A, 1.0F, image, 0.0F, image)),
               DimensionMismatch);
  EXPECT_THROW((spmv_transpose_sections(exec, plan, A, 1.0F, data, 0.0F, data)), DimensionMismatch);
  const Plan<float> by_rows(exec, A);
  EXPECT_THROW((spmv_transpose_sections(exec, by_rows, A, 1.0F, data, 0.0F, image)), Error);
  SpmvOptions repeatable = by_sections(5);
  repeatable.deterministic = true;
  EXPECT_THROW(Plan<float>(exec, A, repeatable), Error);
}
