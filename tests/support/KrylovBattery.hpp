// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for every solver of non-symmetric systems, called by the tests of each solver.
#pragma once

#include "KrylovTesting.hpp"

namespace krylov_testing {

template <class Solver>
void solves_with_every_preconditioner_from_any_start() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection();
  const Values b = random_vector(A.rows, 1);
  const Values solution = solution_by_elimination(A, b);
  typename Solver::params_type params;
  const double wanted = tolerance<Scalar>(1e-5, 1e-10);
  params.stop = Solver::params_type::relative(wanted);
  params.check_every = 7;
  for (const auto& [name, system] : all_systems<Scalar>(exec, A))
    for (const unsigned seed : {0u, 8u}) {
      const Values start = seed == 0 ? Values(A.columns, 0) : random_vector(A.columns, seed);
      SolveResult result;
      const auto x = solve<Solver>(system, b, start, params, result);
      EXPECT_EQ(result.reason, StopReason::converged) << name;
      EXPECT_FALSE(system.is_scaled());
      EXPECT_TRUE(result.recursive_residual.has_value());
      EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
      expect_honest(A, b, x, result, wanted, name);
      EXPECT_LT(relative_difference(x, solution), tolerance<Scalar>(1e-3, 1e-8)) << name;
    }
}

template <class Solver>
void multiplies_the_given_matrix_of_a_scaled_system() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection(12, 11, 0.6, 1, false);
  const Values b = random_vector(A.rows, 1);
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const System<Scalar> scaled(exec, op), plain(exec, op, general());
  ASSERT_TRUE(scaled.is_scaled());
  typename Solver::params_type params;
  params.stop = {};
  params.iterations = 12;
  SolveResult first, second;
  const auto x = solve<Solver>(scaled, b, Values(b.size(), 0), params, first);
  const auto y = solve<Solver>(plain, b, Values(b.size(), 0), params, second);
  EXPECT_LT(relative_difference(x, Values(y.begin(), y.end())), tolerance<Scalar>(1e-3, 1e-11));
  EXPECT_NEAR(first.residual, plain_residual(A, b, x), tolerance<Scalar>(1e-5, 1e-13) * norm(b));
}

template <class Solver>
void obeys_all_rules() {
  obeys_the_rules<Solver>(convection());
}

template <class Solver>
void believes_only_the_true_residual() {
  using Scalar = ScalarOf<Solver>;
  const int n = 120;
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    if (i > 0) A.add(i - 1, -1.25);
    A.add(i, 2);
    if (i + 1 < n) A.add(i + 1, -0.75);
    A.end_row();
  }
  const Values b = random_vector(n, 3);
  for (const double wanted : {1e-3, 1e-7, 1e-11, 1e-19}) {
    typename Solver::params_type params;
    params.iterations = 6000;
    params.check_every = 10;
    params.stop = Solver::params_type::relative(wanted);
    SolveResult result;
    const auto x = solve<Solver>(A, b, params, result);
    const double truth = plain_residual(A, b, x) / norm(b);
    if (result.reason == StopReason::converged)
      EXPECT_LE(truth, wanted * 1.05);
    else
      EXPECT_NE(result.reason, StopReason::non_finite) << wanted;
    EXPECT_EQ(result.reason == StopReason::converged, wanted > tolerance<Scalar>(1e-6, 1e-15))
        << wanted << ": " << truth << ", " << to_string(result.reason);
    EXPECT_NEAR(result.relative_residual, truth, 0.05 * truth + tolerance<Scalar>(1e-6, 1e-15));
  }
}

template <class Solver>
void keeps_its_bits_when_everything_is_scaled_or_repeated() {
  PlainCsr A = convection();
  Values b = random_vector(A.rows, 9);
  typename Solver::params_type params;
  params.stop = {};
  params.iterations = 15;
  SolveResult first, second;
  const auto x = solve<Solver>(A, b, params, first);
  EXPECT_TRUE(same_bits(x, solve<Solver>(A, b, params, second)));
  for (auto& value : A.values) value *= 512;
  for (auto& value : b) value *= 512;
  EXPECT_TRUE(same_bits(x, solve<Solver>(A, b, params, second)));
  EXPECT_EQ(second.relative_residual, first.relative_residual);
}

