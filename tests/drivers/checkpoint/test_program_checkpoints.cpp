// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs that are interrupted and resumed. They must give the same bytes as an uninterrupted run.
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "program/CheckpointTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr const char* scan = R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  geometry: {views: 18, detectors: 32}
  phantom: shepp_logan
  noise: {type: poisson, counts: 1e3}
output: {checkpoint: 5, image: [npy]}
)";

class Resumed : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Resumed, gives_the_same_bytes_as_an_uninterrupted_run) {
  for (const char* scalar : {"float", "double"}) {
    const RunFolder folder(scan);
    std::vector<std::string> settings = GetParam();
    settings.push_back(std::string("run.scalar=") + scalar);
    run_well(folder, "all", with(settings, "solver.iterations=20"));
    run_well(folder, "part", with(settings, "solver.iterations=10"));
    EXPECT_NE(read_bytes(folder / "all/reconstruction.npy"),
              read_bytes(folder / "part/reconstruction.npy"));
    resume_well(folder, "part", with(settings, "solver.iterations=20"));
    expect_same_runs(folder, "all", "part");
    EXPECT_EQ(reported(folder, "part", "resumed.iteration"), "10");
    EXPECT_EQ(reported(folder, "all", "resumed"), "(none)");
    // A second resumption has nothing left to do and gives the same result.
    resume_well(folder, "part", with(settings, "solver.iterations=20"));
    expect_same_runs(folder, "all", "part");
    EXPECT_EQ(reported(folder, "part", "resumed.iteration"), "20");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Solvers, Resumed,
    ::testing::Values(
        std::vector<std::string>{"solver={type: mlem}"},
        std::vector<std::string>{"solver={type: mlem, subsets: 4, background: 2.5}"},
        std::vector<std::string>{"solver={type: mlem, subsets: 5, multiplicative: 0.5}",
                                 "operator.ordering={columns: tiles}", "problem.slices=3"},
        std::vector<std::string>{"solver={type: sirt, minimum: 0}", "run.threads=3"},
        std::vector<std::string>{"solver={type: sirt, subsets: 18, relaxation: 0.3}",
                                 "operator.ordering=hilbert"},
        std::vector<std::string>{"solver={type: mlem, subsets: 5}",
                                 "operator={format: ray_tiles, tile: 32}"},
        std::vector<std::string>{"solver={type: sart, order: golden}"},
        std::vector<std::string>{"solver={type: os_sart, subsets: 6, order: random, seed: 3}",
                                 "problem.slices=2"},
        std::vector<std::string>{"solver={type: sirt, subsets: 3, check_every: 5}",
                                 "problem.slices=2"},
        std::vector<std::string>{"solver={type: art, relaxation: 0.5, relaxation_decay: 0.1}"},
        std::vector<std::string>{"solver={type: art, order: random, seed: 3, check_every: 5}"},
        std::vector<std::string>{"solver={type: block_art, relaxation_decay: 0.2, block_rows: 7}"},
        std::vector<std::string>{"solver={type: cgls}"},
        std::vector<std::string>{"solver={type: cgls, damping: 0.3, restart_every: 6}",
                                 "problem.slices=3", "operator.ordering=hilbert"},
        std::vector<std::string>{"solver={type: lsmr, check_every: 5}", "problem.slices=2"},
        std::vector<std::string>{"solver={type: lsmr, damping: 0.3}"}));

// A run checks its last iterate even if `check_every` does not ask for it.
TEST(Checkpoints, between_two_checks_give_the_history_of_an_uninterrupted_run) {
  const RunFolder folder(scan);
  for (const char* solver :
       {"solver={type: sirt, check_every: 4, stop: {ncp: views}}",
        "solver={type: sirt, subsets: 3, check_every: 4}", "solver={type: mlem, check_every: 4}",
        "solver={type: mlem, subsets: 3, check_every: 4}", "solver={type: art, check_every: 4}",
        "solver={type: block_art, check_every: 4}", "solver={type: cgls, check_every: 4}",
        "solver={type: cgls, check_every: 4, stop: {residual: 0.1}}",
        "solver={type: lsmr, check_every: 4, damping: 0.1}",
        // The rule ends the slice at iterate 7, where the first part checks it. A run without
        // interruption checks iterate 8.
        "solver={type: sirt, check_every: 4, stop: {relative_change: 0.9, minimum_iterations: "
        "6}}"}) {
    const std::vector<std::string> settings{solver, "output.checkpoint=4"};
    run_well(folder, "all", with(settings, "solver.iterations=12"));
    std::filesystem::remove_all(folder / "part");
    run_well(folder, "part", with(settings, "solver.iterations=7"));
    resume_well(folder, "part", with(settings, "solver.iterations=12"));
    expect_same_runs(folder, "all", "part");
  }
}

// Beyond a bound the history holds every n-th iteration, in the report, in the checkpoint, and
// after a run is resumed.
TEST(Checkpoints, of_a_long_run_hold_a_part_of_its_history) {
  const RunFolder folder(scan);
  const std::vector<std::string> settings{
      "problem.volume={size: [6, 6]}", "problem.geometry={views: 5, detectors: 9}",
      "solver={type: sirt, check_every: 3}", "output.checkpoint=900"};
  run_well(folder, "all", with(settings, "solver.iterations=2400"));
  run_well(folder, "part", with(settings, "solver.iterations=2200"));  // between two checks
  resume_well(folder, "part", with(settings, "solver.iterations=2400"));
  expect_same_runs(folder, "all", "part");
  EXPECT_LT(read_npz_array<double>(folder / "part/checkpoint.npz", "history").shape.front(), 1700U);
  const ConfigNode report = read_yaml_file(folder / "part/report.yaml");
  EXPECT_EQ(report.find("history_every")->scalar(), "2");
  const auto& history = report.find("history")->items();
  int every_second = 0, checks = 0, last = -1;
  for (const ConfigNode& record : history) {
    const int iteration = std::stoi(record.find("iteration")->scalar());
    EXPECT_GT(iteration, last);
    last = iteration;
    EXPECT_NE(record.find("residual"), nullptr) << iteration;
    every_second += iteration % 2 == 0 ? 1 : 0;
    checks += iteration % 3 == 0 ? 1 : 0;
    EXPECT_TRUE(iteration % 2 == 0 || iteration % 3 == 0) << iteration;
  }
  EXPECT_EQ(every_second, 2400 / 2 + 1);
  EXPECT_EQ(checks, 2400 / 3 + 1);
  EXPECT_EQ(last, 2400);

  // The residuals of a stack come with the numbers of their iterations.
  run_well(folder, "slices", with(with(settings, "solver.iterations=2400"), "problem.slices=2"));
  const ConfigNode stack = read_yaml_file(folder / "slices/report.yaml");
  for (const ConfigNode& slice : stack.find("history")->items()) {
    const auto& iterations = slice.find("iteration")->items();
    EXPECT_EQ(iterations.size(), slice.find("relative_residual")->items().size());
    EXPECT_LT(iterations.size(), 1700U);
    EXPECT_EQ(iterations[1].scalar(), "2");
    EXPECT_EQ(iterations.back().scalar(), "2400");
  }
}

// Some slices stop by themselves before the checkpoint, others after it.
TEST(Checkpoints, keep_slices_that_have_stopped) {
  const RunFolder folder(scan);
  for (const char* solver :
       {"solver={type: sirt, minimum: 0, stop: {discrepancy: {noise_level: auto, tau: 1.35}}}",
        "solver={type: sirt, subsets: 6, stop: {discrepancy: {noise_level: auto, tau: 0.9}}}",
        "solver={type: lsmr, stop: {discrepancy: {noise_level: auto, tau: 0.8}}}",
        "solver={type: cgls, stop: {discrepancy: {noise_level: auto, tau: 0.8}}}"}) {
    const std::vector<std::string> settings{solver, "problem.slices=5", "output.checkpoint=1"};
    run_well(folder, "all", with(settings, "solver.iterations=60"));
    // Number of iterations of the slowest slice.
    const int end = std::stoi(reported(folder, "all", "result.iterations"));
    EXPECT_LT(end, 60);
    EXPECT_GT(end, 3);
    for (const int first : {end / 2, end - 1}) {
      std::filesystem::remove_all(folder / "part");
      run_well(folder, "part", with(settings, "solver.iterations=" + std::to_string(first)));
      resume_well(folder, "part", with(settings, "solver.iterations=60"));
      expect_same_runs(folder, "all", "part");
    }
  }
}

TEST(Checkpoints, resume_a_killed_run_from_the_last_one) {
  for (const int signal : {SIGKILL, SIGINT}) {
    const RunFolder folder(scan);
    const std::vector<std::string> settings{"solver={type: mlem, subsets: 3, iterations: 700}",
                                            "output.checkpoint=7"};
    ProgramOptions options;
    options.interrupt_when = [&] { return folder.has("part/checkpoint.npz"); };
    options.interrupt_signal = signal;
    const ProgramResult first = run_program(run_of(folder, "part", settings), options);
    EXPECT_EQ(first.status, signal == SIGKILL ? 128 + SIGKILL : 130) << first.error;
    if (signal == SIGINT) {
      // The checkpoint is from the iteration in which the run was interrupted.
      EXPECT_EQ(reported(folder, "part", "result.reason"), "interrupted");
      const ConfigNode state =
          parse_yaml(read_npz_text(folder / "part/checkpoint.npz", "state.yaml"), nullptr);
      EXPECT_EQ(state.find("iteration")->scalar(), reported(folder, "part", "result.iterations"));
    }
    resume_well(folder, "part", settings);
    run_well(folder, "all", settings);
    expect_same_runs(folder, "all", "part");
    EXPECT_EQ(reported(folder, "all", "result.iterations"), "700");
  }
}

TEST(Checkpoints, accept_another_number_of_threads_only_in_deterministic_runs) {
  const RunFolder folder(scan);
  const auto run = [](const char* deterministic, const char* threads, int iterations) {
    return std::vector<std::string>{
        std::string("run={deterministic: ") + deterministic + ", threads: " + threads + "}",
        "solver={type: mlem, subsets: 3, iterations: " + std::to_string(iterations) + "}"};
  };
  run_well(folder, "all", run("true", "1", 20));
  run_well(folder, "part", run("true", "1", 10));
  resume_well(folder, "part", run("true", "4", 20));
  expect_same_runs(folder, "all", "part");
  run_well(folder, "other", run("false", "1", 10));
  const ProgramResult refused = resume(folder, "other", run("false", "2", 20));
  EXPECT_EQ(refused.status, 2);
  EXPECT_CONTAINS(refused.error, "a run with 1 threads, this run has 2");
}

TEST(Checkpoints, hold_arrays_that_can_be_read_and_described) {
  const RunFolder folder(scan);
  run_well(folder, "out", {"solver={type: mlem, iterations: 5}", "problem.slices=2"});
  const auto names = npz_array_names(folder / "out/checkpoint.npz");
  EXPECT_EQ(names, (std::vector<std::string>{"image", "history", "slices"}));
  const auto image = read_npz_array<float>(folder / "out/checkpoint.npz", "image");
  EXPECT_EQ(image.shape, (std::vector<std::size_t>{2, 24, 20}));
  EXPECT_EQ(image.data, read_npy<float>(folder / "out/reconstruction.npy").data);
  EXPECT_EQ(read_npz_array<double>(folder / "out/checkpoint.npz", "history").shape.front(), 12u);
  EXPECT_CONTAINS(reported(folder, "out", "files"), "checkpoint.npz");
  const ProgramResult info = run_well({"info", folder / "out/checkpoint.npz"});
  for (const char* part :
       {"format: checkpoint", "solver: mlem", "iteration: 5", "shape: [2, 24, 20]", "scalar: float",
        "slices: 2", "relative_residual: ", "nonzeros, ", "data: "})
    EXPECT_CONTAINS(info.out, part);
  // Checkpoints are switched off.
  run_well(folder, "none", {"solver={type: mlem, iterations: 5}", "output.checkpoint=0"});
  EXPECT_FALSE(folder.has("none/checkpoint.npz"));
}

TEST(Checkpoints, are_refused_for_another_configuration) {
  const RunFolder folder(scan);
  const std::vector<std::string> settings{"solver={type: mlem, iterations: 10, subsets: 3}",
                                          "operator.format=csr"};
  run_well(folder, "out", settings);
  const std::string before = read_bytes(folder / "out/report.yaml");
  const auto refused = [&](const std::string& setting, const std::string& why) {
    const ProgramResult result = resume(folder, "out", with(settings, setting));
    EXPECT_EQ(result.status, 2) << setting;
    EXPECT_CONTAINS(result.error, "out/checkpoint.npz: the checkpoint has another configuration");
    EXPECT_CONTAINS(result.error, why);
  };
  refused("solver.subsets=2", "solver.subsets was 3 and is now 2");
  refused("problem.geometry.views=20", "problem.geometry.views was 18 and is now 20");
  refused("problem.phantom=disc", "problem.phantom");
  refused("run.seed=7", "run.seed was 1 and is now 7");
  refused("run.scalar=double", "run.scalar was float and is now double");
  refused("solver.sensitivity_threshold=1e-3", "solver.sensitivity_threshold");
  refused("operator.ordering=natural", "operator.ordering was subsets and is now natural");
  refused("operator.transpose=atomic", "operator.transpose");
  refused("solver.start=ones", "solver.start");
  refused("problem.slices=1", "problem.slices was nothing and is now 1");
  const auto other = resume(folder, "out", with(settings, "solver.iterations=4"));
  EXPECT_EQ(other.status, 2);
  EXPECT_CONTAINS(other.error, "is from iteration 10, but solver.iterations is 4");
  EXPECT_EQ(read_bytes(folder / "out/report.yaml"), before);  // nothing was written
  // The outputs may change.
  resume_well(folder, "out", with(settings, "output={image: [png], checkpoint: 2}"));
}

TEST(Checkpoints, are_refused_for_another_matrix_or_other_data) {
  const RunFolder folder(scan);
  run_well({"convert", folder / "c.yaml", folder / "A.npz", "--quiet"});
  run_well(folder, "scan", {"solver={type: sirt, iterations: 1}"});
  const auto sinogram = read_npy<float>(folder / "scan/sinogram.npy");
  write_npy<float>(folder / "b.npy", sinogram.data, sinogram.shape);
  const std::vector<float> ones(sinogram.data.size(), 1);
  write_npy<float>(folder / "n.npy", ones, {ones.size()});
  write_npy<float>(folder / "s.npy", ones, {ones.size()});
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, matrix: A.npz, rhs: b.npy}\n"
              "solver: {type: mlem, iterations: 10, subsets: 3, multiplicative: n.npy, "
              "background: s.npy}\noutput: {checkpoint: 5, image: [npy]}\n");
  run_well(folder, "out");
  resume_well(folder, "out", {"solver.iterations=12"});

  const auto refused = [&](const std::string& why) {
    const ProgramResult result = resume(folder, "out", {"solver.iterations=20"});
    EXPECT_EQ(result.status, 2);
    EXPECT_CONTAINS(result.error, "out/checkpoint.npz: ");
    EXPECT_CONTAINS(result.error, why);
  };
  // The last bit of one entry is enough.
  const auto spoil = [&](const char* name) {
    auto array = read_npy<float>(folder / name);
    array.data[100] = std::nextafter(array.data[100], 10.0F);
    write_npy<float>(folder / name, array.data, array.shape);
  };
  const auto restore = [&](const char* name, const std::vector<float>& values) {
    write_npy<float>(folder / name, values, {values.size()});
  };
  spoil("b.npy");
  refused("those of the data differ");
  restore("b.npy", sinogram.data);
  spoil("n.npy");
  refused("those of solver.multiplicative differ");
  restore("n.npy", ones);
  spoil("s.npy");
  refused("those of solver.background differ");
  restore("s.npy", ones);
  {
    const HostCsrMatrix<float> A = read_npz_matrix<float>(folder / "A.npz");
    std::vector<float> values(A.values.data(), A.values.data() + A.num_nonzeros());
    values[1234] = std::nextafter(values[1234], 10.0F);
    HostCsrMatrix<float> other = A;
    other.values = Kokkos::View<const float*, Kokkos::HostSpace>(values.data(), values.size());
    write_npz_matrix(folder / "A.npz", other);
    refused("the checkpoint has another matrix: 576 x 480");
    write_npz_matrix(folder / "A.npz", A);
  }
  resume_well(folder, "out", {"solver.iterations=14"});
}

