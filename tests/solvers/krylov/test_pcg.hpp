// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preconditioned conjugate gradients against the textbook loop in double.
#include "PcgTesting.hpp"

using namespace pcg_testing;

namespace {

template <class Scalar>
class PcgTest : public ::testing::Test {};
TYPED_TEST_SUITE(PcgTest, Scalars);

TYPED_TEST(PcgTest, solves_with_every_preconditioner_from_any_start) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1);
  const Values solution = plain_jacobi_pcg(A, b, Values(A.columns, 0), 200).back();
  PcgParams params;
  const double wanted = tolerance<TypeParam>(1e-5, 1e-10);
  params.stop = PcgParams::relative(wanted);
  params.check_every = 7;
  for (const auto& [name, system] : all_systems<TypeParam>(exec, A))
    for (const unsigned seed : {0u, 8u, 9u}) {
      params.scheme = schemes[seed % 2];
      const Values start = seed == 0 ? Values(A.columns, 0) : random_vector(A.columns, seed);
      SolveResult result;
      const auto x = solve<Cg<TypeParam>>(system, b, start, params, result);
      EXPECT_EQ(result.reason, StopReason::converged) << name;
      EXPECT_EQ(result.iterations % 7, 0);
      EXPECT_LE(plain_residual(A, b, x), wanted * norm(b) * 1.01) << name;
      EXPECT_NEAR(result.residual, plain_residual(A, b, x),
                  tolerance<TypeParam>(1e-5, 1e-13) * norm(b))
          << name;
      EXPECT_LE(result.relative_residual, wanted);
      EXPECT_TRUE(result.recursive_residual.has_value());
      EXPECT_LT(relative_difference(x, solution), tolerance<TypeParam>(1e-3, 1e-7)) << name;
    }
}

TYPED_TEST(PcgTest, follows_the_path_of_the_textbook) {
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.rows, 2);
  const auto iterates = plain_jacobi_pcg(A, b, start, 6);
  for (const int way : {0, 1, 2, 3}) {
    PcgParams params = exactly(6);
    params.preconditioner.scale_matrix = way % 2 == 0;
    params.scheme = schemes[way / 2];
    const TestSpace exec;
    SolveResult result;
    const auto x = solve<Cg<TypeParam>>(
        System<TypeParam>(exec, make_operator<TypeParam>(exec, A), params.preconditioner), b, start,
        params, result);
    EXPECT_LT(relative_difference(x, iterates[6]), tolerance<TypeParam>(1e-4, 1e-11));
    EXPECT_EQ(result.reason, StopReason::max_iterations);
    EXPECT_EQ(result.iterations, 6);
    ASSERT_EQ(result.history.size(), 7u);
    // sqrt(r . D^-1 r) of every iterate, and the residual at each check by the host.
    const Values d = diagonal_of(A);
    for (std::size_t k = 0; k < 7; ++k) {
      const Values image = multiply(A, iterates[k]);
      double rho = 0;
      for (std::size_t i = 0; i < b.size(); ++i)
        rho += (b[i] - image[i]) * (b[i] - image[i]) / d[i];
      EXPECT_NEAR(*result.history[k].preconditioned_residual, std::sqrt(rho),
                  tolerance<TypeParam>(1e-3, 1e-10) * std::sqrt(rho));
      EXPECT_EQ(result.history[k].residual.has_value(), k == 0 || k == 6) << k;
    }
    EXPECT_NEAR(*result.history[0].residual, plain_residual(A, b, start),
                1e-4 * plain_residual(A, b, start));
    EXPECT_NEAR(*result.history[6].residual, plain_residual(A, b, x),
                1e-3 * plain_residual(A, b, x));
  }
}

TYPED_TEST(PcgTest, lowers_the_energy_of_the_error_in_every_iteration) {
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 4);
  const Values solution = plain_jacobi_pcg(A, b, Values(A.columns, 0), 200).back();
  double before = std::numeric_limits<double>::infinity();
  int seen = 0;
  const Monitor<TestSpace, TypeParam> monitor = [&](const TestSpace&, const auto& state) {
    const auto x = to_std_vector(as_vector(state.x));
    Values error(x.begin(), x.end());
    for (std::size_t i = 0; i < error.size(); ++i) error[i] -= solution[i];
    const double energy = plain_dot(error, multiply(A, error));
    EXPECT_LT(energy, before) << state.iteration;
    before = energy;
    ++seen;
    return MonitorAction::proceed;
  };
  PcgParams params = exactly(12);
  params.check_every = 1;
  SolveResult result;
  const TestSpace exec;
  const System<TypeParam> system(exec, make_operator<TypeParam>(exec, A));
  solve<Cg<TypeParam>>(system, b, Values(A.columns, 0), params, result, monitor);
  EXPECT_EQ(seen, 13);
}

