// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cone beams and polar voxels in the whole program.
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_PolarImages.hpp>
#include <algorithm>
#include <cmath>

#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr const char* text = R"(run: {scalar: double}
problem:
  type: tomography
  volume: {polar: {rings: 8, radius: 4, slices: 6, height: 5}, size: [20, 20]}
  geometry:
    type: cone_beam
    views: 24
    detectors: [25, 18]
    detector_width: [0.6, 0.55]
    source_to_origin: 16
    origin_to_detector: 8
  phantom: {kind: shepp_logan_original, supersampling: 3}
solver: {type: sirt, iterations: 40, minimum: 0}
)";
const PolarVolume volume{4, 5, 8, 6, 24, 1};

std::vector<double> array(const std::string& file) { return read_npy<double>(file).data; }

TEST(ProgramConeBeam, a_volume_is_reconstructed) {
  const RunFolder folder(text);
  run_well(folder, "out", {"output.every=20"});
  const auto polar = read_npy<double>(folder / "out/reconstruction_polar.npy");
  const auto image = read_npy<double>(folder / "out/reconstruction.npy");
  const auto phantom = array(folder / "out/phantom_polar.npy");
  const auto data = read_npy<double>(folder / "out/sinogram.npy");
  const PolarGrid grid(volume);
  EXPECT_EQ(polar.shape,
            (std::vector<std::size_t>{static_cast<std::size_t>(grid.block_cols()), 24}));
  EXPECT_EQ(image.shape, (std::vector<std::size_t>{6, 20, 20}));
  EXPECT_EQ(data.shape, (std::vector<std::size_t>{18, 25, 24}));
  for (const char* file :
       {"reconstruction_slice_003.png", "phantom_slice_003.png", "projection_000.png",
        "reconstruction_00020.npy", "reconstruction_00020_polar.npy", "report.yaml"})
    EXPECT_TRUE(folder.has("out/" + std::string(file))) << file;
  EXPECT_FALSE(folder.has("out/projection_000.npy"));
  // The Cartesian image shows the polar voxels.
  const VolumeGeometry3D box{6, 20, 20, 0.4, 5.0 / 6};
  EXPECT_EQ(image.data, cartesian_from_polar<double>(box, grid, polar.data));
  // The phantom is sampled in the polar voxels, and the reconstruction is close to it.
  EXPECT_EQ(phantom,
            sample_phantom(make_solid_phantom(SolidPhantomKind::shepp_logan_original), grid, 3));
  double error = 0, norm = 0, total = 0;
  for (Ordinal i = 0; i < grid.num_voxels(); ++i) {
    const double size = grid.voxel_volume(grid.voxel(i).ring);
    const auto at = static_cast<std::size_t>(i);
    error += size * (polar.data[at] - phantom[at]) * (polar.data[at] - phantom[at]);
    norm += size * phantom[at] * phantom[at];
    total += size;
  }
  EXPECT_LT(std::sqrt(error / norm), 0.4);
  // The error weights each voxel by its volume.
  const double rmse = number(folder, "out", "result.rmse");
  EXPECT_NEAR(rmse, std::sqrt(error / total), 1e-9 * rmse);
}

TEST(ProgramConeBeam, values_of_16_bits_give_nearly_the_same_volume_in_less_memory) {
  for (const std::string more : {"", "solver.subsets=4", "operator.transpose=direct"}) {
    const RunFolder folder(text);
    std::vector<std::string> settings{"run.scalar=float"};
    if (!more.empty()) settings.push_back(more);
    run_well(folder, "plain", settings);
    settings.push_back("operator.values=half");
    run_well(folder, "half", settings);
    const std::vector<double> expected = array(folder / "plain/reconstruction_polar.npy");
    const std::vector<double> rounded = array(folder / "half/reconstruction_polar.npy");
    double largest = 0, error = 0;
    ASSERT_EQ(rounded.size(), expected.size());
    for (std::size_t j = 0; j < expected.size(); ++j) {
      largest = std::max(largest, std::abs(expected[j]));
      error = std::max(error, std::abs(rounded[j] - expected[j]));
    }
    EXPECT_GT(error, 0) << more;
    EXPECT_LT(error, 0.05 * largest) << more;
    const auto bytes = [&](const char* run) {
      const std::string report = folder / (std::string(run) + "/report.yaml");
      return std::stod(entry(report, "operator.memory_bytes"));
    };
    EXPECT_LT(bytes("half"), bytes("plain")) << more;
    EXPECT_EQ(reported(folder, "half", "operator.values"), "half");
    EXPECT_EQ(reported(folder, "plain", "operator.values"), "plain");
  }
}

