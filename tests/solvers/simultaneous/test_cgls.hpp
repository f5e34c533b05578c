// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CGLS against the normal equations solved by elimination, and its true residuals.
#include <Tomokkos_Cgls.hpp>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

template <class Scalar>
class CglsTest : public ::testing::Test {};
TYPED_TEST_SUITE(CglsTest, Scalars);

TYPED_TEST(CglsTest, solves_least_squares_from_any_start) {
  const PlainCsr A = dense_matrix();
  const Values b = random_vector(A.rows, 1);
  for (const double damping : {0.0, 0.7, 5.0})
    for (const unsigned seed : {0u, 8u}) {
      CglsParams params;
      params.iterations = 8;
      params.damping = damping;
      const Values start = seed == 0 ? Values(A.columns, 0) : random_vector(A.columns, seed);
      SolveResult result;
      const auto x =
          run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, b, start, params, &result);
      EXPECT_LT(relative_difference(x, least_squares(A, b, damping)),
                tolerance<TypeParam>(1e-5, 1e-12));
      EXPECT_NEAR(result.residual, plain_residual(A, b, x), tolerance<TypeParam>(1e-5, 1e-13));
      EXPECT_NEAR(*result.recursive_residual, result.residual, tolerance<TypeParam>(1e-4, 1e-12));
      EXPECT_LT(*result.history.back().gradient,
                tolerance<TypeParam>(1e-4, 1e-11) * *result.history[0].gradient);
      for (std::size_t k = 1; damping == 0 && k < result.history.size(); ++k)
        EXPECT_LE(*result.history[k].residual,
                  *result.history[k - 1].residual + tolerance<TypeParam>(1e-6, 1e-13));
    }
}

TYPED_TEST(CglsTest, follows_the_path_of_conjugate_gradients) {
  // Textbook loop on the normal equations, in double.
  const PlainCsr A = positive_matrix(), At = A.transposed();
  const Values b = positive_vector(A.rows, 2);
  Values x(A.columns, 0), r = b, s = multiply(At, r), p = s;
  double gamma = norm(s) * norm(s);
  for (int k = 0; k < 5; ++k) {
    const Values q = multiply(A, p);
    const double alpha = gamma / (norm(q) * norm(q));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += alpha * p[j];
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * q[i];
    s = multiply(At, r);
    const double next = norm(s) * norm(s);
    for (std::size_t j = 0; j < x.size(); ++j) p[j] = s[j] + next / gamma * p[j];
    gamma = next;
  }
  CglsParams params;
  params.iterations = 5;
  SolveResult result;
  const auto computed = run_solver<Cgls<TestSpace, TypeParam>>(
      TestSpace(), A, b, Values(A.columns, 0), params, &result);
  EXPECT_LT(relative_difference(computed, x), tolerance<TypeParam>(1e-4, 1e-12));
  EXPECT_NEAR(result.residual, norm(r), tolerance<TypeParam>(1e-4, 1e-12));
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  ASSERT_EQ(result.history.size(), 6u);
}

TYPED_TEST(CglsTest, finds_zero_for_data_of_zeros) {
  const PlainCsr A = dense_matrix();
  const Values zeros(A.rows, 0);
  SolveResult result;
  CglsParams params;
  params.iterations = 10;
  const auto x = run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, zeros,
                                                        Values(A.columns, -0.0), params, &result);
  EXPECT_EQ(result.reason, StopReason::zero_rhs);
  EXPECT_EQ(result.relative_residual, 0);
  for (const auto value : x) EXPECT_TRUE(value == 0 && !std::signbit(value));
  // From a nonzero start there is work to do.
  const auto y = run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, zeros, Values(A.columns, 1),
                                                        params, &result);
  EXPECT_LT(norm(Values(y.begin(), y.end())), tolerance<TypeParam>(1e-5, 1e-13));
  EXPECT_EQ(result.rhs_norm, 0);
}

