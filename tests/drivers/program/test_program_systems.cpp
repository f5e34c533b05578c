// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs with `problem.type: linear_system`.
#include <Tomokkos_MatrixFile.hpp>
#include <cmath>

#include "TestData.hpp"
#include "program/SolutionTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr const char* header = "%%MatrixMarket matrix coordinate ";

// Symmetric 4 x 4 matrix of integers, given by its lower half.
const std::string small_matrix =
    std::string(header) +
    "integer symmetric\n4 4 7\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n4 3 -1\n4 4 4\n";

constexpr const char* config = "problem: {type: linear_system, matrix: A.mtx, rhs: ones}\n";

TEST(ProgramSystems, refinement_with_a_float_matrix_reaches_the_requested_residual) {
  const RunFolder folder(
      "problem: {type: linear_system, stencil: {points: 27, size: 14}, rhs: random}\n"
      "solver: {check_every: 5, stop: {residual: 1e-12}}\n");
  run_well(folder, "double");
  run_well(folder, "float", {"solver.float_matrix=true"});
  EXPECT_EQ(reported(folder, "float", "result.reason"), "converged");
  EXPECT_LE(number(folder, "float", "result.relative_residual"), 1e-12);
  EXPECT_LT(number(folder, "float", "traffic.iteration_bytes"),
            0.8 * number(folder, "double", "traffic.iteration_bytes"));
  expect_failure(run_of(folder, "no", {"solver.float_matrix=true", "run.scalar=float"}), {});
  refusal(folder, {"solver.float_matrix=true", "operator.format=sell"});
}

TEST(ProgramSystems, small_systems_from_all_kinds_of_files_are_solved) {
  const RunFolder folder;
  write_bytes(folder / "A.mtx", small_matrix);
  write_bytes(folder / "b.mtx", "%%MatrixMarket matrix array real general\n4 1\n3\n2\n2\n3\n");
  write_bytes(folder / "c.yaml", config);
  run_well(folder, "file", {"problem.rhs=" + folder / "b.mtx", "output.solution=[npy, mtx]"});
  for (const double value : solution_of(folder, "file")) EXPECT_NEAR(value, 1, 1e-6);
  EXPECT_EQ(read_vector<double>(folder / "file/solution.mtx"), solution_of(folder, "file"));
  EXPECT_EQ(reported(folder, "file", "result.reason"), "converged");
  EXPECT_EQ(reported(folder, "file", "system.symmetric"), "true");
  EXPECT_EQ(reported(folder, "file", "system.rhs"), "b.mtx");
  EXPECT_EQ(reported(folder, "file", "configuration.run.scalar"), "double");
  // The configuration in the report gives the same result.
  write_bytes(folder / "c.yaml", reported(folder, "file", "configuration"));
  run_well(folder, "again");
  expect_same_file(folder, "again", "file", "solution.npy");
  // The entries of a pattern matrix are ones. This pattern is the identity.
  write_bytes(folder / "I.mtx", std::string(header) + "pattern general\n3 3 3\n1 1\n2 2\n3 3\n");
  write_bytes(folder / "c.yaml", config);
  run_well(folder, "pattern", {"problem.matrix=" + folder / "I.mtx"});
  EXPECT_EQ(solution_of(folder, "pattern"), (std::vector<double>{1, 1, 1}));
}

TEST(ProgramSystems, a_run_describes_its_system) {
  const RunFolder folder;
  write_bytes(folder / "A.mtx", small_matrix);
  write_bytes(folder / "c.yaml", config);
  EXPECT_CONTAINS(run_program(run_of(folder, "a")).out,
                  "system: 4 x 4, 10 nonzeros, symmetric, right-hand side ones of norm 2, ");
  write_bytes(folder / "A.mtx",
              std::string(header) + "real general\n3 3 5\n1 1 4\n2 1 -1\n2 2 4\n3 3 4\n1 3 1\n");
  EXPECT_CONTAINS(run_program(run_of(folder, "b", {"solver.type=gmres"})).out,
                  "system: 3 x 3, 5 nonzeros, not symmetric, right-hand side ones of norm 1.732");
}