TEST(ProgramConeBeam, the_report_describes_the_stored_block_row) {
  const RunFolder folder(text);
  run_well(folder, "out", {"solver.iterations=3"});
  const auto value = [&](const std::string& path) { return reported(folder, "out", path); };
  const PolarGrid grid(volume);
  EXPECT_EQ(value("matrix.rows"), std::to_string(24 * 25 * 18));
  EXPECT_EQ(value("matrix.columns"), std::to_string(grid.num_voxels()));
  EXPECT_EQ(value("operator.format"), "block_circulant");
  EXPECT_EQ(value("operator.blocks"), "24");
  EXPECT_EQ(value("operator.block_rows"), "450");
  EXPECT_EQ(value("operator.block_columns"), std::to_string(grid.block_cols()));
  EXPECT_EQ(24 * std::stoll(value("operator.stored")), std::stoll(value("matrix.nonzeros")));
  EXPECT_GT(std::stod(value("operator.reuse")), 1.0);
  EXPECT_GT(std::stod(value("operator.expanded")), 20.0);
  EXPECT_EQ(value("data.views"), "24");
  EXPECT_EQ(value("data.detectors"), "[25, 18]\n");
  EXPECT_CONTAINS(value("history"), "rmse");
}

TEST(ProgramConeBeam, every_form_of_the_matrix_gives_the_same_image) {
  const RunFolder folder(text);
  run_well(folder, "out");
  const auto expected = array(folder / "out/reconstruction_polar.npy");
  int number = 0;
  for (const char* form :
       {"{format: csr}", "{format: csr, transpose: atomic, ordering: by_length}",
        "{format: ray_tiles}", "{format: packed_csr}", "{format: automatic}", "{transpose: direct}",
        "{variant: basic_mv, transpose_variant: maxpy_8}"}) {
    const std::string output = "form " + std::to_string(number++);
    run_well(folder, output, {"operator=" + std::string(form)});
    expect_close(array(folder / (output + "/reconstruction_polar.npy")), expected, 1e-9, form);
  }
  // Reads the block row and the whole matrix from files.
  run_well({"convert", folder / "c.yaml", folder / "row.npz"});
  run_well({"convert", folder / "c.yaml", folder / "C.npz", "--expanded"});
  EXPECT_EQ(read_number_of_blocks(folder / "row.npz"), 24);
  const std::string rhs = "rhs: \"" + (folder / "out/sinogram.npy") + "\"";
  run_well(
      folder, "row",
      {"problem={type: tomography, block_row: \"" + (folder / "row.npz") + "\", " + rhs + "}"});
  expect_close(image(folder, "row"), expected, 1e-9, "row");
  run_well(folder, "whole",
           {"problem={type: tomography, matrix: \"" + (folder / "C.npz") + "\", " + rhs + "}",
            "operator={format: block_circulant, blocks: 24, circulant_order: rotations}"});
  expect_close(image(folder, "whole"), expected, 1e-9, "whole");
  const auto C = read_matrix<double>(folder / "C.npz"),
             row = read_matrix<double>(folder / "row.npz");
  EXPECT_EQ(C.num_nonzeros(), 24 * row.num_nonzeros());
  EXPECT_EQ(row.num_rows, 450);
}

TEST(ProgramConeBeam, measured_data_and_other_solvers_work) {
  const RunFolder folder(text);
  run_well(folder, "noisy",
           {"problem.noise={type: poisson, counts: 1e4}", "solver={type: mlem}", "run.seed=5"});
  EXPECT_NE(reported(folder, "noisy", "data.noise_level"), "(none)");
  const std::string rhs = "problem.rhs=" + (folder / "noisy/sinogram.npy");
  run_well(folder, "measured", {"problem.phantom=", rhs, "solver={type: mlem}"});
  EXPECT_EQ(array(folder / "noisy/reconstruction_polar.npy"),
            array(folder / "measured/reconstruction_polar.npy"));
  EXPECT_FALSE(folder.has("measured/phantom.npy"));
  // Continues from an image.
  run_well(folder, "half", {"problem.phantom=", rhs, "solver={type: mlem, iterations: 25}"});
  run_well(folder, "other half",
           {"problem.phantom=", rhs,
            "solver={type: mlem, iterations: 25, start: \"" +
                (folder / "half/reconstruction_polar.npy") + "\"}"});
  EXPECT_EQ(array(folder / "other half/reconstruction_polar.npy"),
            array(folder / "noisy/reconstruction_polar.npy"));
  run_well(folder, "cgls", {"problem.phantom=", rhs, "solver={type: cgls, iterations: 8}"});
  // ART uses single rows, for which it needs the whole matrix. Subsets of views do not.
  run_well(folder, "art", {"operator.format=csr", "solver={type: art, sweeps: 4}"});
  const std::string subsets = "solver={type: sirt, iterations: 5, subsets: 6}";
  run_well(folder, "subsets of csr", {"operator.format=csr", subsets});
  run_well(folder, "subsets", {subsets});
  expect_close(array(folder / "subsets/reconstruction_polar.npy"),
               array(folder / "subsets of csr/reconstruction_polar.npy"), 1e-9, "subsets");
  run_well(folder, "sart", {"solver={type: sart, sweeps: 2, relaxation: 0.3}"});
  const auto rmse = [&](const std::string& output) {
    return number(folder, output, "result.rmse");
  };
  run_well(folder, "no subsets", {"solver={type: sirt, iterations: 5}"});
  EXPECT_LT(rmse("subsets"), rmse("no subsets"));
  EXPECT_LT(rmse("art"), 0.2);
  EXPECT_LT(rmse("sart"), 0.2);
}