TEST(Checkpoints, are_refused_if_they_cannot_be_read) {
  const RunFolder folder(scan);
  const std::vector<std::string> settings{"solver={type: sirt, iterations: 10}"};
  const auto refused = [&](const std::string& output, const std::string& why) {
    const ProgramResult result = resume(folder, output, settings);
    EXPECT_EQ(result.status, 2) << result.error;
    EXPECT_CONTAINS(result.error, output + "/checkpoint.npz");
    EXPECT_CONTAINS(result.error, why);
  };
  refused("none", "there is no checkpoint");
  EXPECT_FALSE(folder.has("none"));
  run_well(folder, "out", settings);
  const std::string whole = read_bytes(folder / "out/checkpoint.npz");
  for (const std::size_t length : {std::size_t{0}, whole.size() / 3, whole.size() - 30}) {
    write_bytes(folder / "out/checkpoint.npz", whole.substr(0, length));
    refused("out", "checkpoint.npz");
  }
  std::string flipped = whole;
  flipped[whole.find("NUMPY") + 400] ^= 4;  // within the image
  write_bytes(folder / "out/checkpoint.npz", flipped);
  refused("out", "image.npy");
  write_npz(folder / "out/checkpoint.npz", {}, {{"state.yaml", "format: 1\n"}});
  refused("out", "of format 1; this program reads format 7");
  write_npz(folder / "out/checkpoint.npz", {}, {{"state.yaml", "format: [1\n"}});
  refused("out", "of format [1;");
  write_npz(folder / "out/checkpoint.npz", {}, {{"state.yaml", ","}});
  refused("out", "state.yaml");
  write_npz(folder / "out/checkpoint.npz", {}, {{"state", "format: 1\n"}});
  refused("out", "no member 'state.yaml'");
  write_bytes(folder / "out/checkpoint.npz", whole);
  resume_well(folder, "out", settings);
}

