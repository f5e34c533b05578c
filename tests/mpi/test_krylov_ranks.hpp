// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BiCGSTAB and GMRES with a system distributed over ranks, compared with elimination and with the
// solvers of the whole matrix.
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_Gmres.hpp>

#include "KrylovTesting.hpp"
#include "OverRanksTesting.hpp"

using namespace spread_testing;

namespace {

using krylov_testing::convection;
using krylov_testing::general;
using krylov_testing::solution_by_elimination;

template <class S>
class KrylovSpreadTest : public ::testing::Test {
 protected:
  using Solver = S;
};
using Solvers = ::testing::Types<BiCgStab<TestSpace, float>, BiCgStab<TestSpace, double>,
                                 Gmres<TestSpace, float>, Gmres<TestSpace, double>>;
TYPED_TEST_SUITE(KrylovSpreadTest, Solvers);

const std::vector<std::pair<std::string, PreconditionerOptions>> preconditioners{
    {"none", general(PreconditionerKind::none)},
    {"jacobi", general()},
    {"blocks of 3", general(PreconditionerKind::block_jacobi, 3)}};

template <class Scalar>
System<Scalar> spread_system(const TestSpace& exec, const PlainCsr& A, const Begins& begins,
                             const Comm& comm, const PreconditionerOptions& options) {
  return System<Scalar>(exec, make_spread<Scalar>(exec, A, begins, comm), options);
}

/// Returns the whole solution. `b` and `start` are also whole.
template <class Solver>
std::vector<ScalarOf<Solver>> solve_spread(const System<ScalarOf<Solver>>& system,
                                           const Begins& begins, const Values& b,
                                           const Values& start,
                                           const typename Solver::params_type& params,
                                           SolveResult& result) {
  return whole_of(solve<Solver>(system, part_of(b, begins), part_of(start, begins), params, result),
                  begins);
}

TYPED_TEST(KrylovSpreadTest, solves_like_the_solver_of_the_whole_matrix) {
  using Solver = typename TestFixture::Solver;
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = convection();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.rows, 2);
  const Values solution = solution_by_elimination(A, b);
  typename Solver::params_type params;
  const double wanted = tolerance<Scalar>(1e-5, 1e-10);
  params.stop = Solver::params_type::relative(wanted);
  params.check_every = 3;
  for (const auto& [name, options] : preconditioners) {
    const System<Scalar> whole(exec, make_operator<Scalar>(exec, A), options);
    SolveResult alone;
    solve<Solver>(whole, b, start, params, alone);
    for (const Begins& begins : partitions(A.rows)) {
      const auto system = spread_system<Scalar>(exec, A, begins, comm, options);
      SolveResult result, repeated;
      const auto x = solve_spread<Solver>(system, begins, b, start, params, result);
      EXPECT_EQ(result.reason, StopReason::converged) << name;
      // Blocks that begin in the middle of those of the whole matrix precondition differently. In
      // float, the rounding of sums decides how many iterations BiCGSTAB needs.
      const bool is_block = options.kind == PreconditionerKind::block_jacobi;
      const double more = std::is_same_v<Scalar, float> ? 1 : is_block ? 0.5 : 0.15;
      EXPECT_NEAR(result.iterations, alone.iterations, 6 + more * alone.iterations) << name;
      EXPECT_LE(plain_residual(A, b, x), wanted * norm(b) * 1.05) << name;
      EXPECT_NEAR(result.residual, plain_residual(A, b, x),
                  tolerance<Scalar>(1e-5, 1e-13) * norm(b))
          << name;
      EXPECT_NEAR(result.rhs_norm, norm(b), 1e-12 * norm(b));
      EXPECT_LT(relative_difference(x, solution), tolerance<Scalar>(1e-3, 1e-8)) << name;
      EXPECT_TRUE(Tomokkos::Testing::same_on_all_ranks(numbers_of(result))) << name;
      EXPECT_TRUE(same_bits(x, solve_spread<Solver>(system, begins, b, start, params, repeated)));
      EXPECT_TRUE(same_bits(numbers_of(result), numbers_of(repeated))) << name;
    }
  }
}

TYPED_TEST(KrylovSpreadTest, follows_the_iterates_of_the_whole_matrix) {
  using Solver = typename TestFixture::Solver;
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = convection(12, 11, 0.6, 0, false);
  const Values b = random_vector(A.rows, 1), start = random_vector(A.rows, 2);
  typename Solver::params_type params;
  params.stop = {};
  params.iterations = 8;
  for (const PreconditionerOptions& options : {preconditioners[0].second, general()}) {
    SolveResult alone, result;
    const auto expected = solve<Solver>(
        System<Scalar>(exec, make_operator<Scalar>(exec, A), options), b, start, params, alone);
    for (const Begins& begins : partitions(A.rows)) {
      const auto x = solve_spread<Solver>(spread_system<Scalar>(exec, A, begins, comm, options),
                                          begins, b, start, params, result);
      EXPECT_LT(relative_difference(x, Values(expected.begin(), expected.end())),
                tolerance<Scalar>(1e-3, 1e-12));
      ASSERT_EQ(result.history.size(), alone.history.size());
      for (std::size_t k = 0; k < alone.history.size(); ++k)
        EXPECT_NEAR(*result.history[k].residual, *alone.history[k].residual,
                    tolerance<Scalar>(1e-3, 1e-12) * norm(b));
    }
  }
}