TEST(ProgramConeBeam, masks_leave_out_voxels_and_rays) {
  const RunFolder folder(text);
  const PolarGrid grid(volume);
  std::vector<float> voxels(static_cast<std::size_t>(grid.num_voxels()), 1), rays(18 * 25 * 24, 1);
  for (std::size_t i = 0; i < voxels.size(); i += 11) voxels[i] = 0;
  for (std::size_t i = 0; i < rays.size(); i += 5) rays[i] = 0;
  write_npy<float>(folder / "voxels.npy", voxels,
                   {static_cast<std::size_t>(grid.block_cols()), 24});
  write_npy<float>(folder / "rays.npy", rays, {18, 25, 24});
  const std::vector<std::string> masks{"problem.mask=" + (folder / "voxels.npy"),
                                       "problem.ray_mask=" + (folder / "rays.npy")};
  for (const char* solver : {"{type: sirt, iterations: 5}", "{type: osem, subsets: 6}"}) {
    auto settings = masks;
    settings.push_back("solver=" + std::string(solver));
    run_well(folder, "blocks", settings);
    settings.emplace_back("operator.format=csr");
    run_well(folder, "csr", settings);
    expect_close(array(folder / "blocks/reconstruction_polar.npy"),
                 array(folder / "csr/reconstruction_polar.npy"), 1e-8, solver);
    const auto value = [&](const std::string& output, const char* key) {
      return reported(folder, output, key);
    };
    EXPECT_EQ(value("blocks", "matrix"), value("csr", "matrix"));
    EXPECT_NEAR(std::stod(value("blocks", "result.rmse")), std::stod(value("csr", "result.rmse")),
                1e-8);
  }
}

TEST(ProgramConeBeam, a_stack_of_volumes_is_solved_together) {
  const RunFolder folder(text);
  const std::vector<std::string> noisy{"problem.noise={type: gaussian, sigma: 0.01}",
                                       "problem.slices=2", "solver.iterations=5"};
  run_well(folder, "stack", noisy);
  const auto images = read_npy<double>(folder / "stack/reconstruction.npy");
  const auto polar = read_npy<double>(folder / "stack/reconstruction_polar.npy");
  const auto data = read_npy<double>(folder / "stack/sinogram.npy");
  const PolarGrid grid(volume);
  const auto voxels = static_cast<std::size_t>(grid.num_voxels());
  EXPECT_EQ(images.shape, (std::vector<std::size_t>{2, 6, 20, 20}));
  EXPECT_EQ(polar.shape,
            (std::vector<std::size_t>{2, static_cast<std::size_t>(grid.block_cols()), 24}));
  EXPECT_EQ(data.shape, (std::vector<std::size_t>{2, 18, 25, 24}));
  EXPECT_TRUE(folder.has("stack/reconstruction_slice_000.png"));
  EXPECT_EQ(read_npy<double>(folder / "stack/phantom_polar.npy").shape,
            (std::vector<std::size_t>{static_cast<std::size_t>(grid.block_cols()), 24}));
  // The data are read again as a stack, and give the same volumes.
  run_well(folder, "measured",
           {"problem.phantom=", "problem.rhs=" + (folder / "stack/sinogram.npy"),
            "problem.slices=2", "solver.iterations=5"});
  EXPECT_EQ(array(folder / "measured/reconstruction_polar.npy"), polar.data);
  // The second volume alone.
  run_well(folder, "second",
           {"problem.phantom=", "problem.rhs=" + (folder / "stack/sinogram.npy"),
            "problem.slices=[1, 1]", "solver.iterations=5"});
  expect_close(array(folder / "second/reconstruction_polar.npy"),
               {polar.data.begin() + static_cast<std::ptrdiff_t>(voxels), polar.data.end()}, 1e-9,
               "the second volume");
  const VolumeGeometry3D box{6, 20, 20, 0.4, 5.0 / 6};
  const std::vector<double> second(polar.data.begin() + static_cast<std::ptrdiff_t>(voxels),
                                   polar.data.end());
  const auto cartesian = cartesian_from_polar<double>(box, grid, second);
  EXPECT_TRUE(std::equal(cartesian.begin(), cartesian.end(),
                         images.data.begin() + static_cast<std::ptrdiff_t>(cartesian.size())));
}