TEST(ProgramSystems, every_order_format_and_preconditioner_gives_the_same_solution) {
  const RunFolder folder(
      "problem: {type: linear_system, stencil: {points: 27, size: [9, 8, 7], unknowns: 2}, "
      "rhs: random}\nsolver: {stop: {residual: 1e-10}}\n");
  run_well(folder, "plain");
  const std::vector<double> x = solution_of(folder, "plain");
  ASSERT_EQ(x.size(), 2u * 9 * 8 * 7);
  for (const auto& setting : std::vector<std::string>{
           "operator.ordering=rcm", "operator={format: sell, chunk: 8}", "operator.format=bcsr",
           "operator.format=packed_csr", "operator.format=automatic", "solver.preconditioner=none",
           "solver.scale_matrix=false",
           "solver={preconditioner: block_jacobi, block: 4, stop: {residual: 1e-10}}",
           "solver.start=ones", "run.deterministic=true"}) {
    run_well(folder, "other", {setting});
    expect_near(solution_of(folder, "other"), x, 1e-8, setting);
    EXPECT_EQ(reported(folder, "other", "result.reason"), "converged") << setting;
  }
  run_well(folder, "other", {"run.seed=2"});
  EXPECT_GT(std::abs(solution_of(folder, "other")[0] - x[0]), 1e-6);
}

TEST(ProgramSystems, deterministic_runs_give_the_same_bytes_for_any_number_of_threads) {
  const RunFolder folder(
      "problem: {type: linear_system, stencil: {points: 7, size: 20}, rhs: random}\n");
  for (const char* threads : {"1", "2", "3"})
    run_well(folder, threads, {"run={deterministic: true, threads: " + std::string(threads) + "}"});
  for (const char* threads : {"2", "3"}) expect_same_file(folder, "1", threads, "solution.npy");
}

TEST(ProgramSystems, true_residuals_of_real_matrices_reach_the_tolerance) {
  const RunFolder folder(config);
  for (const char* name : {"1138_bus", "nos3", "lap3D_7pt_n20", "bcsstk14"}) {
    const std::string file = test_data_path(std::string("matrices/") + name + ".mtx").string();
    for (const bool scale : {true, false}) {
      run_well(
          folder, name,
          {"problem.matrix=" + file, "solver.scale_matrix=" + std::string(scale ? "true" : "false"),
           "solver.stop.residual=1e-9"});
      const auto A = read_matrix<double>(file);
      const auto x = solution_of(folder, name);
      const std::vector<double> b(x.size(), 1.0);
      EXPECT_LE(relative_residual(A, x, b), 1.01e-9) << name;
      EXPECT_NEAR(number(folder, name, "result.relative_residual"), relative_residual(A, x, b),
                  5e-11);
      EXPECT_EQ(reported(folder, name, "scaled"), scale ? "true" : "false");
    }
  }
}

TEST(ProgramSystems, the_example_runs) {
  const RunFolder folder;
  const ProgramResult result =
      run_well({"run", config_file("pcg_poisson.yaml").string(), "--output", folder / "out",
                "--set", "problem.stencil.size=12"});
  EXPECT_CONTAINS(result.out, "converged");
  EXPECT_LE(number(folder, "out", "result.relative_residual"), 1e-8);
}

TEST(ProgramSystems, info_and_convert_accept_the_matrix_of_a_system) {
  const RunFolder folder("problem: {type: linear_system, stencil: {points: 7, size: 4}}\n");
  ProgramResult result = run_well({"info", folder / "c.yaml"});
  EXPECT_CONTAINS(result.out, "rows: 64");
  run_well({"convert", folder / "c.yaml", folder / "A.mtx"});
  EXPECT_EQ(read_matrix<double>(folder / "A.mtx").num_nonzeros(), 64 * 7 - 6 * 16);
}

TEST(ProgramSystems, more_iterations_than_needed_do_no_harm) {
  const RunFolder folder;
  write_bytes(folder / "A.mtx", small_matrix);
  write_bytes(folder / "c.yaml", config);
  for (const char* stop : {"{residual: 1e-6, minimum_iterations: 200}",
                           "{residual: 1e-6, relative_change: 1e-9, minimum_iterations: 100}"})
    for (const char* seed : {"1", "2", "3"}) {
      run_well(folder, "out",
               {"problem.rhs=random", std::string("solver.stop=") + stop,
                std::string("run.seed=") + seed});
      EXPECT_EQ(reported(folder, "out", "result.reason"), "converged") << stop;
    }
  // A solution outside the range of float is refused with a message that says so.
  write_bytes(folder / "tiny.mtx", std::string(header) + "real symmetric\n1 1 1\n1 1 1e-30\n");
  write_bytes(folder / "b.mtx", "%%MatrixMarket matrix array real general\n1 1\n1e10\n");
  expect_failure(run_of(folder, "beyond",
                        {"problem.matrix=" + folder / "tiny.mtx", "problem.rhs=" + folder / "b.mtx",
                         "run.scalar=float"}),
                 {"not representable in float: its largest entry is about 1e40"});
}

