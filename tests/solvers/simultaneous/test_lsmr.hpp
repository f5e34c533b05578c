// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSMR against the loop of its paper and the normal equations solved by elimination, compared with
// CGLS, and its true residuals.
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Lsmr.hpp>
#include <Tomokkos_MakeSolver.hpp>

#include "StackTesting.hpp"

using namespace stack_testing;

namespace {

template <class Scalar>
class LsmrTest : public ::testing::Test {};
TYPED_TEST_SUITE(LsmrTest, Scalars);

/// Runs the loop of Fong and Saunders (2011, table 3.1) without damping, dense and in double.
/// Returns x after \p iterations iterations.
Values paper_lsmr(const PlainCsr& A, const Values& b, int iterations) {
  const PlainCsr At = A.transposed();
  const auto scaled = [](Values v, double by) {
    for (auto& value : v) value *= by;
    return v;
  };
  const auto plus = [](Values v, double factor, const Values& w) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += factor * w[i];
    return v;
  };
  double beta = norm(b);
  Values u = scaled(b, 1 / beta), v = multiply(At, u);
  double alpha = norm(v);
  v = scaled(v, 1 / alpha);
  double alpha_bar = alpha, zeta_bar = alpha * beta, rho = 1, rho_bar = 1, c_bar = 1, s_bar = 0;
  Values h = v, h_bar(v.size(), 0), x(v.size(), 0);
  for (int k = 0; k < iterations; ++k) {
    u = plus(multiply(A, v), -alpha, u);
    beta = norm(u);
    u = scaled(u, 1 / beta);
    v = plus(multiply(At, u), -beta, v);
    alpha = norm(v);
    v = scaled(v, 1 / alpha);
    const double old_rho = rho, old_rho_bar = rho_bar;
    rho = std::hypot(alpha_bar, beta);
    const double c = alpha_bar / rho, s = beta / rho, theta = s * alpha, theta_bar = s_bar * rho;
    alpha_bar = c * alpha;
    rho_bar = std::hypot(c_bar * rho, theta);
    c_bar = c_bar * rho / rho_bar;
    s_bar = theta / rho_bar;
    h_bar = plus(h, -theta_bar * rho / (old_rho * old_rho_bar), h_bar);
    x = plus(x, c_bar * zeta_bar / (rho * rho_bar), h_bar);
    zeta_bar *= -s_bar;
    h = plus(v, -theta / rho, h);
  }
  return x;
}

TYPED_TEST(LsmrTest, follows_the_loop_of_the_paper) {
  const PlainCsr A = positive_matrix();
  const Values b = positive_vector(A.rows, 2);
  LsmrParams params;
  for (const int iterations : {1, 2, 5}) {
    params.iterations = iterations;
    SolveResult result;
    const auto x = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), A, b, Values(A.columns, 0),
                                                          params, &result);
    EXPECT_LT(relative_difference(x, paper_lsmr(A, b, iterations)),
              tolerance<TypeParam>(1e-4, 1e-12));
    EXPECT_EQ(result.reason, StopReason::max_iterations);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(iterations) + 1);
  }
}

TYPED_TEST(LsmrTest, solves_least_squares_from_any_start) {
  const PlainCsr A = dense_matrix();
  const Values b = random_vector(A.rows, 1);
  for (const double damping : {0.0, 0.7, 5.0})
    for (const unsigned seed : {0u, 8u}) {
      LsmrParams params;
      params.iterations = 8;
      params.damping = damping;
      const Values start = seed == 0 ? Values(A.columns, 0) : random_vector(A.columns, seed);
      SolveResult result;
      const auto x =
          run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), A, b, start, params, &result);
      EXPECT_LT(relative_difference(x, least_squares(A, b, damping)),
                tolerance<TypeParam>(1e-5, 1e-12))
          << damping << ", " << seed;
      EXPECT_NEAR(result.residual, plain_residual(A, b, x), tolerance<TypeParam>(1e-5, 1e-13));
      EXPECT_NEAR(*result.recursive_residual, result.residual, tolerance<TypeParam>(1e-4, 1e-12))
          << damping << ", " << seed;
      EXPECT_LT(*result.history.back().gradient,
                tolerance<TypeParam>(1e-4, 1e-11) * *result.history[0].gradient);
    }
}

