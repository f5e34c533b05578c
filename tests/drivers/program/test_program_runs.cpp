// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of the program that must repeat, continue, stop or fail in the right way.
#include <sys/stat.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_Npy.hpp>
#include <cmath>
#include <iostream>

#include "NeedsHdf5.hpp"
#include "TestData.hpp"
#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

class Restart : public ::testing::TestWithParam<const char*> {};

TEST_P(Restart, continues_bit_for_bit) {
  for (const std::string scalar : {"float", "double"}) {
    const RunFolder folder(small_config);
    const std::string type = GetParam();
    const std::string minimum = type == "mlem" ? "" : ", minimum: 0";
    const auto solver = [&](int iterations, const std::string& more) {
      return "solver={type: " + type + ", iterations: " + std::to_string(iterations) + minimum +
             more + "}";
    };
    const std::string noise = "problem.noise={type: poisson, counts: 1e3}";
    const std::string precision = "run.scalar=" + scalar;
    run_well(folder, "all", {solver(20, ""), noise, precision});
    run_well(folder, "first", {solver(10, ""), noise, precision});
    run_well(
        folder, "second",
        {solver(10, ", start: \"" + folder / "first/reconstruction.npy" + "\""), noise, precision});
    EXPECT_NE(read_bytes(folder / "first/reconstruction.npy"),
              read_bytes(folder / "all/reconstruction.npy"));
    expect_same_file(folder, "second", "all");
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, Restart, ::testing::Values("mlem", "sirt", "art"));

TEST(ProgramRuns, deterministic_runs_give_the_same_bytes_for_any_number_of_threads) {
  for (const char* type : {"mlem", "sirt", "cgls", "art"}) {
    const RunFolder folder(small_config);
    for (const char* threads : {"1", "2", "4"})
      run_well(folder, threads,
               {"run={deterministic: true, threads: " + std::string(threads) + "}",
                "problem.volume.size=[64, 64]", "problem.geometry={views: 40, detectors: 96}",
                "problem.noise={type: poisson, counts: 1e4}",
                "solver={type: " + std::string(type) + ", iterations: 4}"});
    for (const char* file : {"reconstruction.npy", "sinogram.npy"})
      for (const char* threads : {"2", "4"}) expect_same_file(folder, "1", threads, file);
    EXPECT_EQ(reported(folder, "2", "threads"), "2");
  }
}

TEST(ProgramRuns, repeated_runs_give_the_same_bytes) {
  const RunFolder folder(small_config);
  run_well(folder, "a");
  run_well(folder, "b");
  expect_same_file(folder, "a", "b");
  run_well(folder, "c", {"problem.noise={type: poisson, counts: 1e3}"});
  run_well(folder, "d", {"problem.noise={type: poisson, counts: 1e3}", "run.seed=2"});
  EXPECT_NE(read_bytes(folder / "c/sinogram.npy"), read_bytes(folder / "d/sinogram.npy"));
}

TEST(ProgramRuns, analytic_data_are_close_to_projections_by_the_matrix) {
  const RunFolder folder(small_config);
  const std::vector<std::string> finer{"problem.volume.size=[128, 128]",
                                       "problem.geometry={views: 30, detectors: 184}",
                                       "problem.projector=strip"};
  for (const char* source : {"matrix", "analytic"}) {
    std::vector<std::string> settings = finer;
    settings.push_back(std::string("problem.data=") + source);
    run_well(folder, source, settings);
  }
  const auto a = read_npy<double>(folder / "matrix/sinogram.npy");
  const auto b = read_npy<double>(folder / "analytic/sinogram.npy");
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    difference += std::pow(a.data[i] - b.data[i], 2);
    norm += b.data[i] * b.data[i];
  }
  EXPECT_GT(difference, 0.0);
  EXPECT_LT(std::sqrt(difference / norm), 0.03);
}

