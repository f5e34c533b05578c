// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients on a battery of systems that covers every stop reason.
#include "PcgTesting.hpp"

using namespace pcg_testing;

namespace {

template <class Scalar>
class PcgStops : public ::testing::Test {};
TYPED_TEST_SUITE(PcgStops, Scalars);

TYPED_TEST(PcgStops, believes_only_the_true_residual) {
  // Badly conditioned: in single precision the recursion reports residuals that x does not reach.
  const int n = 300;
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    if (i > 0) A.add(i - 1, -1);
    A.add(i, 2);
    if (i + 1 < n) A.add(i + 1, -1);
    A.end_row();
  }
  const Values b = random_vector(n, 3);
  for (const double wanted : {1e-4, 1e-7, 1e-11, 1e-18})
    for (const PcgScheme scheme : schemes) {
      PcgParams params;
      params.scheme = scheme;
      params.iterations = 5000;
      params.check_every = 10;
      params.stop = PcgParams::relative(wanted);
      SolveResult result;
      const auto x = solve<Cg<TypeParam>>(A, b, params, result);
      const double truth = plain_residual(A, b, x) / norm(b);
      if (result.reason == StopReason::converged)
        EXPECT_LE(truth, wanted * 1.01) << wanted;
      else
        EXPECT_EQ(result.reason, StopReason::stagnated) << wanted;
      EXPECT_EQ(result.reason == StopReason::converged, wanted > tolerance<TypeParam>(1e-6, 1e-15))
          << wanted << ": " << truth;
      EXPECT_NEAR(result.relative_residual, truth, 0.05 * truth + 1e-16);
    }
}

TYPED_TEST(PcgStops, finds_a_solution_beyond_which_rounding_has_led) {
  // Semidefinite: a Laplacian without a border, with a right-hand side in its range. Between two
  // checks p . A p becomes the rounding error of zero.
  const int side = 10, n = side * side;
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    const int x = i % side, y = i / side;
    const std::vector<int> neighbours{y > 0 ? i - side : -1, x > 0 ? i - 1 : -1,
                                      x + 1 < side ? i + 1 : -1, y + 1 < side ? i + side : -1};
    const auto degree =
        std::count_if(neighbours.begin(), neighbours.end(), [](int j) { return j >= 0; });
    for (const int j : neighbours)
      if (j >= 0 && j < i) A.add(j, -1);
    A.add(i, static_cast<double>(degree));
    for (const int j : neighbours)
      if (j > i) A.add(j, -1);
    A.end_row();
  }
  const double wanted = tolerance<TypeParam>(1e-3, 1e-9);
  int passed_by = 0;
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const PcgScheme scheme : schemes) {
      Values b = random_vector(n, seed);
      const double mean = std::accumulate(b.begin(), b.end(), 0.0) / n;
      for (double& value : b) value -= mean;
      PcgParams params;
      params.scheme = scheme;
      params.check_every = 100;
      params.iterations = 400;
      params.stop = PcgParams::relative(wanted);
      SolveResult result;
      solve<Cg<TypeParam>>(A, b, params, result);
      EXPECT_EQ(result.reason == StopReason::converged, result.relative_residual <= wanted) << seed;
      if (result.reason == StopReason::converged && result.iterations % params.check_every != 0)
        ++passed_by;
    }
  // The solution was found at the iterate at which the recursion had to end, not at a check.
  EXPECT_GT(passed_by, 0);
}

TYPED_TEST(PcgStops, obeys_all_rules) {
  obeys_the_rules<Cg<TypeParam>>(spd_matrix());
  measures_its_steps<Cg<TypeParam>>(spd_matrix());
}