TYPED_TEST(KrylovSpreadTest, a_single_rank_has_the_bits_of_the_whole_matrix) {
  using Solver = typename TestFixture::Solver;
  using Scalar = ScalarOf<Solver>;
  if (num_ranks() > 1) return;
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = convection();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.rows, 2);
  for (const auto& [name, options] : preconditioners) {
    SolveResult result, alone;
    const auto x = solve<Solver>(spread_system<Scalar>(exec, A, {0, A.rows}, comm, options), b,
                                 start, {}, result);
    EXPECT_TRUE(
        same_bits(x, solve<Solver>(System<Scalar>(exec, make_operator<Scalar>(exec, A), options), b,
                                   start, {}, alone)))
        << name;
    EXPECT_TRUE(same_bits(numbers_of(result), numbers_of(alone))) << name;
  }
}

// Entries far from 1 are solved in units of their own, which all ranks must share.
TYPED_TEST(KrylovSpreadTest, all_ranks_use_the_same_units) {
  using Solver = typename TestFixture::Solver;
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = convection(9, 8, 0.6, 0, false);
  const double size = tolerance<Scalar>(1e25, 1e200);
  Values b = random_vector(A.rows, 1);
  const Values solution = solution_by_elimination(A, b);
  for (double& value : b) value *= size;
  typename Solver::params_type params;
  const double wanted = tolerance<Scalar>(1e-5, 1e-10);
  params.stop = Solver::params_type::relative(wanted);
  for (const Begins& begins : partitions(A.rows)) {
    SolveResult result;
    auto x = solve_spread<Solver>(spread_system<Scalar>(exec, A, begins, comm, general()), begins,
                                  b, Values(b.size(), 0), params, result);
    EXPECT_EQ(result.reason, StopReason::converged);
    for (auto& value : x) value = static_cast<Scalar>(value / size);
    EXPECT_LT(relative_difference(x, solution), tolerance<Scalar>(1e-3, 1e-8));
  }
}

TYPED_TEST(KrylovSpreadTest, all_ranks_report_why_a_system_cannot_be_solved) {
  using Solver = typename TestFixture::Solver;
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const Comm comm = make_comm();
  const auto end_of = [&](const PlainCsr& A, const PreconditionerOptions& options,
                          const Begins& begins) {
    SolveResult result;
    const Values b = random_vector(A.rows, 1);
    const auto x = solve_spread<Solver>(spread_system<Scalar>(exec, A, begins, comm, options),
                                        begins, b, Values(b.size(), 0), {}, result);
    EXPECT_TRUE(Tomokkos::Testing::same_on_all_ranks(numbers_of(result)));
    for (const auto value : x) EXPECT_TRUE(std::isfinite(value));
    return result;
  };
  PlainCsr A = convection();
  const auto entry = [&](Ordinal row, Ordinal column) -> double& {
    auto k = static_cast<std::size_t>(A.offsets[static_cast<std::size_t>(row)]);
    while (A.indices[k] != column) ++k;
    return A.values[k];
  };
  for (const Begins& begins : partitions(A.rows)) {
    A = convection();
    entry(100, 100) = 0;
    const SolveResult zero = end_of(A, general(), begins);
    EXPECT_EQ(zero.reason, StopReason::zero_diagonal);
    EXPECT_EQ(zero.row.value_or(-1), 100);
    A = convection();
    entry(190, 189) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(end_of(A, general(), begins).reason, StopReason::non_finite);
    // Singular on the space of the right-hand side.
    A = convection();
    for (auto& value : A.values) value = 0;
    EXPECT_EQ(end_of(A, general(PreconditionerKind::none), begins).reason, StopReason::breakdown);
  }
}

TYPED_TEST(KrylovSpreadTest, an_error_on_one_rank_is_refused_on_all_ranks) {
  using Solver = typename TestFixture::Solver;
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = convection();
  const Begins begins = partitions(A.rows).front();
  const auto system = spread_system<Scalar>(exec, A, begins, comm, general());
  const bool is_last = this_rank() + 1 == static_cast<std::size_t>(num_ranks());
  const Values ones(static_cast<std::size_t>(system.num_rows()), 1);
  Values bad = ones;
  if (is_last) bad[5] = std::numeric_limits<double>::infinity();
  const auto error_of_solve = [&](const Values& b, const Values& start) {
    SolveResult result;
    return message_of([&] { solve<Solver>(system, b, start, {}, result); });
  };
  for (const std::string& message : {error_of_solve(bad, ones), error_of_solve(ones, bad)}) {
    EXPECT_TRUE(holds(message, "entry 5 of the ")) << message;
    EXPECT_EQ(holds(message, "rank " + std::to_string(num_ranks() - 1) + ": "), !is_last);
  }
  EXPECT_EQ(error_of_solve(ones, ones), "");
}

// A rank with few rows makes as many steps as the others.
TEST(GmresSpread, a_cycle_is_as_long_as_all_ranks_together_allow) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = convection(5, 4, 0.6, 0, false);
  const Values b = random_vector(A.rows, 1);
  for (const Begins& begins : partitions(A.rows)) {
    GmresParams params;
    params.restart = 100;
    params.check_every = 1;
    params.stop = GmresParams::relative(1e-13);
    SolveResult result;
    solve_spread<Gmres<TestSpace, double>>(
        spread_system<double>(exec, A, begins, comm, general(PreconditionerKind::none)), begins, b,
        Values(b.size(), 0), params, result);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(result.iterations, A.rows);
  }
}

}  // namespace
