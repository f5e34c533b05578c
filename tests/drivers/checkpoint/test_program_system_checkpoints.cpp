// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear systems that are interrupted and resumed. They must give the same bytes as an
// uninterrupted run.
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <cmath>
#include <filesystem>

#include "program/CheckpointTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr const char* poisson =
    R"(problem: {type: linear_system, stencil: {points: 7, size: 7}, rhs: ones}
solver: {type: pcg, check_every: 3, stop: {residual: 1e-5}}
output: {checkpoint: 3}
)";

constexpr const char* solution = "solution.npy";

/// Compares a run of \p last iterations with a run that ends after \p first and is resumed.
void cut_and_compare(const RunFolder& folder, const std::vector<std::string>& settings, int first,
                     int last, const std::string& name, const std::string& result = solution) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, name);
  std::filesystem::remove_all(folder / "part");
  const auto run = [&](const std::string& output, int iterations) {
    const auto result = run_program(
        run_of(folder, output, with(settings, "solver.iterations=" + std::to_string(iterations))));
    EXPECT_LE(result.status, 1) << result.error;
    return result.status;
  };
  const int whole = run("all", last);
  EXPECT_EQ(run("part", first), 1);
  const auto rest =
      resume(folder, "part", with(settings, "solver.iterations=" + std::to_string(last)));
  EXPECT_EQ(rest.status, whole) << rest.error;
  expect_same_runs(folder, "all", "part", result);
  EXPECT_EQ(reported(folder, "part", "resumed.iteration"), std::to_string(first));
  EXPECT_EQ(reported(folder, "all", "resumed"), "(none)");
}

class ResumedSystem : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ResumedSystem, gives_the_same_bytes_as_an_uninterrupted_run) {
  for (const char* scalar : {"float", "double"}) {
    const RunFolder folder(poisson);
    std::vector<std::string> settings = GetParam();
    const std::string name = settings.front() + " " + scalar;
    settings.push_back(std::string("run.scalar=") + scalar);
    cut_and_compare(folder, settings, 6, 40, name);
    cut_and_compare(folder, settings, 4, 40, name + ", cut between two checks");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Solvers, ResumedSystem,
    ::testing::Values(std::vector<std::string>{"solver.scheme=standard"},
                      std::vector<std::string>{"solver.scheme=single_reduction"},
                      std::vector<std::string>{"solver.preconditioner=none",
                                               "operator.ordering=rcm"},
                      std::vector<std::string>{"solver.preconditioner=block_jacobi",
                                               "solver.scheme=single_reduction"},
                      std::vector<std::string>{"solver.type=bicgstab"},
                      std::vector<std::string>{"solver.type=bicgstab", "operator.format=dia"},
                      std::vector<std::string>{"solver.type=gmres", "solver.restart=4"},
                      std::vector<std::string>{"solver.type=gmres", "operator.ordering=rcm"},
                      std::vector<std::string>{"solver.type=cgls"},
                      std::vector<std::string>{"solver.type=lsmr"}));

// The right-hand sides end at different iterations.
TEST(SystemCheckpoints, resume_several_right_hand_sides_only_for_pcg) {
  const RunFolder folder;
  std::vector<float> b(3 * 343, 0);
  for (std::size_t i = 0; i < 343; ++i) {
    b[3 * i] = 1;
    b[3 * i + 2] = i == 100 ? 1.0F : 0.0F;
  }
  write_npy<float>(folder / "b.npy", b, {343, 3});
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, stencil: {points: 7, size: 7}, rhs: b.npy}\n"
              "solver: {type: pcg, check_every: 3}\noutput: {checkpoint: 3}\n");
  for (const char* scheme : {"standard", "single_reduction"})
    cut_and_compare(folder, {std::string("solver.scheme=") + scheme}, 6, 40, scheme);
  for (const char* solver : {"bicgstab", "gmres"}) {
    expect_failure(run_of(folder, "none", {std::string("solver.type=") + solver}),
                   {"output.checkpoint: " + std::string(solver) +
                    " solves right-hand sides one after the other and can store "
                    "a checkpoint of only one; this system has 3"});
    EXPECT_FALSE(folder.has("none/report.yaml"));
  }
}