TEST(ProgramRuns, stop_rules_are_reported) {
  const RunFolder folder(small_config);
  run_well(folder, "residual",
           {"solver={type: cgls, iterations: 100, stop: {residual: 0.05}}", "run.scalar=double"});
  EXPECT_EQ(reported(folder, "residual", "result.reason"), "converged");
  EXPECT_LE(number(folder, "residual", "result.relative_residual"), 0.05);
  run_well(folder, "discrepancy",
           {"solver={type: cgls, iterations: 100, stop: {discrepancy: {noise_level: auto}}}",
            "problem.noise={type: gaussian, sigma: 0.05, scale: relative}"});
  EXPECT_EQ(reported(folder, "discrepancy", "result.reason"), "discrepancy");
  EXPECT_LE(number(folder, "discrepancy", "result.residual"),
            number(folder, "discrepancy", "data.noise_level"));
}

TEST(ProgramRuns, an_overflow_fails_the_run_and_is_reported) {
  const RunFolder folder(small_config);
  for (const char* type : {"sirt", "cgls", "art"}) {
    // The first projection of this start exceeds the range of single precision.
    expect_failure(run_of(folder, type,
                          {"solver={type: " + std::string(type) + ", iterations: 5, start: 3e38}"}),
                   {"not solved: non_finite"}, 1);
    EXPECT_EQ(reported(folder, type, "result.reason"), "non_finite");
    EXPECT_TRUE(folder.has(std::string(type) + "/reconstruction.npy"));
  }
}

TEST(ProgramRuns, restarts_of_cgls_reach_the_solver) {
  const RunFolder folder(small_config);
  run_well(folder, "plain", {"solver={type: cgls, iterations: 8}"});
  run_well(folder, "restarted", {"solver={type: cgls, iterations: 8, restart_every: 3}"});
  EXPECT_NE(read_bytes(folder / "plain/reconstruction.npy"),
            read_bytes(folder / "restarted/reconstruction.npy"));
}

TEST(ProgramRuns, art_stores_no_transpose) {
  const RunFolder folder(small_config);
  run_well(folder, "art", {"solver={type: art, sweeps: 2}"});
  run_well(folder, "sirt", {"operator.format=csr"});
  const auto value = [&](const std::string& run, const std::string& key) {
    return reported(folder, run, key);
  };
  const auto bytes = [&](const std::string& run, const std::string& key) {
    return std::stol(value(run, key));
  };
  EXPECT_EQ(value("art", "operator.transpose"), "none");
  EXPECT_EQ(value("art", "operator.transpose_variant"), "(none)");
  const long matrix = bytes("art", "matrix.memory_bytes");
  EXPECT_GE(bytes("art", "operator.memory_bytes"), matrix);
  EXPECT_LT(bytes("art", "operator.memory_bytes"), matrix + matrix / 2);
  EXPECT_EQ(value("sirt", "operator.transpose"), "stored");
  EXPECT_GT(bytes("sirt", "operator.memory_bytes"), matrix + matrix / 2);
  // The configuration in the report runs.
  write_bytes(folder / "again.yaml", reported(folder, "art", "configuration"));
  run_well({"run", folder / "again.yaml", "--quiet"});
}

TEST(ProgramRuns, thresholds_reach_the_solvers) {
  const RunFolder folder(small_config);
  // Sums are compared with the largest entry, so the unit of length does not matter.
  const auto residual = [&](const std::string& run, const std::vector<std::string>& settings) {
    run_well(folder, run, settings);
    return number(folder, run, "result.relative_residual");
  };
  const std::vector<std::string> tiny{"problem.volume.pixel=1e-8",
                                      "problem.geometry.detector_width=1e-8"};
  const double usual = residual("usual", {});
  EXPECT_NEAR(residual("tiny", tiny), usual, 1e-5);
  EXPECT_GT(residual("few", {"solver.smallest_sum=10"}), usual + 1e-3);
  expect_failure(run_of(folder, "bad", {"solver.smallest_sum=1000"}), {"Lower smallest_sum"});

  const auto inactive = [&](const std::string& threshold) {
    run_well(folder, threshold,
             {"solver={type: mlem, iterations: 2, sensitivity_threshold: " + threshold + "}"});
    return std::stol(reported(folder, threshold, "result.inactive_voxels"));
  };
  EXPECT_EQ(inactive("1e-6"), 0);
  EXPECT_GT(inactive("0.99"), 0);
}

