// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exit statuses, messages and output files of the program, which is tested from outside.
#include <Kokkos_Macros.hpp>
#include <Tomokkos_Npy.hpp>
#include <algorithm>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Expects that a run of the configuration \p text is refused and writes nothing.
void refused(const std::string& text, const std::vector<std::string>& settings,
             const std::vector<std::string>& parts) {
  const RunFolder folder(text);
  const ProgramResult result = expect_failure(run_of(folder, "out", settings), parts);
  EXPECT_EQ(folder.count(), 1U) << "something was written";
  EXPECT_EQ(result.out.find("wrote"), std::string::npos);
}

TEST(Program, usage_errors_give_status_2) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"reconstruct"},
                                             {"run"},
                                             {"run", "a.yaml", "b.yaml"},
                                             {"run", "a.yaml", "--nonsense"},
                                             {"run", "a.yaml", "--set"},
                                             {"convert", "a.mtx"},
                                             {"info"}}) {
    const ProgramResult result = expect_failure(arguments, {});
    EXPECT_FALSE(result.error.empty());
  }
}

TEST(Program, an_unknown_command_is_named) {
  const ProgramResult result = run_program({"Run", "a.yaml"});
  EXPECT_CONTAINS(result.error, "tomokkos: error: unknown command Run");
  EXPECT_CONTAINS(run_program({"run", "a.yaml", "--nonsense"}).error, "tomokkos: error: ");
}

TEST(Program, invalid_numbers_of_threads_are_refused) {
  refused(small_config, {"run.threads=513"}, {"run.threads: 513 is out of range"});
  for (const char* setting :
       {"KOKKOS_NUM_THREADS=0", "KOKKOS_NUM_THREADS=abc", "KOKKOS_NUM_THREADS=600",
        "OMP_NUM_THREADS=600", "OMP_NUM_THREADS=abc", "OMP_NUM_THREADS=0", "OMP_NUM_THREADS=2,x"}) {
    const RunFolder folder(small_config);
    expect_failure(run_of(folder, "out"), {"expected a whole number from 1 to 512"}, 2,
                   launched({"/usr/bin/env", setting}));
    EXPECT_FALSE(folder.has("out"));
  }
  const RunFolder folder(small_config);
  run_well(folder, "out", {}, launched({"/usr/bin/env", "OMP_NUM_THREADS= 2 ,1"}));
}

TEST(Program, a_report_with_the_name_of_a_result_file_is_refused) {
  for (const char* name : {"reconstruction.npy", "reconstruction.png", "checkpoint.npz"})
    refused(small_config, {"output.report=" + std::string(name)}, {"output.report: is a text"});
}

TEST(Program, prints_help_and_version) {
  ProgramResult result = run_well({"--help"});
  for (const char* command : {"run", "convert", "info"}) EXPECT_CONTAINS(result.out, command);
  result = run_well({"run", "--help"});
  for (const char* option : {"--set", "--output", "--print-config", "--quiet"})
    EXPECT_CONTAINS(result.out, option);
  result = run_well({"--version"});
  EXPECT_CONTAINS(result.out, "Kokkos");
}

TEST(Program, prints_help_for_keys) {
  EXPECT_CONTAINS(run_well({"help", "solver.stop.residual"}).out, "solver.stop.residual\n");
  run_well({"help"});
  expect_failure({"help", "solver.type=pgc"}, {"did you mean solver.type=pcg?"});
  const RunFolder folder;
  run_well({"help", "--pages", folder / "pages"});
  EXPECT_TRUE(folder.has("pages/solver.md"));
  write_bytes(folder / "file", "x");
  expect_failure({"help", "--pages", folder / "file/pages"}, {"--pages: the folder"}, 1);

  write_bytes(folder / "c.yaml", small_config);
  const ProgramResult plain = run_program({"run", folder / "c.yaml", "--print-config"});
  const ProgramResult with_help =
      run_program({"run", folder / "c.yaml", "--print-config", "--with-help"});
  EXPECT_CONTAINS(with_help.out, "    # ");
  write_bytes(folder / "c.yaml", with_help.out);
  EXPECT_EQ(run_program({"run", folder / "c.yaml", "--print-config"}).out, plain.out);
}

