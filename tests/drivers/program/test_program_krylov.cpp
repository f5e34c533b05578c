// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs with `problem.type: linear_system`, with solvers other than pcg and with several right-hand
// sides.
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_RunReport.hpp>
#include <algorithm>
#include <cmath>

#include "TestData.hpp"
#include "program/SolutionTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr const char* general_header = "%%MatrixMarket matrix coordinate real general\n";
constexpr const char* config = "problem: {type: linear_system, matrix: A.mtx, rhs: ones}\n";

/// Writes a convection matrix on a line of n cells. It is far from symmetric, and every fourth
/// diagonal entry is negative.
void write_convection(const std::filesystem::path& file, int n) {
  std::string text = general_header + std::to_string(n) + " " + std::to_string(n) + " " +
                     std::to_string(3 * n - 2) + "\n";
  for (int i = 1; i <= n; ++i) {
    const std::string sign = i % 4 == 0 ? "-" : "", other = i % 4 == 0 ? "" : "-";
    const std::string row = std::to_string(i) + " ";
    if (i > 1) text += row + std::to_string(i - 1) + " " + other + "1.5\n";
    text += row + std::to_string(i) + " " + sign + "2.25\n";
    if (i < n) text += row + std::to_string(i + 1) + " " + other + "0.5\n";
  }
  write_bytes(file, text);
}

/// Solves least squares by the normal equations and elimination, in double.
std::vector<double> least_squares(const HostCsrMatrix<double>& A, const std::vector<double>& b) {
  const auto n = static_cast<std::size_t>(A.num_cols);
  std::vector<std::vector<double>> M(n, std::vector<double>(n + 1, 0.0));
  for (Ordinal i = 0; i < A.num_rows; ++i)
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k) {
      auto& row = M[static_cast<std::size_t>(A.columns(k))];
      for (Offset l = A.row_offsets(i); l < A.row_offsets(i + 1); ++l)
        row[static_cast<std::size_t>(A.columns(l))] += A.values(k) * A.values(l);
      row[n] += A.values(k) * b[static_cast<std::size_t>(i)];
    }
  // The normal equations are positive definite and need no pivots.
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j + 1; i < n; ++i) {
      const double factor = M[i][j] / M[j][j];
      for (std::size_t l = j; factor != 0 && l <= n; ++l) M[i][l] -= factor * M[j][l];
    }
  std::vector<double> x(n);
  for (std::size_t j = n; j-- > 0;) {
    double value = M[j][n];
    for (std::size_t l = j + 1; l < n; ++l) value -= M[j][l] * x[l];
    x[j] = value / M[j][j];
  }
  return x;
}

TEST(ProgramKrylov, every_suitable_solver_solves_non_symmetric_systems) {
  const RunFolder folder;
  write_convection(folder / "A.mtx", 200);
  write_bytes(folder / "c.yaml", config);
  const auto A = read_matrix<double>(folder / "A.mtx");
  const std::vector<double> b(200, 1.0);
  for (const char* solver :
       {"{type: bicgstab, stop: {residual: 1e-9}}", "{type: gmres, stop: {residual: 1e-9}}",
        "{type: gmres, restart: 7, preconditioner: none, stop: {residual: 1e-9}}",
        "{type: bicgstab, preconditioner: block_jacobi, block: 3, stop: {residual: 1e-9}}",
        "{type: gmres, preconditioner: block_jacobi, stop: {residual: 1e-9}}",
        "{type: cgls, stop: {residual: 1e-9}}"}) {
    run_well(folder, "out", {std::string("solver=") + solver});
    EXPECT_LE(relative_residual(A, solution_of(folder, "out"), b), 1.01e-9) << solver;
    EXPECT_EQ(reported(folder, "out", "result.reason"), "converged") << solver;
    EXPECT_EQ(reported(folder, "out", "scaled"), "false");
    // The configuration in the report gives the same result.
    write_bytes(folder / "again.yaml", reported(folder, "out", "configuration"));
    run_well({"run", folder / "again.yaml", "--output", folder / "again"});
    expect_same_file(folder, "again", "out", "solution.npy");
  }
  run_well(folder, "rcm", {"solver.type=gmres", "operator.ordering=rcm"});
  EXPECT_LE(relative_residual(A, solution_of(folder, "rcm"), b), 1.01e-6);
  expect_failure(run_of(folder, "refused"), {"not symmetric", "bicgstab"});
}

