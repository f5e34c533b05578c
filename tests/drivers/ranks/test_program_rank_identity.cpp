// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that were given different runs must not compute.
#include <Tomokkos_Npy.hpp>
#include <filesystem>

#include "Hdf5Testing.hpp"
#include "NeedsHdf5.hpp"
#include "program/RanksTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Runs `c.yaml` on two ranks. In \p setting, `@` stands for the number of the rank.
ProgramResult run_each(const RunFolder& folder, const std::string& setting,
                       const std::vector<std::string>& more = {}) {
  ProgramOptions options;
  options.launcher = launcher(2);
  std::string of_rank;
  for (const char c : setting)
    of_rank += c == '@' ? "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" : std::string(1, c);
  for (const char* word : {"sh", "-c"}) options.launcher.emplace_back(word);
  options.launcher.push_back("exec \"$0\" \"$@\" --set \"" + of_rank + "\"");
  return run_program(run_of(folder, "out", more), options);
}

void expect_different(const RunFolder& folder, const ProgramResult& result,
                      const std::string& expected) {
  EXPECT_EQ(result.status, 2) << result.error;
  EXPECT_EQ(count_of(result.error, "tomokkos: error:"), 1) << result.error;
  EXPECT_CONTAINS(result.error, "the ranks were given different runs: " + expected);
  EXPECT_FALSE(folder.has("out"));
}

TEST(ProgramRankIdentity, a_key_that_differs_is_named_with_both_values) {
  const RunFolder folder(parallel + "solver: {type: sirt, iterations: 3}\n");
  expect_different(folder, run_each(folder, "solver.iterations=3@"),
                   "solver.iterations is 30 on rank 0 and 31 on rank 1");
  expect_different(folder, run_each(folder, "problem.geometry.views=1@"),
                   "problem.geometry.views is 10 on rank 0 and 11 on rank 1");
  expect_different(folder, run_each(folder, "run.seed=@"),
                   "run.seed is 0 on rank 0 and 1 on rank 1");
  expect_different(folder,
                   run_each(folder, "problem.projector=$(test @ = 0 && echo line || echo strip)"),
                   "problem.projector is line on rank 0 and strip on rank 1");
  expect_different(folder,
                   run_each(folder, "run.scalar=$(test @ = 0 && echo float || echo double)"),
                   "run.scalar is float on rank 0 and double on rank 1");
}

/// Runs \p first on one rank and \p second on another one, for ten seconds at most.
ProgramResult run_both(std::vector<std::string> first, const std::vector<std::string>& second) {
  ProgramOptions options;
  options.launcher = launcher(1);
  options.launcher.insert(options.launcher.begin(), {"/usr/bin/env", "timeout", "10"});
  first.insert(first.end(), {":", "-n", "1", TOMOKKOS_PROGRAM});
  first.insert(first.end(), second.begin(), second.end());
  return run_program(std::move(first), options);
}

TEST(ProgramRankIdentity, different_commands_end_all_ranks) {
  const RunFolder folder;
  const std::string file = folder / "c.yaml";
  write_bytes(file, parallel + "solver: {type: sirt, iterations: 3}\n");
  const std::vector<std::string> run{"run", file, "--output", folder / "out"};
  const std::vector<std::string> record{"compare", file, "--record", folder / "r.yaml"};
  const auto expect_named = [&](const ProgramResult& result, const std::string& expected) {
    EXPECT_EQ(result.status, 2) << result.error;
    EXPECT_EQ(count_of(result.error, "tomokkos: error:"), 1) << result.error;
    EXPECT_CONTAINS(result.error, "the ranks were given different commands: " + expected);
  };
  expect_named(run_both(run, {"--version"}), "run on rank 0 and --help or --version on rank 1");
  expect_named(run_both({"run", "--help"}, run), "--help or --version on rank 0 and run on rank 1");
  expect_named(run_both(run, {"run", file, "--print-config"}),
               "run on rank 0 and run --print-config on rank 1");
  expect_named(run_both(run, record), "run on rank 0 and compare --record on rank 1");
  // These end without MPI, and the launcher ends the other rank.
  EXPECT_EQ(run_both(run, {"info", file}).status, 2);
  EXPECT_FALSE(folder.has("out"));
  EXPECT_FALSE(folder.has("r.yaml"));
}

TEST(ProgramRankIdentity, all_ranks_may_print_the_version) {
  const ProgramResult result = run_both({"--version"}, {"--version"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(count_of(result.out, "tomokkos "), 2) << result.out;
}

TEST(ProgramRankIdentity, keys_of_a_machine_may_differ) {
  const RunFolder folder(parallel + "solver: {type: sirt, iterations: 3}\n");
  const ProgramResult result = run_each(folder, "run.threads=$((@ + 1))");
  EXPECT_EQ(result.status, 0) << result.error;
}

TEST(ProgramRankIdentity, input_files_are_compared_by_their_contents) {
  const RunFolder folder(
      "problem:\n  type: tomography\n  volume: {size: [24, 20]}\n"
      "  geometry: {views: 15, detectors: 35}\n"
      "solver: {type: sirt, iterations: 3}\n");
  std::vector<float> data(15 * 35, 1.0F);
  write_npy(folder / "data0.npy", std::span<const float>(data), {15, 35});
  write_npy(folder / "data1.npy", std::span<const float>(data), {15, 35});
  const std::string setting = "problem.sinogram=" + (folder / "data@.npy");
  const ProgramResult same = run_each(folder, setting);
  EXPECT_EQ(same.status, 0) << same.error;
  std::filesystem::remove_all(folder / "out");
  data[100] = 2;
  write_npy(folder / "data1.npy", std::span<const float>(data), {15, 35});
  expect_different(folder, run_each(folder, setting), "input file 1 is data0.npy (");
}

#if defined(TOMOKKOS_TEST_HDF5)

TEST(ProgramRankIdentity, datasets_of_one_file_are_different_inputs) {
  TOMOKKOS_NEEDS_HDF5();
  const RunFolder folder;
  const std::string file = folder / "two.h5";
  for (Hdf5Writer writer(file); const char* name : {"/a/data", "/b/data"})
    writer.put(name, {15, 24}, std::vector<double>(15 * 24, 1));
  write_bytes(folder / "c.yaml",
              "problem:\n  type: tomography\n  volume: {size: [24, 20]}\n"
              "  geometry: {type: parallel_beam, views: 15}\n"
              "  sinogram: {file: two.h5, dataset: /a/data, flat: none}\n"
              "solver: {type: sirt, iterations: 3}\n");
  const std::string setting = "problem.sinogram.dataset=/$(test @ = 0 && echo a || echo b)/data";
  expect_different(folder, run_each(folder, setting),
                   "problem.sinogram.dataset is /a/data on rank 0 and /b/data on rank 1");
  EXPECT_EQ(run_each(folder, "problem.sinogram.dataset=/b/data").status, 0);
}

#endif

}  // namespace
