// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations that ship with the program, and all formats, on several processes.
#include <algorithm>
#include <filesystem>
#include <map>

#include "program/RanksTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

std::vector<std::string> names_in(const char* folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(project_root() / folder))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// The records are those of a GPU, on one process.
TEST(ProgramRankConfigurations, agree_with_the_records_of_a_gpu) {
  constexpr std::array ranks{2, 3, 4, 7};
  std::size_t next = 0;
  for (const std::string& name : names_in("tests/records/configurations")) {
    if (name == "art_golden") continue;
    const int count = ranks[next++ % ranks.size()];
    const auto folder = project_root() / "tests/records";
    const ProgramResult result = run_well({"compare", folder / "configurations" / (name + ".yaml"),
                                           "--against", folder / (name + ".yaml")},
                                          on_ranks(count));
    EXPECT_CONTAINS(result.out, "verdict: the same within rounding") << name;
  }
}

/// Settings that make a configuration small.
const std::map<std::string, std::vector<std::string>>& small() {
  static const std::vector<std::string> cone{
      "problem.volume.polar.rings=6", "problem.volume.polar.slices=4", "problem.geometry.views=12",
      "problem.geometry.detectors=[8, 6]", "problem.volume.size=[12, 12]"};
  static const std::vector<std::string> orbits{
      "problem.volume.size=[16, 16]", "problem.geometry.views=16", "problem.geometry.detectors=24",
      "problem.geometry.start=11.25 deg"};
  static const std::vector<std::string> scanner{"problem.scanner=madpet2_small"};
  static const std::vector<std::string> plane{"problem.volume.size=[32, 32]",
                                              "problem.geometry.detectors=48"};
  static const std::map<std::string, std::vector<std::string>> settings{
      {"circulant_small", cone},
      {"circulant_medium", cone},
      {"circulant_large", cone},
      {"circulant_big", cone},
      {"circulant_huge", cone},
      {"cuart_512", orbits},
      {"cgls", plane},
      {"fan_sirt", plane},
      {"osem", plane},
      {"parallel_2048", plane},
      {"quickstart", plane},
      {"stack_sirt", plane},
      {"cuart_1024", orbits},
      {"pet_madpet2", scanner},
      {"pet_madpet2_large", scanner},
      {"smoothing", {"problem.mesh.vertices=400"}},
      {"lscm_hills", {"problem.mesh.vertices=400"}},
      {"lscm_mountain", {"problem.mesh={generate: hills, vertices: 300}"}},
      {"pcg_poisson", {"problem.stencil.size=[8, 7, 6]"}}};
  return settings;
}

TEST(ProgramRankConfigurations, those_of_the_project_run_on_two_processes_except_art) {
  const RunFolder folder;
  int runs = 0;
  for (const std::string& name : names_in("configs")) {
    if (name.find("bench_") == 0) continue;
    std::vector<std::string> arguments{"run", project_root() / "configs" / (name + ".yaml"),
                                       "--output", folder / name};
    std::vector<std::string> settings;
    if (const auto found = small().find(name); found != small().end()) settings = found->second;
    if (name.find("lscm") != 0 && name != "smoothing" && name != "pcg_poisson")
      settings.insert(settings.end(),
                      {name == "sart" || name == "art" ? "solver.sweeps=2" : "solver.iterations=2",
                       "output.every=null", "output.checkpoint=null"});
    const ProgramResult result = run_program(with_settings(arguments, settings), on_ranks(2));
    ++runs;
    EXPECT_EQ(result.status, name == "art" ? 2 : 0) << name << ": " << result.error;
    EXPECT_EQ(folder.has(name + "/report.yaml"), name != "art") << name;
    if (name == "art") {
      EXPECT_CONTAINS(result.error, "block_art");
    }
  }
  EXPECT_GT(runs, 15);
}

/// Scan with the symmetries of the square.
const std::string square =
    "run: {scalar: double}\nproblem:\n  type: tomography\n  volume: {size: [16, 16]}\n"
    "  geometry: {type: parallel_beam, views: 16, range: 360 deg, start: 11.25 deg, detectors: "
    "24}\n"
    "  phantom: shepp_logan\n";

TEST(ProgramRankConfigurations, stored_orbits_agree_with_one_process) {
  const std::string orbits = square + "operator: {format: scsr}\n";
  expect_agreement(orbits + "solver: {type: sirt, iterations: 4}\n", {2, 7});
  expect_agreement(orbits + "solver: {type: sart, sweeps: 2}\n", {3});
  expect_agreement(orbits + "solver: {type: mlem, iterations: 2, subsets: 4}\n", {4});
  expect_agreement(orbits + "solver: {type: block_art, sweeps: 2, order: multilevel}\n", {3});
  // A pixel is masked together with its images.
  const RunFolder folder;
  std::vector<double> mask(16 * 16, 1);
  for (const std::size_t corner :
       {std::size_t{0}, std::size_t{15}, std::size_t{240}, std::size_t{255}})
    mask[corner] = 0;
  write_npy<double>(folder / "mask.npy", mask, {16, 16});
  expect_agreement(square + "  mask: " + (folder / "mask.npy") +
                       "\noperator: {format: scsr}\nsolver: {type: cgls, iterations: 4}\n",
                   {2});
}