class Interrupted : public ::testing::TestWithParam<int> {};

TEST_P(Interrupted, writes_image_and_report) {
  const RunFolder folder(small_config);
  ProgramOptions options;
  options.interrupt_after = "sirt 0/";
  options.interrupt_signal = GetParam();
  const ProgramResult result =
      expect_failure(run_of(folder, "out", {"solver.iterations=2000000000"}), {}, 130, options);
  EXPECT_EQ(reported(folder, "out", "result.reason"), "interrupted");
  EXPECT_EQ(read_npy_info(folder / "out/reconstruction.npy").shape,
            (std::vector<std::size_t>{24, 20}));
  EXPECT_TRUE(folder.has("out/reconstruction.png"));
  if (GetParam() != SIGINT) return;
  // The image is the result of a whole number of iterations.
  const std::string iterations = reported(folder, "out", "result.iterations");
  if (std::stol(iterations) < 100000) {
    run_well(folder, "whole", {"solver.iterations=" + iterations});
    expect_same_file(folder, "whole", "out");
  }
}

/// Runs conversions of `c.yaml` to \p name and sends \p signal when one begins to write. Returns
/// the status of the first conversion that does not succeed.
int status_of_interrupted_conversion(const RunFolder& folder, const std::string& name, int signal) {
  ProgramOptions options;
  options.interrupt_signal = signal;
  options.interrupt_when = [&] {
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      if (file.path().filename().string().find(".tmp") != std::string::npos) return true;
    return false;
  };
  // On a busy machine the signal may come too late.
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::filesystem::remove(folder / name);
    const int status =
        run_program({"convert", folder / "c.yaml", folder / name, "--quiet"}, options).status;
    if (status != 0) return status;
  }
  return 0;
}

// The matrix is large enough that a test can observe the program while it writes.
constexpr const char* larger_matrix =
    "problem: {type: tomography, volume: {size: [160, 160]}, geometry: {views: 120}}\n";

TEST(ProgramRuns, an_interrupted_conversion_leaves_nothing) {
  const RunFolder folder(larger_matrix);
  for (const char* name : {"a.mtx", "a.npz"}) {
    EXPECT_EQ(status_of_interrupted_conversion(folder, name, SIGINT), 128 + SIGINT) << name;
    EXPECT_EQ(folder.count(), 1U) << name;
  }
}

TEST(ProgramRuns, the_temporary_file_of_a_killed_conversion_is_removed_by_the_next_run) {
  const RunFolder folder(larger_matrix);
  EXPECT_EQ(status_of_interrupted_conversion(folder, "a.npz", SIGKILL), 128 + SIGKILL);
  EXPECT_EQ(folder.count(), 2U);  // the temporary file remains, and the destination does not exist
  EXPECT_FALSE(folder.has("a.npz"));
  write_bytes(folder / "c.yaml", small_config);
  run_well({"convert", folder / "c.yaml", folder / "a.npz", "--quiet"});
  EXPECT_EQ(folder.count(), 2U);
  EXPECT_TRUE(folder.has("a.npz"));
  // A run removes such files from its output folder.
  std::filesystem::remove(folder / "a.npz");
  write_bytes(folder / "c.yaml", larger_matrix);
  EXPECT_EQ(status_of_interrupted_conversion(folder, "a.npz", SIGKILL), 128 + SIGKILL);
  EXPECT_EQ(folder.count(), 2U);
  write_bytes(folder / "c.yaml", small_config);
  run_well(folder, ".", {"output.image=[npy]"});
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(file.path().filename().string().find(".tomokkos"), std::string::npos);
}