template <class Solver>
void shows_the_monitor_the_iterates() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection();
  const Values b = random_vector(A.rows, 1);
  typename Solver::params_type params;
  params.stop = {};
  params.iterations = 9;
  params.check_every = 3;
  const System<Scalar> system(exec, make_operator<Scalar>(exec, A), params.preconditioner);
  std::vector<int> seen;
  SolveResult result;
  const Monitor<TestSpace, Scalar> monitor = [&](const TestSpace&, const auto& state) {
    seen.push_back(state.record().iteration);
    const double truth = plain_residual(A, b, to_std_vector(as_vector(state.x)));
    EXPECT_NEAR(*state.record().residual, truth, tolerance<Scalar>(1e-3, 1e-11) * norm(b));
    return state.record().iteration == 6 ? MonitorAction::stop : MonitorAction::proceed;
  };
  solve<Solver>(system, b, Values(b.size(), 0), params, result, monitor);
  EXPECT_EQ(seen, (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(result.reason, StopReason::user_stop);
  EXPECT_EQ(result.iterations, 6);
}

template <class Solver>
void names_what_it_cannot_solve() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection();
  SolveResult result;
  for (const auto& [name, system] : all_systems<Scalar>(exec, A)) {
    const auto x = solve<Solver>(system, Values(A.rows, 0), random_vector(A.rows, 1), {}, result);
    EXPECT_EQ(result.reason, StopReason::zero_rhs) << name;
    EXPECT_EQ(x, std::vector<Scalar>(x.size(), 0)) << name;
    EXPECT_EQ(result.residual, 0);
  }
  for (const auto& [entry, reason] :
       {std::pair{0.0, StopReason::zero_diagonal}, {std::nan(""), StopReason::non_finite}}) {
    const System<Scalar> system(
        exec, make_operator<Scalar>(exec, small_matrix(3, {2, -1, 0, -3, entry, -1, 0, -1, 2})),
        general());
    const auto x = solve<Solver>(system, {1, 2, 3}, {4, 5, 6}, {}, result);
    EXPECT_EQ(result.reason, reason);
    EXPECT_EQ(result.row, 1);
    EXPECT_EQ(x, (std::vector<Scalar>{4, 5, 6}));
  }
  // The second block is singular. The result names its first row without a pivot. Blocks that only
  // need row exchanges are not singular.
  const System<Scalar> singular(
      exec,
      make_operator<Scalar>(exec,
                            small_matrix(4, {0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 1, 2, 0, 0, 2, 4})),
      general(PreconditionerKind::block_jacobi));
  solve<Solver>(singular, {1, 2, 3, 4}, {0, 0, 0, 0}, {}, result);
  EXPECT_EQ(result.reason, StopReason::zero_diagonal);
  EXPECT_EQ(result.row, 3);
  const System<Scalar> turned(
      exec,
      make_operator<Scalar>(exec,
                            small_matrix(4, {0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 1, 2, 0, 0, 2, 5})),
      general(PreconditionerKind::block_jacobi));
  const auto x = solve<Solver>(turned, {2, 3, 3, 7}, {0, 0, 0, 0}, {}, result);
  EXPECT_EQ(result.reason, StopReason::converged);
  for (const auto value : x) EXPECT_NEAR(value, 1, 1e-5);
  // The matrix is singular, and the right-hand side is not in its range.
  typename Solver::params_type params;
  params.preconditioner = general(PreconditionerKind::none);
  const auto y = solve<Solver>(small_matrix(2, {1, 0, 0, 0}), {1, 1}, params, result);
  EXPECT_EQ(result.reason, StopReason::breakdown);
  EXPECT_NEAR(result.residual, plain_residual(small_matrix(2, {1, 0, 0, 0}), {1, 1}, y), 1e-6);
  for (const auto value : y) EXPECT_TRUE(std::isfinite(value));
}

/// Checks a NaN or infinity in iteration `iteration`. Product number `limit` or preconditioner call
/// number `call` produces it.
template <class Solver>
void finds_numbers_that_are_none_where_they_arise(int limit, int call, int iteration) {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection(15, 13, 0.6, 0, false);
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const Values b = random_vector(A.rows, 1);
  typename Solver::params_type params;
  params.check_every = 4;
  params.preconditioner.kind = PreconditionerKind::none;
  SolveResult result, exact;
  auto before = params;
  before.iterations = iteration - 1;
  before.stop = {};
  const auto good = solve<Solver>(A, b, before, exact);
  const Values expected(good.begin(), good.end());
  const auto judge = [&](const std::vector<Scalar>& x, NonFiniteSource source) {
    EXPECT_EQ(result.reason, StopReason::non_finite);
    EXPECT_EQ(result.non_finite_iteration, iteration);
    EXPECT_EQ(result.non_finite_source, source);
    EXPECT_EQ(result.iterations, iteration - 1);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(iteration));
    EXPECT_LT(relative_difference(x, expected), tolerance<Scalar>(1e-5, 1e-13));
    EXPECT_NEAR(result.residual, plain_residual(A, b, x), 1e-4 * norm(b));
  };
  judge(
      solve<Solver>(System<Scalar>(exec, SpoiltOperator<Scalar>{op, limit}, params.preconditioner),
                    b, Values(A.rows, 0), params, result),
      NonFiniteSource::product);
  judge(solve<Solver>(System<Scalar>(exec, op, spoilt_identity<Scalar>(call)), b, Values(A.rows, 0),
                      params, result),
        NonFiniteSource::preconditioner);
  // Invalid input is refused.
  Values bad = b;
  bad[17] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(error_of([&] { solve<Solver>(A, bad, {}, result); }), "17"));
}

