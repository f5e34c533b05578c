// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients at the limits of the number range: more iterations than the precision
// supports, matrices that float cannot represent, right-hand sides whose squares exceed double.
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_Gmres.hpp>
#include <Tomokkos_Pcg.hpp>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

/// Negative Laplacian of a grid of n x n points.
PlainCsr grid_matrix(int n) {
  PlainCsr A;
  A.columns = n * n;
  for (int i = 0; i < n * n; ++i) {
    if (i >= n) A.add(i - n, -1);
    if (i % n > 0) A.add(i - 1, -1);
    A.add(i, 4);
    if (i % n + 1 < n) A.add(i + 1, -1);
    if (i + n < n * n) A.add(i + n, -1);
    A.end_row();
  }
  return A;
}

/// Symmetric matrix with a diagonal of 1 and `off` beside it.
PlainCsr two_rows(double off) {
  PlainCsr A;
  A.columns = 2;
  for (int i = 0; i < 2; ++i) {
    A.indices.insert(A.indices.end(), {0, 1});
    A.values.insert(A.values.end(), {i == 0 ? 1.0 : off, i == 0 ? off : 1.0});
    A.end_row();
  }
  return A;
}

template <class Scalar>
double exactness() {
  return std::is_same_v<Scalar, float> ? 1e-5 : 1e-13;
}

template <class Scalar>
class PcgPrecision : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PcgPrecision, Scalars);

TYPED_TEST(PcgPrecision, iterations_beyond_the_precision_leave_the_solution_alone) {
  const TestSpace exec;
  const PlainCsr A = grid_matrix(16);
  const Values b = random_vector(static_cast<std::size_t>(A.rows), 3);
  for (const PcgScheme scheme : {PcgScheme::standard, PcgScheme::single_reduction})
    for (const bool ruled : {false, true}) {
      SCOPED_TRACE(std::string(to_string(scheme)) + (ruled ? " with a rule" : ""));
      PcgParams params;
      params.scheme = scheme;
      params.iterations = 3000;
      params.stop = {};
      if (ruled) {
        params.stop = PcgParams::relative(100 * exactness<TypeParam>());
        params.stop.minimum_iterations = 2500;
      }
      Pcg<TestSpace, TypeParam> solver(exec, A.rows, params);
      const auto x = make_vector<TypeParam>(exec, Values(b.size(), 0));
      const SolveResult result =
          solver.solve(exec, make_operator<TypeParam>(exec, A), make_vector<TypeParam>(exec, b), x);
      EXPECT_LE(plain_residual(A, b, to_std_vector(x)) / norm(b), exactness<TypeParam>());
      if (ruled)
        EXPECT_EQ(result.reason, StopReason::converged);
      else
        EXPECT_TRUE(result.reason == StopReason::max_iterations ||
                    result.reason == StopReason::stagnated)
            << to_string(result.reason);
    }
}

TEST(PcgLimits, a_matrix_that_float_does_not_hold_is_not_called_indefinite) {
  const TestSpace exec;
  const PlainCsr A = two_rows(1 - 1e-9);
  const Values b{1, -1};
  const auto solve = [&](bool in_float) {
    PcgParams params;
    params.preconditioner.float_matrix = in_float;
    Pcg<TestSpace, double> solver(exec, A.rows, params);
    const auto x = make_vector<double>(exec, {0, 0});
    return solver.solve(exec, make_operator<double>(exec, A), make_vector<double>(exec, b), x);
  };
  EXPECT_EQ(solve(false).reason, StopReason::converged);
  EXPECT_EQ(solve(true).reason, StopReason::stagnated);
}

TEST(PcgLimits, a_solution_that_x_cannot_hold_is_refused_and_the_start_kept) {
  const TestSpace exec;
  const auto op = make_operator<double>(exec, two_rows(0.5));
  const auto huge = make_operator<double>(exec, [] {
    PlainCsr A = two_rows(0.5);
    for (auto& value : A.values) value *= 1e200;
    return A;
  }());
  const auto b = make_vector<double>(exec, {1e-170, 1e-170});
  const auto x = make_vector<double>(exec, {3, 4});
  const auto refusal = [&](const auto& solver) { return error_of([&] { (void)solver(); }); };
  for (const std::string& message :
       {refusal([&] { return Pcg<TestSpace, double>(exec, 2).solve(exec, huge, b, x); }),
        refusal([&] { return BiCgStab<TestSpace, double>(exec, 2).solve(exec, huge, b, x); }),
        refusal([&] { return Gmres<TestSpace, double>(exec, 2).solve(exec, huge, b, x); })}) {
    EXPECT_TRUE(contains(message, "not representable in double")) << message;
    EXPECT_TRUE(contains(message, "1e-370")) << message;
    EXPECT_EQ(to_std_vector(x), (std::vector<double>{3, 4}));
  }
  Kokkos::deep_copy(x, 0.0);
  for (const double size : {1e-170, 1e170}) {
    const auto c = make_vector<double>(exec, {size, size});
    EXPECT_EQ((Pcg<TestSpace, double>(exec, 2).solve(exec, op, c, x)).reason,
              StopReason::converged);
    EXPECT_NEAR(to_std_vector(x)[0] / size, 2.0 / 3, 1e-6);
  }
}