TYPED_TEST(PcgTest, stops_each_right_hand_side_by_itself) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const std::size_t n = static_cast<std::size_t>(A.rows), s = 4;
  // Right-hand sides with solutions close to the start and far from it, zero, and one of another
  // magnitude.
  std::vector<Values> rhs{multiply(A, Values(n, 1)), random_vector(A.rows, 5), Values(n, 0),
                          random_vector(A.rows, 6)};
  for (auto& value : rhs[3]) value *= 1e5;
  std::vector<Values> starts{Values(n, 1.0001), Values(n, 0), random_vector(A.rows, 7),
                             Values(n, 0)};
  Values B(n * s), X(n * s);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < s; ++j) B[i * s + j] = rhs[j][i], X[i * s + j] = starts[j][i];
  PcgParams params;
  params.check_every = 3;
  params.stop = PcgParams::relative(tolerance<TypeParam>(1e-4, 1e-9));
  int turn = 0;
  for (const auto& [name, system] : all_systems<TypeParam>(exec, A))
    for (int again = 0; again < 2; ++again) {
      params.scheme = schemes[turn++ % 2];
      const auto b = make_vector<TypeParam>(exec, B);
      const auto x = make_vector<TypeParam>(exec, X);
      Cg<TypeParam> solver(exec, A.rows, params, static_cast<Ordinal>(s));
      const auto results =
          solver.solve(exec, system, In<TypeParam>(b.data(), n, s), Out<TypeParam>(x.data(), n, s));
      const auto values = to_std_vector(x);
      ASSERT_EQ(results.size(), s);
      EXPECT_NE(results[0].iterations, results[1].iterations) << name;
      EXPECT_EQ(results[2].reason, StopReason::zero_rhs);
      for (std::size_t j = 0; j < s; ++j) {
        SolveResult alone;
        const auto expected = solve<Cg<TypeParam>>(system, rhs[j], starts[j], params, alone);
        std::vector<TypeParam> column(n);
        for (std::size_t i = 0; i < n; ++i) column[i] = values[i * s + j];
        EXPECT_EQ(results[j].reason, alone.reason) << name << ", column " << j;
        // Products with several vectors may sum in another order.
        EXPECT_NEAR(results[j].iterations, alone.iterations, 3 + 0.15 * alone.iterations)
            << name << ", column " << j;
        if (j == 2) {
          EXPECT_EQ(column, std::vector<TypeParam>(n, 0));
          continue;
        }
        EXPECT_LT(relative_difference(column, expected), tolerance<TypeParam>(1e-3, 1e-6));
      }
    }
}

TYPED_TEST(PcgTest, keeps_its_bits_when_everything_is_scaled) {
  PlainCsr A = spd_matrix();
  Values b = random_vector(A.rows, 9);
  PcgParams params = exactly(15);
  for (const bool scaled : {true, false}) {
    params.preconditioner.scale_matrix = scaled;
    SolveResult first, second;
    const auto x = solve<Cg<TypeParam>>(A, b, params, first);
    PlainCsr larger = A;
    Values larger_b = b;
    const double factor = scaled ? 1024 : 512;  // a power of four; any power of two
    for (auto& value : larger.values) value *= factor;
    for (auto& value : larger_b) value *= factor;
    EXPECT_TRUE(same_bits(x, solve<Cg<TypeParam>>(larger, larger_b, params, second)));
    EXPECT_EQ(second.relative_residual, first.relative_residual);
  }
}

TYPED_TEST(PcgTest, repeats_its_bits) {
  const PlainCsr A = spd_matrix(12, 11, 10);
  const Values b = random_vector(A.rows, 9);
  SolveResult result;
  const auto x = solve<Cg<TypeParam>>(A, b, exactly(20), result);
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(same_bits(x, solve<Cg<TypeParam>>(A, b, exactly(20), result)));
}

}  // namespace