TEST(Program, missing_and_empty_configurations_are_refused) {
  expect_failure({"run", "/nonexistent/c.yaml"}, {"/nonexistent/c.yaml: cannot be read"});
  refused("", {}, {"problem.type: is required"});
  refused("# nothing\n", {}, {"problem.type: is required"});
  refused("a: [1\n", {}, {"not valid YAML"});
}

TEST(Program, bad_configurations_are_refused_with_their_place_and_write_nothing) {
  const std::string good = small_config;
  std::string text = good;
  text.replace(text.find("geometry:"), 9, "geometri:");
  refused(text, {},
          {"c.yaml:4:3: problem.geometri: unknown key; did you mean \"geometry\"? allowed "
           "here: type, volume, geometry"});
  refused(good, {"problem.geometry.views=0"},
          {"--set problem.geometry.views=0: problem.geometry.views: 0 is out of range"});
  refused(good, {"problem.geometry.start=.nan"}, {"expected an angle"});
  refused(good, {"problem.volume.size=[-1, 4]"}, {"out of range"});
  refused(good + "solver: {}\n", {}, {"duplicate key \"solver\""});
  refused(good, {"problem.volume.size=[1000000000, 1000000000]"}, {"bytes"});
  refused(good, {"output=3"}, {"output: expected a map"});
}

TEST(Program, bad_input_that_is_found_late_writes_nothing) {
  const std::string good = small_config;
  refused(good, {"solver.start=/nonexistent/x.npy"}, {"/nonexistent/x.npy"});
  refused(good, {"problem.phantom=", "problem.sinogram=/nonexistent/x.npy"},
          {"/nonexistent/x.npy"});
  refused(good,
          {"problem.geometry.type=fan_beam", "problem.geometry.source_to_origin=3",
           "problem.geometry.origin_to_detector=3"},
          {"problem"});
  // Gaussian noise gives negative data, which mlem refuses.
  refused(good, {"solver.type=mlem", "problem.noise={type: gaussian, sigma: 1}"},
          {"negative values"});
  // mlem refuses a start of zeros.
  const RunFolder folder;
  const std::vector<float> zeros(24 * 20, 0.0F);
  write_npy<float>(folder / "zeros.npy", zeros, {24, 20});
  refused(good, {"solver={type: mlem, start: " + folder / "zeros.npy" + "}"}, {"mlem"});
  const std::vector<float> few(7, 1.0F);
  write_npy<float>(folder / "few.npy", few, {7});
  refused(good, {"solver.start=" + folder / "few.npy"},
          {"holds 7 values; expected (row, column) = 24 x 20"});
}

// `run_program` checks that no message contains a name from the code. These messages come from the
// library.
TEST(Program, messages_name_keys_instead_of_functions) {
  const RunFolder folder;
  write_npy<float>(folder / "flat.npy", std::vector<float>(8 * 12, 1.0F), {8, 12});
  const std::string measured = R"(problem:
  type: tomography
  volume: {size: [12, 12]}
  geometry: {views: 8, detectors: auto, rotation_center: auto}
  sinogram: )" + folder / "flat.npy" +
                               "\nsolver: {type: sirt, iterations: 2}\n";
  refused(measured, {}, {"c.yaml:4:58: problem.geometry.rotation_center: "});
  refused(small_config, {"problem.noise={type: gaussian, sigma: 1e300}"},
          {"error: sirt: entry 0 of the data is "});
  refused(small_config, {"problem.noise={type: poisson, counts: 1e19}"},
          {": problem.noise: the counts of "});
}

