// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tomokkos compare` on both backends: every solver in float and double, several right-hand sides
// and stacks, every format in both products, every geometry, charts and smoothing.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Configuration of `tests/records/configurations` with settings.
struct CrossCase {
  std::string configuration;
  std::vector<std::string> settings;
};

std::vector<CrossCase> cases() {
  std::vector<CrossCase> all;
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(project_root() / "tests/records/configurations"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names)
    for (const char* scalar : {"float", "double"})
      if (std::string(scalar) == "float" || name != "ray_tiles")
        all.push_back({name, {std::string("run.scalar=") + scalar}});
  for (const char* format :
       {"coo", "ell", "ell_r", "hyb", "sell", "bcsr", "packed_csr", "pair_blocked"})
    for (const char* scalar : {"float", "double"})
      all.push_back({"sirt_parallel",
                     {std::string("operator={format: ") + format + "}",
                      std::string("run.scalar=") + scalar}});
  for (const char* transpose : {"stored", "atomic", "windowed"})
    all.push_back({"sirt_parallel", {std::string("operator.transpose=") + transpose}});
  for (const char* projector : {"line", "linear", "strip"})
    for (const char* beam : {"{type: parallel_beam, views: 60, detectors: 72}",
                             "{type: fan_beam, views: 60, detectors: 72, source_to_origin: 90, "
                             "origin_to_detector: 50}"})
      all.push_back({"sirt_parallel",
                     {std::string("problem.geometry=") + beam,
                      std::string("problem.projector=") + projector}});
  all.push_back({"sirt_parallel", {"problem.slices=7", "operator={format: packed_csr}"}});
  all.push_back({"cgls_double", {"problem.slices=3"}});
  all.push_back({"lsmr_float", {"operator={ordering: hilbert}"}});
  all.push_back({"os_sart", {"solver={type: sart, sweeps: 2}"}});
  all.push_back({"pcg_stencil", {"solver.scheme=single_reduction"}});
  all.push_back({"pcg_stencil", {"operator.format=dia"}});
  return all;
}

class CrossProgram : public ::testing::TestWithParam<CrossCase> {};

TEST_P(CrossProgram, both_backends_agree_within_rounding) {
  std::vector<std::string> arguments{
      "compare",
      (project_root() / "tests/records/configurations" / (GetParam().configuration + ".yaml"))
          .string(),
      "--backends", "openmp,cuda"};
  std::string settings;
  for (const std::string& setting : GetParam().settings) {
    arguments.insert(arguments.end(), {"--set", setting});
    settings += " --set '" + setting + "'";
  }
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, 0) << GetParam().configuration << settings << '\n'
                              << result.error << result.out;
}

INSTANTIATE_TEST_SUITE_P(Cases, CrossProgram, ::testing::ValuesIn(cases()), [](const auto& info) {
  return info.param.configuration + "_" + std::to_string(info.index);
});

/// Scan of 1.1 million nonzeros.
const std::string scan =
    "problem:\n  type: tomography\n  volume: {size: [96, 96]}\n"
    "  geometry: {type: parallel_beam, views: 60, detectors: 136, range: 180 deg}\n"
    "  phantom: shepp_logan\n";

/// Expects that a run with \p settings agrees with one on the host within rounding.
void expect_like_the_host(const std::string& config, const std::vector<std::string>& settings) {
  const RunFolder folder;
  write_bytes(folder / "c.yaml", config);
  run_program({"compare", folder / "c.yaml", "--record", folder / "r.yaml"});
  ASSERT_TRUE(folder.has("r.yaml")) << config;
  std::vector<std::string> arguments{"compare", folder / "c.yaml", "--against", folder / "r.yaml"};
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, 0) << config << result.error << result.out;
}

TEST(CrossProgramParts, a_gpu_and_the_cores_of_its_host_agree_with_the_host) {
  for (const char* solver :
       {"{type: mlem, iterations: 4}", "{type: mlem, iterations: 3, subsets: 5}",
        "{type: sirt, iterations: 4}", "{type: sart, sweeps: 2}", "{type: cgls, iterations: 5}"})
    for (const char* shares : {"measured", "[3, 1]"})
      expect_like_the_host(scan + "solver: " + solver + "\n",
                           {"run.backend=[cuda, openmp]", std::string("run.shares=") + shares});
  const std::string sirt = scan + "solver: {type: sirt, iterations: 3}\n";
  for (const char* format : {"{format: ray_tiles}", "{format: sell}", "{format: packed_csr}"})
    expect_like_the_host(sirt + "operator: " + format + "\n",
                         {"run.backend=[cuda, openmp]", "run.shares=[2, 1]"});
  expect_like_the_host(scan + "  slices: 3\nsolver: {type: sirt, iterations: 3}\n",
                       {"run.backend=[cuda, openmp]"});
}

TEST(CrossProgramParts, rows_streamed_from_host_memory_agree_with_the_host) {
  for (const char* format :
       {"{format: csr}", "{format: ray_tiles}", "{format: ray_tiles, values: half}"})
    for (const char* solver :
         {"{type: sirt, iterations: 3}", "{type: mlem, iterations: 2, subsets: 3}"})
      for (const char* shares : {"[0, 1, 0]", "[2, 1, 0]", "[2, 1, 1]"})
        expect_like_the_host(scan + "solver: " + solver + "\noperator: " + format + "\n",
                             {"run.backend=cuda", std::string("run.shares=") + shares});
}

}  // namespace
