// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear systems whose rows are distributed over several processes.
#include <cmath>

#include "program/RanksTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(ProgramRankSystems, conjugate_gradients_match_one_process) {
  const RunFolder folder;
  const std::string solver = "solver: {type: pcg, stop: {residual: 1e-9}}\nrun: {scalar: double}\n";
  const std::string stencil = "{points: 7, size: [9, 8, 7], unknowns: 2}";
  write_bytes(folder / "s.yaml", "problem: {type: linear_system, stencil: " + stencil +
                                     ", rhs: random}\noutput: {solution: [npy]}\n" + solver);
  const auto solved = [&](const std::string& config, int ranks, const std::string& output,
                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run", folder / config, "--output", folder / output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_well(arguments, on_ranks(ranks));
    return read_npy<double>(folder / (output + "/solution.npy")).data;
  };
  const auto alone = solved("s.yaml", 0, "alone");
  for (const int ranks : {1, 2, 3})
    EXPECT_LT(distance(solved("s.yaml", ranks, "spread"), alone), 1e-8) << ranks;
  EXPECT_EQ(reported(folder, "spread", "operator.ranks.count"), "3");
  EXPECT_EQ(reported(folder, "spread", "matrix.nonzeros"),
            reported(folder, "alone", "matrix.nonzeros"));
  const auto iteration_bytes = [&](const char* run) {
    return std::stod(entry(folder / run, "traffic.iteration_bytes"));
  };
  EXPECT_GT(iteration_bytes("spread/report.yaml"), 0.9 * iteration_bytes("alone/report.yaml"));
  EXPECT_LT(iteration_bytes("spread/report.yaml"), 2 * iteration_bytes("alone/report.yaml"));
  EXPECT_LT(
      distance(solved("s.yaml", 3, "uneven", {"--set", "run.ranks.weights=[1, 5, 2]"}), alone),
      1e-8);
}

TEST(ProgramRankSystems, files_with_several_right_hand_sides_match_one_process) {
  const RunFolder folder;
  std::vector<double> b;
  for (int i = 0; i < 3 * 60; ++i) b.push_back(std::cos(i * i));
  write_npy<double>(folder / "b.npy", b, {60, 3});
  // Symmetric matrix with a dominant diagonal.
  std::string matrix = "%%MatrixMarket matrix coordinate real symmetric\n60 60 119\n";
  for (int i = 1; i <= 60; ++i) {
    matrix += std::to_string(i) + " " + std::to_string(i) + " 4\n";
    if (i > 1) matrix += std::to_string(i) + " " + std::to_string((i + 1) / 2) + " -1\n";
  }
  write_bytes(folder / "a.mtx", matrix);
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, matrix: a.mtx, rhs: b.npy}\n"
              "run: {scalar: double}\nsolver: {type: pcg, stop: {residual: 1e-12}}\n"
              "output: {solution: [npy]}\n");
  const auto solved = [&](int ranks, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run", folder / "c.yaml", "--output", folder / "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_well(arguments, on_ranks(ranks));
    return read_npy<double>(folder / "out/solution.npy").data;
  };
  const auto alone = solved(0);
  EXPECT_EQ(alone.size(), 180u);
  EXPECT_EQ(solved(1), alone);
  EXPECT_LT(distance(solved(3), alone), 1e-10);
  run_well({"convert", folder / "a.mtx", folder / "a.npz"});
  EXPECT_LT(distance(solved(3, {"--set", "problem.matrix=" + folder / "a.npz", "--set",
                                "solver.assume_symmetric=true"}),
                     alone),
            1e-10);
  // Several processes refuse what a single process refuses.
  write_bytes(folder / "a.mtx",
              "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 1\n2 2 1\n");
  expect_failure(run_of(folder, "none", {"problem.rhs=ones"}), {"the matrix is not symmetric"}, 2,
                 on_ranks(2));
}

// Each record is made by one process.
TEST(ProgramRankSystems, every_solver_and_format_agrees_with_one_process) {
  const std::string system =
      "run: {scalar: double}\n"
      "problem: {type: linear_system, stencil: {points: 7, size: [8, 7, 6]}, rhs: random}\n";
  const auto iterated = [](const std::string& solver) {
    return "solver: {" + solver + ", check_every: 4, iterations: 12, stop: {residual: 1e-3}}\n";
  };
  expect_agreement(system + iterated("type: bicgstab"), {2, 7});
  expect_agreement(system + iterated("type: gmres, restart: 5"), {3, 4});
  // The blocks are those of one process.
  expect_agreement(system + iterated("type: bicgstab, preconditioner: block_jacobi, block: 4"),
                   {3, 5});
  expect_agreement(system + iterated("type: cgls"), {2, 7});
  expect_agreement(system + iterated("type: lsmr") + "operator: {format: sell}\n", {3});
  expect_agreement(system + iterated("type: pcg, float_matrix: true"), {2, 3});
  for (const char* format : {"sell", "bcsr", "dia", "packed_csr"})
    expect_agreement(system + iterated("type: pcg") + "operator: {format: " + format + "}\n", {3});
  expect_agreement(system + iterated("type: pcg") + "operator: {format: ell, ordering: rcm}\n",
                   {2, 4});
}