TEST(ProgramKrylov, cgls_converges_for_a_matrix_with_tiny_entries) {
  const RunFolder folder;
  std::string text = std::string(general_header) + "4 4 10\n";
  for (int i = 1; i <= 4; ++i) {
    const std::string row = std::to_string(i) + " ";
    if (i > 1) text += row + std::to_string(i - 1) + " -1e-80\n";
    text += row + std::to_string(i) + " 3e-80\n";
    if (i < 4) text += row + std::to_string(i + 1) + " -1e-80\n";
  }
  write_bytes(folder / "A.mtx", text);
  write_npy<double>(folder / "b.npy", std::vector<double>{1, 2, 3, 4}, {4});
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, matrix: A.mtx, rhs: b.npy, volume: {size: [2, 2]}}\n"
              "solver: {type: cgls, iterations: 10, stop: {residual: 1e-9}}\n"
              "run: {scalar: double}\n");
  run_well(folder, "out");
  EXPECT_EQ(reported(folder, "out", "result.reason"), "converged");
  EXPECT_LE(number(folder, "out", "result.relative_residual"), 1e-9);
  EXPECT_GT(std::stoi(reported(folder, "out", "result.iterations")), 0);
}

TEST(ProgramKrylov, a_run_that_has_diverged_fails) {
  SolveResult result;
  result.reason = StopReason::max_iterations;
  result.rhs_norm = 2;
  result.history.resize(1);
  result.history[0].residual = 2;
  result.residual = 2;
  EXPECT_EQ(exit_status_of({result}, false, false), 0);
  result.residual = 5.5e12;
  EXPECT_EQ(exit_status_of({result}, false, false), 1);
  result.history[0].residual = 6e12;  // the start was worse
  EXPECT_EQ(exit_status_of({result}, false, false), 0);
  result.history[0].residual = 0.1;  // a better start, if something else is minimised
  result.residual = 0.2;
  EXPECT_EQ(exit_status_of({result}, false, false), 0);
}

TEST(ProgramKrylov, a_drifted_recursion_is_reported) {
  SolveResult result;
  result.reason = StopReason::max_iterations;
  result.residual = 0.02;
  result.recursive_residual = 0.0199;
  EXPECT_EQ(describe_drift({result}, "cgls", true), "");
  result.recursive_residual = 0.015;
  EXPECT_CONTAINS(describe_drift({result}, "cgls", true), "0.015, has drifted");
  EXPECT_CONTAINS(describe_drift({result}, "cgls", true), "run.scalar: double");
  EXPECT_EQ(describe_drift({result}, "cgls", false).find("double"), std::string::npos);
  result.reason = StopReason::converged;
  EXPECT_EQ(describe_drift({result}, "cgls", true), "");

  // The condition number of the line keeps the true residual far above the rounding of float.
  const RunFolder folder;
  const int n = 60;
  std::string line = general_header + std::to_string(n) + " " + std::to_string(n) + " " +
                     std::to_string(3 * n - 2) + "\n";
  for (int i = 1; i <= n; ++i)
    for (int j = std::max(i - 1, 1); j <= std::min(i + 1, n); ++j)
      line += std::to_string(i) + " " + std::to_string(j) + (i == j ? " 2\n" : " -1\n");
  write_bytes(folder / "A.mtx", line);
  write_bytes(folder / "c.yaml", config);
  const std::vector<std::string> settings{
      "solver={type: cgls, iterations: 1000, stop: {residual: 0}}"};
  const auto output_with = [&](const char* scalar) {
    auto all = settings;
    all.push_back(std::string("run.scalar=") + scalar);
    return run_program(run_of(folder, scalar, all)).out;
  };
  EXPECT_CONTAINS(output_with("float"), "the recursive residual of cgls");
}

