// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `run.measure_steps`: the times of the steps of an iteration in the report.
#include <map>
#include <string>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Lines of `steps` in a report, by the name of the step.
std::map<std::string, ConfigNode> steps_of(const std::filesystem::path& report) {
  std::map<std::string, ConfigNode> steps;
  const ConfigNode root = read_yaml_file(report);
  if (const ConfigNode* const list = root.find("steps"); list != nullptr)
    for (const ConfigNode& line : list->items()) steps[line.find("step")->scalar()] = line;
  return steps;
}

TEST(ProgramSteps, are_those_of_the_iterations) {
  const RunFolder folder(small_config);
  const std::string noise = "problem.noise={type: poisson, counts: 1e3}";
  run_well(folder, "plain", {"solver={type: mlem, iterations: 12}", noise});
  run_well(folder, "steps",
           {"solver={type: mlem, iterations: 12}", noise, "run.measure_steps=true"});
  expect_same_file(folder, "steps", "plain");
  EXPECT_TRUE(steps_of(folder / "plain/report.yaml").empty());
  const auto steps = steps_of(folder / "steps/report.yaml");
  double share = 0;
  for (const auto& [name, line] : steps) {
    const double seconds = std::stod(line.find("seconds")->scalar());
    EXPECT_GE(seconds, 0) << name;
    EXPECT_NEAR(std::stod(line.find("seconds_per_iteration")->scalar()), seconds / 12,
                1e-6 * seconds)
        << name;
    share += std::stod(line.find("share")->scalar());
  }
  EXPECT_NEAR(share, 1, 1e-6);
  // The products of the setup, before the iterations, do not count. The last iterate is measured.
  for (const auto& [name, calls] :
       std::map<std::string, std::string>{{"A x", "13"}, {"A' y", "12"}, {"host", "1"}}) {
    ASSERT_TRUE(steps.count(name)) << name;
    EXPECT_EQ(steps.at(name).find("calls")->scalar(), calls) << name;
  }
  int kernels = 0;
  for (const auto& [name, line] : steps) {
    EXPECT_EQ(name.find("spmv"), std::string::npos) << "kernels of a product belong to it";
    kernels += name.starts_with("mlem::");
  }
  EXPECT_GE(kernels, 2);  // the ratio and the update
}

TEST(ProgramSteps, of_linear_systems_and_sweeps) {
  const RunFolder folder(
      "problem: {type: linear_system, stencil: {points: 7, size: 8}, rhs: ones}\n"
      "solver: {type: pcg}\nrun: {measure_steps: true}\n");
  run_well(folder, "pcg", {});
  EXPECT_TRUE(steps_of(folder / "pcg/report.yaml").count("A x"));
  write_bytes(folder / "c.yaml", small_config);
  run_well(folder, "art", {"solver={type: art, iterations: 3}", "run.measure_steps=true"});
  const auto art = steps_of(folder / "art/report.yaml");
  ASSERT_TRUE(art.count("rows of A"));
  EXPECT_EQ(art.at("rows of A").find("calls")->scalar(), "3");
}

}  // namespace
