// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs with the format computed, which stores no matrix.
#include <Tomokkos_Npy.hpp>

#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string fan_beam =
    "problem.geometry={type: fan_beam, views: 16, range: 360 deg, detectors: 40, "
    "source_to_origin: 60, origin_to_detector: 20}";

/// Runs with a stored matrix and without, and compares the images and what is known of the matrix.
void expect_the_same(const RunFolder& folder, std::vector<std::string> settings) {
  SCOPED_TRACE(settings.back());
  settings.emplace_back("operator.format=csr");
  run_well(folder, "csr", settings);
  settings.back() = "operator.format=computed";
  run_well(folder, "out", settings);
  expect_near(image(folder, "out"), image(folder, "csr"), 1e-8, settings.front());
  EXPECT_EQ(reported(folder, "out", "operator.format"), "computed");
  for (const char* key : {"matrix.rows", "matrix.columns", "matrix.nonzeros"})
    EXPECT_EQ(reported(folder, "out", key), reported(folder, "csr", key));
}

TEST(ProgramComputed, gives_the_image_of_the_stored_matrix_with_every_solver) {
  const RunFolder folder(square_config);
  std::vector<double> disc, rays;
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 24; ++j)
      disc.push_back((2 * i - 23) * (2 * i - 23) + (2 * j - 23) * (2 * j - 23) <= 24 * 24);
  for (int view = 0; view < 16; ++view)
    for (int d = 0; d < 36; ++d) rays.push_back(d != 4 && d != 20 && (view != 7 || d > 17));
  write_npy<double>(folder / "disc.npy", disc, {24, 24});
  write_npy<double>(folder / "rays.npy", rays, {16, 36});
  const std::vector<std::string> masked{"problem.mask=" + (folder / "disc.npy"),
                                        "problem.ray_mask=" + (folder / "rays.npy")};
  for (const std::string solver :
       {"{type: mlem, iterations: 6, start: 2}", "{type: sirt, iterations: 6}",
        "{type: cgls, iterations: 4}", "{type: lsmr, iterations: 4}",
        "{type: mlem, iterations: 3, subsets: 4}", "{type: sirt, iterations: 3, subsets: 4}",
        "{type: sart, sweeps: 2}", "{type: os_sart, sweeps: 2, subsets: 4}",
        "{type: art, sweeps: 2, order: golden, within_view: strided}",
        "{type: block_art, sweeps: 2, order: random, block_rows: 20}"}) {
    expect_the_same(folder, {"solver=" + solver});
    expect_the_same(folder, {masked[0], masked[1], "solver=" + solver});
  }
}

TEST(ProgramComputed, works_with_fan_beams_projectors_and_stacks) {
  const RunFolder folder(square_config);
  for (const std::string projector : {"line", "linear", "strip"}) {
    expect_the_same(folder, {"problem.projector=" + projector});
    expect_the_same(folder, {fan_beam, "problem.projector=" + projector});
  }
  expect_the_same(folder, {"problem.slices=11", "problem.noise={type: gaussian, sigma: 0.1}"});
}

TEST(ProgramComputed, info_tells_the_bytes_of_a_run) {
  const RunFolder folder(square_config);
  for (const std::string& geometry : {std::string("problem.projector=line"), fan_beam}) {
    run_well(folder, "out", {geometry, "operator.format=computed"});
    const ProgramResult info = run_well({"info", folder / "c.yaml", "--set", geometry});
    const std::string computed = info.out.substr(info.out.find("computed: {"));
    EXPECT_CONTAINS(computed.substr(0, computed.find('}')),
                    "double: " + reported(folder, "out", "operator.memory_bytes"));
  }
}

