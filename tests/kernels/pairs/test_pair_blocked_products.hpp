// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with paired rows against plain loops, and the additions that the transposed one loses
// without atomics.
#include "PairBlockedTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
class PairBlockedProducts : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PairBlockedProducts, Scalars);

template <class Scalar>
using Plan = PairBlockedPlan<TestSpace, Scalar>;

template <class Scalar>
std::vector<Scalar> forward(const TestPairs<Scalar>& A, double alpha, const std::vector<double>& x,
                            double beta, const std::vector<double>& y) {
  const TestSpace exec;
  const auto to = to_device<TestSpace, Scalar>(exec, y);
  spmv(exec, planned(A), A, static_cast<Scalar>(alpha), to_device<TestSpace, Scalar>(exec, x),
       static_cast<Scalar>(beta), to);
  return to_std_vector(to);
}

template <class Scalar>
std::vector<Scalar> back(const Plan<Scalar>& plan, const TestPairs<Scalar>& A, double alpha,
                         const std::vector<double>& x, double beta, const std::vector<double>& y) {
  const TestSpace exec;
  const auto to = to_device<TestSpace, Scalar>(exec, y);
  spmv_transpose<TestSpace, Scalar>(exec, plan, A, static_cast<Scalar>(alpha),
                                    to_device<TestSpace, Scalar>(exec, x),
                                    static_cast<Scalar>(beta), to);
  return to_std_vector(to);
}

constexpr std::pair<double, double> coefficients[] = {{1.0, 0.0}, {-2.5, 0.75}, {0.0, 1.0}};

TYPED_TEST(PairBlockedProducts, are_those_of_the_matrix) {
  for (const PlainCsr& plain : pair_battery()) {
    const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
    const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
    for (const bool spread : {false, true}) {
      const auto A = pair_up<TypeParam>(plain, spread);
      for (const auto& [alpha, beta] : coefficients)
        EXPECT_LE(worst_row_error(forward(A, alpha, x, beta, y),
                                  reference_product(plain, alpha, x, beta, y)),
                  1)
            << plain.name;
    }
  }
}

TYPED_TEST(PairBlockedProducts, transposed_atomically_are_those_of_the_matrix) {
  const TestSpace exec;
  for (const PlainCsr& plain : pair_battery()) {
    const PlainCsr transposed = plain.transposed();
    const auto x = random_vector(static_cast<std::size_t>(plain.rows), 1);
    const auto y = random_vector(static_cast<std::size_t>(plain.columns), 2);
    for (const bool spread : {false, true}) {
      const auto A = pair_up<TypeParam>(plain, spread);
      const Plan<TypeParam> plan(exec, A);
      EXPECT_EQ(plan.memory_bytes(), 0U);
      for (const auto& [alpha, beta] : coefficients)
        EXPECT_LE(worst_row_error(back(plan, A, alpha, x, beta, y),
                                  reference_product(transposed, alpha, x, beta, y)),
                  1)
            << plain.name;
    }
  }
}

/// Largest sum of absolute values in a row.
double largest_row(const PlainCsr& A) {
  double largest = 0;
  for (std::int32_t i = 0; i < A.rows; ++i) {
    double sum = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) sum += std::abs(A.values[k]);
    largest = std::max(largest, sum);
  }
  return largest;
}

/// Expects that the error is within the bound of `worst_row_error` and one fixed-point unit for
/// each term.
template <class Scalar>
void expect_fixed(const std::vector<Scalar>& computed, const ReferenceProduct& expected,
                  double step, const std::string& what) {
  ASSERT_EQ(computed.size(), expected.y.size()) << what;
  const double u = std::numeric_limits<Scalar>::epsilon() / 2;
  for (std::size_t i = 0; i < computed.size(); ++i)
    ASSERT_LE(
        std::abs(static_cast<double>(computed[i]) - expected.y[i]),
        static_cast<double>(expected.row_length[i] + 2) * (2 * u * expected.magnitude[i] + step))
        << what << ", entry " << i;
}