/// Laplacian of a ring of n points minus a small multiple of the identity: a few eigenvalues are
/// negative.
PlainCsr closed_line(int n, double shift = 0.02) {
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    const bool end = i == 0 || i + 1 == n;
    if (i > 0) A.add(i - 1, -1);
    A.add(i, (end ? 1 : 2) - shift);
    if (i + 1 < n) A.add(i + 1, -1);
    A.end_row();
  }
  return A;
}

TYPED_TEST(PcgPrecision, a_recursion_that_ends_badly_returns_the_best_iterate_seen) {
  const TestSpace exec;
  const PlainCsr A = closed_line(60);
  Values b = random_vector(60, 4);
  b[7] += 3;
  const auto op = make_operator<TypeParam>(exec, A);
  for (const PcgScheme scheme : {PcgScheme::standard, PcgScheme::single_reduction})
    for (const auto kind : {PreconditionerKind::jacobi, PreconditionerKind::none}) {
      SCOPED_TRACE(std::string(to_string(scheme)) + ", " + std::string(to_string(kind)));
      PcgParams params;
      params.scheme = scheme;
      params.preconditioner.kind = kind;
      params.check_every = 5;
      params.iterations = 4000;
      const auto x = make_vector<TypeParam>(exec, Values(60, 0));
      const SolveResult result = Pcg<TestSpace, TypeParam>(exec, 60, params)
                                     .solve(exec, op, make_vector<TypeParam>(exec, b), x);
      // The scheme with one reduction sees the curvature of residuals, not that of directions.
      const bool may_grow = scheme == PcgScheme::single_reduction;
      EXPECT_TRUE(result.reason == StopReason::indefinite ||
                  (may_grow && (result.reason == StopReason::non_finite ||
                                result.reason == StopReason::diverged)))
          << to_string(result.reason);
      const double truth = plain_residual(A, b, to_std_vector(x));
      EXPECT_LE(truth, 1.0001 * norm(b));
      EXPECT_NEAR(result.residual, truth, 1e-3 * norm(b));
      double best = norm(b);
      for (const IterationRecord& record : result.history)
        if (record.residual) best = std::min(best, *record.residual);
      EXPECT_LE(truth, 1.1 * best);
    }
  // If products are not finite, every solver must return a finite x.
  PlainCsr huge = closed_line(3);
  huge.values[1] = std::numeric_limits<TypeParam>::max();
  huge.values[2] = std::numeric_limits<TypeParam>::max();
  const auto judge = [&](auto&& solver, const char* name) {
    const auto x = make_vector<TypeParam>(exec, {0, 0, 0});
    const SolveResult result = solver.solve(exec, make_operator<TypeParam>(exec, huge),
                                            make_vector<TypeParam>(exec, {1, 2, 3}), x);
    for (const auto value : to_std_vector(x)) EXPECT_TRUE(std::isfinite(value)) << name;
    EXPECT_NE(result.reason, StopReason::converged) << name;
    EXPECT_TRUE(std::isfinite(result.residual)) << name;
  };
  for (const auto kind : {PreconditionerKind::jacobi, PreconditionerKind::none}) {
    PcgParams pcg;
    pcg.preconditioner.kind = kind;
    judge(Pcg<TestSpace, TypeParam>(exec, 3, pcg), "pcg");
    BiCgStabParams bicgstab;
    bicgstab.preconditioner.kind = kind;
    judge(BiCgStab<TestSpace, TypeParam>(exec, 3, bicgstab), "bicgstab");
    GmresParams gmres;
    gmres.preconditioner.kind = kind;
    judge(Gmres<TestSpace, TypeParam>(exec, 3, gmres), "gmres");
  }
}

}  // namespace
