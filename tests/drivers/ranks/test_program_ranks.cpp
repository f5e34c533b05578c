// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of the whole program on several processes.
#include <Kokkos_Macros.hpp>
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_Npy.hpp>
#include <cstdlib>

#include "program/RanksTesting.hpp"
#include "program/ScannerProblem.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;
using ScannerProblem::text;

TEST(ProgramRanks, one_rank_writes_the_same_files_as_a_run_without_a_launcher) {
  const RunFolder folder(text);
  image_of(folder, 0, "alone");
  image_of(folder, 1, "one");
  for (const char* file : {"reconstruction.npy", "sinogram.npy", "phantom.npy"})
    expect_same_file(folder, "alone", "one", file);
}

TEST(ProgramRanks, a_signal_to_one_rank_ends_all_and_writes_the_results) {
  const RunFolder folder(parallel + "solver: {type: sirt, iterations: 2000000000}\n");
  ProgramOptions options;
  options.launcher = launcher(2);
  for (const char* word : {"sh", "-c", "echo $$ >> \"$PIDS\"; exec \"$@\"", "sh"})
    options.launcher.emplace_back(word);
  options.in_child = [&] { setenv("PIDS", (folder / "pids").c_str(), 1); };
  options.interrupt_when = [&] {
    if (!folder.has("out/checkpoint.npz")) return false;
    std::istringstream lines(read_bytes(folder / "pids"));
    pid_t last = 0;
    for (pid_t line = 0; lines >> line;) last = line;
    kill(last, SIGXCPU);
    return true;
  };
  options.interrupt_signal = 0;  // no signal to the launcher
  expect_failure(
      {"run", folder / "c.yaml", "--output", folder / "out", "--set", "output.checkpoint=5"}, {},
      130, options);
  EXPECT_EQ(reported(folder, "out", "result.reason"), "interrupted");
  EXPECT_TRUE(folder.has("out/reconstruction.npy"));
}

TEST(ProgramRanks, match_one_process_for_a_scanner_in_every_format) {
  compare(text,
          {{"operator.format=csr"},
           {"operator.transpose=atomic"},
           {"operator.format=ray_tiles"},
           {"operator.format=sell"},
           {"operator.format=automatic"},
           {"run.ranks.image=split"},
           {"operator.format=ray_tiles", "run.ranks={image: split, slabs: 3}"},
           {"run.ranks.weights=measured"}},
          2e-5);
}

TEST(ProgramRanks, match_one_process_with_every_distributed_solver) {
  for (const char* solver :
       {"{type: mlem, iterations: 8, subsets: 5}", "{type: sirt, iterations: 12, minimum: 0}",
        "{type: cgls, iterations: 5}",
        "{type: mlem, iterations: 5, start: uniform, background: 0.5}"})
    compare(parallel + "solver: " + solver + "\n",
            {{}, {"operator.ordering=tiles"}, {"run.ranks.image=split"}}, 2e-4);
  for (const char* solver : {"{type: os_sart, sweeps: 2, subsets: 5}", "{type: sart, sweeps: 2}"})
    compare(parallel + "solver: " + solver + "\n", {{}}, 2e-4);
}

TEST(ProgramRanks, exchanges_are_a_step_of_an_iteration) {
  const RunFolder folder(parallel + "solver: {type: mlem, iterations: 2}\n");
  for (const int ranks : {1, 2}) {
    image_of(folder, ranks, "out", {"run.measure_steps=true"});
    const ConfigNode report = read_yaml_file(folder / "out/report.yaml");
    bool exchanges = false;
    for (const ConfigNode& line : report.find("steps")->items())
      exchanges = exchanges || (line.find("step")->scalar() == "ranks" &&
                                std::stod(line.find("calls")->scalar()) > 0);
    EXPECT_EQ(exchanges, ranks == 2) << ranks;
  }
}