/// Solves systems from files of the test data to a residual that the solver can reach.
template <class Solver>
void solves_files(const std::vector<std::string>& names, typename Solver::params_type params) {
  using Scalar = ScalarOf<Solver>;
  const double wanted = tolerance<Scalar>(1e-3, 1e-8);
  params.stop = Solver::params_type::relative(wanted);
  for (const auto& name : names) {
    const PlainCsr A = plain_file(name);
    const Values b = multiply(A, positive_vector(static_cast<std::size_t>(A.columns), 5));
    SolveResult result;
    const auto x = solve<Solver>(A, b, params, result);
    EXPECT_EQ(result.reason, StopReason::converged) << name << ": " << result.relative_residual;
    const double truth = plain_residual(A, b, x) / norm(b);
    EXPECT_LE(truth, wanted * 1.05) << name;
    EXPECT_NEAR(result.relative_residual, truth, 0.05 * truth + tolerance<Scalar>(1e-5, 1e-14));
  }
}

/// Checks a system of the test data that has zeros on the diagonal and needs a better
/// preconditioner than the diagonal.
template <class Solver>
void tells_the_truth_of_what_it_does_not_solve(typename Solver::params_type params) {
  using Scalar = ScalarOf<Solver>;
  const PlainCsr A = plain_file("orani678");
  const Values b = multiply(A, positive_vector(static_cast<std::size_t>(A.columns), 5));
  SolveResult result;
  auto x = solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::zero_diagonal);
  params.preconditioner = general(PreconditionerKind::none);
  params.iterations = 60;
  x = solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  const double truth = plain_residual(A, b, x) / norm(b);
  EXPECT_NEAR(result.relative_residual, truth, tolerance<Scalar>(1e-3, 1e-10) * truth);
}

template <class Solver>
void refuses_what_makes_no_sense() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, convection(3, 3));
  typename Solver::params_type params;
  params.check_every = 0;
  EXPECT_THROW(Solver(exec, 3, params), Error);
  params.check_every = 1;
  params.stop.absolute_residual = -1;
  EXPECT_THROW(Solver(exec, 3, params), Error);
  Solver solver(exec, 9);
  const DeviceVector<Scalar> x("x", 10);
  EXPECT_THROW(solver.solve(exec, op, x, x), DimensionMismatch);
  const VectorView<Scalar, TestSpace::memory_space> own(x.data(), 9), next(x.data() + 1, 9);
  for (const auto& view : {own, next})
    EXPECT_TRUE(contains(error_of([&] { solver.solve(exec, op, own, view); }), "overlap"));
  PlainCsr empty;
  empty.columns = 0;
  SolveResult result;
  EXPECT_TRUE(solve<Solver>(empty, {}, {}, result).empty());
  EXPECT_EQ(result.reason, StopReason::zero_rhs);
}

}  // namespace krylov_testing

#define TOMOKKOS_KRYLOV_TEST(Suite, name) \
  TYPED_TEST(Suite, name) { krylov_testing::name<typename TestFixture::Solver>(); }

/// Tests whose only parameter is the solver.
#define TOMOKKOS_KRYLOV_BATTERY(Suite)                                              \
  TOMOKKOS_KRYLOV_TEST(Suite, solves_with_every_preconditioner_from_any_start)      \
  TOMOKKOS_KRYLOV_TEST(Suite, multiplies_the_given_matrix_of_a_scaled_system)       \
  TOMOKKOS_KRYLOV_TEST(Suite, obeys_all_rules)                                      \
  TOMOKKOS_KRYLOV_TEST(Suite, believes_only_the_true_residual)                      \
  TOMOKKOS_KRYLOV_TEST(Suite, keeps_its_bits_when_everything_is_scaled_or_repeated) \
  TOMOKKOS_KRYLOV_TEST(Suite, shows_the_monitor_the_iterates)                       \
  TOMOKKOS_KRYLOV_TEST(Suite, names_what_it_cannot_solve)                           \
  TOMOKKOS_KRYLOV_TEST(Suite, refuses_what_makes_no_sense)