// The address sanitizer and the CUDA runtime need more address space than the limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
TEST(Program, a_problem_larger_than_memory_is_refused_with_its_size) {
  const RunFolder folder(small_config);
  const ProgramOptions options = limited(RLIMIT_AS, 600UL << 20);
  // About 900 MB of nonzeros. The run is refused after some of them are counted.
  const auto refusal_of = [&](const std::vector<std::string>& settings,
                              const std::vector<std::string>& parts) {
    expect_failure(run_of(folder, "out", settings), parts, 2, options);
    EXPECT_FALSE(folder.has("out"));
  };
  refusal_of({"problem.volume.size=[512, 512]", "problem.geometry={views: 180, detectors: 512}",
              "run.threads=1", "operator.format=csr"},
             {"nonzeros", "bytes) are left"});
  // Here the vectors alone are too large, which is known before any nonzero is counted.
  refusal_of({"problem.volume.size=[40000, 40000]", "run.threads=1"},
             {"the vectors and row offsets"});
  // The file is small, but its matrix has a row of 40 million columns.
  write_bytes(folder / "wide.mtx",
              "%%MatrixMarket matrix coordinate real general\n1 40000000 1\n1 7 1\n");
  write_npy<float>(folder / "b.npy", std::vector<float>{1.0F}, {1});
  refusal_of({"run.threads=1", "problem={type: tomography, matrix: \"" + folder / "wide.mtx" +
                                   "\", rhs: \"" + folder / "b.npy" + "\"}"},
             {"wide.mtx is 1 x 40000000 with 1 nonzeros",
              "its stored transpose and the vectors need", "bytes) are left"});
}
#endif

TEST(Program, a_memory_limit_bounds_a_run) {
  for (const char* limit : {"1 MB", "{host: 1 MB}", "{host: 0.001 GiB, device: 1 TB}"})
    refused(small_config, {"run.memory_limit=" + std::string(limit)},
            {"only 0 bytes are left", "(run.memory_limit: "});
  for (const char* limit : {"0", "-1 GB", "8 XB", "much", "[1]", "{host: 1 GB, disk: 2 GB}"})
    refused(small_config, {"run.memory_limit=" + std::string(limit)}, {"run.memory_limit"});
  const RunFolder folder(small_config);
  run_well(folder, "one", {"run.memory_limit=64 GB"});
  EXPECT_EQ(reported(folder, "one", "configuration.run.memory_limit"), "64 GB");
  run_well(folder, "both", {"run.memory_limit={host: 64GiB, device: none}"});
  EXPECT_EQ(reported(folder, "both", "configuration.run.memory_limit"), "64 GiB");
  run_well(folder, "none", {"run.memory_limit=none"});
  EXPECT_EQ(reported(folder, "none", "configuration.run.memory_limit"), "none");
  expect_failure({"convert", folder / "c.yaml", folder / "a.npz", "--set", "run.memory_limit=1 MB"},
                 {"(run.memory_limit: 1 MB)"});
}

// Writes a csr4 file whose header and length agree. The file is sparse and uses almost no disk
// space.
bool write_sparse_csr4(const std::string& name, std::uint64_t nonzeros) {
  constexpr std::uint32_t scanner_bytes = 60;
  std::string bytes = "PCSR";
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(std::uint8_t{4});
  add(std::uint8_t{0});
  add(std::uint16_t{0});
  add(std::uint32_t{1});
  add(std::uint32_t{1000});
  add(nonzeros);
  add(scanner_bytes);
  add(std::uint32_t{1});  // one layer, and nothing else
  bytes.append(scanner_bytes - sizeof(std::uint32_t), '\0');
  add(nonzeros);
  write_bytes(name, bytes);
  return truncate(name.c_str(), static_cast<off_t>(bytes.size() + 8 * nonzeros)) == 0;
}

