// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transposed product with a block-circulant matrix from itself.
#include <impl/Tomokkos_CirculantHostBack.hpp>

#include "CirculantTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
class CirculantTransposed : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CirculantTransposed, Scalars);

std::vector<double> random_values(std::int32_t rows, int s, unsigned seed) {
  return random_vector(static_cast<std::size_t>(rows) * static_cast<std::size_t>(s), seed);
}

/// Unit of fixed-point sums on a GPU. In addition to rounding, each entry of a column may cause an
/// error of half a unit.
template <class Scalar>
double unit() {
  if (Impl::is_host_space<TestSpace>) return 0;
  return std::is_same_v<Scalar, float> ? 0x1p-29 : 0x1p-59;
}

/// \param T the transpose of the whole matrix C
/// \param plain the matrix C
template <class Scalar>
void expect_columns(const PlainCirculant& plain, const PlainCsr& T,
                    const std::vector<Scalar>& computed, double alpha, const std::vector<double>& y,
                    double beta, const std::vector<double>& x, int s, const std::string& what) {
  std::vector<double> sums(static_cast<std::size_t>(plain.block_cols()), 0);
  double bound = 0, largest = 0;
  for (std::size_t e = 0; e < plain.block_row.values.size(); ++e)
    bound = std::max(
        bound, sums[static_cast<std::size_t>(plain.block_row.indices[e] % plain.block_cols())] +=
               std::abs(plain.block_row.values[e]));
  for (const double value : y)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const double u = std::numeric_limits<Scalar>::epsilon();
  const double step = unit<Scalar>() * bound * largest * std::abs(alpha);
  for (int t = 0; t < s; ++t) {
    const auto expected = reference_product(T, alpha, column_of(y, t, s), beta, column_of(x, t, s));
    const auto of_vector = column_of(computed, t, s);
    ASSERT_EQ(of_vector.size(), expected.y.size()) << what;
    for (std::size_t i = 0; i < of_vector.size(); ++i) {
      ASSERT_EQ(std::isfinite(of_vector[i]), std::isfinite(expected.y[i])) << what << ", " << i;
      if (!std::isfinite(expected.y[i])) continue;
      const auto terms = static_cast<double>(expected.row_length[i] + 2);
      ASSERT_NEAR(static_cast<double>(of_vector[i]), expected.y[i],
                  terms * (u * expected.magnitude[i] + step))
          << what << ", entry " << i << ", vector " << t << " of " << s;
    }
  }
}

TYPED_TEST(CirculantTransposed, is_the_product_of_all_entries) {
  const TestSpace exec;
  for (const std::int32_t k : block_counts())
    for (const PlainCirculant& plain : circulant_battery(k)) {
      const PlainCsr T = plain.expanded(CirculantOrder::rotations).transposed();
      const auto A = on_device<TypeParam>(plain);
      const CirculantTransposePlan<TestSpace, TypeParam> plan(exec, A);
      for (const int s : {1, 3, 2}) {
        const auto x = random_values(T.rows, s, 1), y = random_values(T.columns, s, 2);
        const std::vector<double> nowhere(x.size(), std::nan(""));
        const std::string& what = T.name;
        expect_columns(plain, T, multiply_transposed(A, plan, 1, y, 0, nowhere, s), 1, y, 0, x, s,
                       what);
        expect_columns(plain, T, multiply_transposed(A, plan, -2.5, y, 0.75, x, s), -2.5, y, 0.75,
                       x, s, what);
      }
    }
}

PlainCirculant many_rows(std::int32_t k) {
  return make_circulant("many rows", 67, 23, k, [](int i) { return i % 7 == 3 ? 0 : i * i % 71; });
}

