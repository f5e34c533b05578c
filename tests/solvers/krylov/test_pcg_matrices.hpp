// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients on matrices of structures, power networks and a grid, compared with known
// properties: the solution, and the energy of the error, which falls in every step.
#include <Tomokkos_Pcg.hpp>

#include "SystemTesting.hpp"

using namespace system_testing;

namespace {

double energy(const PlainCsr& A, const Values& error) {
  const Values image = multiply(A, error);
  double sum = 0;
  for (std::size_t i = 0; i < error.size(); ++i) sum += error[i] * image[i];
  return sum;
}

struct Case {
  const char* name;
  double tolerance;  // tolerance of the residual
  double error;      // largest error if the solution is all ones
};

void expect_solutions(const Case& tried) {
  const TestSpace exec;
  SCOPED_TRACE(tried.name);
  const PlainCsr A = plain_file(tried.name);
  const auto n = static_cast<std::size_t>(A.rows);
  const Values solution(n, 1);
  const Values b = multiply(A, solution);
  PcgParams params;
  params.check_every = 1;
  params.iterations = 20000;
  params.stop = PcgParams::relative(tried.tolerance);
  for (const PcgScheme scheme : {PcgScheme::standard, PcgScheme::single_reduction}) {
    params.scheme = scheme;
    Pcg<TestSpace, double> solver(exec, A.rows, params);
    const auto x = to_device<TestSpace, double>(exec, Values(n, 0));
    double before = energy(A, solution);
    const double first = before;
    int rises = 0;
    const SolveResult result =
        solver.solve(exec, make_operator<double>(exec, A), to_device<TestSpace, double>(exec, b), x,
                     [&](const TestSpace&, const MonitorState<TestSpace, double>& state) {
                       Values error = to_std_vector(as_vector(state.x));
                       for (auto& e : error) e -= 1;
                       const double now = energy(A, error);
                       // The energy falls until only the rounding of x itself is left.
                       if (now > before * (1 + 1e-9) && now > 1e-16 * first) ++rises;
                       before = now;
                       return MonitorAction::proceed;
                     });
    EXPECT_EQ(rises, 0);
    EXPECT_EQ(result.reason, StopReason::converged);
    const Values found = to_std_vector(x);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(found[i], 1, tried.error) << i;
    EXPECT_NEAR(result.relative_residual, plain_residual(A, b, found) / norm(b),
                0.1 * result.relative_residual + 1e-15);
  }
}

}  // namespace

TEST(PcgMatrices, solutions_are_found_and_the_error_falls_with_every_step) {
  // The errors correspond to the condition numbers.
  for (const Case& tried : {Case{"nos3", 1e-10, 1e-5}, Case{"1138_bus", 1e-10, 1e-4},
                            Case{"lap3D_7pt_n20", 1e-12, 1e-9}})
    expect_solutions(tried);
}

TEST(PcgMatrices, the_solution_of_a_larger_matrix_is_found) {
  TOMOKKOS_NEEDS_TEST_DATA("matrices/bcsstk16.mtx");
  expect_solutions({"bcsstk16", 1e-10, 1e-5});
}

TEST(PcgMatrices, what_is_beyond_the_precision_is_said_honestly) {
  const TestSpace exec;
  for (const char* name : {"bcsstk14", "bcsstk24"}) {
    SCOPED_TRACE(name);
    const PlainCsr A = plain_file(name);
    const auto n = static_cast<std::size_t>(A.rows);
    const Values b = multiply(A, Values(n, 1));
    PcgParams params;
    params.iterations = 6000;
    params.stop = PcgParams::relative(1e-14);
    Pcg<TestSpace, double> solver(exec, A.rows, params);
    const auto x = to_device<TestSpace, double>(exec, Values(n, 0));
    const SolveResult result = solver.solve(exec, make_operator<double>(exec, A),
                                            to_device<TestSpace, double>(exec, b), x);
    const double residual = plain_residual(A, b, to_std_vector(x)) / norm(b);
    EXPECT_NEAR(result.relative_residual, residual, 0.2 * residual);
    EXPECT_EQ(result.reason == StopReason::converged, result.relative_residual <= 1e-14);
    EXPECT_LT(residual, 1e-3);
  }
}