TEST(ProgramRanks, products_and_sums_are_timed) {
  const RunFolder folder(parallel + "solver: {type: mlem, iterations: 2}\n");
  for (const int ranks : {0, 2}) {
    image_of(folder, ranks, "out", {"run.ranks.measure_sums=true"});
    const ConfigNode report = read_yaml_file(folder / "out/report.yaml");
    const ConfigNode& seconds = *report.find("operator")->find("ranks")->find("seconds");
    for (const char* product : {"forward", "transposed", "products"}) {
      const ConfigNode& rank_times = *seconds.find(product);
      EXPECT_EQ(rank_times.items().size(), static_cast<std::size_t>(std::max(ranks, 1)));
      for (const ConfigNode& own : rank_times.items()) EXPECT_GT(std::stod(own.scalar()), 0);
    }
    EXPECT_EQ(reported(folder, "out", "operator.ranks.count"), std::to_string(std::max(ranks, 1)));
    if (ranks > 0) {
      for (const char* sum : {"sums", "products_and_sums"})
        EXPECT_GT(std::stod(seconds.find(sum)->scalar()), 0) << sum;
      // Ranks on hosts do not take turns.
      EXPECT_EQ(seconds.find("in_turns"), nullptr);
      EXPECT_NE(seconds.find("exposed"), nullptr);
    }
  }
  write_bytes(folder / "art.yaml", parallel + "solver: {type: art, sweeps: 1}\n");
  run_well({"run", folder / "art.yaml", "--output", folder / "art", "--set",
            "run.ranks.measure_sums=true"},
           on_ranks(0));
  const auto art_seconds = [&](const std::string& product) {
    return reported(folder, "art", "operator.ranks.seconds." + product);
  };
  EXPECT_NE(art_seconds("forward"), "(none)");
  EXPECT_EQ(art_seconds("transposed"), "(none)");
}

#if defined(KOKKOS_ENABLE_CUDA)
TEST(ProgramRanks, take_turns_if_they_share_a_gpu) {
  const RunFolder folder(parallel + "solver: {type: mlem, iterations: 2}\n");
  ProgramOptions options;
  options.launcher = launcher(2);
  options.in_child = [] { setenv("CUDA_VISIBLE_DEVICES", "0", 1); };
  run_well(folder, "out", {"run.backend=cuda", "run.ranks.measure_sums=true"}, options);
  const auto reported = [&](const std::string& key) {
    return Testing::reported(folder, "out", "operator.ranks." + key);
  };
  EXPECT_EQ(reported("transport"), "mpi, through host memory");
  EXPECT_EQ(reported("seconds.in_turns"), "true");
  EXPECT_EQ(reported("seconds.exposed"), "(none)");
}
#endif

TEST(ProgramRanks, stop_together_by_a_stop_rule) {
  const RunFolder folder(parallel +
                         "  noise: {type: gaussian, sigma: 0.3}\n"
                         "solver: {type: sirt, iterations: 200, stop: {ncp: views}}\n");
  image_of(folder, 0, "alone");
  image_of(folder, 3, "spread");
  const std::string reason = reported(folder, "alone", "result.reason");
  EXPECT_EQ(reason, "white_residual");
  EXPECT_EQ(reported(folder, "spread", "result.reason"), reason);
  EXPECT_EQ(reported(folder, "spread", "result.iterations"),
            reported(folder, "alone", "result.iterations"));
}

TEST(ProgramRanks, match_one_process_with_stacks_and_masks) {
  const RunFolder folder(parallel + "  slices: 3\nsolver: {type: sirt, iterations: 6}\n");
  EXPECT_LT(distance(image_of(folder, 3, "spread"), image_of(folder, 0, "alone")), 1e-5);
  EXPECT_LT(distance(image_of(folder, 2, "split", {"run.ranks.image=split"}),
                     image_of(folder, 0, "alone")),
            1e-5);

  std::vector<float> mask(24 * 20, 1), rays(15 * 35, 1);
  for (std::size_t i = 0; i < 40; ++i) mask[i] = rays[10 * i] = 0;
  write_npy<float>(folder / "mask.npy", mask, {24, 20});
  write_npy<float>(folder / "rays.npy", rays, {15, 35});
  const std::vector<std::string> masks{"problem.mask=" + folder / "mask.npy",
                                       "problem.ray_mask=" + folder / "rays.npy"};
  EXPECT_LT(distance(image_of(folder, 3, "spread", masks), image_of(folder, 0, "alone", masks)),
            1e-5);
}