TEST(Program, a_file_larger_than_memory_is_refused_with_its_size) {
  const RunFolder folder;
  if (!write_sparse_csr4(folder / "huge.csr4", 1'000'000'000'000U))
    GTEST_SKIP() << "skipped: this file system does not support files of 8 TB";
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, matrix: huge.csr4, rhs: b.npy}\n"
              "solver: {type: sirt}\n");
  write_npy<float>(folder / "b.npy", std::vector<float>{1.0F}, {1});
  const std::size_t files = folder.count();
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"convert", folder / "huge.csr4", folder / "out.npz"},
           {"convert", folder / "c.yaml", folder / "out.npz"},
           {"info", folder / "c.yaml"},
           {"run", folder / "c.yaml", "--output", folder / "out"}}) {
    expect_failure(arguments, {"TiB ("});
    EXPECT_EQ(folder.count(), files) << arguments[0];
  }
  // `info` reads only the header and can still describe the file.
  const ProgramResult result = run_well({"info", folder / "huge.csr4"});
  EXPECT_CONTAINS(result.out, "nonzeros: 1000000000000");
  EXPECT_CONTAINS(result.out, "TiB (");
}

TEST(Program, a_standard_output_that_cannot_be_written_is_a_failure) {
  const RunFolder folder(small_config);
  write_bytes(folder / "b.yaml",
              "run: {memory_limit: 1GB}\n"
              "bench: {matrices: [{name: a, stencil: {size: 3}}], operations: [spmv], peers: [], "
              "repetitions: 1, warmup: 0}\n");
  ProgramOptions options;
  options.in_child = [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"info", folder / "c.yaml"},
                                             {"run", folder / "c.yaml", "--print-config"},
                                             {"bench", folder / "b.yaml"},
                                             {"--version"}}) {
    if (arguments[0] == "bench" && !has_bench()) continue;
    expect_failure(arguments, {"cannot write to standard output"}, 1, options);
  }
  // Other errors keep their status.
  expect_failure({"info", folder / "none.npy"}, {}, 2, options);
}

TEST(Program, bench_starts_a_separate_program) {
  const RunFolder folder;
  const std::filesystem::path program = TOMOKKOS_PROGRAM;
  const auto run_in_folder = [&](const std::string& arguments) {
    return run_program(
        {}, launched({"/bin/sh", "-c", "exec '" + (folder / "tomokkos") + "' " + arguments}));
  };
  std::filesystem::copy_file(program, folder / "tomokkos");
  const ProgramResult alone = run_in_folder("bench c.yaml");
  EXPECT_EQ(alone.status, 2);
  EXPECT_CONTAINS(alone.error, "which is missing; build the target tomokkos_bench_program");
  EXPECT_CONTAINS(run_in_folder("--help").out, "bench");
  if (!has_bench()) return;
  std::filesystem::remove(folder / "tomokkos");
  std::filesystem::create_symlink(program, folder / "tomokkos");
  const ProgramResult linked = run_in_folder("bench --help");
  EXPECT_EQ(linked.status, 0) << linked.error;
  EXPECT_CONTAINS(linked.out, "--json");
  EXPECT_EQ(run_in_folder("bench none.yaml").status, 2);
  // A benchmark program from another build is refused.
  expect_failure(
      {}, {"tomokkos-bench is from another build"}, 2,
      launched({"/bin/sh", "-c",
                "TOMOKKOS_STARTED_BY='tomokkos 0' exec '" + program.string() + "-bench' --help"}));
}