/// Checks `<C x, y> = <x, C^T y>` by every variant and by the transposed matrix.
TYPED_TEST(CirculantTransposed, is_the_adjoint) {
  const TestSpace exec;
  for (const std::int32_t k : {3, 150}) {
    const PlainCirculant plain = many_rows(k);
    const auto A = on_device<TypeParam>(plain);
    const auto T = transposed_block_circulant<TestSpace, TypeParam>(exec, A);
    const auto x = random_values(A.num_cols(), 1, 1), y = random_values(A.num_rows(), 1, 2);
    const auto dot = [](const auto& a, const std::vector<double>& b) {
      double sum = 0;
      for (std::size_t i = 0; i < b.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
      return sum;
    };
    double magnitude = 0;
    for (const double value : plain.block_row.values) magnitude += std::abs(value) * k;
    const double tolerance = (std::is_same_v<TypeParam, float> ? 1e-6 : 1e-14) * magnitude;
    const double expected = dot(
        multiply_transposed(A, CirculantTransposePlan<TestSpace, TypeParam>(exec, A), 1, y, 0, x),
        x);
    for (const CirculantVariant variant : circulant_variants()) {
      const BlockCirculantPlan<TestSpace, TypeParam> forward(exec, A, variant),
          back(exec, T, variant);
      EXPECT_NEAR(dot(multiply(A, forward, 1, x, 0, y), y), expected, tolerance);
      EXPECT_NEAR(dot(multiply(T, back, 1, y, 0, x), x), expected, tolerance);
    }
  }
}

TYPED_TEST(CirculantTransposed, bits_repeat) {
  const TestSpace exec;
  for (const std::int32_t k : {5, 150}) {
    const auto A = on_device<TypeParam>(many_rows(k));
    const auto x = random_values(A.num_cols(), 1, 1), y = random_values(A.num_rows(), 1, 2);
    const auto multiplied = [&] {
      const CirculantTransposePlan<TestSpace, TypeParam> plan(exec, A);
      return multiply_transposed(A, plan, 1.5, y, 0.5, x);
    };
    const auto first = multiplied();
    for (int run = 0; run < 5; ++run) EXPECT_EQ(multiplied(), first);
  }
}

// Threads own parts of X. The bits must not depend on these parts.
TYPED_TEST(CirculantTransposed, bits_do_not_depend_on_the_parts_of_threads) {
  if constexpr (Impl::is_host_space<TestSpace>) {
    const TestSpace exec;
    for (const std::int32_t k : {5, 150}) {
      const auto A = on_device<TypeParam>(many_rows(k));
      const auto Y = to_device<TestSpace, TypeParam>(exec, random_values(A.num_rows(), 1, 2));
      const auto x = random_values(A.num_cols(), 1, 1);
      const auto run = [&](Impl::CirculantGrid grid) {
        const auto X = to_device<TestSpace, TypeParam>(exec, x);
        const Impl::CirculantHostBack<TypeParam> back{
            Impl::circulant_pass(A, 1, Y.data(), X.data(), TypeParam(1.5), TypeParam(0.5)),
            A.block_cols, Impl::CirculantPlaces(A.pitch), grid};
        for (int part = grid.parts(); part-- > 0;) back(part);
        return to_std_vector(X);
      };
      // Some ranges are empty.
      const std::vector<Ordinal> all{0, 23}, halves{0, 11, 23}, uneven{0, 0, 1, 5, 20, 20, 23, 23};
      const auto grid = [](const std::vector<Ordinal>& begins, int values) {
        return Impl::CirculantGrid{begins.data(), static_cast<int>(begins.size()) - 1, values};
      };
      const auto whole = run(grid(all, 1));
      for (const auto& begins : {all, halves, uneven})
        for (const int values : {1, 2, 5})
          EXPECT_EQ(run(grid(begins, values)), whole) << begins.size() << " x " << values;
    }
  }
}

TEST(CirculantGrid, has_work_for_every_thread) {
  // Two entries in each column of the first half, none in the others.
  const std::vector<Offset> offsets{0, 50, 100};
  std::vector<std::uint32_t> positions;
  for (int row = 0; row < 2; ++row)
    for (std::uint32_t l = 0; l < 50; ++l) positions.push_back(l * 5 + 2);
  const auto ranges = [&](int threads, Ordinal columns) {
    return Impl::choose_column_ranges(threads, offsets.data(), positions.data(), 2, columns, 5);
  };
  EXPECT_EQ(ranges(1, 100), (std::vector<Ordinal>{0, 100}));
  const auto four = ranges(2, 100);
  ASSERT_EQ(four.size(), 5U);
  EXPECT_EQ(four.front(), 0);
  EXPECT_EQ(four.back(), 100);
  EXPECT_NEAR(four[1], 17, 1);
  EXPECT_NEAR(four[2], 34, 1);
  EXPECT_TRUE(std::is_sorted(four.begin(), four.end()));
  for (const int threads : {3, 16, 40}) {
    const auto begins = ranges(threads, 50);
    EXPECT_GE(Impl::choose_circulant_grid(threads, begins, 1024).parts(), threads);
    EXPECT_EQ(begins.back(), 50);
  }
  // With few columns the values of a column are divided, too, into ranges that are not too short.
  const std::vector<Ordinal> few{0, 1, 2, 3, 4};
  EXPECT_EQ(Impl::choose_circulant_grid(16, few, 1024).values, 8);
  EXPECT_EQ(Impl::choose_circulant_grid(16, few, 150).values, 2);
  EXPECT_EQ(Impl::choose_circulant_grid(16, few, 3).values, 1);
  EXPECT_EQ(ranges(16, 0), (std::vector<Ordinal>{0, 0}));
}

TYPED_TEST(CirculantTransposed, what_is_not_finite_reaches_what_it_touches) {
  const TestSpace exec;
  for (const std::int32_t k : {3, 150}) {
    const PlainCirculant plain = many_rows(k);
    const PlainCsr T = plain.expanded(CirculantOrder::rotations).transposed();
    const auto A = on_device<TypeParam>(plain);
    const CirculantTransposePlan<TestSpace, TypeParam> plan(exec, A);
    const auto x = random_values(T.rows, 1, 1), clean = random_values(T.columns, 1, 2);
    for (const double bad : {std::nan(""), HUGE_VAL})
      for (const std::int32_t at : {0, k - 1, 12 * k + 1, 66 * k}) {
        auto y = clean;
        y[static_cast<std::size_t>(at)] = bad;
        expect_columns(plain, T, multiply_transposed(A, plan, 1, y, 1, x), 1, y, 1, x, 1, "bad");
      }
    const std::vector<double> all_bad(clean.size(), std::nan(""));
    expect_columns(plain, T, multiply_transposed(A, plan, 1, all_bad, 1, x), 1, all_bad, 1, x, 1,
                   "nothing finite");
    // Values that were not finite leave no trace in the plan.
    expect_columns(plain, T, multiply_transposed(A, plan, 1, clean, 0, x), 1, clean, 0, x, 1,
                   "after");
  }
}

TYPED_TEST(CirculantTransposed, zeros_and_large_numbers) {
  const TestSpace exec;
  const PlainCirculant plain = many_rows(7);
  const PlainCsr T = plain.expanded(CirculantOrder::rotations).transposed();
  const auto A = on_device<TypeParam>(plain);
  const CirculantTransposePlan<TestSpace, TypeParam> plan(exec, A);
  const auto x = random_values(T.rows, 1, 1);
  std::vector<double> y(static_cast<std::size_t>(T.columns), 0);
  for (const TypeParam value : multiply_transposed(A, plan, 1, y, 0, x)) EXPECT_EQ(value, 0);
  for (const double scale : {1e-30, 1e30}) {
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = static_cast<float>(scale * (1 + static_cast<double>(i % 5)));
    expect_columns(plain, T, multiply_transposed(A, plan, 1, y, 0, x), 1, y, 0, x, 1, "scaled");
  }
}

TYPED_TEST(CirculantTransposed, shapes_and_values_that_do_not_fit_are_refused) {
  using Plan = CirculantTransposePlan<TestSpace, TypeParam>;
  const TestSpace exec;
  const PlainCirculant plain = many_rows(3);
  const auto A = on_device<TypeParam>(plain);
  const Plan plan(exec, A);
  const auto values = to_device<TestSpace, TypeParam>(exec, std::vector<double>(1000, 1));
  const auto run = [&](Ordinal rows, Ordinal columns, int s, int t) {
    spmv_transpose<TestSpace, TypeParam>(
        exec, plan, A, 1, MultiVectorView<const TypeParam, TestMemory>(values.data(), rows, s), 0,
        MultiVectorView<TypeParam, TestMemory>(values.data() + 500, columns, t));
  };
  EXPECT_COMPLAINT(run(A.num_rows() + 1, A.num_cols(), 1, 1), "rows of Y");
  EXPECT_COMPLAINT(run(A.num_rows(), A.num_cols() - 1, 1, 1), "rows of X");
  EXPECT_COMPLAINT(run(A.num_rows(), A.num_cols(), 2, 1), "columns of X");
  EXPECT_COMPLAINT(Plan(exec, A, 0), "at least one vector");
  const auto run_without = [&] {
    spmv_transpose<TestSpace, TypeParam>(
        exec, Plan(), A, 1,
        MultiVectorView<const TypeParam, TestMemory>(values.data(), A.num_rows(), 1), 0,
        MultiVectorView<TypeParam, TestMemory>(values.data() + 500, A.num_cols(), 1));
  };
  EXPECT_COMPLAINT(run_without(), "belongs to another matrix, or to none");
  if (!Impl::is_host_space<TestSpace>) {
    PlainCirculant infinite = plain;
    infinite.block_row.values[3] = HUGE_VAL;
    EXPECT_COMPLAINT(Plan(exec, on_device<TypeParam>(infinite)), "not finite");
    if (std::is_same_v<TypeParam, float>) {
      PlainCirculant large = plain;
      for (double& value : large.block_row.values) value *= 1e30;
      EXPECT_COMPLAINT(Plan(exec, on_device<TypeParam>(large)), "scale the matrix");
    }
  }
}

}  // namespace