TEST(SystemCheckpoints, resume_a_killed_run_from_its_last_checkpoint) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    const RunFolder folder(poisson);
    const std::vector<std::string> settings{
        "solver={type: bicgstab, check_every: 1, iterations: 4000, stop: {residual: 1e-30, "
        "minimum_iterations: 4000}}",
        "output.checkpoint=1", "run.scalar=double"};
    ProgramOptions options;
    options.interrupt_when = [&] { return folder.has("part/checkpoint.npz"); };
    options.interrupt_signal = signal;
    const ProgramResult first = run_program(run_of(folder, "part", settings), options);
    EXPECT_EQ(first.status, signal == SIGKILL ? 128 + SIGKILL : 130) << first.error;
    if (signal == SIGTERM) {
      EXPECT_EQ(reported(folder, "part", "result.reason"), "interrupted");
      const ConfigNode state =
          parse_yaml(read_npz_text(folder / "part/checkpoint.npz", "state.yaml"), nullptr);
      EXPECT_EQ(state.find("iteration")->scalar(), reported(folder, "part", "result.iterations"));
    }
    const auto rest = resume(folder, "part", settings);
    const auto all = run_program(run_of(folder, "all", with(settings, "output.checkpoint=0")));
    EXPECT_EQ(rest.status, all.status) << rest.error;
    expect_same_runs(folder, "all", "part", solution);
  }
}

TEST(SystemCheckpoints, are_refused_for_another_system) {
  const RunFolder folder(poisson);
  run_well({"convert", folder / "c.yaml", folder / "A.npz", "--quiet"});
  std::vector<float> b(343, 1);
  write_npy<float>(folder / "b.npy", b, {343});
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, matrix: A.npz, rhs: b.npy}\n"
              "solver: {type: pcg, check_every: 3, stop: {residual: 1e-5}}\n"
              "output: {checkpoint: 3}\n");
  const std::vector<std::string> settings{"operator.format=csr"};
  expect_failure(run_of(folder, "out", with(settings, "solver.iterations=6")), {}, 1);
  const std::string before = read_bytes(folder / "out/report.yaml");
  const auto refused = [&](const std::string& setting, const std::string& why) {
    const ProgramResult result = resume(folder, "out", with(settings, setting));
    EXPECT_EQ(result.status, 2) << setting;
    EXPECT_CONTAINS(result.error, "out/checkpoint.npz: ");
    EXPECT_CONTAINS(result.error, why);
    EXPECT_EQ(read_bytes(folder / "out/report.yaml"), before);
  };
  const std::string other = "the checkpoint has another configuration: ";
  refused("solver.type=bicgstab", other + "solver.type was pcg and is now bicgstab");
  refused("solver.scheme=single_reduction", other + "solver.scheme");
  refused("solver.preconditioner=none", other + "solver.preconditioner");
  refused("solver.stop.residual=1e-4", other + "solver.stop.residual");
  refused("operator.ordering=rcm", other + "operator.ordering");
  refused("run.scalar=float", other + "run.scalar was double and is now float");
  refused("solver.iterations=3", "is from iteration 6, but solver.iterations is 3");
  b[17] = std::nextafter(b[17], 2.0F);
  write_npy<float>(folder / "b.npy", b, {343});
  refused("solver.iterations=40", "those of the data differ");
  b[17] = 1;
  write_npy<float>(folder / "b.npy", b, {343});
  {
    const HostCsrMatrix<float> A = read_npz_matrix<float>(folder / "A.npz");
    std::vector<float> values(A.values.data(), A.values.data() + A.num_nonzeros());
    for (Offset k = A.row_offsets(0); k < A.row_offsets(1); ++k)
      if (A.columns(k) == 0) values[static_cast<std::size_t>(k)] *= 1.5F;
    HostCsrMatrix<float> changed = A;
    changed.values = Kokkos::View<const float*, Kokkos::HostSpace>(values.data(), values.size());
    write_npz_matrix(folder / "A.npz", changed);
  }
  refused("solver.iterations=40", "the checkpoint has another matrix: 343 x 343");
}