TYPED_TEST(PairBlockedProducts, transposed_in_whole_numbers_are_those_of_the_matrix) {
  const TestSpace exec;
  for (const PlainCsr& plain : pair_battery()) {
    const PlainCsr transposed = plain.transposed();
    const auto x = random_vector(static_cast<std::size_t>(plain.rows), 1);
    const auto y = random_vector(static_cast<std::size_t>(plain.columns), 2);
    const auto A = pair_up<TypeParam>(plain);
    const Plan<TypeParam> plan(exec, A, PairTranspose::fixed_point);
    const double bound = largest_row(transposed);
    EXPECT_GE(plan.column_bound(), bound) << plain.name;
    EXPECT_LE(plan.column_bound(), 1.001 * bound) << plain.name;
    EXPECT_EQ(plan.memory_bytes(), 9U * static_cast<std::size_t>(plain.columns) + 8U);
    double largest = 0;
    for (const double value : x) largest = std::max(largest, std::abs(value));
    // Twice, because the plan must leave its sums at zero.
    for (int run = 0; run < 2; ++run)
      for (const auto& [alpha, beta] : coefficients)
        expect_fixed(back(plan, A, alpha, x, beta, y),
                     reference_product(transposed, alpha, x, beta, y),
                     std::abs(alpha) * 0x1p-60 * largest * bound, plain.name);
  }
}

TYPED_TEST(PairBlockedProducts, no_addition_is_lost_between_threads) {
  const TestSpace exec;
  PlainCsr plain;
  plain.columns = 4;
  for (int i = 0; i < 200000; ++i) {
    for (int j = 0; j < 4; ++j) plain.add(j, 1);
    plain.end_row();
  }
  const auto A = pair_up<TypeParam>(plain);
  const std::vector<double> x(200000, 1.0), y(4);
  const std::vector<TypeParam> expected(4, 200000);
  for (const auto method : {PairTranspose::atomic, PairTranspose::fixed_point}) {
    const Plan<TypeParam> plan(exec, A, method);
    for (int run = 0; run < 5; ++run)
      ASSERT_EQ(back(plan, A, 1, x, 0, y), expected) << to_string(method);
  }
}

TYPED_TEST(PairBlockedProducts, bits_repeat_and_follow_the_vector) {
  const TestSpace exec;
  const PlainCsr plain = crowded();
  const auto A = pair_up<TypeParam>(plain);
  const Plan<TypeParam> plan(exec, A, PairTranspose::fixed_point);
  const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
  const auto there = forward(A, 1, x, 0, y);
  const auto again = back(plan, A, 1, y, 0, x);
  for (int run = 0; run < 9; ++run) {
    EXPECT_EQ(forward(A, 1, x, 0, y), there);
    EXPECT_EQ(back(plan, A, 1, y, 0, x), again);
    // Use a separate plan, with the entries in another order.
    const auto natural = pair_up<TypeParam>(plain, false);
    EXPECT_EQ(back(Plan<TypeParam>(exec, natural, PairTranspose::fixed_point), natural, 1, y, 0, x),
              again);
  }
  // The product is linear, and exactly so for powers of two.
  auto twice = y;
  for (auto& value : twice) value *= -2;
  auto scaled = again;
  for (auto& value : scaled) value *= -2;
  EXPECT_EQ(back(plan, A, 1, twice, 0, x), scaled);
  EXPECT_EQ(back(plan, A, -2, y, 0, x), scaled);
}