TYPED_TEST(PcgStops, shows_the_monitor_the_unknowns_of_the_user) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1);
  const auto iterates = plain_jacobi_pcg(A, b, Values(A.columns, 0), 9);
  PcgParams params = exactly(9);
  params.check_every = 3;
  const System<TypeParam> system(exec, make_operator<TypeParam>(exec, A));
  EXPECT_TRUE(system.is_scaled());
  std::vector<int> seen;
  SolveResult result;
  const Monitor<TestSpace, TypeParam> monitor = [&](const TestSpace&, const auto& state) {
    const auto k = static_cast<std::size_t>(state.record().iteration);
    seen.push_back(state.record().iteration);
    const double allowed = tolerance<TypeParam>(1e-4, 1e-11);
    EXPECT_TRUE(k == 0 ||
                relative_difference(to_std_vector(as_vector(state.x)), iterates[k]) < allowed);
    return k == 6 ? MonitorAction::stop : MonitorAction::proceed;
  };
  const auto x = solve<Cg<TypeParam>>(system, b, Values(A.columns, 0), params, result, monitor);
  EXPECT_EQ(seen, (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(result.reason, StopReason::user_stop);
  EXPECT_LT(relative_difference(x, iterates[6]), tolerance<TypeParam>(1e-4, 1e-11));
}

TYPED_TEST(PcgStops, sets_x_to_zero_for_a_right_hand_side_of_zeros) {
  const PlainCsr A = spd_matrix();
  const TestSpace exec;
  for (const auto& [name, system] : all_systems<TypeParam>(exec, A)) {
    SolveResult result;
    const auto x =
        solve<Cg<TypeParam>>(system, Values(A.rows, 0), random_vector(A.rows, 1), {}, result);
    EXPECT_EQ(result.reason, StopReason::zero_rhs) << name;
    EXPECT_EQ(x, std::vector<TypeParam>(x.size(), 0)) << name;
    EXPECT_EQ(result.residual, 0);
    EXPECT_EQ(result.iterations, 0);
  }
}

TYPED_TEST(PcgStops, names_the_row_of_a_diagonal_that_it_cannot_use) {
  const auto with_entry = [](double entry) {
    return small_matrix(3, {2, -1, 0, -1, entry, -1, 0, -1, 2});
  };
  const Values b{1, 2, 3};
  const Values start{4, 5, 6};
  const TestSpace exec;
  for (const auto& [entry, reason] : {std::pair{0.0, StopReason::zero_diagonal},
                                      {-3.0, StopReason::indefinite},
                                      {std::nan(""), StopReason::non_finite}}) {
    const auto A = with_entry(entry);
    SolveResult result;
    const System<TypeParam> system(exec, make_operator<TypeParam>(exec, A));
    const auto x = solve<Cg<TypeParam>>(system, b, start, {}, result);
    EXPECT_EQ(result.reason, reason);
    EXPECT_EQ(result.row, 1);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(x, (std::vector<TypeParam>{4, 5, 6}));
    EXPECT_EQ(result.non_finite_source == NonFiniteSource::diagonal,
              reason == StopReason::non_finite);
  }
  // The first bad pivot shows that a block is not positive definite.
  SolveResult result;
  PcgParams params;
  params.preconditioner = {PreconditionerKind::block_jacobi, 2};
  solve<Cg<TypeParam>>(small_matrix(4, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 3, 0, 0, 3, 1}),
                       {1, 1, 1, 1}, params, result);
  EXPECT_EQ(result.reason, StopReason::indefinite);
  EXPECT_EQ(result.row, 3);
}

TYPED_TEST(PcgStops, ends_before_a_direction_of_negative_curvature) {
  // The diagonal is positive, but 1, 1, -1 is an eigenvector with a negative eigenvalue.
  const PlainCsr A = small_matrix(3, {1, 0, 2, 0, 1, 2, 2, 2, 1});
  const TestSpace exec;
  for (const auto& [name, system] : all_systems<TypeParam>(exec, A))
    for (const PcgScheme scheme : schemes) {
      if (system.fault()) continue;  // blocks detect it at once
      SolveResult result;
      PcgParams params;
      params.scheme = scheme;
      params.check_every = 10;
      const auto x = solve<Cg<TypeParam>>(system, {1, 2, -3}, {0, 0, 0}, params, result);
      EXPECT_EQ(result.reason, StopReason::indefinite) << name;
      EXPECT_LT(result.iterations, 3) << name;
      EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
      for (const auto value : x) EXPECT_TRUE(std::isfinite(value)) << name;
      EXPECT_NEAR(result.residual, plain_residual(A, {1, 2, -3}, x), 1e-5) << name;
    }
}