TEST(ProgramRanks, a_split_volume_is_as_far_from_the_phantom_as_a_whole_one) {
  const RunFolder folder;
  write_bytes(
      folder / "c.yaml",
      "run: {scalar: double}\nproblem:\n  type: tomography\n"
      "  volume: {polar: {rings: 6, radius: 4, slices: 4, height: 5}, size: [12, 12]}\n"
      "  geometry: {type: cone_beam, views: 12, detectors: [8, 6], detector_width: [1, 1],\n"
      "             source_to_origin: 16, origin_to_detector: 8}\n"
      "  phantom: shepp_logan\noperator: {format: csr}\n"
      "solver: {type: sirt, iterations: 3}\n");
  image_of(folder, 0, "alone");
  const auto rmse = [&](const std::string& output) {
    return number(folder, output, "result.rmse");
  };
  for (const int ranks : {2, 3}) {
    image_of(folder, ranks, "split", {"run.ranks.image=split"});
    EXPECT_NEAR(rmse("split"), rmse("alone"), 1e-9 * rmse("alone")) << ranks << " ranks";
  }
}

TEST(ProgramRanks, are_described_in_the_report) {
  const RunFolder folder(text);
  image_of(folder, 3, "out", {"run.ranks={weights: [1, 2, 1], slabs: 2}"});
  const std::filesystem::path report = folder / "out/report.yaml";
  EXPECT_EQ(entry(report, "operator.ranks.count"), "3");
  EXPECT_EQ(entry(report, "operator.ranks.image"), "replicated");
  EXPECT_EQ(entry(report, "operator.ranks.slabs"), "2");
  EXPECT_LT(std::stod(entry(report, "operator.ranks.imbalance")), 0.01);
  EXPECT_EQ(entry(report, "matrix.rows"), "5184");
  const ConfigNode root = read_yaml_file(report);
  const auto& nonzeros = root.find("operator")->find("ranks")->find("nonzeros")->items();
  ASSERT_EQ(nonzeros.size(), 3u);
  const double total = std::stod(entry(report, "matrix.nonzeros"));
  double sum = 0;
  for (const ConfigNode& count : nonzeros) sum += std::stod(count.scalar());
  EXPECT_EQ(sum, total);
  EXPECT_NEAR(std::stod(nonzeros[1].scalar()) / total, 0.5, 0.01);
  image_of(folder, 0, "alone", {"operator.format=csr"});
  for (const char* key : {"matrix.nonzeros", "matrix.empty_rows"})
    EXPECT_EQ(entry(report, key), reported(folder, "alone", key)) << key;
  // The bytes are those of all ranks. The first rank alone would have a quarter of them. Each rank
  // adds vectors over the columns.
  for (const char* key : {"forward_bytes", "transpose_bytes", "iteration_bytes"}) {
    const auto bytes = [&](const char* run) {
      return std::stod(entry(folder / run, std::string("traffic.") + key));
    };
    EXPECT_GE(bytes("out/report.yaml"), bytes("alone/report.yaml")) << key;
    EXPECT_LT(bytes("out/report.yaml"), 1.5 * bytes("alone/report.yaml")) << key;
  }
  EXPECT_GT(std::stod(entry(report, "peak_memory.host_bytes")), 1e6);
}

TEST(ProgramRanks, deterministic_runs_have_the_same_bits) {
  const RunFolder folder("run: {deterministic: true}\n" + text);
  for (const char* image : {"replicated", "split"}) {
    const std::vector<std::string> settings{"run.ranks.image=" + std::string(image)};
    image_of(folder, 3, "first", settings);
    image_of(folder, 3, "second", settings);
    expect_same_file(folder, "first", "second");
  }
}

// Rows are summed in the same order wherever they are, and the noise belongs to the ray.
TEST(ProgramRanks, simulated_data_have_the_same_bits_for_any_number_of_ranks) {
  const RunFolder folder("run: {deterministic: true}\n" + parallel +
                         "  noise: {type: poisson, counts: 100}\n"
                         "solver: {type: mlem, iterations: 1}\n"
                         "operator: {format: csr, variant: scalar}\n");
  image_of(folder, 0, "alone");
  for (const int ranks : {2, 3}) {
    image_of(folder, ranks, "several");
    EXPECT_TRUE(read_bytes(folder / "several/sinogram.npy") ==
                read_bytes(folder / "alone/sinogram.npy"))
        << ranks;
  }
}