TEST(ProgramComputed, repeats_its_bits_and_resumes) {
  const RunFolder folder(square_config);
  const std::vector<std::string> settings{"operator.format=computed", "run.scalar=float",
                                          "solver={type: sirt, iterations: 8, check_every: 2}"};
  run_well(folder, "whole", settings);
  for (const char* threads : {"run.threads=1", "run.threads=4"}) {
    std::vector<std::string> again = settings;
    again.emplace_back(threads);
    run_well(folder, "out", again);
    expect_same_file(folder, "out", "whole");
  }
  std::vector<std::string> part = settings;
  part.insert(part.end(), {"output.checkpoint=2", "solver.iterations=4"});
  run_well(folder, "parts", part);
  part.back() = "solver.iterations=8";
  std::vector<std::string> arguments = run_of(folder, "parts", part);
  arguments.emplace_back("--resume");
  run_well(arguments);
  expect_same_file(folder, "parts", "whole");
}

// The address sanitizer and the CUDA runtime need more memory than the limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
TEST(ProgramComputed, replaces_a_matrix_that_does_not_fit) {
  const RunFolder folder(square_config);
  const std::vector<std::string> settings{
      "run.scalar=double", "problem.volume.size=[256, 256]", "solver={type: sirt, iterations: 1}",
      "problem.geometry={type: parallel_beam, views: 180, detectors: 367, detector_offset: 0.3}",
      "run.memory_limit={host: 100 MB}"};
  // The matrix needs 250 MB. It is not symmetric, so that no smaller one is stored.
  std::vector<std::string> in_csr = settings;
  in_csr.emplace_back("operator.format=csr");
  expect_failure(run_of(folder, "out", in_csr), {"operator: {format: computed}"});
  const ProgramResult replaced = run_well(folder, "out", settings);
  EXPECT_CONTAINS(replaced.error + replaced.out, "computed in every product instead");
  EXPECT_EQ(reported(folder, "out", "operator.format"), "computed");
}
#endif

TEST(ProgramComputed, refuses_what_it_cannot_compute) {
  const RunFolder folder(square_config);
  const auto refusal = [&](const std::vector<std::string>& settings) {
    return expect_failure(run_of(folder, "out", settings), {}).error;
  };
  const std::string computed = "operator.format=computed";
  EXPECT_CONTAINS(refusal({computed, "operator.ordering=hilbert"}),
                  "allowed: natural, and subsets");
  EXPECT_CONTAINS(refusal({computed, "operator.variant=merge_path"}),
                  "computed has a single product");
  EXPECT_CONTAINS(refusal({computed, "operator.transpose=stored"}),
                  "computed, which keeps no copy");
  EXPECT_CONTAINS(refusal({computed, "operator.stored_format=csr"}),
                  "computed, which stores no rays");
  EXPECT_CONTAINS(refusal({computed, "operator.tile=64"}), "has no effect on the format computed");
}

/// A report says that the number is an estimate; `info --exact` counts.
TEST(ProgramComputed, estimates_the_nonzeros_that_nothing_stores) {
  const RunFolder folder(small_config);
  const std::vector<std::string> large{"problem.volume.size=[64, 64]",
                                       "problem.geometry={views: 60, detectors: 92}"};
  const auto run = [&](const std::string& output, const std::string& setting) {
    std::vector<std::string> settings = large;
    settings.push_back(setting);
    run_well(folder, output, settings);
    return folder / (output + "/report.yaml");
  };
  const std::string stored = run("csr", "operator.format=csr");
  EXPECT_EQ(entry(stored, "matrix.estimated"), "(none)");
  const double nonzeros = std::stod(entry(stored, "matrix.nonzeros"));
  for (const char* setting : {"operator.format=computed", "solver={type: fbp}"}) {
    const std::string computed = run("computed", setting);
    EXPECT_EQ(entry(computed, "matrix.estimated"), "true");
    EXPECT_NEAR(std::stod(entry(computed, "matrix.nonzeros")), nonzeros, 0.05 * nonzeros);
  }
  std::vector<std::string> arguments{"info", folder / "c.yaml", "--exact"};
  for (const std::string& setting : {large[0], large[1], std::string("operator.format=computed")}) {
    arguments.emplace_back("--set");
    arguments.push_back(setting);
  }
  const ProgramResult info = run_well(arguments);
  EXPECT_CONTAINS(info.out, "\nnonzeros: " + entry(stored, "matrix.nonzeros") + "\n");
}

}  // namespace