// The archives are complete and their checksums are correct, but they hold other values than the
// run has written.
TEST(Checkpoints, are_refused_if_their_image_or_tables_were_replaced) {
  const RunFolder folder(scan);
  const std::vector<std::string> settings{"solver={type: sirt, iterations: 5}", "problem.slices=2"};
  run_well(folder, "out", settings);
  const std::string file = folder / "out/checkpoint.npz";
  ReadOptions options;
  options.allow_non_finite = true;
  const auto image = read_npz_array<float>(file, "image");
  const auto history = read_npz_array<double>(file, "history", options);
  const auto slices = read_npz_array<double>(file, "slices", options);
  const std::string state = read_npz_text(file, "state.yaml");
  const auto rebuild = [&](const NpzArray& new_image, const HostArray<double>& new_history,
                           const HostArray<double>& new_slices) {
    write_npz(file,
              {new_image,
               {"history", new_history.shape, std::span<const double>(new_history.data)},
               {"slices", new_slices.shape, std::span<const double>(new_slices.data)}},
              {{"state.yaml", state}});
  };
  const auto image_of = [](const std::vector<float>& values,
                           const std::vector<std::size_t>& shape) {
    return NpzArray{"image", shape, std::span<const float>(values)};
  };
  const auto refused = [&](const std::string& why) {
    const ProgramResult result = resume(folder, "out", with(settings, "solver.iterations=9"));
    EXPECT_EQ(result.status, 2);
    EXPECT_CONTAINS(result.error, "out/checkpoint.npz: " + why);
  };
  std::vector<float> changed = image.data;
  changed[33] = std::nextafter(changed[33], 10.0F);
  rebuild(image_of(changed, image.shape), history, slices);
  refused("image: its values or their type differ from those that the run has written");
  for (const auto& shape : {std::vector<std::size_t>{960}, {2, 20, 24}}) {
    rebuild(image_of(image.data, shape), history, slices);
    refused("image: its shape is [");
  }
  // If the file declared integers, the program would read these values: the bits of each value as
  // an integer.
  {
    std::vector<float> integers;
    for (const float value : image.data) {
      std::int32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      integers.push_back(static_cast<float>(bits));
    }
    rebuild(image_of(integers, image.shape), history, slices);
    refused("image: its values or their type");
  }
  for (const double active : {0.0, 7.0, std::nan("")}) {
    auto other = slices;
    other.data[0] = active;
    rebuild(image_of(image.data, image.shape), history, other);
    refused("slices: its values");
  }
  auto other = history;
  other.data[4] *= 0.5;
  rebuild(image_of(image.data, image.shape), other, slices);
  refused("history: its values");
  rebuild(image_of(image.data, image.shape), history, slices);
  resume_well(folder, "out", with(settings, "solver.iterations=9"));
}

TEST(Checkpoints, hold_the_vectors_of_the_solver) {
  const RunFolder folder(scan);
  const std::vector<std::string> settings{"solver={type: cgls, iterations: 10}"};
  run_well(folder, "out", settings);
  const auto names = npz_array_names(folder / "out/checkpoint.npz");
  EXPECT_EQ(names, (std::vector<std::string>{"image", "history", "slices", "held_direction",
                                             "held_residual", "held_restart_residuals",
                                             "held_scalars", "held_unmeasured"}));
  // Changes one stored value.
  std::string bytes = read_bytes(folder / "out/checkpoint.npz");
  bytes[bytes.find("NUMPY", bytes.find("held_direction")) + 400] ^= 4;
  write_bytes(folder / "out/checkpoint.npz", bytes);
  const auto resumed = resume(folder, "out", with(settings, "solver.iterations=20"));
  EXPECT_EQ(resumed.status, 2);
  EXPECT_CONTAINS(resumed.error, "held_direction");
}

}  // namespace