TYPED_TEST(PairBlockedProducts, what_is_not_finite_reaches_what_it_touches) {
  const TestSpace exec;
  for (const PlainCsr& plain :
       {crowded(), battery::make("ragged", 77, 90, [](int i) { return i % 19; })}) {
    const PlainCsr transposed = plain.transposed();
    const auto A = pair_up<TypeParam>(plain);
    const auto n = static_cast<std::size_t>(plain.columns),
               m = static_cast<std::size_t>(plain.rows);
    const auto y = random_vector(m, 2);
    for (const double bad : {std::nan(""), HUGE_VAL}) {
      for (const std::size_t at : {std::size_t{0}, std::size_t{33}, n - 1}) {
        auto x = random_vector(n, 1);
        x[at] = bad;
        const auto computed = forward(A, 1, x, 0, y);
        const auto expected = reference_product(plain, 1, x, 0, y);
        for (std::size_t i = 0; i < m; ++i)
          ASSERT_EQ(std::isfinite(computed[i]), std::isfinite(expected.y[i])) << plain.name;
      }
      for (const auto method : {PairTranspose::atomic, PairTranspose::fixed_point}) {
        const Plan<TypeParam> plan(exec, A, method);
        const auto clean = back(plan, A, 1, y, 0, random_vector(n, 3));
        for (const std::size_t at : {std::size_t{0}, std::size_t{33}, m - 1}) {
          auto x = y;
          x[at] = bad;
          const auto computed = back(plan, A, 1, x, 0, random_vector(n, 3));
          const auto expected = reference_product(transposed, 1, x, 0, random_vector(n, 3));
          for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(std::isfinite(computed[i]), std::isfinite(expected.y[i]))
                << plain.name << ", " << to_string(method);
        }
        // Values that were not finite leave no trace in the plan.
        for (const auto value : back(plan, A, 1, y, 0, random_vector(n, 3)))
          ASSERT_TRUE(std::isfinite(value));
        // The result is overwritten, whatever it held.
        const auto over = back(plan, A, 1, y, 0, std::vector<double>(n, std::nan("")));
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_NEAR(static_cast<double>(over[i]), static_cast<double>(clean[i]), 1e-4);
      }
    }
    const auto x = random_vector(n, 1);
    EXPECT_EQ(forward(A, 1, x, 0, std::vector<double>(m, std::nan(""))), forward(A, 1, x, 0, y));
  }
}

TYPED_TEST(PairBlockedProducts, are_adjoint) {
  const TestSpace exec;
  const PlainCsr plain = crossing();
  const auto A = pair_up<TypeParam>(plain);
  const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
  const auto inner = [](const auto& a, const auto& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  const auto Ax = forward(A, 1, x, 0, y);
  for (const auto method : {PairTranspose::atomic, PairTranspose::fixed_point}) {
    const auto ATy = back(Plan<TypeParam>(exec, A, method), A, 1, y, 0, x);
    EXPECT_LE(
        std::abs(inner(Ax, y) - inner(x, ATy)),
        (std::is_same_v<TypeParam, float> ? 1e-6 : 1e-14) * std::sqrt(inner(Ax, Ax) * inner(y, y)));
  }
}

TYPED_TEST(PairBlockedProducts, what_cannot_be_is_refused) {
  const TestSpace exec;
  const auto A = pair_up<TypeParam>(crossing());
  const Plan<TypeParam> plan(exec, A);
  const std::vector<double> x(700), y(255), wrong(7);
  EXPECT_THROW(forward(A, 1, wrong, 0, y), DimensionMismatch);
  EXPECT_THROW(forward(A, 1, x, 0, wrong), DimensionMismatch);
  EXPECT_THROW(back(plan, A, 1, wrong, 0, x), DimensionMismatch);
  EXPECT_THROW(back(plan, A, 1, y, 0, wrong), DimensionMismatch);
  const Plan<TypeParam> other(exec, pair_up<TypeParam>(crowded()), PairTranspose::fixed_point);
  EXPECT_THROW(back(other, A, 1, y, 0, x), Error);
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    PlainCsr plain = crossing();
    plain.values[17] = bad;
    const auto B = pair_up<TypeParam>(plain);
    EXPECT_NO_THROW(Plan<TypeParam>(exec, B));
    EXPECT_THROW(Plan<TypeParam>(exec, B, PairTranspose::fixed_point), Error);
  }
}

std::vector<double> column(const std::vector<double>& all, int j, int s) {
  std::vector<double> picked;
  for (std::size_t i = static_cast<std::size_t>(j); i < all.size(); i += s)
    picked.push_back(all[i]);
  return picked;
}