TEST(ProgramConeBeam, a_resumed_run_gives_the_same_bytes) {
  const RunFolder folder(text);
  run_well(folder, "all", {"output.checkpoint=10"});
  run_well(folder, "part", {"output.checkpoint=10", "solver.iterations=20"});
  auto arguments = run_of(folder, "part", {"output.checkpoint=10"});
  arguments.push_back("--resume");
  run_well(arguments);
  EXPECT_EQ(reported(folder, "part", "resumed.iteration"), "20");
  for (const char* file : {"reconstruction_polar.npy", "reconstruction.npy"})
    expect_same_file(folder, "all", "part", file);
  EXPECT_EQ(reported(folder, "all", "history"), reported(folder, "part", "history"));
  arguments =
      run_of(folder, "part", {"output.checkpoint=10", "problem.geometry.detector_offset=[0, 0.5]"});
  arguments.push_back("--resume");
  expect_failure(arguments, {"problem.geometry.detector_offset was [0, 0] and is now [0, 0.5]"});
}

TEST(ProgramConeBeam, info_does_not_expand_the_matrix) {
  const RunFolder folder(text);
  const ProgramResult result = run_well({"info", folder / "c.yaml"});
  for (const char* piece : {"rows: 10800", "block_circulant:", "blocks: 24", "block_rows: 450",
                            "row_with_stored_transpose: {float: ", "views: 24"})
    EXPECT_CONTAINS(result.out, piece);
}

// The address sanitizer and the CUDA runtime need more address space than the limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
TEST(ProgramConeBeam, a_matrix_larger_than_memory_is_refused_with_its_size) {
  const RunFolder folder(text);
  const auto run_within = [&](rlim_t megabytes, const std::vector<std::string>& settings) {
    const ProgramOptions options = limited(RLIMIT_AS, megabytes << 20);
    std::vector<std::string> all{"run.threads=1", "solver.iterations=1"};
    all.insert(all.end(), settings.begin(), settings.end());
    return run_program(run_of(folder, "out", all), options);
  };
  // The block row fits into memory that is too small for the whole matrix.
  const std::string larger = "problem.geometry.detectors=[160, 120]";
  const std::string finer = "problem.geometry.detector_width=[0.09, 0.08]";
  rlim_t megabytes = 60;
  ProgramResult circulant;
  for (; megabytes < 4000; megabytes += 20) {
    circulant = run_within(megabytes, {larger, finer});
    if (circulant.status == 0) break;
  }
  ASSERT_EQ(circulant.status, 0) << circulant.error;
  std::filesystem::remove_all(folder / "out");
  const ProgramResult csr = run_within(megabytes, {larger, finer, "operator.format=csr"});
  EXPECT_EQ(csr.status, 2) << megabytes;
  EXPECT_CONTAINS(csr.error,
                  "use operator.format: block_circulant, which stores only the block row");
  EXPECT_CONTAINS(csr.error, "MiB");
  EXPECT_FALSE(folder.has("out"));
  // This matrix is refused before any ray is traced.
  const ProgramResult huge =
      run_within(megabytes, {"problem.geometry.detectors=[4000, 4000]", "operator.format=csr"});
  EXPECT_EQ(huge.status, 2);
  EXPECT_CONTAINS(huge.error, "GiB");
}
#endif

class ConeBeamConfigs : public ::testing::TestWithParam<const char*> {};

/// The examples run with fewer detector elements, rings and slices.
TEST_P(ConeBeamConfigs, run_at_small_size) {
  const RunFolder folder;
  const std::string file = config_file(std::string(GetParam()) + ".yaml").string();
  const ProgramResult printed = run_well({"run", file, "--print-config"});
  EXPECT_CONTAINS(printed.out, "type: cone_beam");
  std::vector<std::string> arguments{"run", file, "--output", folder / "out"};
  for (const char* setting :
       {"problem.volume.polar.rings=5", "problem.volume.polar.slices=4",
        "problem.volume.size=[4, 12, 12]", "problem.geometry.views=30",
        "problem.geometry.detectors=[14, 10]", "solver.iterations=3", "output.every=0"})
    arguments.insert(arguments.end(), {"--set", setting});
  run_well(arguments);
  EXPECT_TRUE(folder.has("out/reconstruction.npy"));
  EXPECT_TRUE(folder.has("out/projection_000.png"));
}

INSTANTIATE_TEST_SUITE_P(All, ConeBeamConfigs,
                         ::testing::Values("cone_beam", "circulant_small", "circulant_medium",
                                           "circulant_big", "circulant_large", "circulant_huge"));

}  // namespace