TYPED_TEST(PcgStops, tells_an_indefinite_preconditioner_from_an_indefinite_matrix) {
  const PlainCsr A = spd_matrix();
  const TestSpace exec;
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  const Values b = random_vector(A.rows, 1);
  for (const double factor : {-1.0, 0.0})
    for (const PcgScheme scheme : schemes) {
      SolveResult result;
      PcgParams params;
      params.scheme = scheme;
      const auto x =
          solve<Cg<TypeParam>>(System<TypeParam>(exec, op, user_jacobi<TypeParam>(A, factor)), b,
                               Values(A.rows, 0), params, result);
      EXPECT_EQ(result.reason, StopReason::indefinite_preconditioner) << factor;
      EXPECT_EQ(x, std::vector<TypeParam>(x.size(), 0));
      EXPECT_NEAR(result.residual, norm(b), 1e-5 * norm(b));
    }
}

TYPED_TEST(PcgStops, finds_numbers_that_are_none_where_they_arise) {
  const PlainCsr A = spd_matrix();
  const TestSpace exec;
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  const Values b = random_vector(A.rows, 1);
  const auto iterates = plain_pcg(A, b, Values(A.rows, 0), 10, [](const Values& r) { return r; });
  PcgParams params;
  params.check_every = 4;
  params.preconditioner.kind = PreconditionerKind::none;
  SolveResult result;
  // The result is the last iterate, or the start if its residual is smaller: the residual of
  // conjugate gradients may rise at first.
  const auto expect_better = [&](const std::vector<TypeParam>& x, int last) {
    const bool rises = plain_residual(A, b, iterates[static_cast<std::size_t>(last)]) > norm(b);
    EXPECT_EQ(result.iterations, rises ? 0 : last);
    const Values& expected = iterates[rises ? 0 : static_cast<std::size_t>(last)];
    EXPECT_LE(relative_difference(x, expected), tolerance<TypeParam>(1e-3, 1e-10));
  };
  // The first product forms the first residual, so the sixth belongs to the fifth iteration.
  auto x = solve<Cg<TypeParam>>(
      System<TypeParam>(exec, SpoiltOperator<TypeParam>{op, 6}, params.preconditioner), b,
      Values(A.rows, 0), params, result);
  EXPECT_EQ(result.reason, StopReason::non_finite);
  EXPECT_EQ(result.non_finite_iteration, 5);
  EXPECT_EQ(result.non_finite_source, NonFiniteSource::product);
  expect_better(x, 4);
  EXPECT_NEAR(result.residual, plain_residual(A, b, x), 1e-4 * norm(b));
  // The preconditioner fails in its third call, in the second iteration.
  x = solve<Cg<TypeParam>>(System<TypeParam>(exec, op, spoilt_identity<TypeParam>(3)), b,
                           Values(A.rows, 0), params, result);
  EXPECT_EQ(result.reason, StopReason::non_finite);
  EXPECT_EQ(result.non_finite_iteration, 2);
  EXPECT_EQ(result.non_finite_source, NonFiniteSource::preconditioner);
  expect_better(x, 1);
  // If the start is far from the solution, the last iterate is better.
  const Values far(b.size(), 100);
  x = solve<Cg<TypeParam>>(System<TypeParam>(exec, op, spoilt_identity<TypeParam>(3)), b, far,
                           params, result);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_LT(plain_residual(A, b, x), plain_residual(A, b, far));
  // Invalid input is refused.
  Values bad = b;
  bad[17] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(error_of([&] { solve<Cg<TypeParam>>(A, bad, {}, result); }), "17"));
  bad = Values(A.rows, 0);
  bad[3] = std::nan("");
  EXPECT_TRUE(contains(
      error_of([&] { solve<Cg<TypeParam>>(System<TypeParam>(exec, op), b, bad, {}, result); }),
      "start"));
}

