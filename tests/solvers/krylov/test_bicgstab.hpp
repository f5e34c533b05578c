// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BiCGSTAB against elimination and the textbook loop in double, and a battery of systems that
// covers every stop reason.
#include <Tomokkos_BiCgStab.hpp>

#include "KrylovBattery.hpp"

using namespace krylov_testing;

namespace {

/// Runs the textbook loop without a preconditioner and returns the iterates.
std::vector<Values> plain_bicgstab(const PlainCsr& A, const Values& b, Values x, int iterations) {
  Values r = b;
  const Values image = multiply(A, x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= image[i];
  const Values shadow = r;
  Values p = r;
  double rho = plain_dot(shadow, r);
  std::vector<Values> iterates{x};
  for (int k = 0; k < iterations; ++k) {
    const Values v = multiply(A, p);
    const double alpha = rho / plain_dot(shadow, v);
    Values s = r;
    for (std::size_t i = 0; i < s.size(); ++i) s[i] -= alpha * v[i];
    const Values t = multiply(A, s);
    const double omega = plain_dot(t, s) / plain_dot(t, t);
    for (std::size_t i = 0; i < s.size(); ++i) {
      x[i] += alpha * p[i] + omega * s[i];
      r[i] = s[i] - omega * t[i];
    }
    const double next = plain_dot(shadow, r);
    const double beta = next / rho * (alpha / omega);
    for (std::size_t i = 0; i < s.size(); ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    rho = next;
    iterates.push_back(x);
  }
  return iterates;
}

template <class Scalar>
class BiCgStabTest : public ::testing::Test {
 public:
  using Solver = BiCgStab<TestSpace, Scalar>;
};
TYPED_TEST_SUITE(BiCgStabTest, Scalars);
TOMOKKOS_KRYLOV_BATTERY(BiCgStabTest)

TYPED_TEST(BiCgStabTest, finds_numbers_that_are_none_where_they_arise) {
  // The first product forms the first residual, so the second and the third belong to the first
  // iteration. Either half may fail.
  finds_numbers_that_are_none_where_they_arise<typename TestFixture::Solver>(6, 5, 3);
  finds_numbers_that_are_none_where_they_arise<typename TestFixture::Solver>(7, 6, 3);
}

TYPED_TEST(BiCgStabTest, follows_the_path_of_the_textbook) {
  using Solver = typename TestFixture::Solver;
  const PlainCsr A = convection(15, 13, 0.6, 0, false);
  const Values b = random_vector(A.rows, 1), start = random_vector(A.rows, 2);
  const auto iterates = plain_bicgstab(A, b, start, 6);
  BiCgStabParams params;
  params.iterations = 6;
  params.stop = {};
  params.preconditioner.kind = PreconditionerKind::none;
  const TestSpace exec;
  SolveResult result;
  const auto x = solve<Solver>(
      System<TypeParam>(exec, make_operator<TypeParam>(exec, A), params.preconditioner), b, start,
      params, result);
  EXPECT_LT(relative_difference(x, iterates[6]), tolerance<TypeParam>(1e-4, 1e-11));
  ASSERT_EQ(result.history.size(), 7u);
  for (std::size_t k = 0; k < 7; ++k)
    EXPECT_NEAR(*result.history[k].residual, plain_residual(A, b, iterates[k]),
                tolerance<TypeParam>(1e-3, 1e-11) * norm(b));
}

TYPED_TEST(BiCgStabTest, does_not_hand_out_an_x_that_is_no_number) {
  // x(0) does not occur in any product, which therefore cannot show that it is invalid.
  using Solver = typename TestFixture::Solver;
  PlainCsr A;
  A.columns = 4;
  A.end_row();
  A.add(1, 0.3), A.add(2, 0.9), A.add(3, -0.4), A.end_row();
  A.add(1, -0.7), A.add(2, 0.1), A.add(3, 0.5), A.end_row();
  A.add(1, 0.2), A.add(2, -0.6), A.add(3, 0.05), A.end_row();
  const TestSpace exec;
  const System<TypeParam> system(exec, make_operator<TypeParam>(exec, A),
                                 general(PreconditionerKind::none));
  for (const int iterations : {20, 200, 2000}) {
    typename Solver::params_type params;
    params.iterations = iterations;
    params.stop = {};
    SolveResult result;
    const auto x =
        solve<Solver>(system, Values{-0.95, 0.2, 0.4, -0.1}, Values(4, 0), params, result);
    for (const auto value : x) EXPECT_TRUE(std::isfinite(value)) << iterations;
    EXPECT_EQ(result.reason == StopReason::non_finite, iterations > 20) << iterations;
  }
}

TYPED_TEST(BiCgStabTest, measures_its_steps) {
  measures_its_steps<typename TestFixture::Solver>(convection());
}

TYPED_TEST(BiCgStabTest, begins_anew_where_its_directions_end) {
  using Solver = typename TestFixture::Solver;
  BiCgStabParams params;
  params.preconditioner.kind = PreconditionerKind::none;
  params.check_every = 1;
  SolveResult result;
  // Skew: b . A b = 0 for all b.
  const PlainCsr skew = small_matrix(2, {0, 1, -1, 0});
  const auto x = solve<Solver>(skew, {1, 2}, params, result);
  EXPECT_EQ(result.reason, StopReason::breakdown);
  EXPECT_EQ(result.iterations, 1);  // the iteration made no step
  EXPECT_EQ(x, (std::vector<TypeParam>{0, 0}));
  EXPECT_NEAR(result.relative_residual, 1, 1e-6);
  // s . A s = 0 in the first iteration. With s as the shadow residual there would be no second
  // iteration.
  const PlainCsr turn = small_matrix(3, {1, 0, 0, 0.5, 0, 1, 0, 1, 1});
  const auto y = solve<Solver>(turn, {1, 0, 0}, params, result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LT(plain_residual(turn, {1, 0, 0}, y), 1e-5);
  EXPECT_GT(result.iterations, 1);
}

TYPED_TEST(BiCgStabTest, solves_matrices_of_others) {
  BiCgStabParams params;
  params.iterations = 20000;
  solves_files<typename TestFixture::Solver>({"memplus", "nos3", "1138_bus", "lap3D_7pt_n20"},
                                             params);
  tells_the_truth_of_what_it_does_not_solve<typename TestFixture::Solver>(params);
}

TYPED_TEST(BiCgStabTest, ends_where_the_residual_only_grows) {
  using Solver = typename TestFixture::Solver;
  const PlainCsr A = plain_file("orani678");
  const Values b = multiply(A, positive_vector(static_cast<std::size_t>(A.columns), 5));
  BiCgStabParams params;
  params.iterations = 100000;
  params.preconditioner.kind = PreconditionerKind::none;
  for (const bool gives_up : {true, false}) {
    if (!gives_up) params.stop.divergence = std::numeric_limits<double>::infinity();
    SolveResult result;
    const auto x = solve<Solver>(A, b, params, result);
    // In single precision rounding decides whether a digit of x is left when the host looks.
    const bool in_double = std::is_same_v<TypeParam, double>;
    const bool may_diverge = gives_up && (in_double || result.reason == StopReason::diverged);
    EXPECT_EQ(result.reason, may_diverge ? StopReason::diverged : StopReason::breakdown);
    EXPECT_LT(result.last_iteration(), params.iterations);
    for (const auto value : x) ASSERT_TRUE(std::isfinite(value));
    // The best iterate at a check, or the start.
    EXPECT_LE(result.relative_residual, 1);
    EXPECT_NEAR(plain_residual(A, b, x) / norm(b), result.relative_residual, 1e-3);
    EXPECT_GT(*result.recursive_residual, 1e5 * norm(b));
  }
}

}  // namespace