TEST(ProgramRankConfigurations, computed_entries_agree_with_one_process) {
  const std::string computed = square + "operator: {format: computed}\n";
  expect_agreement(computed + "solver: {type: sirt, iterations: 4}\n", {2, 7});
  expect_agreement(computed + "solver: {type: mlem, iterations: 2, subsets: 4}\n", {3});
  expect_agreement(computed + "solver: {type: sirt, iterations: 2, start: fbp}\n", {3});
  expect_agreement(computed + "solver: {type: block_art, sweeps: 2, block_rows: 7}\n", {4});
  expect_agreement("run: {scalar: double, ranks: {image: split}}\n" +
                       computed.substr(computed.find("problem")) +
                       "solver: {type: sart, sweeps: 2}\n",
                   {2});
}

TEST(ProgramRankConfigurations, filtered_back_projection_has_the_bits_of_one_process) {
  const std::string parallel_stack =
      "run: {scalar: double}\nproblem:\n  type: tomography\n  volume: {size: [12, 10]}\n"
      "  slices: 2\n  geometry: {type: parallel_beam, views: 9, detectors: 17}\n";
  const std::string fan =
      "problem:\n  type: tomography\n  volume: {size: [12, 10]}\n"
      "  geometry: {type: fan_beam, views: 11, detectors: 20, range: 360 deg, "
      "source_to_origin: 40, origin_to_detector: 20}\n";
  const std::string one = "  phantom: shepp_logan\nsolver: {type: fbp}\n";
  expect_agreement(parallel_stack + one, {2, 3});
  const RunFolder folder(fan + one);
  const auto alone = image_of(folder, 0, "alone");
  EXPECT_EQ(image_of(folder, 2, "spread"), alone);
  EXPECT_EQ(image_of(folder, 3, "split", {"run.ranks.image=split"}), alone);
  const double residual = number(folder, "alone", "result.relative_residual");
  for (const char* report : {"spread/report.yaml", "split/report.yaml"})
    EXPECT_NEAR(std::stod(entry(folder / report, "result.relative_residual")), residual,
                1e-6 * residual);
}

TEST(ProgramRankConfigurations, block_art_agrees_with_one_process) {
  const std::string csr = square + "operator: {format: csr}\n";
  expect_agreement(csr + "solver: {type: block_art, sweeps: 2, block_rows: 7}\n", {2, 7});
  expect_agreement(csr + "solver: {type: block_art, sweeps: 2, order: random}\n", {4});
  expect_agreement("run: {scalar: double, ranks: {image: split}}\n" +
                       square.substr(square.find("problem")) +
                       "solver: {type: block_art, sweeps: 2, minimum: 0, relaxation_decay: 0.5}\n",
                   {3});
}

TEST(ProgramRankConfigurations, pairs_of_rows_and_sorted_rows_agree_with_one_process) {
  const std::string sirt = square + "solver: {type: sirt, iterations: 4}\n";
  expect_agreement(sirt + "operator: {format: pair_blocked}\n", {2, 3});
  expect_agreement(sirt + "operator: {format: ell, ordering: by_length}\n", {3});
}

TEST(ProgramRankConfigurations, cone_beams_agree_with_one_process_in_both_formats) {
  const std::string cone =
      "problem:\n  type: tomography\n"
      "  volume: {polar: {rings: 6, radius: 20, slices: 5, height: 40}, size: [5, 12, 12]}\n"
      "  geometry: {type: cone_beam, views: 12, detectors: [9, 7], detector_width: 7, "
      "source_to_origin: 100, origin_to_detector: 50}\n  phantom: shepp_logan\n";
  const std::string mlem = "solver: {type: mlem, iterations: 4}\n";
  expect_agreement(cone + mlem, {2, 7});
  expect_agreement(cone + "solver: {type: sart, sweeps: 2}\n", {2});
  expect_agreement(cone + mlem + "operator: {format: csr}\n", {3});
  expect_refused(cone + mlem + "operator: {format: computed}\n",
                 {"operator.format: computed", "use block_circulant"});
}

TEST(ProgramRankConfigurations, traced_rows_of_a_scanner_agree_with_one_process) {
  expect_agreement(
      "run: {scalar: double}\nproblem:\n  type: tomography\n"
      "  scanner: {kind: ring, modules: 12, crystals: [2, 1], crystal_pitch: [1.9, 1.7],\n"
      "            crystal_size: [1.8, 1.5], layers: [{radius: 10, length: 3}], rays: 8}\n"
      "  volume: {size: [4, 10, 11], pixel: 1, thickness: 0.9}\n  phantom: disc\n"
      "operator: {format: computed}\nsolver: {type: mlem, iterations: 3, subsets: 2}\n",
      {3});
}

}  // namespace