/// Product of \p range with s vectors, and its transposed product with \p plan.
template <class Scalar>
std::vector<Scalar> several(const TestPairs<Scalar>& A, const Plan<Scalar>* plan, RowRange range,
                            double alpha, const std::vector<double>& x, double beta,
                            const std::vector<double>& y, int s) {
  const TestSpace exec;
  const auto from = to_device<TestSpace, Scalar>(exec, x);
  const auto to = to_device<TestSpace, Scalar>(exec, y);
  const auto count = static_cast<std::size_t>(s);
  const MultiVectorView<const Scalar, TestMemory> X(from.data(), x.size() / count, count);
  const MultiVectorView<Scalar, TestMemory> Y(to.data(), y.size() / count, count);
  const auto a = static_cast<Scalar>(alpha), b = static_cast<Scalar>(beta);
  if (plan != nullptr)
    spmm_transpose<TestSpace, Scalar>(exec, *plan, A, range, a, X, b, Y);
  else
    spmm<TestSpace, Scalar>(exec, A, range, a, X, b, Y);
  return to_std_vector(to);
}

/// All rows, none, parts with odd numbers of rows, and parts that hold one row of most pairs.
std::vector<RowRange> ranges_of(Ordinal rows) {
  std::vector<RowRange> ranges{all_rows, {0, rows}, {0, 0}, {rows / 2, rows / 2}, {rows, rows}};
  if (rows < 3) return ranges;
  for (const RowRange range : {RowRange{0, 1},
                               {rows - 1, rows},
                               {rows / 3, rows / 3 + 1},
                               {1, rows - 1},
                               {0, rows / 2},
                               {rows / 2, rows},
                               {rows / 5, rows - rows / 3}})
    ranges.push_back(range);
  return ranges;
}

constexpr int vector_counts[] = {1, 2, 3, 8, 9, 33};
constexpr std::pair<double, double> two_coefficients[] = {{1.0, 0.0}, {-2.5, 0.75}};

/// The battery without its larger matrices.
std::vector<PlainCsr> small_battery() {
  std::vector<PlainCsr> all;
  for (PlainCsr& plain : pair_battery())
    if (plain.nonzeros() < 500 || plain.name == "one longer row") all.push_back(std::move(plain));
  return all;
}

// Every vector has the bits that it has alone, and every row those that it has among all.
TYPED_TEST(PairBlockedProducts, of_several_vectors_and_ranges_are_those_of_the_matrix) {
  for (const PlainCsr& plain : small_battery()) {
    const auto A = pair_up<TypeParam>(plain);
    for (const int s : vector_counts) {
      const auto x = random_vector(static_cast<std::size_t>(plain.columns) * s, 1);
      std::vector<std::vector<TypeParam>> alone;
      for (int j = 0; j < s; ++j)
        alone.push_back(forward(A, 1, column(x, j, s), 0,
                                std::vector<double>(static_cast<std::size_t>(plain.rows))));
      for (const RowRange range : ranges_of(plain.rows)) {
        const RowRange all = range.resolved(plain.rows);
        const PlainCsr part = rows_of(plain, all.begin, all.end);
        const std::string what = plain.name + ", " + std::to_string(s) + " vectors, rows " +
                                 std::to_string(all.begin) + " to " + std::to_string(all.end);
        const auto y = random_vector(static_cast<std::size_t>(part.rows) * s, 2);
        for (const auto& [alpha, beta] : two_coefficients) {
          const auto found = several<TypeParam>(A, nullptr, range, alpha, x, beta, y, s);
          for (int j = 0; j < s; ++j) {
            std::vector<TypeParam> own;
            for (std::size_t i = static_cast<std::size_t>(j); i < found.size(); i += s)
              own.push_back(found[i]);
            EXPECT_LE(worst_row_error(own, reference_product(part, alpha, column(x, j, s), beta,
                                                             column(y, j, s))),
                      1)
                << what;
            for (std::size_t i = 0; beta == 0 && i < own.size(); ++i)
              ASSERT_EQ(own[i],
                        alone[static_cast<std::size_t>(j)][static_cast<std::size_t>(all.begin) + i])
                  << what;
          }
        }
      }
    }
  }
}