TEST(ProgramRanks, a_resumed_run_gives_the_same_bytes) {
  const RunFolder folder("run: {deterministic: true}\n" + text + "output: {checkpoint: 5}\n");
  image_of(folder, 2, "whole", {"solver.iterations=20"});
  image_of(folder, 2, "parts");
  run_well({"run", folder / "c.yaml", "--output", folder / "parts", "--set", "solver.iterations=20",
            "--resume"},
           on_ranks(2));
  expect_same_file(folder, "whole", "parts");
  expect_failure({"run", folder / "c.yaml", "--output", folder / "parts", "--set",
                  "solver.iterations=20", "--resume"},
                 {"a run with 2 processes, this run has 3"}, 2, on_ranks(3));
  for (const auto& [setting, message] : std::vector<std::pair<std::string, std::string>>{
           {"weights=[1, 2]", "run.ranks.weights was [1, 1] and is now [1, 2]"},
           {"image=split", "run.ranks.image was replicated and is now split"}}) {
    expect_failure({"run", folder / "c.yaml", "--output", folder / "parts", "--set",
                    "solver.iterations=20", "--set", "run.ranks." + setting, "--resume"},
                   {message}, 2, on_ranks(2));
  }
}

TEST(ProgramRanks, the_example_runs_with_and_without_a_launcher) {
  const RunFolder folder;
  const std::vector<std::string> arguments{
      "run",      config_file("mlem_pet_distributed.yaml").string(),
      "--output", folder / "out",
      "--set",    "problem.volume={size: [4, 20, 20], pixel: 3}",
      "--set",    "problem.scanner=" + ScannerProblem::scanner};
  for (const int ranks : {0, 1, 2}) {
    const ProgramResult result = run_well(arguments, on_ranks(ranks));
    EXPECT_TRUE(folder.has("out/reconstruction.npy"));
    EXPECT_EQ(count_of(result.out, "report.yaml"), 1) << result.out;
    std::filesystem::remove_all(folder / "out");
  }
}

TEST(ProgramRanks, match_one_process_if_one_has_no_pixels) {
  const RunFolder folder(
      "problem:\n  type: tomography\n  volume: {size: [4, 4]}\n"
      "  geometry: {type: parallel_beam, views: 6, detectors: 5, range: 180 deg}\n"
      "  phantom: disc\nsolver: {type: sirt, iterations: 5}\n");
  // The first four ranks hold four pixels each, and the last one holds none.
  EXPECT_LT(distance(image_of(folder, 5, "split", {"run.ranks.image=split"}),
                     image_of(folder, 0, "alone")),
            1e-5);
}

TEST(ProgramRanks, match_one_process_if_there_are_fewer_rows) {
  const std::string rays =
      "problem:\n  type: tomography\n  volume: {size: [4, 4]}\n"
      "  geometry: {type: parallel_beam, views: 1, detectors: 2, range: 180 deg}\n"
      "  phantom: disc\nsolver: {type: sirt, iterations: 5}\n";
  compare(rays, {{"operator.format=csr"}, {"operator.format=ray_tiles"}, {"run.ranks.image=split"}},
          1e-6);
}