/// The advantage of LSMR: its gradient never rises, and no iterate of the same space has a smaller
/// one.
TYPED_TEST(LsmrTest, has_a_gradient_that_falls_and_is_the_smallest) {
  const PlainCsr A = positive_matrix();
  const Values b = positive_vector(A.rows, 2), start(A.columns, 0);
  const double slack = tolerance<TypeParam>(1e-3, 1e-9);
  const auto history = [&]<class Solver, class Params>(Params params) {
    params.iterations = tolerance<TypeParam>(6, 15);
    SolveResult result;
    run_solver<Solver>(TestSpace(), A, b, start, params, &result);
    return result.history;
  };
  for (const double damping : {0.0, 2.0}) {
    LsmrParams own;
    CglsParams other;
    own.damping = other.damping = damping;
    const auto lsmr = history.template operator()<Lsmr<TestSpace, TypeParam>>(own);
    const auto cgls = history.template operator()<Cgls<TestSpace, TypeParam>>(other);
    ASSERT_EQ(lsmr.size(), cgls.size());
    EXPECT_NEAR(*lsmr[0].gradient, *cgls[0].gradient, slack * *cgls[0].gradient);
    EXPECT_NEAR(*lsmr[0].residual, *cgls[0].residual, slack * *cgls[0].residual);
    for (std::size_t k = 1; k < lsmr.size(); ++k) {
      EXPECT_LE(*lsmr[k].gradient, (1 + slack) * *lsmr[k - 1].gradient) << k;
      EXPECT_LE(*lsmr[k].gradient, (1 + slack) * *cgls[k].gradient) << k;
      // In return, CGLS has the smaller residual.
      if (damping == 0) {
        EXPECT_GE(*lsmr[k].residual, (1 - slack) * *cgls[k].residual) << k;
      }
    }
  }
}

TYPED_TEST(LsmrTest, finds_zero_and_stays_at_solutions) {
  const PlainCsr A = dense_matrix();
  LsmrParams params;
  params.iterations = 10;
  SolveResult result;
  auto x = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), A, Values(A.rows, 0),
                                                  Values(A.columns, 0), params, &result);
  EXPECT_EQ(result.reason, StopReason::zero_rhs);
  PlainCsr exact;  // powers of two: no rounding
  exact.columns = 3;
  exact.add(0, 2), exact.end_row();
  exact.add(1, 4), exact.end_row();
  exact.add(2, 0.5), exact.end_row();
  x = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), exact, {2, 8, 2}, {1, 2, 4}, params,
                                             &result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_EQ(x, (std::vector<TypeParam>{1, 2, 4}));
  const PlainCsr zeros = battery::make("empty", 5, 4, [](int) { return 0; });
  x = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), zeros, Values(5, 1), Values(4, 2),
                                             LsmrParams{}, &result);
  EXPECT_EQ(x, std::vector<TypeParam>(4, 2));
  EXPECT_NEAR(result.residual, std::sqrt(5.0), 1e-12);
  // Converged up to rounding, without a rule.
  params.iterations = 60;
  run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), A, multiply(A, random_vector(A.columns, 5)),
                                         Values(A.columns, 0), params, &result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LT(result.relative_residual, tolerance<TypeParam>(1e-5, 1e-13));
}

TYPED_TEST(LsmrTest, believes_only_the_true_residual) {
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
  LsmrParams params;
  params.iterations = 5000;
  params.check_every = 5;
  params.stop.relative_residual = tolerance<TypeParam>(1e-9, 1e-18);
  SolveResult result;
  auto x = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), A, b, Values(n, 0), params, &result);
  // The tolerance is beyond the precision: the reason is never `converged`.
  EXPECT_NE(result.reason, StopReason::converged);
  EXPECT_NEAR(result.residual, plain_residual(A, b, x),
              tolerance<TypeParam>(1e-6, 1e-14) * norm(b));
  params.stop.relative_residual = tolerance<TypeParam>(1e-5, 1e-12);
  x = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), A, b, Values(n, 0), params, &result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LT(result.iterations, 5000);
  EXPECT_LE(plain_residual(A, b, x), 1.1 * *params.stop.relative_residual * norm(b));
  // Also in units far from 1.
  PlainCsr tiny = A;
  for (double& value : tiny.values) value *= tolerance<TypeParam>(1e-12, 1e-120);
  x = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), tiny, b, Values(n, 0), params, &result);
  EXPECT_EQ(result.reason, StopReason::converged);
}