// The first thread is bound before `main`. The benchmarks must not inherit its binding.
TEST(Program, bench_uses_all_threads) {
  if (!has_bench()) GTEST_SKIP() << "skipped: built without the benchmarks";
  const RunFolder folder;
  write_bytes(folder / "b.yaml",
              "run: {backend: openmp, memory_limit: 1GB}\n"
              "bench: {matrices: [{name: a, stencil: {size: 3}}], operations: [spmv], peers: [], "
              "repetitions: 1, warmup: 0}\n");
  const auto threads = [&](const std::string& environment) {
    ProgramOptions options;
    options.launcher = {"/bin/sh", "-c",
                        "unset OMP_NUM_THREADS OMP_PROC_BIND; " + environment + " exec '" +
                            TOMOKKOS_PROGRAM + "' bench '" + (folder / "b.yaml") + "' --json '" +
                            (folder / "b.json") + "'"};
    run_well({}, options);
    const std::string json = read_bytes(folder / "b.json");
    const std::size_t at = json.find("\"threads\": ");
    EXPECT_NE(at, std::string::npos) << json;
    return json.substr(at, json.find_first_of(",}", at) - at);
  };
  EXPECT_EQ(threads("OMP_PROC_BIND=spread OMP_PLACES=threads"), threads(""));
}

// The benchmarks compare with these libraries. The program itself must not link them.
TEST(Program, is_not_linked_to_other_libraries) {
  const ProgramResult linked =
      run_program({}, launched({"/bin/sh", "-c", "ldd '" + std::string(TOMOKKOS_PROGRAM) + "'"}));
  if (linked.status != 0) GTEST_SKIP() << "skipped: no ldd";
  EXPECT_CONTAINS(linked.out, "libc.so");
  for (const char* peer : {"mkl", "cusparse", "cublas", "kokkoskernels"})
    EXPECT_EQ(linked.out.find(peer), std::string::npos) << linked.out;
}

TEST(Program, a_run_writes_images_and_a_report) {
  const RunFolder folder(small_config);
  const ProgramResult result =
      run_well(folder, "out",
               {"output.every=2", "problem.noise={type: poisson, counts: 1e4}",
                "solver={type: mlem, iterations: 5}"});
  EXPECT_EQ(result.error, "");
  for (const char* name :
       {"phantom", "sinogram", "reconstruction", "reconstruction_00002", "reconstruction_00004"})
    for (const char* extension : {".npy", ".png"})
      EXPECT_TRUE(folder.has(std::string("out/") + name + extension)) << name << extension;
  EXPECT_EQ(read_npy_info(folder / "out/reconstruction.npy").shape,
            (std::vector<std::size_t>{24, 20}));
  EXPECT_EQ(read_npy_info(folder / "out/sinogram.npy").shape, (std::vector<std::size_t>{18, 32}));
  EXPECT_EQ(read_npy_info(folder / "out/reconstruction.npy").precision, FilePrecision::float32);

  const ConfigNode report = read_yaml_file(folder / "out/report.yaml");
  for (const char* key :
       {"configuration", "version", "git", "kokkos", "backend", "device", "threads", "matrix",
        "seconds", "result", "history", "traffic", "peak_memory", "window"})
    EXPECT_NE(report.find(key), nullptr) << key;
  for (const char* key :
       {"rows", "columns", "nonzeros", "row_length", "empty_rows", "memory_bytes"})
    EXPECT_NE(report.find("matrix")->find(key), nullptr) << key;
  for (const char* key : {"min", "mean", "max", "sigma"})
    EXPECT_NE(report.find("matrix")->find("row_length")->find(key), nullptr) << key;
  for (const char* key :
       {"reason", "iterations", "residual", "relative_residual", "log_likelihood", "rmse"})
    EXPECT_NE(report.find("result")->find(key), nullptr) << key;
  EXPECT_EQ(reported(folder, "out", "matrix.rows"), "576");
  EXPECT_EQ(reported(folder, "out", "matrix.columns"), "480");
  EXPECT_EQ(reported(folder, "out", "result.reason"), "max_iterations");
  EXPECT_EQ(reported(folder, "out", "window.reconstruction.from"), "range of the phantom");
  const auto& history = report.find("history")->items();
  ASSERT_EQ(history.size(), 6U);
  for (const char* key : {"iteration", "residual", "log_likelihood", "rmse"})
    EXPECT_NE(history.back().find(key), nullptr) << key;
}

