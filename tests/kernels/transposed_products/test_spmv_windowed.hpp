// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposed products from CSR by windows against plain loops, with their bits and their error.
#include <gtest/gtest.h>

#include <Tomokkos_SpmvWindowed.hpp>
#include <numeric>

#include "AllocationCount.hpp"
#include "FormatTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

constexpr bool on_host = Impl::is_host_space<TestSpace>;

template <class Scalar>
class WindowedTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(WindowedTest, Scalars);

/// Unit of fixed-point sums on a GPU: error of each entry in addition to rounding.
template <class Scalar>
constexpr double unit() {
  if (on_host) return 0;
  return std::is_same_v<Scalar, float> ? 0x1p-30 : 0x1p-60;
}

/// smallest possible unit, allowed in any case
constexpr double least_unit = 0x1p-1022;

double largest_column_sum(const PlainCsr& transposed) {
  double largest = 0;
  for (std::int32_t j = 0; j < transposed.rows; ++j) {
    double sum = 0;
    for (auto k = transposed.offsets[j]; k < transposed.offsets[j + 1]; ++k)
      sum += std::abs(transposed.values[k]);
    largest = std::max(largest, sum);
  }
  return largest;
}

double largest_entry(const std::vector<double>& x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Expects that every entry is within rounding and the stated error of fixed-point sums. \p
/// transposed is A^T.
template <class Scalar>
void expect_product(const PlainCsr& transposed, const std::vector<Scalar>& computed, double alpha,
                    const std::vector<double>& x, double beta, const std::vector<double>& y,
                    double column_sum, const std::string& what) {
  const ReferenceProduct expected = reference_product(transposed, alpha, x, beta, y);
  const double step = unit<Scalar>() * largest_entry(x) * column_sum * std::abs(alpha);
  const double u = std::numeric_limits<Scalar>::epsilon();
  ASSERT_EQ(computed.size(), expected.y.size()) << what;
  for (std::size_t j = 0; j < computed.size(); ++j) {
    const auto terms = static_cast<double>(expected.row_length[j] + 2);
    ASSERT_NEAR(static_cast<double>(computed[j]), expected.y[j],
                terms * (u * expected.magnitude[j] + step + least_unit))
        << what << ", column " << j;
  }
}

template <class Scalar>
struct Windowed {
  TestCsr<Scalar> A;
  WindowedPlan<TestSpace, Scalar> plan;

  explicit Windowed(const PlainCsr& plain, Ordinal tile = largest_tile)
      : A(to_device<TestSpace, Scalar>(TestSpace(), plain)), plan(TestSpace(), A, tile) {}

  std::vector<Scalar> product(double alpha, const std::vector<double>& x, double beta,
                              const std::vector<double>& y, RowRange rows = all_rows,
                              int vectors = 1) const {
    const TestSpace exec;
    const auto from = to_device<TestSpace, Scalar>(exec, x);
    const auto to = to_device<TestSpace, Scalar>(exec, y);
    const auto s = static_cast<std::size_t>(vectors);
    spmv_transpose_windowed<TestSpace, Scalar>(
        exec, plan, A, rows, static_cast<Scalar>(alpha),
        MultiVectorView<const Scalar, TestMemory>(from.data(), x.size() / s, s),
        static_cast<Scalar>(beta), MultiVectorView<Scalar, TestMemory>(to.data(), y.size() / s, s));
    return to_std_vector(to);
  }
};

TYPED_TEST(WindowedTest, products_are_those_of_the_matrix) {
  auto all = format_battery();
  all.push_back(rays());
  for (const PlainCsr& plain : all) {
    const PlainCsr transposed = plain.transposed();
    const double column_sum = largest_column_sum(transposed);
    const auto x = random_vector(static_cast<std::size_t>(plain.rows), 1);
    const auto y = random_vector(static_cast<std::size_t>(plain.columns), 2);
    for (const Ordinal tile : {largest_tile, 64, 1000, 1}) {
      const Windowed<TypeParam> A(plain, tile);
      for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-2.5, 0.75}, {0.0, 1.0}})
        expect_product(transposed, A.product(alpha, x, beta, y), alpha, x, beta, y, column_sum,
                       plain.name + ", tile " + std::to_string(tile));
    }
  }
}

