// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scanners and cone beams with the format computed, which traces all rays in every product.
#include <Tomokkos_Npy.hpp>

#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

// 2304 pairs of 48 crystals.
const std::string scanner_text = R"(run: {scalar: double}
problem:
  type: tomography
  scanner: {kind: ring, modules: 12, crystals: [2, 2], crystal_pitch: [1.9, 1.7],
            crystal_size: [1.8, 1.5], layers: [{radius: 10, length: 3}], rays: 8}
  volume: {size: [4, 10, 11], pixel: 1, thickness: 0.9}
  phantom: disc
solver: {type: mlem, iterations: 5}
)";

const std::string cone_text = R"(run: {scalar: double}
problem:
  type: tomography
  volume: {polar: {rings: 6, radius: 4, slices: 4, height: 5}, size: [12, 12]}
  geometry: {type: cone_beam, views: 16, detectors: [13, 8], detector_width: [0.6, 0.55],
             source_to_origin: 16, origin_to_detector: 8}
  phantom: disc
solver: {type: mlem, iterations: 5}
)";

/// Runs with a stored matrix and without, and compares the images and what is known of the matrix.
void expect_the_same(const RunFolder& folder, std::vector<std::string> settings,
                     double tolerance = 1e-8) {
  SCOPED_TRACE(settings.back());
  settings.emplace_back("operator.format=csr");
  run_well(folder, "csr", settings);
  settings.back() = "operator.format=computed";
  run_well(folder, "out", settings);
  const auto found = image(folder, "out"), expected = image(folder, "csr");
  ASSERT_EQ(found.size(), expected.size());
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 0);
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance * largest) << "voxel " << i;
  EXPECT_EQ(reported(folder, "out", "operator.format"), "computed");
  const auto of_matrix = [&](const char* output, const std::string& key) {
    return reported(folder, output, "matrix." + key);
  };
  for (const char* key : {"rows", "columns"})
    EXPECT_EQ(of_matrix("out", key), of_matrix("csr", key));
  const double nonzeros = std::stod(of_matrix("csr", "nonzeros"));
  EXPECT_NEAR(std::stod(of_matrix("out", "nonzeros")), nonzeros,
              of_matrix("out", "estimated") == "true" ? 0.05 * nonzeros : 0.0);
}

TEST(ProgramTraced, gives_the_image_of_the_stored_matrix_of_a_scanner) {
  const RunFolder folder(scanner_text);
  expect_the_same(folder, {"run.scalar=double"});
  expect_the_same(folder, {"run.scalar=float"}, 1e-4);
  for (const std::string solver :
       {"{type: mlem, iterations: 2, subsets: 4}", "{type: sirt, iterations: 3}",
        "{type: cgls, iterations: 3}", "{type: art, sweeps: 1}",
        "{type: block_art, sweeps: 1, block_rows: 100}"})
    expect_the_same(folder, {"solver=" + solver});
  std::vector<double> voxels(4 * 10 * 11), rays(48 * 48);
  for (std::size_t i = 0; i < voxels.size(); ++i) voxels[i] = i % 7 != 2;
  for (std::size_t i = 0; i < rays.size(); ++i) rays[i] = i % 5 != 1;
  write_npy<double>(folder / "voxels.npy", voxels, {4, 10, 11});
  write_npy<double>(folder / "rays.npy", rays, {48, 48});
  const std::vector<std::string> masked{"problem.mask=" + (folder / "voxels.npy"),
                                        "problem.ray_mask=" + (folder / "rays.npy")};
  expect_the_same(folder, masked);
  expect_the_same(folder, {masked[0], masked[1], "solver={type: sirt, iterations: 2, subsets: 3}"});
}

TEST(ProgramTraced, gives_the_image_of_the_stored_matrix_of_a_cone_beam) {
  const RunFolder folder(cone_text);
  expect_the_same(folder, {"run.scalar=double"});
  expect_the_same(folder, {"run.scalar=float"}, 1e-4);
  for (const std::string solver : {"{type: mlem, iterations: 2, subsets: 4}",
                                   "{type: sirt, iterations: 3}", "{type: art, sweeps: 1}"})
    expect_the_same(folder, {"solver=" + solver});
}

TEST(ProgramTraced, repeats_its_bits_and_resumes) {
  for (const std::string& text : {scanner_text, cone_text}) {
    const RunFolder folder(text);
    const std::vector<std::string> settings{"operator.format=computed", "run.scalar=float",
                                            "solver={type: sirt, iterations: 6, check_every: 2}"};
    run_well(folder, "whole", settings);
    for (const char* threads : {"run.threads=1", "run.threads=4"}) {
      std::vector<std::string> again = settings;
      again.emplace_back(threads);
      run_well(folder, "out", again);
      expect_same_file(folder, "out", "whole");
    }
    std::vector<std::string> part = settings;
    part.insert(part.end(), {"output.checkpoint=2", "solver.iterations=2"});
    run_well(folder, "parts", part);
    part.back() = "solver.iterations=6";
    std::vector<std::string> arguments = run_of(folder, "parts", part);
    arguments.emplace_back("--resume");
    run_well(arguments);
    expect_same_file(folder, "parts", "whole");
  }
}