TEST(ProgramRuns, a_name_that_is_too_long_is_reported_before_the_solve) {
  const RunFolder folder(small_config);
  const ProgramResult result = expect_failure(
      run_of(folder, "out", {"output.report=" + std::string(300, 'a')}), {"File name too long"}, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(folder.has("out"));
}

/// Runs \p action in a process in which every signal has its default action. Returns the status as
/// shells show it.
template <class Action>
int status_of_process(const Action& action) {
  const pid_t child = fork();
  if (child == 0) {
    for (int signal = 1; signal < SIGRTMIN; ++signal) std::signal(signal, SIG_DFL);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    _exit(action());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Signals, no_signal_except_kill_leaves_a_partial_file) {
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF,
        SIGIO, SIGSYS, SIGTRAP, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV}) {
    const RunFolder folder;
    const int status = status_of_process([&] {
      remove_temporaries_on_signals();
      remove_temporaries_on_crashes();
      AtomicFile file(folder / "a", any_output);
      if (folder.count() != 1) return 3;
      raise(signal);
      return 4;
    });
    EXPECT_EQ(status, 128 + signal);
    EXPECT_EQ(folder.count(), 0U) << signal;
  }
}

TEST(Signals, a_second_signal_from_the_user_ends_at_once_and_leaves_no_partial_file) {
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT}) {
    const RunFolder folder;
    const int status = status_of_process([&] {
      remove_temporaries_on_signals();
      const InterruptGuard guard;
      AtomicFile file(folder / "a", any_output);
      raise(signal);
      if (!InterruptGuard::requested() || folder.count() != 1) return 3;
      raise(signal);
      return 4;
    });
    EXPECT_EQ(status, 128 + signal);
    EXPECT_EQ(folder.count(), 0U);
  }
}

TEST(Signals, repeated_signals_from_the_system_do_not_stop_the_writing_of_results) {
  for (const int signal : {SIGHUP, SIGUSR1, SIGXCPU}) {
    const RunFolder folder;
    const int status = status_of_process([&] {
      remove_temporaries_on_signals();
      AtomicFile file(folder / "a", any_output);
      {
        const InterruptGuard guard;
        for (int i = 0; i < 3; ++i) raise(signal);
        if (InterruptGuard::signal() != signal) return 3;
      }
      raise(signal);
      file.commit();
      return 7;
    });
    EXPECT_EQ(status, 7);
    EXPECT_TRUE(folder.has("a"));
  }
}

TEST(Signals, ignored_signals_stay_ignored) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGABRT}) {
    const int status = status_of_process([&] {
      std::signal(signal, SIG_IGN);
      remove_temporaries_on_signals();
      remove_temporaries_on_crashes();
      const InterruptGuard guard;
      raise(signal);
      return InterruptGuard::requested() ? 3 : 7;
    });
    EXPECT_EQ(status, 7) << signal;
  }
}

TEST(Signals, the_status_is_128_plus_the_signal_until_there_is_a_result) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGXCPU}) {
    const int status = status_of_process([&] {
      return guarded([&] {
        const InterruptGuard guard;
        raise(signal);
        InterruptGuard::check();
        return 3;
      });
    });
    EXPECT_EQ(status, 128 + signal);
    // The program itself, while it waits for its configuration.
    const RunFolder folder;
    ASSERT_EQ(mkfifo((folder / "c.yaml").c_str(), 0600), 0);
    int writer = -1;
    ProgramOptions options;
    options.interrupt_signal = signal;
    options.in_child = [] {
      const rlimit none{0, 0};
      setrlimit(RLIMIT_CORE, &none);
    };
    options.interrupt_when = [&] {
      writer = open((folder / "c.yaml").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      return writer >= 0;  // the program has opened the file
    };
    const ProgramResult run = run_program({"run", folder / "c.yaml"}, options);
    close(writer);
    EXPECT_EQ(run.status, 128 + signal) << run.error;
  }
}