TYPED_TEST(LsmrTest, solves_stacks_as_it_solves_their_slices) {
  const Problem p;
  const auto op = make_operator<TypeParam>(TestSpace(), p.A);
  LsmrParams params;
  params.iterations = 30;
  params.check_every = 3;
  params.damping = 0.5;
  params.stop.relative_change = 1e-2;
  const std::vector<Values> data{p.data(0), p.data(3), p.data(1)},
      starts(3, Values(p.A.columns, 0.5));
  const auto stack = run_stack<Lsmr<TestSpace, TypeParam>>(op, data, starts, params);
  for (std::size_t j = 0; j < data.size(); ++j) {
    SolveResult alone;
    const auto x = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), p.A, data[j], starts[j],
                                                          params, &alone);
    EXPECT_EQ(stack.results[j].reason, alone.reason);
    EXPECT_EQ(stack.results[j].iterations, alone.iterations);
    // A GPU sums a stack in another order than a vector, and the bidiagonalization amplifies the
    // difference.
    EXPECT_LT(relative_difference(slice(stack.x, 3, j), Values(x.begin(), x.end())),
              tolerance<TypeParam>(5e-3, 1e-11));
  }
}

TYPED_TEST(LsmrTest, leaves_out_rays_that_were_not_measured) {
  const PlainCsr A = dense_matrix();
  Values b = random_vector(A.rows, 1);
  PlainCsr measured = A;
  // Equivalent to leaving out the ray: a row of zeros and a datum of zero.
  for (auto k = A.offsets[2]; k < A.offsets[3]; ++k)
    measured.values[static_cast<std::size_t>(k)] = 0;
  LsmrParams params;
  params.iterations = 8;
  Values zero = b;
  zero[2] = 0;
  const auto expected = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), measured, zero,
                                                               Values(A.columns, 0), params);
  b[2] = std::nan("");
  const auto run = [&] {
    return run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), A, b, Values(A.columns, 0), params);
  };
  EXPECT_FALSE(error_of([&] { run(); }).empty());
  params.nan_data = NanData::missing;
  EXPECT_LT(relative_difference(run(), Values(expected.begin(), expected.end())),
            tolerance<TypeParam>(1e-5, 1e-13));
}

TYPED_TEST(LsmrTest, is_made_by_its_name_and_repeats_itself) {
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  SolverParams params = default_params(*from_string<SolverKind>("lsmr"));
  std::get<LsmrParams>(params).iterations = 12;
  std::get<LsmrParams>(params).restart_every = 5;
  const auto b = make_vector<TypeParam>(exec, positive_vector(A.rows, 2));
  std::vector<TypeParam> images[2];
  for (auto& image : images) {
    const auto solver = make_solver<TestSpace, TypeParam>(exec, params, A.rows, A.columns);
    const auto x = make_vector<TypeParam>(exec, Values(A.columns, 0));
    const SolveResult result = solver->solve(exec, op, b, x);
    EXPECT_EQ(result.iterations, 12);
    EXPECT_GT(solver->iteration_bytes(op), op.apply_bytes());
    EXPECT_GE(solver->workspace_bytes(), (2 * A.rows + 4 * A.columns) * sizeof(TypeParam));
    image = to_std_vector(x);
  }
  EXPECT_TRUE(same_bits(images[0], images[1]));
  std::get<LsmrParams>(params).damping = -1;
  EXPECT_TRUE(contains(
      error_of([&] { make_solver<TestSpace, TypeParam>(exec, params, A.rows, A.columns); }),
      "damping"));
}

TYPED_TEST(LsmrTest, stays_at_the_solution_of_a_singular_inconsistent_system) {
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
      LsmrParams params;
      params.iterations = 200;
      params.check_every = 25;
      params.keep_best = true;
      params.restart_every = restart_every;
      params.stop.relative_change = 1e-9;
      SolveResult result;
      const auto x =
          run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), A, b, Values(2, 0), params, &result);
      EXPECT_LT(relative_difference(x, expected), tolerance<TypeParam>(1e-5, 1e-13));
      EXPECT_LE(result.residual,
                plain_residual(A, b, expected) * tolerance<TypeParam>(1.0001, 1 + 1e-12));
    }
}

TYPED_TEST(LsmrTest, uses_small_singular_values) {
  const double small = tolerance<TypeParam>(1e-2, 1e-6);
  PlainCsr A;
  A.columns = 2;
  A.add(0, 1);
  A.end_row();
  A.add(1, small);
  A.end_row();
  LsmrParams params;
  params.keep_best = true;
  params.iterations = 50;
  const auto x = run_solver<Lsmr<TestSpace, TypeParam>>(TestSpace(), A, Values{0.5, small},
                                                        Values(2, 0), params);
  EXPECT_NEAR(static_cast<double>(x[0]), 0.5, 1e-3);
  EXPECT_NEAR(static_cast<double>(x[1]), 1, 1e-3);
}

}  // namespace