TYPED_TEST(CglsTest, stays_at_an_exact_solution) {
  PlainCsr A;  // powers of two: no rounding
  A.columns = 3;
  A.add(0, 2), A.end_row();
  A.add(1, 4), A.end_row();
  A.add(2, 0.5), A.end_row();
  CglsParams params;
  params.iterations = 7;
  SolveResult result;
  auto x =
      run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, {2, 8, 2}, {1, 2, 4}, params, &result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_EQ(result.residual, 0);
  EXPECT_EQ(x, (std::vector<TypeParam>{1, 2, 4}));
  // For a multiple of the identity, one step of conjugate gradients is exact. The other six change
  // nothing.
  PlainCsr twice;
  twice.columns = 2;
  twice.add(0, 2), twice.end_row();
  twice.add(1, 2), twice.end_row();
  twice.end_row();
  x = run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), twice, {4, 8, 3}, {0, 0}, params,
                                             &result);
  EXPECT_EQ(x, (std::vector<TypeParam>{2, 4}));
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_EQ(result.residual, 3);  // residual of the row that no x can satisfy
}

TYPED_TEST(CglsTest, calls_a_solution_up_to_rounding_converged) {
  // There is no rule, and the gradient of the recursion is never exactly zero.
  const PlainCsr A = dense_matrix();
  const Values x = random_vector(A.columns, 5);
  CglsParams params;
  params.iterations = 60;
  SolveResult result;
  run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, multiply(A, x), Values(A.columns, 0),
                                         params, &result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LT(result.relative_residual, tolerance<TypeParam>(1e-5, 1e-13));
}

TYPED_TEST(CglsTest, rests_where_rounding_is_all_that_is_left) {
  // The host checks only at the end. A recursion that continued would leave the solution.
  const PlainCsr A = dense_matrix();
  CglsParams params;
  params.iterations = params.check_every = 1000;
  for (unsigned seed = 1; seed < 9; ++seed) {
    const Values x = random_vector(A.columns, seed);
    SolveResult result;
    run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, multiply(A, x), Values(A.columns, 0),
                                           params, &result);
    EXPECT_EQ(result.reason, StopReason::converged) << seed;
    EXPECT_LT(result.relative_residual, tolerance<TypeParam>(1e-5, 1e-13)) << seed;
    EXPECT_EQ(result.history.back().change, 0.0) << seed;
  }
}

TYPED_TEST(CglsTest, survives_a_matrix_of_zeros) {
  const PlainCsr A = battery::make("empty", 5, 4, [](int) { return 0; });
  SolveResult result;
  const auto x = run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, Values(5, 1), Values(4, 2),
                                                        CglsParams{}, &result);
  EXPECT_EQ(x, std::vector<TypeParam>(4, 2));
  EXPECT_NEAR(result.residual, std::sqrt(5.0), 1e-12);
  EXPECT_EQ(result.reason, StopReason::converged);
}

TYPED_TEST(CglsTest, restarts_reach_the_same_solution) {
  const PlainCsr A = dense_matrix();
  const Values b = random_vector(A.rows, 1);
  CglsParams params;
  params.iterations = 400;
  params.restart_every = 3;
  const auto x =
      run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, b, Values(A.columns, 0), params);
  EXPECT_LT(relative_difference(x, least_squares(A, b)), tolerance<TypeParam>(1e-5, 1e-12));
}