TYPED_TEST(PairBlockedProducts, transposed_of_several_vectors_and_ranges_are_those_of_the_matrix) {
  const TestSpace exec;
  for (const PlainCsr& plain : small_battery()) {
    const auto A = pair_up<TypeParam>(plain);
    const double bound = largest_row(plain.transposed());
    const Plan<TypeParam> atomic(exec, A), alone(exec, A, PairTranspose::fixed_point);
    const Plan<TypeParam> together(exec, A, PairTranspose::fixed_point);
    together.reserve(exec, 100);
    EXPECT_EQ(together.num_vectors(), Plan<TypeParam>::most_fixed_vectors);
    EXPECT_EQ(together.memory_bytes(), together.num_vectors() * alone.memory_bytes());
    atomic.reserve(exec, 100);
    EXPECT_EQ(atomic.memory_bytes(), 0U);
    for (const int s : vector_counts) {
      const auto y = random_vector(static_cast<std::size_t>(plain.columns) * s, 2);
      for (const RowRange range : ranges_of(plain.rows)) {
        const RowRange all = range.resolved(plain.rows);
        const PlainCsr part = rows_of(plain, all.begin, all.end).transposed();
        const std::string what = plain.name + ", " + std::to_string(s) + " vectors, rows " +
                                 std::to_string(all.begin) + " to " + std::to_string(all.end);
        const auto x = random_vector(static_cast<std::size_t>(all.end - all.begin) * s, 1);
        double largest = 0;
        for (const double value : x) largest = std::max(largest, std::abs(value));
        for (const auto& [alpha, beta] : two_coefficients) {
          const auto by_atomics = several(A, &atomic, range, alpha, x, beta, y, s);
          const auto in_units = several(A, &together, range, alpha, x, beta, y, s);
          // One vector after the other, or eight at once, again and again: the same bits.
          EXPECT_EQ(several(A, &alone, range, alpha, x, beta, y, s), in_units) << what;
          EXPECT_EQ(several(A, &together, range, alpha, x, beta, y, s), in_units) << what;
          for (int j = 0; j < s; ++j) {
            std::vector<TypeParam> floating, fixed;
            for (std::size_t i = static_cast<std::size_t>(j); i < in_units.size(); i += s) {
              floating.push_back(by_atomics[i]);
              fixed.push_back(in_units[i]);
            }
            const auto expected =
                reference_product(part, alpha, column(x, j, s), beta, column(y, j, s));
            EXPECT_LE(worst_row_error(floating, expected), 1) << what;
            expect_fixed(fixed, expected, std::abs(alpha) * 0x1p-60 * largest * bound, what);
          }
        }
      }
    }
  }
}

TYPED_TEST(PairBlockedProducts, ranges_and_vectors_that_do_not_fit_are_refused) {
  const auto A = pair_up<TypeParam>(crossing());
  const Plan<TypeParam> plan(TestSpace(), A);
  const std::vector<double> x(1400), y(20);
  const auto there = [&](RowRange range) { several<TypeParam>(A, nullptr, range, 1, x, 0, y, 2); };
  const auto back = [&](RowRange range) { several<TypeParam>(A, &plan, range, 1, y, 0, x, 2); };
  EXPECT_NO_THROW(there({245, 255}));
  EXPECT_NO_THROW(back({245, 255}));
  for (const RowRange range : {RowRange{246, 256}, {-1, 9}, {10, 5}}) {
    EXPECT_THROW(there(range), Error);
    EXPECT_THROW(back(range), Error);
  }
  EXPECT_THROW(there({0, 11}), DimensionMismatch);
  EXPECT_THROW(back({0, 11}), DimensionMismatch);
  EXPECT_THROW(several<TypeParam>(A, nullptr, all_rows, 1, y, 0, x, 2), DimensionMismatch);
}