TEST(ProgramRanks, slabs_need_a_single_process) {
  const RunFolder folder;
  write_npy<float>(folder / "scan.npy", std::vector<float>(6 * 4 * 24, 1), {6, 4, 24});
  write_bytes(folder / "c.yaml", std::string(R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  sinogram: {file: scan.npy}
  slices: all
  slab: 3
solver: {type: sirt, iterations: 2}
)"));
  expect_failure(run_of(folder, "out"),
                 {"problem.slab: slabs are solved by a single process, but 2 were"}, 2,
                 on_ranks(2));
}

TEST(ProgramRanks, refusals_are_reported_once) {
  expect_refused(text + "nonsense: 1\n", {"rank 0: ", "c.yaml:", "nonsense"});
  expect_refused(
      "problem: {type: tomography, matrix: missing.npz, rhs: b.npy}\nsolver: {type: mlem}\n",
      {"missing.npz"});
  expect_refused(parallel + "solver: {type: art}\n",
                 {"solver.type: art", "exact only on a single process", "block_art"});
  const std::string mlem = parallel + "solver: {type: mlem}\n";
  expect_refused(mlem + "operator: {format: scsr}\n",
                 {"operator.format: scsr", "an image of 24 x 20 pixels"});
  expect_refused(mlem + "operator: {ordering: rcm}\n", {"operator.ordering"});
  expect_refused(parallel + "solver: {type: cgls}\noutput: {checkpoint: 2}\n",
                 {"output.checkpoint: cgls", "supports checkpoints only with a single process"});
  expect_refused(
      "problem: {type: linear_system, stencil: {points: 7, size: 5}, rhs: ones}\n"
      "output: {checkpoint: 25}\n",
      {"output.checkpoint: pcg", "supports checkpoints only with a single process"});
  expect_refused(mlem + "run: {ranks: {weights: measured}}\noutput: {checkpoint: 2}\n",
                 {"run.ranks.weights", "a checkpoint"});
  expect_refused(mlem + "run: {ranks: {weights: [1, 2]}}\n",
                 {"run.ranks.weights", "2 weights for 3"});
  expect_refused(mlem + "run: {ranks: {weights: [1, 0, 2]}}\n", {"run.ranks.weights"});
  expect_refused(mlem + "run: {deterministic: true, ranks: {weights: measured}}\n",
                 {"run.ranks.weights", "run.deterministic"});
  expect_refused(parallel + "solver: {type: sirt, start: missing.npy}\n", {"missing.npy"});
  expect_refused("problem: {type: smoothing, mesh: {file: missing.obj}, locked: 1/10}\n",
                 {"missing.obj"});
}

TEST(ProgramRanks, each_may_have_a_backend_of_its_own) {
  const std::string sirt = parallel + "solver: {type: sirt, iterations: 3}\n";
  const RunFolder folder(sirt + "run: {ranks: {backend: [openmp, openmp]}}\n");
  const auto alone = image_of(folder, 0, "alone", {"run.ranks.backend=same"});
  EXPECT_LT(distance(image_of(folder, 2, "spread"), alone), 1e-4);
  EXPECT_EQ(reported(folder, "spread", "operator.ranks.backend"), "[openmp, openmp]\n");
  expect_refused(sirt + "run: {ranks: {backend: [openmp, openmp]}}\n",
                 {"c.yaml:", "run.ranks.backend", "lists 2 backends for 3 ranks"});
  expect_refused(sirt + "run: {ranks: {backend: [openmp, gpu, openmp]}}\n",
                 {"c.yaml:", "run.ranks.backend", "\"gpu\" of rank 1 is not a backend"});
  const auto backends = backend_names();
  if (std::find(backends.begin(), backends.end(), "cuda") == backends.end())
    expect_refused(sirt + "run: {ranks: {backend: [openmp, cuda, openmp]}}\n",
                   {"run.ranks.backend", "\"cuda\" of rank 1 is not a backend of this program"});
}

TEST(ProgramRanks, a_gpu_and_a_host_agree_with_one_process) {
  const auto backends = backend_names();
  if (std::find(backends.begin(), backends.end(), "cuda") == backends.end())
    GTEST_SKIP() << "this program has no GPU backend";
  const std::string run = "run: {ranks: {backend: ";
  for (const char* solver :
       {"{type: sirt, iterations: 3}", "{type: mlem, iterations: 2, subsets: 3}",
        "{type: cgls, iterations: 4}", "{type: block_art, sweeps: 2}"}) {
    const std::string config = parallel + "solver: " + solver + "\n";
    expect_agreement(config + run + "[cuda, openmp]}}\n", {2}, {"run.ranks.backend=same"});
    expect_agreement(config + run + "[openmp, cuda, openmp], weights: [1, 2, 1], image: split}}\n",
                     {3}, {"run.ranks.backend=same"});
  }
  const std::string system =
      "problem: {type: linear_system, stencil: {points: 7, size: [8, 7, 6]}, rhs: random}\n"
      "solver: {iterations: 12, type: ";
  for (const char* solver : {"pcg", "bicgstab", "gmres", "cgls"})
    expect_agreement(system + solver + "}\n" + run + "[cuda, openmp]}}\n", {2},
                     {"run.ranks.backend=same"});
}

// Without the key output.checkpoint, it is the option --resume that asks for checkpoints, which
// these solvers do not support on several ranks.
TEST(ProgramRanks, cannot_resume_solvers_that_hold_vectors) {
  for (const std::string& problem :
       {parallel + "solver: {type: cgls}\n",
        std::string(
            "problem: {type: linear_system, stencil: {points: 7, size: 5}, rhs: ones}\n")}) {
    const RunFolder folder(problem);
    expect_failure({"run", folder / "c.yaml", "--output", folder / "out", "--resume"},
                   {"--resume: ",
                    "supports checkpoints only with a single process, because several hold parts "
                    "of its vectors; 2 processes were started"},
                   2, on_ranks(2));
    EXPECT_FALSE(folder.has("out/report.yaml"));
  }
}

TEST(ProgramRanks, other_commands_need_a_single_process) {
  const RunFolder folder(text);
  const ProgramResult result =
      expect_failure({"convert", folder / "c.yaml", folder / "a.npz"}, {}, 2, on_ranks(2));
  EXPECT_EQ(count_of(result.error, "convert needs a single process, but 2 were started"), 1)
      << result.error;
  EXPECT_FALSE(folder.has("a.npz"));
}

TEST(ProgramRanks, errors_in_the_command_line_are_reported_once) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run"}, {"run", "--nothing"}, {"walk"}, {}}) {
    const ProgramResult result = expect_failure(arguments, {}, 2, on_ranks(3));
    EXPECT_EQ(count_of(result.error, "tomokkos: error:"), 1) << result.error;
  }
  // Here the first process runs another program.
  ProgramOptions options;
  options.launcher = launcher(1);
  options.launcher.insert(options.launcher.end(), {"true", ":"});
  const std::vector<std::string> second = launcher(1);  // its last two words give the number
  options.launcher.insert(options.launcher.end(), second.end() - 2, second.end());
  const ProgramResult result = expect_failure({"run", "--nothing"}, {}, 2, options);
  EXPECT_EQ(count_of(result.error, "tomokkos: error:"), 1) << result.error;
}