TYPED_TEST(WindowedTest, a_range_of_rows_and_several_vectors) {
  const PlainCsr plain = rays(3000, 5000);
  const double column_sum = largest_column_sum(plain.transposed());
  const Windowed<TypeParam> A(plain);
  EXPECT_GT(A.plan.num_blocks(), 4);
  for (const auto& [begin, end] : {std::pair{0, 3000}, {0, 1}, {17, 17}, {2999, 3000}, {801, 2222}})
    for (const int s : {1, 3}) {
      const PlainCsr part = rows_of(plain, begin, end).transposed();
      const auto x = random_vector(static_cast<std::size_t>((end - begin) * s), 1);
      const auto y = random_vector(static_cast<std::size_t>(plain.columns * s), 2);
      const auto computed = A.product(1.5, x, -0.5, y, {begin, end}, s);
      for (int v = 0; v < s; ++v)
        expect_product(part, column_of(computed, v, s), 1.5, column_of(x, v, s), -0.5,
                       column_of(y, v, s), column_sum, "rows from " + std::to_string(begin));
    }
}

TYPED_TEST(WindowedTest, bits_repeat) {
  const PlainCsr plain = rays(2000, 9000);
  const auto x = random_vector(static_cast<std::size_t>(plain.rows), 1);
  const std::vector<double> y(static_cast<std::size_t>(plain.columns), 0);
  const Windowed<TypeParam> A(plain);
  const auto first = A.product(1, x, 0, y);
  for (int run = 0; run < 9; ++run) EXPECT_EQ(A.product(1, x, 0, y), first);
  EXPECT_EQ(Windowed<TypeParam>(plain).product(1, x, 0, y), first);
}

// A GPU reads packs of four where possible. It does not where the arrays of a user begin within a
// pack, nor behind the last entry.
TYPED_TEST(WindowedTest, arrays_that_begin_within_a_pack_give_the_same_bits) {
  const TestSpace exec;
  const PlainCsr plain = rays(500, 5000);
  const auto x = random_vector(static_cast<std::size_t>(plain.rows), 1);
  const std::vector<double> y(static_cast<std::size_t>(plain.columns), 0);
  const Windowed<TypeParam> whole(plain);
  const auto expected = whole.product(1, x, 0, y);
  const auto nonzeros = static_cast<std::size_t>(whole.A.num_nonzeros());
  for (const std::size_t shift : {1, 2, 3}) {
    const Kokkos::View<Ordinal*, TestMemory> columns("columns", nonzeros + shift);
    const Kokkos::View<TypeParam*, TestMemory> values("values", nonzeros + shift);
    const std::pair<std::size_t, std::size_t> part(shift, nonzeros + shift);
    Kokkos::deep_copy(exec, Kokkos::subview(columns, part), whole.A.columns);
    Kokkos::deep_copy(exec, Kokkos::subview(values, part), whole.A.values);
    Windowed<TypeParam> shifted(plain);
    shifted.A.columns = Kokkos::subview(columns, part);
    shifted.A.values = Kokkos::subview(values, part);
    shifted.plan = WindowedPlan<TestSpace, TypeParam>(exec, shifted.A);
    EXPECT_EQ(shifted.product(1, x, 0, y), expected) << shift;
  }
  // Every number of entries behind the last whole pack.
  for (const std::int32_t columns : {4096, 4097, 4098, 4099}) {
    PlainCsr one;
    one.columns = columns;
    for (std::int32_t j = 0; j < columns; ++j) one.add(j, 1 + j % 7);
    one.end_row();
    const auto sums = Windowed<TypeParam>(one).product(1, {1.0}, 0, std::vector<double>(columns));
    for (std::int32_t j = 0; j < columns; ++j)
      ASSERT_NEAR(sums[static_cast<std::size_t>(j)], 1 + j % 7, 1e-5) << columns << ", " << j;
  }
}