TEST(ProgramKrylov, a_residual_that_is_as_small_as_it_can_be_has_not_drifted) {
  SolveResult result;
  result.reason = StopReason::relative_change;
  result.rhs_norm = 1;
  result.history.resize(2);
  result.history[0].residual = 1;
  result.history[1].iteration = result.iterations = 1;
  result.residual = 1e-15;
  result.recursive_residual = 1e-17;
  EXPECT_EQ(describe_drift({result}, "lsmr", false), "");
  result.residual = 5e-15;
  EXPECT_EQ(describe_drift({result}, "lsmr", false), "");
  result.residual = 1e-11;
  EXPECT_CONTAINS(describe_drift({result}, "lsmr", false), "the recursive residual of lsmr, 1e-17");
  result.history[0].residual = 2e-11;  // a good start, which no iteration improves
  EXPECT_EQ(describe_drift({result}, "lsmr", false), "");
  // From the exact solution of a file.
  const RunFolder folder;
  const int n = 100;
  write_convection(folder / "A.mtx", n);
  const auto A = read_matrix<double>(folder / "A.mtx");
  std::vector<double> x(n), b(n, 0.0);
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = std::sin(1.0 + 3 * i);
  for (Ordinal i = 0; i < n; ++i)
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
      b[static_cast<std::size_t>(i)] += A.values(k) * x[static_cast<std::size_t>(A.columns(k))];
  write_npy<double>(folder / "b.npy", b, {n});
  write_npy<double>(folder / "x.npy", x, {n});
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, matrix: A.mtx, rhs: b.npy}\n"
              "solver: {type: lsmr, start: x.npy}\n");
  for (const char* type : {"lsmr", "cgls"}) {
    const auto run = run_program(run_of(folder, type, {std::string("solver.type=") + type}));
    EXPECT_EQ(run.out.find("drifted"), std::string::npos) << run.out;
    EXPECT_CONTAINS(run.out, "warning: solver.start is a solution already, up to rounding");
    EXPECT_EQ(run.error.find("warning"), std::string::npos) << run.error;
  }
  for (double& value : x) value *= 1 + 1e-12;
  write_npy<double>(folder / "x.npy", x, {n});
  const auto near = run_program(run_of(folder, "near"));
  EXPECT_EQ(near.out.find("warning"), std::string::npos) << near.out;
}

TEST(ProgramKrylov, true_residuals_of_real_matrices_reach_the_tolerance) {
  const RunFolder folder(config);
  const std::string file = test_data_path("matrices/memplus.mtx").string();
  const auto A = read_matrix<double>(file);
  const std::vector<double> b(static_cast<std::size_t>(A.num_rows), 1.0);
  for (const char* type : {"bicgstab", "gmres"}) {
    run_well(folder, type, {"problem.matrix=" + file, std::string("solver.type=") + type});
    const double truth = relative_residual(A, solution_of(folder, type), b);
    EXPECT_LE(truth, 1.01e-6) << type;
    EXPECT_NEAR(number(folder, type, "result.relative_residual"), truth, 1e-8);
  }
}