TEST(Program, only_the_requested_outputs_are_written) {
  const RunFolder folder(small_config);
  const ProgramResult result =
      run_well({"run", folder / "c.yaml", "--output", folder / "a: b", "--quiet", "--set",
                "output={image: [npy], report: r.yaml}", "--set", "run.scalar=double"});
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(folder.has("a: b/reconstruction.npy"));
  EXPECT_FALSE(folder.has("a: b/reconstruction.png"));
  EXPECT_TRUE(folder.has("a: b/r.yaml"));
  EXPECT_EQ(read_npy_info(folder / "a: b/reconstruction.npy").precision, FilePrecision::float64);
}

void expect_print_runs_unchanged(const std::vector<std::string>& print) {
  const RunFolder folder(small_config);
  const auto printed = [&](std::vector<std::string> arguments, const ProgramOptions& options) {
    arguments.insert(arguments.end(), print.begin(), print.end());
    return run_program(arguments, options);
  };
  const ProgramResult first = printed(
      {"run", folder / "c.yaml", "--set", "solver.minimum=0", "--output", folder / "one"}, {});
  ASSERT_EQ(first.status, 0) << first.error;
  EXPECT_EQ(first.out.find("projector") != std::string::npos, print.size() > 1);
  EXPECT_EQ(folder.count(), 1U);
  std::filesystem::create_directory(folder / "elsewhere");
  write_bytes(folder / "elsewhere/printed.yaml", first.out);
  ProgramOptions elsewhere;
  elsewhere.directory = "/";
  EXPECT_EQ(printed({"run", folder / "elsewhere/printed.yaml"}, elsewhere).out, first.out);
  run_well({"run", folder / "elsewhere/printed.yaml", "--quiet"}, elsewhere);
  run_well({"run", folder / "c.yaml", "--quiet", "--set", "solver.minimum=0", "--output",
            folder / "two"});
  expect_same_file(folder, "one", "two");
  // The configuration in a report prints the same text.
  write_bytes(folder / "again.yaml", reported(folder, "one", "configuration"));
  EXPECT_EQ(printed({"run", folder / "again.yaml"}, {}).out, first.out);
}

TEST(Program, printed_configuration_runs_unchanged) {
  expect_print_runs_unchanged({"--print-config"});
  expect_print_runs_unchanged({"--print-config", "--all"});
  expect_failure({"run", "c.yaml", "--all"}, {});
}

TEST(Program, long_phases_are_announced) {
  const RunFolder folder(small_config);
  // A matrix of 2.3e7 nonzeros is large enough for the messages.
  const std::vector<std::string> large{"problem.volume.size=[256, 256]",
                                       "problem.geometry={views: 360, detectors: 256}",
                                       "problem.projector=line",
                                       "solver.iterations=0",
                                       "output.image=[]",
                                       "operator.format=csr"};
  std::vector<std::string> arguments = run_of(folder, "out", large);
  const ProgramResult announced = run_well(arguments);
  const std::size_t building = announced.out.find("building the matrix (about ");
  const std::size_t matrix = announced.out.find("matrix: ");
  const std::size_t transposing = announced.out.find("transposing the matrix (about 2.");
  EXPECT_LT(building, matrix) << announced.out;
  EXPECT_LT(matrix, transposing) << announced.out;
  EXPECT_NE(transposing, std::string::npos) << announced.out;
  arguments.push_back("--quiet");
  EXPECT_EQ(run_program(arguments).out, "");
  EXPECT_EQ(run_program(run_of(folder, "out")).out.find("..."), std::string::npos);
}