TYPED_TEST(PcgStops, takes_operators_without_a_matrix) {
  // A^T A of the blur as an operator of a user: symmetric positive definite, and without a
  // diagonal.
  struct Normal {
    BlurOperator<TypeParam> blur;
    DeviceVector<TypeParam> work;
    Ordinal num_rows() const { return blur.num_rows(); }
    Ordinal num_cols() const { return blur.num_cols(); }
    void apply(const TestSpace& exec, TypeParam alpha, const In<TypeParam>& X, TypeParam beta,
               const Out<TypeParam>& Y) const {
      blur.apply(exec, 1, X, 0, as_multivector(work));
      blur.apply_transpose(exec, alpha, as_multivector(work), beta, Y);
    }
  };
  const Ordinal n = 60;
  const TestSpace exec;
  const Normal normal{BlurOperator<TypeParam>(n), DeviceVector<TypeParam>("work", n)};
  const PlainCsr blur = blur_matrix(n);
  const Values b = random_vector(n, 1);
  const Values rhs = multiply(blur.transposed(), b);
  PcgParams params;
  for (const auto kind : {PreconditionerKind::none, PreconditionerKind::jacobi}) {
    SolveResult result;
    const System<TypeParam> system(exec, normal, {kind});
    EXPECT_FALSE(system.is_scaled()) << "it has no values to scale";
    const auto x = solve<Cg<TypeParam>>(system, rhs, Values(n, 0), params, result);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LT(relative_difference(x, least_squares(blur, b)), tolerance<TypeParam>(1e-4, 1e-5));
  }
  EXPECT_TRUE(contains(
      error_of([&] { System<TypeParam>(exec, normal, {PreconditionerKind::block_jacobi}); }),
      "diagonal"));
  const Normal large{BlurOperator<TypeParam>(5000), DeviceVector<TypeParam>("work", 5000)};
  EXPECT_TRUE(contains(error_of([&] { System<TypeParam>(exec, large); }), "5000 rows"));
}

TYPED_TEST(PcgStops, refuses_what_makes_no_sense) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  EXPECT_THROW(System<TypeParam>(exec, make_operator<TypeParam>(exec, positive_matrix())),
               DimensionMismatch);
  EXPECT_THROW(System<TypeParam>(exec, op, {PreconditionerKind::user}), Error);
  EXPECT_THROW(System<TypeParam>(exec, op, UserPreconditioner<TestSpace, TypeParam>()), Error);
  for (const int block : {0, 1, 5})
    EXPECT_THROW(System<TypeParam>(exec, op, {PreconditionerKind::block_jacobi, block}), Error);
  PcgParams params;
  params.check_every = 0;
  EXPECT_THROW((Cg<TypeParam>(exec, 3, params)), Error);
  params.check_every = 1;
  params.stop.absolute_residual = -1;
  EXPECT_THROW((Cg<TypeParam>(exec, 3, params)), Error);
  params.stop = {};
  params.stop.relative_change = 1e-3;
  params.scheme = PcgScheme::single_reduction;
  EXPECT_THROW((Cg<TypeParam>(exec, 3, params)), Error);
  Cg<TypeParam> solver(exec, A.rows);
  const DeviceVector<TypeParam> x("x", A.rows + 1);
  EXPECT_THROW(solver.solve(exec, op, x, x), DimensionMismatch);
}

TYPED_TEST(PcgStops, has_nothing_to_do_for_an_empty_system) {
  PlainCsr A;
  A.columns = 0;
  SolveResult result;
  const auto x = solve<Cg<TypeParam>>(A, {}, {}, result);
  EXPECT_TRUE(x.empty());
  EXPECT_EQ(result.reason, StopReason::zero_rhs);
}

}  // namespace