TEST(ProgramSystems, a_run_without_convergence_fails_but_writes_its_solution) {
  const RunFolder folder(
      "problem: {type: linear_system, stencil: {points: 7, size: 12}, rhs: random}\n");
  expect_failure(run_of(folder, "short", {"solver.iterations=5"}),
                 {"max_iterations after 5 iterations"}, 1);
  EXPECT_EQ(solution_of(folder, "short").size(), 1728u);
  EXPECT_EQ(reported(folder, "short", "result.iterations"), "5");
  expect_failure(run_of(folder, "fine", {"solver.stop.residual=1e-25"}), {"stagnated"}, 1);
  // This matrix is indefinite although its diagonal is positive.
  write_bytes(folder / "B.mtx",
              std::string(header) + "real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1\n");
  write_bytes(folder / "b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n-1\n");
  expect_failure(run_of(folder, "indefinite",
                        {"problem={type: linear_system, matrix: \"" + folder / "B.mtx" +
                         "\", rhs: \"" + folder / "b.mtx" + "\"}"}),
                 {"indefinite", "singular with the right-hand side outside its range"}, 1);
  EXPECT_EQ(reported(folder, "indefinite", "result.reason"), "indefinite");
}

TEST(ProgramSystems, a_matrix_that_is_symmetric_up_to_rounding_is_accepted) {
  const RunFolder folder(config);
  const auto write = [&](const std::string& mirrored) {
    write_bytes(folder / "A.mtx", std::string(header) +
                                      "real general\n3 3 5\n1 1 2\n1 3 0.3\n2 2 " + "2\n3 1 " +
                                      mirrored + "\n3 3 2\n");
  };
  write("0.30000000000000004");  // the next number
  run_well(folder, "up_to_rounding");
  write("0.3000001");
  expect_failure(run_of(folder, "out"),
                 {"row 1, column 3 (the first is 1) holds 0.29999999999999999",
                  "row 3, column 1 holds 0.300000", "solver.assume_symmetric"});
  run_well(folder, "float", {"run.scalar=float"});
  run_well(folder, "assumed", {"solver.assume_symmetric=true"});
  write_bytes(folder / "A.mtx",
              std::string(header) + "real general\n3 3 4\n1 1 2\n1 3 0.5\n2 2 2\n3 3 2\n");
  expect_failure(run_of(folder, "out"),
                 {"row 1, column 3 (the first is 1) holds 0.5, row 3, column 1 holds 0,"});
}

TEST(ProgramSystems, entries_outside_the_range_of_float_are_refused_with_their_place) {
  const RunFolder folder(config);
  write_bytes(folder / "A.mtx", small_matrix);
  const auto rhs = [&](const std::string& entry) {
    write_bytes(folder / "b.mtx",
                "%%MatrixMarket matrix array real general\n4 1\n0\n" + entry + "\n0\n0\n");
    return "problem.rhs=" + (folder / "b.mtx");
  };
  const auto matrix = [&](const std::string& name, const std::string& entry) {
    write_bytes(folder / "M.mtx",
                std::string(header) + "real symmetric\n2 2 2\n1 1 1\n2 2 " + entry + "\n");
    run_well({"convert", folder / "M.mtx", folder / "M.npz"});
    return "problem.matrix=" + (folder / name);
  };
  const auto refused = [&](const std::string& setting, const std::string& scalar,
                           const std::vector<std::string>& parts) {
    expect_failure(run_of(folder, "none", {setting, "run.scalar=" + scalar}), parts);
  };
  refused(rhs("1e-46"), "float",
          {"problem.rhs: entry 2", "1e-46", "is zero in float", "run.scalar: double"});
  refused(rhs("1e-42"), "float", {"problem.rhs: entry 2", "loses its digits in float"});
  refused(rhs("1e40"), "float", {"problem.rhs: entry 2", "not finite"});
  run_well(folder, "double", {rhs("1e-46")});
  EXPECT_EQ(reported(folder, "double", "result.reason"), "converged");
  run_well(folder, "tiny", {rhs("1e-300")});
  EXPECT_LE(number(folder, "tiny", "result.relative_residual"), 1e-6);
  refused(matrix("M.npz", "1e-60"), "float",
          {"M.npz", "row 2 and column 2", "1e-60", "is zero in float", "run.scalar: double"});
  refused(matrix("M.mtx", "1e-60"), "float", {"M.mtx", "1e-60"});
  refused(matrix("M.npz", "1.2345678e-42"), "float", {"row 2 and column 2", "loses its digits"});
}