TEST(Signals, a_reader_of_a_text_may_stop_reading) {
  ProgramOptions options;
  options.in_child = [] {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) _exit(125);
    close(ends[0]);
    close(ends[1]);
  };
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"help", "solver.type=pcg"}, {"--help"}}) {
    const ProgramResult result = run_well(arguments, options);
    EXPECT_EQ(result.error, "") << arguments[0];
  }
}

TEST(Signals, a_pipe_without_a_reader_does_not_end_a_run) {
  const RunFolder folder(small_config);
  ProgramOptions options;
  options.in_child = [] {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) _exit(125);
    close(ends[0]);
    close(ends[1]);
  };
  expect_failure(run_of(folder, "out"), {"cannot write to standard output"}, 1, options);
  EXPECT_TRUE(folder.has("out/reconstruction.npy"));
  EXPECT_EQ(reported(folder, "out", "result.iterations"), "5");
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted,
                         ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGXCPU));

TEST(ProgramRuns, an_output_directory_that_is_a_file_is_refused_before_computing) {
  const RunFolder folder(small_config);
  write_bytes(folder / "out", "something");
  for (const char* output : {"out", "out/below"}) {
    const ProgramResult result = expect_failure(run_of(folder, output), {"is a file"}, 1);
    EXPECT_EQ(result.out.find("sirt"), std::string::npos)
        << "the error must be found before computing";
  }
  EXPECT_EQ(read_bytes(folder / "out"), "something");
}

TEST(ProgramRuns, a_full_disk_leaves_no_partial_file) {
  const RunFolder folder(small_config);
  // A first run writes complete files. A second run that fails must not damage them.
  run_well(folder, "out", {"problem.volume.size=[64, 64]"});
  const std::string before = read_bytes(folder / "out/reconstruction.npy");
  const std::size_t files = folder.count();
  const ProgramOptions options = limited(RLIMIT_FSIZE, 8192);
  expect_failure(run_of(folder, "out", {"problem.volume.size=[64, 64]", "solver.iterations=6"}),
                 {".npy"}, 1, options);
  EXPECT_EQ(folder.count(), files);
  EXPECT_EQ(read_bytes(folder / "out/reconstruction.npy"), before);
}

TEST(ProgramRuns, a_terminal_shows_a_progress_bar) {
  const RunFolder folder(small_config);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  const int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(slave, 0);
  ProgramOptions options;
  options.terminal = slave;
  run_well(folder, "out", {}, options);
  std::string shown(65536, '\0');
  const ssize_t count = read(terminal, shown.data(), shown.size());
  close(slave);
  close(terminal);
  ASSERT_GT(count, 0);
  shown.resize(static_cast<std::size_t>(count));
  EXPECT_CONTAINS(shown, "\rsirt [");
  EXPECT_CONTAINS(shown, "########################] 5/5");
}