TYPED_TEST(WindowedTest, the_order_of_the_rows_is_within_the_error) {
  const PlainCsr plain = rays(900, 6000), transposed = plain.transposed();
  const double column_sum = largest_column_sum(transposed);
  const auto x = random_vector(static_cast<std::size_t>(plain.rows), 1);
  const std::vector<double> y(static_cast<std::size_t>(plain.columns), 0);
  const auto natural = Windowed<TypeParam>(plain).product(1, x, 0, y);
  std::vector<std::int32_t> order(static_cast<std::size_t>(plain.rows));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(3);
  for (int permutation = 0; permutation < 10; ++permutation) {
    std::shuffle(order.begin(), order.end(), random);
    PlainCsr permuted;
    permuted.columns = plain.columns;
    std::vector<double> permuted_x;
    for (const auto i : order) {
      for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
        permuted.add(plain.indices[k], plain.values[k]);
      permuted.end_row();
      permuted_x.push_back(x[static_cast<std::size_t>(i)]);
    }
    const auto computed = Windowed<TypeParam>(permuted).product(1, permuted_x, 0, y);
    expect_product(transposed, computed, 1, x, 0, y, column_sum, "permuted");
    // Fixed-point sums do not depend on the order.
    if (!on_host) {
      EXPECT_EQ(computed, natural);
    }
  }
}

TYPED_TEST(WindowedTest, six_decades) {
  const PlainCsr plain = rays(600, 5000), transposed = plain.transposed();
  const double column_sum = largest_column_sum(transposed);
  const std::vector<double> y(static_cast<std::size_t>(plain.columns), 0);
  const Windowed<TypeParam> A(plain);
  std::vector<double> scales{1e-20, 1.0, 1e20};
  if (std::is_same_v<TypeParam, double>) scales.insert(scales.end(), {1e-285, 1e-300, 1e280});
  for (const double scale : scales) {
    auto x = random_vector(static_cast<std::size_t>(plain.rows), 2);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<TypeParam>(x[i] * scale * std::pow(10.0, -static_cast<double>(i % 7)));
    expect_product(transposed, A.product(1, x, 0, y), 1, x, 0, y, column_sum, "decades");
  }
  // Use faint columns as well: those that are ten million times smaller than the largest sum keep a
  // digit.
  PlainCsr faint = plain;
  for (std::size_t k = 0; k < faint.values.size(); ++k)
    if (faint.indices[k] >= 2500) faint.values[k] = static_cast<float>(faint.values[k] * 1e-6);
  const PlainCsr faint_transposed = faint.transposed();
  const std::vector<double> ones(static_cast<std::size_t>(plain.rows), 1);
  const auto computed = Windowed<TypeParam>(faint).product(1, ones, 0, y);
  expect_product(faint_transposed, computed, 1, ones, 0, y, largest_column_sum(faint_transposed),
                 "faint columns");
  const auto expected = reference_product(faint_transposed, 1, ones, 0, y);
  for (std::size_t j = 2500; j < computed.size(); ++j)
    EXPECT_NEAR(computed[j], expected.y[j], 0.1 * expected.magnitude[j]);
  // A zero vector.
  const std::vector<double> zero(static_cast<std::size_t>(plain.rows), 0);
  for (const auto value : A.product(1, zero, 0, y)) EXPECT_EQ(value, 0);
}

TYPED_TEST(WindowedTest, it_is_the_adjoint) {
  const PlainCsr plain = rays();
  const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
  const std::vector<double> zero(static_cast<std::size_t>(plain.columns), 0);
  const auto back = Windowed<TypeParam>(plain).product(1, y, 0, zero);
  const auto there = reference_product(plain, 1, x, 0, y);
  double left = 0, right = 0, magnitude = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    left += there.y[i] * y[i];
    magnitude += there.magnitude[i] * std::abs(y[i]);
  }
  for (std::size_t j = 0; j < x.size(); ++j) right += static_cast<double>(back[j]) * x[j];
  EXPECT_NEAR(left, right, 10 * std::numeric_limits<TypeParam>::epsilon() * magnitude);
}