// The address sanitizer and the CUDA runtime need more memory than the limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
TEST(ProgramTraced, replaces_a_matrix_that_does_not_fit) {
  const RunFolder folder(scanner_text);
  // The matrix and its transpose need 45 MB.
  const std::vector<std::string> settings{
      "problem.scanner={kind: ring, modules: 10, crystals: [3, 5], crystal_pitch: [1.9, 1.7], "
      "crystal_size: [1.8, 1.5], layers: [{radius: 10, length: 3}], rays: 8}",
      "problem.volume={size: [24, 60, 60], pixel: 0.16, thickness: 0.15}", "solver.iterations=1",
      "run.memory_limit={host: 45 MB}"};
  std::vector<std::string> in_csr = settings;
  in_csr.emplace_back("operator.format=csr");
  expect_failure(run_of(folder, "out", in_csr), {"operator: {format: computed}"});
  const ProgramResult replaced = run_well(folder, "out", settings);
  EXPECT_CONTAINS(replaced.error + replaced.out, "computed in every product instead");
  EXPECT_EQ(reported(folder, "out", "operator.format"), "computed");
}

TEST(ProgramTraced, a_cone_beam_stores_its_row_of_blocks_first) {
  const RunFolder folder(cone_text);
  const std::vector<std::string> settings{
      "problem.geometry={type: cone_beam, views: 60, detectors: [40, 30], detector_width: 0.2, "
      "source_to_origin: 16, origin_to_detector: 8}",
      "solver={type: sirt, iterations: 1}", "operator.format=automatic"};
  std::vector<std::string> limited = settings;
  limited.emplace_back("run.memory_limit={host: 45 MB}");
  const ProgramResult result = run_well(folder, "out", limited);
  EXPECT_CONTAINS(result.error + result.out, "only the row of blocks is stored");
  EXPECT_EQ(reported(folder, "out", "operator.format"), "block_circulant");
  // Voxels that a mask leaves out do not keep it from that.
  std::vector<double> kept(static_cast<std::size_t>(number(folder, "out", "matrix.columns")), 1);
  kept[0] = 0;
  write_npy<double>(folder / "mask.npy", kept, {kept.size() / 60, 60});
  std::vector<std::string> masked = limited;
  masked.push_back("problem.mask=" + folder / "mask.npy");
  run_well(folder, "masked", masked);
  EXPECT_EQ(reported(folder, "masked", "operator.format"), "block_circulant");
  masked[3] = "run.memory_limit={host: 2 MB}";
  expect_failure(run_of(folder, "large", masked), {"memory"});
  limited.emplace_back("run.overflow=refused");
  expect_failure(run_of(folder, "refused", limited), {});
  limited.pop_back();
  // Subsets of the views are made from the row of blocks as well.
  limited[1] = "solver={type: sirt, iterations: 1, subsets: 2}";
  run_well(folder, "subsets", limited);
  EXPECT_EQ(reported(folder, "subsets", "operator.format"), "block_circulant");
  // Block ART visits single rows, which a row of blocks does not give.
  limited[1] = "solver={type: block_art, sweeps: 1}";
  run_well(folder, "rows", limited);
  EXPECT_EQ(reported(folder, "rows", "operator.format"), "computed");
}
#endif

TEST(ProgramTraced, info_estimates_bytes) {
  const RunFolder folder;
  for (const std::string& text : {scanner_text, cone_text}) {
    write_bytes(folder / "c.yaml", text);
    const ProgramResult info = run_well({"info", folder / "c.yaml"});
    write_bytes(folder / "info.yaml", info.out);
    for (const char* key : {"bytes", "run_bytes"})
      EXPECT_GT(
          std::stod(entry(folder / "info.yaml", "estimates.formats.computed." + std::string(key))),
          0)
          << key;
  }
}

TEST(ProgramTraced, refuses_what_it_cannot_trace) {
  const RunFolder folder(scanner_text);
  const auto refusal = [&](std::vector<std::string> settings) {
    settings.emplace_back("operator.format=computed");
    return expect_failure(run_of(folder, "out", settings), {}).error;
  };
  EXPECT_CONTAINS(refusal({"operator.ordering=tiles"}), "allowed: natural, and subsets");
  EXPECT_CONTAINS(refusal({"operator.stored_format=csr"}), "computed, which stores no rays");
  EXPECT_CONTAINS(refusal({"operator.transpose=stored"}), "computed, which keeps no copy");
  write_bytes(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 2\n");
  EXPECT_CONTAINS(refusal({"problem={type: tomography, matrix: a.mtx, rhs: b.npy}"}),
                  "computed needs rays");
  write_bytes(folder / "c.yaml", cone_text);
  EXPECT_CONTAINS(refusal({"solver={type: sirt, iterations: 2, start: fbp}"}),
                  "fbp needs problem.geometry.type");
}

}  // namespace