TEST(ProgramRuns, every_example_runs_at_small_size) {
  int runs = 0;
  for (const auto& file : std::filesystem::directory_iterator(config_file(""))) {
    if (file.path().extension() != ".yaml") continue;
    const ConfigNode root = read_yaml_file(file.path());
    if (!root.find("problem") || root.find("bench")) continue;
    const ConfigNode* problem = root.find("problem");
    const RunFolder folder;
    std::vector<std::string> settings{"output.directory=\"" + folder / "out" + "\""};
    const std::string type = problem->find("type")->scalar();
    const bool system = type == "linear_system";
    const bool surface = type == "parameterization" || type == "smoothing";
    if (surface) {
      settings.push_back("problem.mesh={generate: hills, vertices: 200}");
      settings.push_back("output.picture_size=64");
    } else if (system) {
      settings.push_back("problem.stencil.size=8");
    } else if (problem->find("scanner")) {
      settings.push_back("problem.scanner={kind: madpet2_small, rays: 1}");
    } else if (problem->find("volume") && problem->find("volume")->find("polar")) {
      settings.push_back("problem.volume={polar: {rings: 5, radius: 30, slices: 4, height: 60}}");
      settings.push_back("problem.geometry.views=24");
      settings.push_back("problem.geometry.detectors=[14, 10]");
      settings.push_back("problem.geometry.detector_width=8");
    } else if (problem->find("sinogram")) {
      if (!reads_hdf5()) continue;
      settings.push_back("problem.sinogram.file=" + test_data_path("tomography/tooth.h5").string());
      settings.push_back("problem.volume={size: [32, 32], pixel: 20}");
    } else {
      settings.push_back("problem.volume={size: [32, 32], pixel: 8}");
      settings.push_back("problem.geometry.views=12");
      settings.push_back("problem.geometry.detectors=24");
      settings.push_back("problem.geometry.detector_width=16");
    }
    if (problem->find("mask")) {
      EXPECT_TRUE(std::filesystem::exists(config_file(problem->find("mask")->scalar())))
          << file.path();
      std::vector<double> centre(32 * 32, 0);
      for (std::size_t i = 0; i < centre.size(); ++i) centre[i] = i / 32 % 30 > 2 && i % 30 > 2;
      write_npy<double>(folder / "mask.npy", centre, {32, 32});
      settings.push_back("problem.mask=" + (folder / "mask.npy"));
    }
    const bool sweeps = root.find("solver")->find("sweeps") != nullptr;
    settings.push_back(sweeps ? "solver.sweeps=2"
                              : "solver.iterations=" + std::to_string(surface  ? 2000
                                                                      : system ? 100
                                                                               : 4));
    if (root.find("output")->find("every")) settings.push_back("output.every=2");
    run_well(with_settings({"run", file.path().string()}, settings));
    EXPECT_TRUE(folder.has("out/reconstruction.png") ||
                folder.has("out/reconstruction_slice_000.png") ||
                folder.has("out/reconstruction_slice_010.png") ||
                (system && folder.has("out/solution.npy")) ||
                (surface && (folder.has("out/chart.obj") || folder.has("out/smoothed.obj"))))
        << file.path();
    EXPECT_TRUE(folder.has("out/report.yaml")) << file.path();
    ++runs;
  }
  EXPECT_GE(runs, 4);
}

TEST(ProgramRuns, the_rotation_centre_of_the_tooth_is_found) {
  TOMOKKOS_NEEDS_HDF5();
  const RunFolder folder;
  run_well({"run", config_file("real_tooth.yaml").string(), "--output", folder / "out", "--set",
            "problem.sinogram.file=" + test_data_path("tomography/tooth.h5").string(), "--set",
            "problem.volume={size: [80, 80], pixel: 8}", "--set", "solver.iterations=20"});
  const std::string report = folder / "out/report.yaml";
  EXPECT_NEAR(std::stod(entry(report, "data.rotation_center")), 296.0, 1.0);
  EXPECT_LT(std::stod(entry(report, "result.relative_residual")), 0.2);
  // The image shows enamel in the middle and air at the rim.
  const auto image = read_npy<double>(folder / "out/reconstruction.npy");
  double middle = 0;
  double rim = 0;
  for (std::size_t row = 0; row < 80; ++row)
    for (std::size_t column = 0; column < 80; ++column) {
      const double r = std::hypot(static_cast<double>(row) - 41, static_cast<double>(column) - 41);
      (r < 15 ? middle : rim) += r < 15 || r > 30 ? image.data[row * 80 + column] : 0.0;
    }
  EXPECT_GT(middle, 5 * rim);
}

}  // namespace