TEST(Program, a_report_can_be_run_from_another_folder) {
  const RunFolder folder;
  for (const char* name : {"configs", "work"}) std::filesystem::create_directory(folder / name);
  write_npy<float>(folder / "configs/angles.npy", std::vector<float>{0.0F, 0.5F, 1.0F}, {3});
  write_npy<float>(folder / "work/start.npy", std::vector<float>(480, 0.25F), {24, 20});
  std::string text = small_config;
  text.replace(text.find("views: 18"), 9, "angles: angles.npy");
  write_bytes(folder / "configs/c.yaml", text + "output: {directory: out}\n");
  ProgramOptions options;
  options.directory = folder / "work";
  const std::string report = folder / "configs/out/report.yaml";
  run_well({"run", "../configs/c.yaml", "--set", "solver.start=start.npy"}, options);
  // Relative paths keep their meaning wherever the report is read.
  run_well({"run", report, "--output", folder / "again"});
  for (const char* file : {"reconstruction.npy", "sinogram.npy"})
    expect_same_file(folder, "again", "configs/out", file);
  EXPECT_EQ(reported(folder, "again", "configuration.output.directory"), folder / "again");
  run_well({"run", report, "--set", "output.directory=set", "--set", "solver.iterations=2"},
           options);
  EXPECT_EQ(entry(folder / "work/set/report.yaml", "result.iterations"), "2");

  // A second run must not write to the folder of the report, whatever name the folder is given by.
  std::filesystem::create_directory_symlink(folder / "configs/out", folder / "link");
  std::filesystem::create_symlink(report, folder / "linked.yaml");
  const std::string before = read_bytes(report);
  const auto expect_refusal = [&](std::vector<std::string> arguments, const char* message) {
    arguments.insert(arguments.begin(), "run");
    expect_failure(arguments, {message});
    EXPECT_EQ(read_bytes(report), before);
  };
  expect_refusal({report},
                 "is the report of a run, whose results must not be overwritten; give --output");
  for (const char* own : {"configs/out", "configs/../configs/out/.", "link"})
    expect_refusal({report, "--output", folder / own}, "is the folder of the report");
  expect_refusal({folder / "link/report.yaml", "--output", folder / "configs/out"},
                 "is the folder of the report");
  expect_refusal({folder / "linked.yaml", "--output", folder / "configs/out"},
                 "is the folder of the report");
  expect_refusal({report, "--output", folder / "other", "--set", "solver.nonsense=1"},
                 "solver.nonsense: unknown key");

  // `info` summarises the report.
  const ProgramResult info = run_well({"info", report});
  for (const char* part :
       {"format: report", "problem: tomography", "solver: sirt", "reason: max_iterations",
        "rmse: ", "nonzeros: ", "total: ", "reconstruction.npy"})
    EXPECT_CONTAINS(info.out, part);
  EXPECT_EQ(info.out.find("history"), std::string::npos);
  EXPECT_CONTAINS(run_program({"info", report, "--set", "run.seed=2"}).error,
                  "has no effect on a report");
}

TEST(Program, relative_paths_depend_on_where_they_are_given) {
  const RunFolder folder;
  for (const char* name : {"configs", "work"}) std::filesystem::create_directory(folder / name);
  const std::vector<float> angles{0.0F, 0.5F, 1.0F};
  write_npy<float>(folder / "configs/angles.npy", angles, {3});
  write_npy<float>(folder / "work/angles.npy", std::vector<float>{0.0F, 1.0F}, {2});
  std::string text = small_config;
  text.replace(text.find("views: 18"), 9, "angles: angles.npy");
  write_bytes(folder / "configs/c.yaml", text + "output: {directory: out}\n");
  ProgramOptions options;
  options.directory = folder / "work";
  run_well({"run", "../configs/c.yaml"}, options);
  EXPECT_EQ(entry(folder / "configs/out/report.yaml", "data.views"), "3");
  run_well({"run", "../configs/c.yaml", "--output", "here", "--set",
            "problem.geometry.angles=angles.npy"},
           options);
  EXPECT_EQ(entry(folder / "work/here/report.yaml", "data.views"), "2");
  // Without output.directory, the results go to out/<name> in the working directory.
  write_bytes(folder / "configs/d.yaml", small_config);
  run_well({"run", "../configs/d.yaml"}, options);
  EXPECT_TRUE(folder.has("work/out/d/reconstruction.npy"));
}

}  // namespace