TEST(ProgramKrylov, cgls_solves_least_squares) {
  const RunFolder folder(config);
  const std::string file = test_data_path("matrices/well1850.mtx").string();
  const auto A = read_matrix<double>(file);
  run_well(folder, "out", {"problem.matrix=" + file, "solver.type=cgls"});
  const std::vector<double> x = solution_of(folder, "out");
  const std::vector<double> b(static_cast<std::size_t>(A.num_rows), 1.0);
  const std::vector<double> expected = least_squares(A, b);
  ASSERT_EQ(x.size(), static_cast<std::size_t>(A.num_cols));
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += (x[i] - expected[i]) * (x[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  // The stop rule bounds the last step by 1e-8. The remaining error is larger and depends on where
  // the run stops.
  EXPECT_LE(std::sqrt(difference / norm), 1e-4);
  EXPECT_NEAR(relative_residual(A, x, b), relative_residual(A, expected, b), 1e-7);
  EXPECT_EQ(reported(folder, "out", "result.reason"), "relative_change");
  EXPECT_EQ(reported(folder, "out", "matrix.columns"), "712");
  // A residual that cannot be reached makes the run fail.
  expect_failure(run_of(folder, "short",
                        {"problem.matrix=" + file,
                         "solver={type: cgls, iterations: 30, stop: {residual: "
                         "1e-9}}"}),
                 {"max_iterations after 30 iterations"}, 1);
}

TEST(ProgramKrylov, each_right_hand_side_has_its_own_result) {
  const RunFolder folder;
  write_convection(folder / "A.mtx", 60);
  const auto A = read_matrix<double>(folder / "A.mtx");
  const std::size_t n = 60, s = 3;
  std::vector<double> B(n * s), by_columns(n * s);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < s; ++j)
      by_columns[j * n + i] = B[i * s + j] =
          j == 1 ? 0.0 : std::sin(static_cast<double>(i * (j + 1) + j));
  write_npy<double>(folder / "B.npy", B, {n, s});
  write_matrix_market_array<double>(folder / "B.mtx", by_columns, s);
  write_bytes(folder / "c.yaml", config);
  for (const char* type : {"bicgstab", "gmres", "cgls"})
    for (const char* rhs : {"B.npy", "B.mtx"}) {
      run_well(folder, "out",
               {"problem.rhs=" + folder / rhs,
                "solver={type: " + std::string(type) + ", stop: {residual: 1e-9}}",
                "output.solution=[npy, mtx]"});
      const auto X = read_npy<double>(folder / "out/solution.npy");
      ASSERT_EQ(X.shape, (std::vector<std::size_t>{n, s}));
      for (const std::size_t j : {0u, 2u})
        EXPECT_LE(relative_residual(A, X.data, B, j, s), 1.01e-9) << type << rhs;
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(X.data[i * s + 1], 0.0);
      const auto written = read_matrix_market<double>(folder / "out/solution.mtx");
      EXPECT_EQ(written.num_cols, 3);
      EXPECT_EQ(written.values(0), X.data[0]);
      EXPECT_EQ(reported(folder, "out", "result.right_hand_sides"), "3");
      EXPECT_EQ(reported(folder, "out", "result.solved"), "3");
      EXPECT_CONTAINS(reported(folder, "out", "results"), "zero_rhs");
      EXPECT_CONTAINS(reported(folder, "out", "results"), "history");
    }
  // pcg solves the right-hand sides together. If one of them does not converge, the run fails.
  std::vector<double> mixed(64 * 2, 1.0);
  for (std::size_t i = 0; i < 64; ++i)
    mixed[2 * i + 1] = std::cos(0.1 * static_cast<double>(i * i));
  write_npy<double>(folder / "mixed.npy", mixed, {64, 2});
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, stencil: {points: 7, size: 4}, rhs: mixed.npy}\n"
              "solver: {check_every: 1}\n");
  for (const char* setting : {"solver.scheme=single_reduction", "solver.launches=direct",
                              "operator.ordering=rcm", "solver.start=ones"}) {
    run_well(folder, "together", {setting});
    EXPECT_EQ(reported(folder, "together", "result.solved"), "2") << setting;
  }
  // The column of ones lies in a smaller space and converges earlier.
  expect_failure(run_of(folder, "part", {"solver.iterations=8"}),
                 {"2 right-hand sides: converged 1, max_iterations 1"}, 1);
  EXPECT_EQ(read_npy<double>(folder / "part/solution.npy").shape,
            (std::vector<std::size_t>{64, 2}));
}

TEST(ProgramKrylov, the_memory_of_an_operator_covers_simultaneous_right_hand_sides) {
  const RunFolder folder;
  write_npy<double>(folder / "B.npy", std::vector<double>(64 * 2, 1.0), {64, 2});
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, stencil: {points: 7, size: 4}, rhs: ones}\n"
              "operator: {format: ell}\n");
  const auto bytes = [&](const std::string& type, const std::string& rhs) {
    run_well(folder, "out", {"problem.rhs=" + rhs, "solver.type=" + type});
    return std::stol(reported(folder, "out", "operator.memory_bytes"));
  };
  // Vectors that are stored side by side are copied through two contiguous ones.
  for (const char* type : {"pcg", "cgls"})
    EXPECT_EQ(bytes(type, folder / "B.npy"), bytes(type, "ones") + 2 * 64 * 8) << type;
  for (const char* type : {"bicgstab", "gmres"})
    EXPECT_EQ(bytes(type, folder / "B.npy"), bytes(type, "ones")) << type;
}