TEST(ProgramRankSystems, ranks_without_rows_agree_with_one_process) {
  const std::string system =
      "run: {scalar: double}\nproblem: {type: linear_system, stencil: {points: 7, size: [3, 1, "
      "1]}, "
      "rhs: random}\n";
  expect_agreement(system + "solver: {type: pcg}\n", {4});
  expect_agreement(system + "solver: {type: gmres}\n", {4});
  expect_agreement(system + "solver: {type: cgls}\n", {4});
}

TEST(ProgramRankSystems, shares_of_measured_speed_agree_with_one_process) {
  const std::string measured = "run: {scalar: double, ranks: {weights: measured}}\n";
  const std::string system =
      measured +
      "problem: {type: linear_system, stencil: {points: 7, size: [8, 7, 6]}, "
      "rhs: random}\n";
  expect_agreement(system + "solver: {type: pcg, iterations: 12}\n", {3});
  expect_agreement(system + "solver: {type: cgls, iterations: 8}\n", {2});
  expect_agreement(measured +
                       "problem: {type: smoothing, mesh: {generate: hills, vertices: 300}, locked: "
                       "border}\nsolver: {type: pcg, iterations: 12}\n",
                   {2});
}

TEST(ProgramRankSystems, several_right_hand_sides_of_least_squares_agree_with_one_process) {
  const RunFolder folder;
  std::string matrix = "%%MatrixMarket matrix coordinate real general\n50 20 150\n";
  for (int i = 1; i <= 50; ++i)
    for (int k = 0; k < 3; ++k)
      matrix += std::to_string(i) + " " + std::to_string((7 * i + 5 * k) % 20 + 1) + " " +
                std::to_string(1 + (i * k) % 4) + "\n";
  write_bytes(folder / "a.mtx", matrix);
  std::vector<double> b;
  for (int i = 0; i < 2 * 50; ++i) b.push_back(std::cos(i * i));
  write_npy<double>(folder / "b.npy", b, {50, 2});
  for (const char* solver : {"cgls", "lsmr"})
    expect_agreement(
        "run: {scalar: double}\nproblem: {type: linear_system, matrix: " + (folder / "a.mtx") +
            ", rhs: " + (folder / "b.npy") + "}\nsolver: {type: " + solver + ", iterations: 8}\n",
        {2, 3});
}

TEST(ProgramRankSystems, charts_and_smoothings_agree_with_one_process) {
  const std::string chart =
      "run: {scalar: double}\nsolver: {type: pcg, iterations: 30, stop: {residual: 1e-3}}\n"
      "problem: {type: parameterization, mesh: {generate: hills, vertices: 300, seed: 1}, form: ";
  for (const char* form : {"shared", "complex"}) expect_agreement(chart + form + "}\n", {2, 7});
  expect_agreement(chart + "equations}\noperator: {format: bcsr, ordering: rcm}\n", {3});
  expect_agreement(
      "problem: {type: smoothing, mesh: {generate: hills, vertices: 400, noise: 0.3}, locked: "
      "1/10}\nsolver: {type: pcg, stop: {residual: 1e-5}}\noperator: {ordering: rcm}\n",
      {2, 4});
}

// Every rank writes nothing but the first, and it writes everything.
TEST(ProgramRankSystems, the_first_process_writes_the_smoothed_mesh) {
  const RunFolder folder(
      "problem: {type: smoothing, mesh: {generate: hills, vertices: 200}, locked: border}\n"
      "solver: {type: pcg}\noutput: {mesh: obj, picture_size: 40}\n");
  for (const int ranks : {0, 3}) {
    run_well(folder, "out" + std::to_string(ranks), {}, on_ranks(ranks));
  }
  for (const char* file : {"smoothed.obj", "before.png", "after.png", "report.yaml"})
    EXPECT_TRUE(folder.has(std::string("out3/") + file)) << file;
  EXPECT_EQ(reported(folder, "out3", "operator.ranks.count"), "3");
  EXPECT_EQ(reported(folder, "out3", "matrix.nonzeros"),
            reported(folder, "out0", "matrix.nonzeros"));
}

TEST(ProgramRankSystems, refusals_are_reported_once) {
  const std::string pcg =
      "problem: {type: linear_system, stencil: {points: 7, size: [5, 4, 3]}, rhs: ones}\n"
      "solver: {type: pcg}\n";
  for (const char* setting : {"image: split", "slabs: 2", "measure_sums: true"})
    expect_refused(pcg + "run: {ranks: {" + setting + "}}\n", {"run.ranks.", "tomography"});
}

}  // namespace
