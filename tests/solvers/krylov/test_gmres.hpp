// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GMRES(m) against elimination in double, and a battery of systems that covers every stop reason.
#include <Tomokkos_Gmres.hpp>

#include "KrylovBattery.hpp"

using namespace krylov_testing;

namespace {

template <class Scalar>
class GmresTest : public ::testing::Test {
 public:
  using Solver = Gmres<TestSpace, Scalar>;
};
TYPED_TEST_SUITE(GmresTest, Scalars);
TOMOKKOS_KRYLOV_BATTERY(GmresTest)

TYPED_TEST(GmresTest, finds_numbers_that_are_none_where_they_arise) {
  // The first product forms the first residual.
  finds_numbers_that_are_none_where_they_arise<typename TestFixture::Solver>(4, 3, 3);
}

/// Permutation that moves every entry to the next position.
PlainCsr shift(int n) {
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    A.add((i + 1) % n, 1);
    A.end_row();
  }
  return A;
}

TYPED_TEST(GmresTest, is_exact_after_as_many_steps_as_there_are_rows) {
  using Solver = typename TestFixture::Solver;
  for (const int n : {1, 2, 7, 40}) {
    // The residual does not fall before the last step.
    PlainCsr A = shift(n);
    Values b(static_cast<std::size_t>(n), 0);
    b[0] = 1;
    GmresParams params;
    params.restart = 50;
    params.check_every = 1;
    params.preconditioner.kind = PreconditionerKind::none;
    SolveResult result;
    const auto x = solve<Solver>(A, b, params, result);
    EXPECT_EQ(result.reason, StopReason::converged) << n;
    EXPECT_EQ(result.iterations, n);
    EXPECT_EQ(plain_residual(A, b, x), 0);
    for (int k = 0; k < n; ++k)
      EXPECT_NEAR(*result.history[static_cast<std::size_t>(k)].residual, 1, 1e-6) << k;
  }
  const PlainCsr A = convection(6, 5, 0.6, 1);
  const Values b = random_vector(A.rows, 3);
  GmresParams params;
  params.restart = A.rows;
  params.iterations = A.rows;
  params.stop = {};
  SolveResult result;
  const auto x = solve<Solver>(A, b, params, result);
  EXPECT_LT(relative_difference(x, solution_by_elimination(A, b)),
            tolerance<TypeParam>(1e-4, 1e-12));
}

TYPED_TEST(GmresTest, never_raises_the_residual) {
  using Solver = typename TestFixture::Solver;
  const PlainCsr A = convection(20, 19, 0.9, 0);
  const Values b = random_vector(A.rows, 3);
  for (const int restart : {1, 2, 9, 10, 17, 400})
    for (const bool jacobi : {false, true}) {
      GmresParams params;
      params.restart = restart;
      params.iterations = 60;
      params.check_every = 7;
      params.stop = {};
      if (!jacobi) params.preconditioner.kind = PreconditionerKind::none;
      SolveResult result;
      const auto x = solve<Solver>(A, b, params, result);
      if (result.reason == StopReason::stagnated) continue;
      ASSERT_EQ(result.history.size(), 61u);
      for (std::size_t k = 1; k <= 60; ++k)
        EXPECT_LE(*result.history[k].residual, *result.history[k - 1].residual * (1 + 1e-9) +
                                                   tolerance<TypeParam>(1e-5, 1e-14) * norm(b))
            << restart << ", " << k;
      EXPECT_NEAR(*result.history[60].residual, plain_residual(A, b, x),
                  tolerance<TypeParam>(1e-5, 1e-13) * norm(b));
    }
}

TYPED_TEST(GmresTest, lowers_the_residual_as_far_as_its_space_allows) {
  using Solver = typename TestFixture::Solver;
  // Compare with the least-squares problem over A b, A^2 b, A^3 b, solved by elimination.
  const PlainCsr A = convection(6, 5, 0.6, 0, false);
  const Values b = random_vector(A.rows, 3);
  const int steps = 3;
  std::vector<Values> powers{b};
  for (int k = 0; k < steps; ++k) powers.push_back(multiply(A, powers.back()));
  PlainCsr K;
  K.columns = steps;
  K.rows = A.rows;
  for (int i = 0; i < A.rows; ++i) {
    for (int k = 0; k < steps; ++k) {
      K.indices.push_back(k);
      K.values.push_back(powers[static_cast<std::size_t>(k) + 1][static_cast<std::size_t>(i)]);
    }
    K.offsets.push_back(K.nonzeros());
  }
  const Values y = least_squares(K, b);
  GmresParams params;
  params.iterations = steps;
  params.stop = {};
  params.preconditioner.kind = PreconditionerKind::none;
  SolveResult result;
  solve<Solver>(A, b, params, result);
  EXPECT_NEAR(result.residual, plain_residual(K, b, y),
              tolerance<TypeParam>(1e-5, 1e-12) * norm(b));
}

TYPED_TEST(GmresTest, names_a_cycle_that_lowers_nothing) {
  using Solver = typename TestFixture::Solver;
  Values b(20, 0);
  b[0] = 1;
  GmresParams params;
  params.restart = 5;
  params.preconditioner.kind = PreconditionerKind::none;
  SolveResult result;
  const auto x = solve<Solver>(shift(20), b, params, result);
  EXPECT_EQ(result.reason, StopReason::stagnated);
  EXPECT_EQ(result.iterations, 5);
  EXPECT_NEAR(result.residual, 1, 1e-6);
  EXPECT_EQ(result.history.size(), 6u);
  for (const auto value : x) EXPECT_NEAR(value, 0, 1e-6);
}

TYPED_TEST(GmresTest, refuses_the_rule_that_it_cannot_measure) {
  using Solver = typename TestFixture::Solver;
  GmresParams params;
  params.stop.relative_change = 1e-3;
  EXPECT_TRUE(contains(error_of([&] { Solver(TestSpace(), 3, params); }), "relative_change"));
  params.stop = {};
  params.restart = 0;
  EXPECT_TRUE(contains(error_of([&] { Solver(TestSpace(), 3, params); }), "restart"));
}

TYPED_TEST(GmresTest, solves_matrices_of_others) {
  GmresParams params;
  params.iterations = 20000;
  params.restart = 60;
  solves_files<typename TestFixture::Solver>({"memplus", "lap3D_7pt_n20"}, params);
  tells_the_truth_of_what_it_does_not_solve<typename TestFixture::Solver>(params);
}

}  // namespace