TEST(ProgramKrylov, deterministic_runs_give_the_same_bytes_for_any_number_of_threads) {
  const RunFolder folder;
  write_convection(folder / "A.mtx", 5000);
  write_bytes(folder / "c.yaml", config);
  for (const char* type : {"bicgstab", "gmres", "cgls"}) {
    for (const char* threads : {"1", "2", "3"})
      run_well(folder, threads,
               {"run={deterministic: true, threads: " + std::string(threads) + "}",
                "solver={type: " + std::string(type) + ", iterations: 40, stop: {residual: 0.5}}"});
    for (const char* threads : {"2", "3"}) expect_same_file(folder, "1", threads, "solution.npy");
  }
}

TEST(ProgramKrylov, invalid_systems_are_refused_with_the_reason) {
  const RunFolder folder;
  write_convection(folder / "A.mtx", 6);
  write_bytes(folder / "wide.mtx", std::string(general_header) + "2 3 2\n1 1 1\n2 3 1\n");
  write_bytes(folder / "zero.mtx", std::string(general_header) + "2 2 2\n1 2 1\n2 1 4\n");
  write_bytes(folder / "c.yaml", config);
  const auto refused = [&](const std::vector<std::string>& settings, const std::string& message) {
    refusal(folder, settings, {message});
  };
  const std::string wide = "problem.matrix=" + folder / "wide.mtx";
  for (const char* type : {"pcg", "bicgstab", "gmres"})
    refused({wide, std::string("solver.type=") + type}, "use solver.type: cgls");
  refused({wide, "solver.type=cgls", "operator.ordering=rcm"}, "only a square matrix");
  const std::string zero = "problem.matrix=" + folder / "zero.mtx";
  for (const char* type : {"bicgstab", "gmres"})
    refused({zero, std::string("solver.type=") + type},
            "row 1 (the first is 1): the preconditioner cannot use the diagonal");
  write_npy<double>(folder / "B.npy", std::vector<double>(10, 1.0), {5, 2});
  refused({"solver.type=gmres", "problem.rhs=" + folder / "B.npy"}, "the matrix has 6 rows");
  write_matrix_market_array<double>(folder / "B.mtx", std::vector<double>(10, 1.0), 2);
  refused({"solver.type=gmres", "problem.rhs=" + folder / "B.mtx"},
          "is 5 x 2, but the matrix has 6 rows");
  refused({"solver.type=mlem"}, "pcg, bicgstab, gmres, cgls");
  refused({"solver={type: bicgstab, restart: 3}"}, "restart");
  refused({"solver={type: gmres, restart: 0}"}, "restart");
  refused({"solver={type: gmres, scheme: standard}"}, "belongs to pcg");
  refused({"solver={type: bicgstab, scale_matrix: true}"}, "belongs to pcg");
  refused({"solver={type: gmres, assume_symmetric: true}"}, "belongs to pcg");
  refused({"solver={type: cgls, preconditioner: none}"}, "has no effect on the solver cgls");
  refused({"solver={type: gmres, stop: {relative_change: 1e-3}}"}, "relative_change");
  refused({"solver={scheme: single_reduction, stop: {relative_change: 1e-3}}"}, "single_reduction");
  refused({"solver={launches: never}"}, "automatic, direct, recorded, resident");
  refused({"solver={launches: resident, stop: {relative_change: 1e-3}}"}, "resident");
  refused({"solver={launches: resident, scheme: standard}"}, "single_reduction");
  // Zeros on the diagonal are allowed if no preconditioner divides by them.
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, matrix: zero.mtx, rhs: ones}\n"
              "solver: {type: gmres, preconditioner: none}\n");
  run_well(folder, "turned");
  EXPECT_NEAR(solution_of(folder, "turned")[0], 0.25, 1e-6);
  // Only the solver finds out that this matrix is singular.
  write_bytes(folder / "one.mtx", std::string(general_header) + "2 2 1\n1 1 1\n");
  expect_failure(run_of(folder, "singular", {"problem.matrix=" + folder / "one.mtx"}),
                 {"breakdown"}, 1);
  EXPECT_EQ(reported(folder, "singular", "result.reason"), "breakdown");
}

}  // namespace