TEST(ProgramSystems, invalid_systems_are_refused_with_the_reason) {
  const RunFolder folder;
  write_bytes(folder / "A.mtx", small_matrix);
  const auto refused = [&](const std::string& text, const std::vector<std::string>& settings,
                           const std::string& message) {
    write_bytes(folder / "c.yaml", text);
    refusal(folder, settings, {message});
  };
  const auto matrix = [&](const std::string& body) {
    write_bytes(folder / "M.mtx", header + body);
    return std::vector<std::string>{"problem.matrix=" + folder / "M.mtx"};
  };
  refused(config, matrix("real general\n2 3 1\n1 1 1\n"), "2 x 3; a linear system needs a square");
  refused(config, matrix("real general\n2 2 3\n1 1 1\n1 2 1\n2 2 1\n"), "not symmetric");
  refused(config, matrix("real symmetric\n3 3 3\n1 1 2\n3 2 1\n3 3 2\n"),
          "row 2 (the first is 1): the preconditioner cannot use the diagonal: the entry is zero");
  refused(config, matrix("real symmetric\n2 2 2\n1 1 2\n2 2 -1\n"),
          "row 2 (the first is 1): the diagonal is not positive");
  auto with_order = matrix("real symmetric\n3 3 4\n1 1 2\n3 1 1\n2 2 0\n3 3 2\n");
  with_order.push_back("operator.ordering=rcm");
  refused(config, with_order,
          "row 2 (the first is 1): the preconditioner cannot use the diagonal: the entry is zero");
  write_bytes(folder / "b.npy", "no array");
  refused(config, {"problem.rhs=" + folder / "b.npy"}, "b.npy");
  write_bytes(folder / "b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  refused(config, {"problem.rhs=" + folder / "b.mtx"}, "holds 3 values, but the matrix has 4 rows");
  refused(config, {"operator.format=scsr"}, "scsr needs a parallel or fan beam");
  refused("problem: {type: linear_system, stencil: {size: 1200}, rhs: ones}", {},
          "the matrix of the stencil needs");
  refused("problem: {type: linear_system, rhs: ones}", {}, "problem.matrix");
  refused("problem: {type: linear_system, matrix: A.mtx}", {}, "problem.rhs");
  refused("problem: {type: linear_system, matrix: A.mtx, stencil: {size: 4}, rhs: ones}", {},
          "both define the matrix");
  refused("problem: {type: linear_system, matrix: A.txt, rhs: ones}", {},
          ".mtx, .mtx.gz, .tar.gz or .npz");
  refused("problem: {type: linear_system, matrix: A.mtx, rhs: twos}", {}, "ones or random");
  refused(config, {"solver.type=mlem"}, "pcg");
  refused(config, {"solver.damping=1"}, "damping");
  refused(config, {"solver.block=2"}, "belongs to block_jacobi");
  refused(config, {"solver={preconditioner: none, scale_matrix: true}"}, "belongs to jacobi");
  refused(config, {"solver.preconditioner=user"}, "none, jacobi, block_jacobi");
  refused(config, {"output.image=[png]"}, "image");
  refused(config, {"operator.transpose=stored"}, "needs no transposed product");
  refused(config, {"operator.ordering=tiles"}, "orders pixels");
  refused(config, {"operator.ordering=by_length"}, "need the same order");
  refused(small_config, {"solver={type: pcg}"}, "linear_system");
}

}  // namespace
