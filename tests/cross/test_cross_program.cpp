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

}  // namespace