/// Runs on three ranks. A shell starts the last rank, with \p odd_before and \p odd_after around
/// its command.
ProgramResult run_with_odd_rank(const RunFolder& folder, const std::string& odd_before,
                                const std::string& odd_after,
                                const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"run", folder / "c.yaml", "--output", folder / "out"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::string command = odd_before + " '" + TOMOKKOS_PROGRAM + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  ProgramOptions options;
  options.launcher = launcher(2);
  arguments.insert(arguments.end(), {":", "-n", "1", "sh", "-c", command + odd_after});
  return run_program(arguments, options);
}

TEST(ProgramRanks, a_rank_that_runs_out_of_memory_ends_all) {
  const RunFolder folder(
      "problem:\n  type: tomography\n  volume: {size: [900, 900]}\n"
      "  geometry: {type: parallel_beam, views: 400, detectors: 1200, "
      "range: 180 deg}\n  phantom: shepp_logan\n"
      "solver: {type: mlem, iterations: 2}\n");
  const ProgramResult result = run_with_odd_rank(folder, "ulimit -v 1600000; exec", "", {});
  // CUDA needs more address space than the limit, so the rank fails before it builds its matrix.
#if defined(KOKKOS_ENABLE_CUDA)
  EXPECT_EQ(result.status, 1) << result.error;
#else
  EXPECT_EQ(result.status, 2) << result.error;
#endif
  EXPECT_CONTAINS(result.error, "tomokkos: error: rank 2: ");
  EXPECT_EQ(count_of(result.error, "tomokkos: error:"), 1) << result.error;
  EXPECT_FALSE(folder.has("out/reconstruction.npy"));
}

TEST(ProgramRanks, a_rank_that_is_killed_ends_all) {
  const RunFolder folder(text);
  // The rank is killed once the first iterate is written.
  const std::string iterate = folder / "out/reconstruction_01000.npy";
  const std::string wait = "while [ ! -e '" + iterate + "' ] && kill -0 $!; do sleep 0.1; done; ";
  const ProgramResult result =
      run_with_odd_rank(folder, "", " & " + wait + "kill -9 $!; wait $!",
                        {"--set", "solver.iterations=100000000", "--set", "output.every=1000"});
  EXPECT_NE(result.status, 0);
  EXPECT_TRUE(folder.has("out/reconstruction_01000.npy"));
  EXPECT_FALSE(folder.has("out/report.yaml"));
  EXPECT_EQ(count_of(result.error, "tomokkos: error:"), 0) << result.error;
}

}  // namespace