TEST(SystemCheckpoints, hold_the_solution_and_survive_a_shorter_run) {
  const RunFolder folder(poisson);
  run_well(folder, "out", {"solver.type=gmres"});
  EXPECT_EQ(
      npz_array_names(folder / "out/checkpoint.npz"),
      (std::vector<std::string>{"image", "history", "slices", "held_best", "held_best_iterations",
                                "held_best_residuals", "held_cycle", "held_first",
                                "held_restart_residuals", "held_start", "held_unmeasured"}));
  const auto x = read_npz_array<float>(folder / "out/checkpoint.npz", "image");
  EXPECT_EQ(x.shape, (std::vector<std::size_t>{343}));
  EXPECT_EQ(x.data, read_npy<float>(folder / "out/solution.npy").data);
  const ProgramResult info = run_well({"info", folder / "out/checkpoint.npz"});
  EXPECT_CONTAINS(info.out, "solver: gmres");
  // A shorter run does not replace the checkpoint.
  expect_failure(run_of(folder, "out", {"solver.type=gmres", "solver.iterations=3"}),
                 {"of an earlier run, but this run ends at iteration 3"});
  // Resuming a finished run gives the same solution.
  const std::string before = read_bytes(folder / "out/solution.npy");
  resume_well(folder, "out", {"solver.type=gmres"});
  EXPECT_EQ(read_bytes(folder / "out/solution.npy"), before);
  // Checkpoints are switched off.
  run_well(folder, "none", {"output.checkpoint=0"});
  EXPECT_FALSE(folder.has("none/checkpoint.npz"));
  const auto nothing = resume(folder, "none", {"output.checkpoint=0"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_CONTAINS(nothing.error, "there is no checkpoint");
}

TEST(SystemCheckpoints, resume_charts_and_smoothing) {
  const RunFolder folder(
      "problem: {type: smoothing, mesh: {generate: hills, vertices: 400}, locked: 1/10}\n"
      "solver: {type: pcg, check_every: 3}\n"
      "output: {checkpoint: 3, picture_size: 0}\n");
  cut_and_compare(folder, {"solver.preconditioner=jacobi"}, 6, 200, "smoothing", "smoothed.obj");
  const auto refused = [&](const std::string& setting, const std::string& why) {
    const ProgramResult result = resume(folder, "part", {setting});
    EXPECT_EQ(result.status, 2);
    EXPECT_CONTAINS(result.error, why);
  };
  refused("problem.locked=1/20", "problem.locked was ");
  write_bytes(folder / "c.yaml",
              "problem: {type: parameterization, mesh: {generate: hills, vertices: 400}}\n"
              "solver: {type: pcg, check_every: 3}\n"
              "output: {checkpoint: 3, picture_size: 0}\n");
  for (const char* form : {"shared", "complex", "equations"})
    cut_and_compare(folder, {std::string("problem.form=") + form}, 6, 400, form, "chart.obj");
  refused("problem.form=shared", "problem.form was equations and is now shared");
}

// The file keeps its name, but holds another mesh.
TEST(SystemCheckpoints, are_refused_for_another_mesh) {
  const RunFolder folder;
  const auto mesh = [&](const char* height) {
    write_bytes(folder / "m.obj", std::string("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 ") +
                                      height +
                                      "\nv 2 1 0\nv 0 2 0\nv 1 2 0\nv 2 2 0\n"
                                      "f 1 2 5\nf 1 5 4\nf 2 3 6\nf 2 6 5\n"
                                      "f 4 5 8\nf 4 8 7\nf 5 6 9\nf 5 9 8\n");
  };
  mesh("0.5");
  write_bytes(folder / "c.yaml",
              "problem: {type: parameterization, mesh: m.obj}\n"
              "solver: {type: pcg, check_every: 1, iterations: 3}\n"
              "output: {checkpoint: 1, picture_size: 0}\n");
  run_program(run_of(folder, "out"));
  mesh("0.25");
  const ProgramResult result = resume(folder, "out", {"solver.iterations=100"});
  EXPECT_EQ(result.status, 2) << result.error;
  EXPECT_CONTAINS(result.error, "the checkpoint has another matrix: 14 x 14, product ");
}

}  // namespace