TYPED_TEST(CglsTest, believes_only_the_true_residual) {
  // Consistent but badly scaled: the recursion reports a residual that x does not have.
  PlainCsr A;
  const int n = 60;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    A.add(i, std::pow(10.0, -2.0 * i / n));
    if (i + 1 < n) A.add(i + 1, 0.3);
    A.end_row();
  }
  const Values b = multiply(A, positive_vector(n, 3, 100));
  CglsParams params;
  params.iterations = 5000;
  params.check_every = 5;
  params.stop.relative_residual = tolerance<TypeParam>(1e-9, 1e-18);
  SolveResult result;
  const auto x =
      run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, b, Values(n, 0), params, &result);
  // The tolerance is beyond the precision: the reason is never `converged`.
  EXPECT_EQ(result.reason, StopReason::stagnated);
  EXPECT_GT(result.relative_residual, *params.stop.relative_residual);
  EXPECT_NEAR(result.residual, plain_residual(A, b, x),
              tolerance<TypeParam>(1e-6, 1e-14) * norm(b));
  params.stop.relative_residual = tolerance<TypeParam>(1e-5, 1e-12);
  const auto y =
      run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, b, Values(n, 0), params, &result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LT(result.iterations, 5000);
  EXPECT_LE(result.relative_residual, *params.stop.relative_residual);
  EXPECT_LE(plain_residual(A, b, y), 1.1 * *params.stop.relative_residual * norm(b));
}

TYPED_TEST(CglsTest, repeats_itself_and_refuses_what_makes_no_sense) {
  const PlainCsr A = positive_matrix();
  const Values b = positive_vector(A.rows, 2), start(A.columns, 0);
  const auto run = [&] {
    return run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, b, start, CglsParams{});
  };
  EXPECT_TRUE(same_bits(run(), run()));
  const auto construct = [](double damping, int restart_every) {
    CglsParams params;
    params.damping = damping;
    params.restart_every = restart_every;
    return error_of([&] { Cgls<TestSpace, TypeParam>(TestSpace(), 3, 3, params); });
  };
  EXPECT_TRUE(contains(construct(-1, 0), "damping"));
  EXPECT_TRUE(contains(construct(std::nan(""), 0), "damping"));
  EXPECT_TRUE(contains(construct(0, -1), "restart_every"));
}

TYPED_TEST(CglsTest, stays_at_the_solution_of_a_singular_inconsistent_system) {
  // Products with the null space leave rounding errors, which no step may follow.
  for (const Values& rows : {Values{1229. / 4096, 410. / 4096, 3687. / 4096, 1230. / 4096},
                             Values{1, 1, 1, 1}, Values{4, 2, 2, 1}})
    for (const int restart_every : {0, 5}) {
      PlainCsr A;
      A.columns = 2;
      for (std::size_t i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) A.add(j, rows[2 * i + static_cast<std::size_t>(j)]);
        A.end_row();
      }
      const Values b{1, 0};
      double size = 0;
      for (const double value : rows) size += value * value;
      // A has rank 1: its pseudoinverse is its transpose over the square of its size.
      const Values expected{rows[0] / size, rows[1] / size};
      CglsParams params;
      params.iterations = 200;
      params.check_every = 25;
      params.keep_best = true;
      params.restart_every = restart_every;
      params.stop.relative_change = 1e-9;
      SolveResult result;
      const auto x =
          run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, b, Values(2, 0), params, &result);
      EXPECT_LT(relative_difference(x, expected), tolerance<TypeParam>(1e-5, 1e-13));
      EXPECT_LE(result.residual,
                plain_residual(A, b, expected) * tolerance<TypeParam>(1.0001, 1 + 1e-12));
    }
}

TYPED_TEST(CglsTest, uses_small_singular_values) {
  const double small = tolerance<TypeParam>(1e-2, 1e-6);
  PlainCsr A;
  A.columns = 2;
  A.add(0, 1);
  A.end_row();
  A.add(1, small);
  A.end_row();
  CglsParams params;
  params.keep_best = true;
  params.iterations = 50;
  const auto x = run_solver<Cgls<TestSpace, TypeParam>>(TestSpace(), A, Values{0.5, small},
                                                        Values(2, 0), params);
  EXPECT_NEAR(static_cast<double>(x[0]), 0.5, 1e-3);
  EXPECT_NEAR(static_cast<double>(x[1]), 1, 1e-3);
}

}  // namespace