TYPED_TEST(WindowedTest, what_is_not_finite_reaches_what_it_touches) {
  const PlainCsr plain = rays(60, 5000), transposed = plain.transposed();
  const Windowed<TypeParam> A(plain);
  const std::vector<double> nothing(static_cast<std::size_t>(plain.columns), std::nan(""));
  const auto clean = random_vector(static_cast<std::size_t>(plain.rows), 2);
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    auto x = clean;
    x[11] = bad;
    const auto computed = A.product(1, x, 0, nothing);
    const auto expected = reference_product(transposed, 1, x, 0, nothing);
    for (std::size_t j = 0; j < computed.size(); ++j)
      EXPECT_EQ(std::isfinite(computed[j]), std::isfinite(expected.y[j])) << j;
  }
  // Values that were not finite leave no trace in the plan.
  expect_product(transposed, A.product(1, clean, 0, nothing), 1, clean, 0, nothing,
                 largest_column_sum(transposed), "after");
}

TYPED_TEST(WindowedTest, the_plan_is_small_where_segments_are_long) {
  const Windowed<TypeParam> A(rays(3000, 9000));
  EXPECT_GT(A.plan.mean_segment(), 64);
  const double columns = 8.0 * 64 * largest_tile;  // windows of a host
  EXPECT_LT(static_cast<double>(A.plan.memory_bytes()),
            0.04 * static_cast<double>(A.A.memory_bytes()) + columns);
  EXPECT_EQ(Windowed<TypeParam>(rays(10, 500), 1).plan.mean_segment(), 1);
}

/// The size of a plan is known before memory is allocated, and covers what is allocated.
TYPED_TEST(WindowedTest, what_a_plan_needs_is_told_without_memory) {
  const TestSpace exec;
  for (const Ordinal tile : {largest_tile, 64, 1}) {
    const auto A = to_device<TestSpace, TypeParam>(exec, rays(2000, 5000));
    const LiveBytes memory("Tomokkos::");
    const std::uint64_t told = windowed_plan_bytes<TestSpace, TypeParam>(exec, A, tile);
    EXPECT_LE(memory.taken(), 256U);
    const WindowedPlan<TestSpace, TypeParam> plan(exec, A, tile);
    EXPECT_GT(memory.taken(), 256U);
    EXPECT_LE(plan.memory_bytes(), told);
    EXPECT_GT(told, 50U * static_cast<std::uint64_t>(plan.num_segments()));
  }
}

TYPED_TEST(WindowedTest, what_cannot_be_is_refused) {
  const PlainCsr plain = rays(20, 500);
  const auto make = [](const PlainCsr& from, Ordinal tile) { Windowed<TypeParam>(from, tile); };
  EXPECT_THROW(make(plain, 0), Error);
  EXPECT_THROW(make(plain, largest_tile + 1), Error);
  PlainCsr unsorted = plain;
  std::reverse(unsorted.indices.begin(), unsorted.indices.begin() + unsorted.offsets[1]);
  EXPECT_THROW(make(unsorted, 16), Error);
  // Within a tile the entries may be in any order.
  EXPECT_NO_THROW(make(unsorted, 500));
  if (!on_host) {
    PlainCsr bad = plain;
    bad.values[7] = HUGE_VAL;
    EXPECT_THROW(make(bad, 64), Error);
    for (auto& value : bad.values) value = std::is_same_v<TypeParam, float> ? 1e-30 : 1e-280;
    EXPECT_THROW(make(bad, 64), Error);
  }
  const Windowed<TypeParam> A(plain);
  const std::vector<double> x(20, 1), y(500, 0);
  EXPECT_THROW(A.product(1, x, 0, y, {0, 21}), Error);
  EXPECT_THROW(A.product(1, x, 0, y, {0, 19}), DimensionMismatch);
  EXPECT_THROW(A.product(1, x, 0, std::vector<double>(499)), DimensionMismatch);
  const Windowed<TypeParam> other(rays(21, 500));
  Windowed<TypeParam> mixed = A;
  mixed.plan = other.plan;
  EXPECT_THROW(mixed.product(1, x, 0, y), DimensionMismatch);
}

}  // namespace
