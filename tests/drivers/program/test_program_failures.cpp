// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear systems that a solver cannot solve, or only just: what is returned, and what is said.
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_RunReport.hpp>
#include <cmath>

#include "program/SolutionTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr const char* general_header = "%%MatrixMarket matrix coordinate real general\n";

TEST(ProgramFailures, says_where_a_solve_has_ended_and_which_iterate_x_is) {
  SolveResult result;
  result.reason = StopReason::breakdown;
  result.relative_residual = 1;
  result.history.resize(1357);
  result.history.back().iteration = 1356;
  EXPECT_EQ(describe_results({result}), "breakdown at iteration 1356; x is iterate 0, residual 1");
  result.iterations = 1356;
  EXPECT_EQ(describe_results({result}), "breakdown after 1356 iterations, residual 1");
  // Far from what a Krylov solver can do: each row couples itself weakly and three others at
  // random.
  const RunFolder folder;
  const int n = 90;
  std::string text = std::string(general_header) + std::to_string(n) + " " + std::to_string(n) +
                     " " + std::to_string(4 * n) + "\n";
  for (int i = 0; i < n; ++i) {
    text += std::to_string(i + 1) + " " + std::to_string(i + 1) + " 1e-8\n";
    for (const int step : {1 + i * 7 % 29, 31 + i * i % 23, 57 + i * 11 % 19})
      text += std::to_string(i + 1) + " " + std::to_string((i + step) % n + 1) + " " +
              std::to_string(1 + (i * step) % 5) + "\n";
  }
  write_bytes(folder / "A.mtx", text);
  std::vector<double> b(n);
  for (int i = 0; i < n; ++i) b[static_cast<std::size_t>(i)] = std::cos(2.0 * i * i);
  write_npy<double>(folder / "b.npy", b, {n});
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, matrix: A.mtx, rhs: b.npy}\n"
              "solver: {type: bicgstab, iterations: 200}\n");
  const auto A = read_matrix<double>(folder / "A.mtx");
  for (const char* divergence : {"1e5", "2", ""}) {
    const ProgramResult run = expect_failure(
        run_of(folder, "out", {std::string("solver.stop.divergence=") + divergence}), {}, 1);
    const double truth = relative_residual(A, solution_of(folder, "out"), b);
    EXPECT_LE(truth, 1 + 1e-9) << divergence;
    EXPECT_NEAR(number(folder, "out", "result.relative_residual"), truth, 1e-9);
    const std::string reason = reported(folder, "out", "result.reason");
    if (std::string(divergence) == "2") {
      EXPECT_EQ(reason, "diverged");
      EXPECT_CONTAINS(run.error,
                      "diverged at iteration " + reported(folder, "out", "result.last_iteration") +
                          "; x is iterate " + reported(folder, "out", "result.iterations"));
    }
    if (std::string(divergence).empty()) {
      EXPECT_NE(reason, "diverged");
      // Empty in the report, too, whose configuration gives the same result.
      const std::string used = reported(folder, "out", "configuration");
      EXPECT_CONTAINS(used, "divergence: null");
      write_bytes(folder / "again.yaml", used);
      run_program({"run", folder / "again.yaml", "--output", folder / "again"});
      expect_same_file(folder, "again", "out", "solution.npy");
    }
  }
  expect_failure(run_of(folder, "none", {"solver.stop.divergence=0.5"}),
                 {"solver.stop.divergence"});
}

// A line without ends (Neumann conditions) whose right-hand side does not quite sum to zero.
TEST(ProgramFailures, pcg_solves_singular_systems_down_to_what_is_outside_their_range) {
  const RunFolder folder;
  const int n = 100;
  std::string text = std::string("%%MatrixMarket matrix coordinate real symmetric\n") +
                     std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(2 * n - 1) +
                     "\n";
  for (int i = 1; i <= n; ++i) {
    text += std::to_string(i) + " " + std::to_string(i) + (i == 1 || i == n ? " 1\n" : " 2\n");
    if (i > 1) text += std::to_string(i) + " " + std::to_string(i - 1) + " -1\n";
  }
  write_bytes(folder / "A.mtx", text);
  const auto A = read_matrix<double>(folder / "A.mtx");
  std::vector<double> b(n);
  double mean = 0;
  for (int i = 0; i < n; ++i) mean += b[static_cast<std::size_t>(i)] = std::sin(1.0 * i * i);
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, matrix: A.mtx, rhs: b.npy}\n"
              "solver: {type: pcg}\n");
  for (const auto& [shift, tolerance] :
       {std::pair{1e-11, "1e-8"}, {1e-9, "1e-8"}, {1e-8, "1e-6"}, {1e-7, "1e-6"}}) {
    std::vector<double> shifted = b;
    for (double& value : shifted) value += shift - mean / n;
    write_npy<double>(folder / "b.npy", shifted, {n});
    for (const char* scheme : {"standard", "single_reduction"}) {
      run_well(folder, "out",
               {std::string("solver.stop.residual=") + tolerance,
                std::string("solver.scheme=") + scheme});
      EXPECT_LE(relative_residual(A, solution_of(folder, "out"), shifted),
                1.01 * std::stod(tolerance));
    }
  }
}

}  // namespace