// An infinity in x reaches only the vectors and columns that it touches.
TYPED_TEST(PairBlockedProducts, vectors_do_not_touch_each_other) {
  const TestSpace exec;
  const PlainCsr plain = battery::make("ragged", 77, 90, [](int i) { return i % 19; });
  const auto A = pair_up<TypeParam>(plain);
  for (const auto method : {PairTranspose::atomic, PairTranspose::fixed_point}) {
    const Plan<TypeParam> plan(exec, A, method);
    plan.reserve(exec, 3);
    auto x = random_vector(77 * 3, 1);
    x[40 * 3 + 1] = HUGE_VAL;
    const auto found = several(A, &plan, all_rows, 1, x, 0, std::vector<double>(90 * 3), 3);
    for (int j = 0; j < 3; ++j) {
      const auto expected =
          reference_product(plain.transposed(), 1, column(x, j, 3), 0, std::vector<double>(90));
      for (std::size_t i = 0; i < 90; ++i)
        ASSERT_EQ(std::isfinite(found[i * 3 + static_cast<std::size_t>(j)]),
                  std::isfinite(expected.y[i]))
            << to_string(method) << ", vector " << j;
    }
    x[40 * 3 + 1] = 0;
    for (const auto value : several(A, &plan, all_rows, 1, x, 0, std::vector<double>(90 * 3), 3))
      ASSERT_TRUE(std::isfinite(value));
  }
}

/// Replaces the values by ones, so that every lost addition shows in the sum.
PlainCsr ones(PlainCsr plain) {
  for (auto& value : plain.values) value = 1;
  return plain;
}

template <class Scalar>
double sum_of_lock_step(const HostPairs<Scalar>& A, Ordinal together) {
  const std::vector<double> x(static_cast<std::size_t>(A.num_rows), 1.0);
  double sum = 0;
  for (const double value : lock_step_transpose(A, x, together)) sum += value;
  return sum;
}

template <class Scalar>
double worst_lock_step(const PlainCsr& plain, const HostPairs<Scalar>& A, Ordinal together) {
  const auto x = random_vector(static_cast<std::size_t>(plain.rows), 1);
  return worst_row_error(
      lock_step_transpose(A, x, together),
      reference_product(plain.transposed(), 1, x, 0,
                        std::vector<double>(static_cast<std::size_t>(plain.columns))));
}

TYPED_TEST(PairBlockedProducts, without_atomics_lose_what_collides_within_a_group) {
  for (const PlainCsr& plain : {ones(crowded()), ones(crossing())})
    for (const bool spread : {false, true}) {
      const auto A = on_host(pair_up<TypeParam>(plain, spread));
      // The loss equals the number of counted collisions.
      EXPECT_EQ(sum_of_lock_step(A, 1), static_cast<double>(plain.nonzeros() - count_collisions(A)))
          << plain.name;
    }
  const auto natural = on_host(pair_up<TypeParam>(crossing(), false));
  ASSERT_GT(count_collisions(natural), 0);
  EXPECT_GT(worst_lock_step(crossing(), natural, 1), 1e6);
  const auto spread = on_host(pair_up<TypeParam>(crossing()));
  ASSERT_EQ(count_collisions(spread), 0);
  EXPECT_LE(worst_lock_step(crossing(), spread, 1), 1);
}

TYPED_TEST(PairBlockedProducts, without_atomics_lose_what_collides_between_groups) {
  // No group has collisions of its own. Additions are lost if two or all groups run together.
  const PlainCsr plain = ones(crossing());
  const auto A = on_host(pair_up<TypeParam>(plain));
  ASSERT_EQ(A.num_groups(), 4);
  ASSERT_EQ(count_collisions(A), 0);
  const auto nonzeros = static_cast<double>(plain.nonzeros());
  EXPECT_EQ(sum_of_lock_step(A, 1), nonzeros);
  EXPECT_LT(sum_of_lock_step(A, 2), nonzeros);
  EXPECT_LT(sum_of_lock_step(A, 4), sum_of_lock_step(A, 2));
  const auto real = on_host(pair_up<TypeParam>(crossing()));
  EXPECT_GT(worst_lock_step(crossing(), real, 2), 1e6);
  // The real products with the same storage lose nothing.
  const TestSpace exec;
  const auto pairs = pair_up<TypeParam>(plain);
  const std::vector<double> x(255, 1.0), y(700);
  for (const auto method : {PairTranspose::atomic, PairTranspose::fixed_point}) {
    double sum = 0;
    for (const auto value : back(Plan<TypeParam>(exec, pairs, method), pairs, 1, x, 0, y))
      sum += static_cast<double>(value);
    EXPECT_EQ(sum, nonzeros) << to_string(method);
  }
}

}  // namespace
