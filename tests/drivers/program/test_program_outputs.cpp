// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a run about its input, and the protection of files in its folder.
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Tiff.hpp>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

class Outputs : public ::testing::Test {
 protected:
  /// Runs with a further argument, and expects success.
  ProgramResult run_with(const char* argument, const std::vector<std::string>& settings) const {
    std::vector<std::string> arguments = run_of(folder, "out", settings);
    arguments.emplace_back(argument);
    return run_well(arguments);
  }

  const RunFolder folder{small_config};
};

TEST_F(Outputs, a_run_describes_its_input) {
  const ProgramResult result = run_well(folder, "out");
  EXPECT_CONTAINS(result.out,
                  "scan: parallel beam, 32 detectors, 18 views, 0 to 170 deg, step 10.000 deg, "
                  "rotation centre 15.50\n");
  EXPECT_CONTAINS(result.out, "data: projections of the phantom by the matrix, 0 to ");
  EXPECT_LT(result.out.find("data: "), result.out.find("sirt 0/5"));
  EXPECT_EQ(reported(folder, "out", "data.views"), "18");
  EXPECT_EQ(reported(folder, "out", "data.degrees.largest"), "170");
  EXPECT_EQ(reported(folder, "out", "data.values.smallest"), "0");
  EXPECT_EQ(run_with("--quiet", {}).out, "");
}

TEST_F(Outputs, images_are_written_as_tiff) {
  if (!can_use_tiff()) GTEST_SKIP() << "built without libtiff";
  run_well(folder, "out", {"output.image=[npy, tiff]", "problem.slices=2"});
  const auto image = read_npy<double>(folder / "out/reconstruction.npy");
  const std::filesystem::path file = folder / "out/reconstruction.tif";
  EXPECT_EQ(read_tiff_info({file}).pages, 2u);
  EXPECT_EQ(read_tiff_range({file}, 1, 0, image.shape[1]), image.data);
  EXPECT_CONTAINS(reported(folder, "out", "files"), "sinogram.tif");
  // A TIFF with 16 bits holds levels between the limits of the window in the report.
  run_well(folder, "levels", {"output.image=[npy, tiff16]"});
  const auto exact = read_npy<double>(folder / "levels/reconstruction.npy");
  const auto levels = read_tiff_range({folder / "levels/reconstruction.tif"}, 1, 0, exact.shape[0]);
  const auto scale = [&](const char* end) {
    const ConfigNode report = read_yaml_file(folder / "levels/report.yaml");
    return *as_number(*report.find("window")->find("reconstruction.tif")->find(end));
  };
  const double step = (scale("high") - scale("low")) / 65535;
  for (std::size_t i = 0; i < levels.size(); ++i)
    ASSERT_NEAR(scale("low") + step * levels[i], exact.data[i], 0.51 * step) << i;
  // A file that the run reads is not overwritten, even if a wildcard names it.
  expect_failure(run_of(folder, "levels",
                        {"problem.phantom=", "problem.sinogram=" + (folder / "levels/sino*.tif"),
                         "output.image=[tiff]"}),
                 {"sinogram.tif"});
}

TEST_F(Outputs, suspicions_are_errors_unless_they_are_allowed) {
  const std::string range = "problem.geometry.range=180";
  refusal(folder, {range}, {"problem.geometry.range: 180 has no unit"});
  const ProgramResult warned = run_well(folder, "out", {range, "run.on_suspicion=warn"});
  EXPECT_CONTAINS(warned.error, "tomokkos: warning: suspicion angles");
  const ProgramResult allowed = run_well(folder, "out", {range, "run.allow=[angles]"});
  EXPECT_EQ(allowed.error, "");
  EXPECT_CONTAINS(allowed.out, "suspicion angles");
  EXPECT_CONTAINS(reported(folder, "out", "data.suspicions"), "180 has no unit");
  for (const char* command : {"info", "bench"}) {
    if (std::string(command) == "bench" && !has_bench()) continue;
    expect_failure({command, folder / "c.yaml", "--set", range}, {});
  }
  expect_failure({"convert", folder / "c.yaml", folder / "a.npz", "--set", range}, {});
  EXPECT_FALSE(folder.has("a.npz"));
}

TEST_F(Outputs, a_scan_that_misses_the_image_is_refused) {
  const std::string center = "problem.geometry={views: 18, detectors: 32, rotation_center: 1000}";
  refusal(folder, {center}, {"no ray meets the image"});
  expect_failure({"info", folder / "c.yaml", "--set", center}, {});
}

TEST_F(Outputs, input_files_are_never_overwritten) {
  run_well(folder, "data", {"output.image=[npy]"});
  const std::string before = read_bytes(folder / "data/sinogram.npy");
  const std::string measured =
      "problem={type: tomography, volume: {size: [24, 20]}, geometry: {views: 18, detectors: 32}, "
      "sinogram: {file: \"" +
      folder / "data/sinogram.npy" + "\"}}";
  expect_failure(run_of(folder, "data", {measured}), {"would overwrite"});
  EXPECT_EQ(read_bytes(folder / "data/sinogram.npy"), before);
  // A symbolic link gives the sinogram another name.
  std::filesystem::create_directory(folder / "linked");
  std::filesystem::create_symlink(folder / "data/sinogram.npy",
                                  folder / "linked/reconstruction.npy");
  expect_failure(run_of(folder, "linked", {measured}), {});
  EXPECT_EQ(read_bytes(folder / "data/sinogram.npy"), before);
  // A run that writes only pictures does not overwrite the sinogram.
  run_well(folder, "data", {measured, "output.image=[png]"});
  EXPECT_EQ(read_bytes(folder / "data/sinogram.npy"), before);
  // The start and the configuration itself are protected as well.
  expect_failure(run_of(folder, "data", {"solver.start=" + folder / "data/reconstruction.npy"}),
                 {});
  expect_failure(run_of(folder, ".", {"output.report=c.yaml"}), {});
  EXPECT_EQ(read_bytes(folder / "c.yaml"), small_config);
}

TEST_F(Outputs, a_file_that_cannot_be_written_does_not_end_the_run) {
  std::filesystem::create_directories(folder / "out/checkpoint.npz");
  std::filesystem::create_directories(folder / "out/reconstruction_00002.npy");
  std::filesystem::create_directories(folder / "out/phantom.npy");
  expect_failure(
      run_of(folder, "out", {"output.checkpoint=1", "output.every=2"}),
      {"checkpoint.npz", "reconstruction_00002.npy", "phantom.npy", "3 files could not be written"},
      1);
  for (const char* name : {"reconstruction.npy", "reconstruction_00004.npy", "sinogram.npy",
                           "phantom.png", "report.yaml"})
    EXPECT_TRUE(folder.has("out/" + std::string(name))) << name;
}

TEST_F(Outputs, a_folder_that_cannot_be_created_is_reported_before_the_solve) {
  const ProgramResult result = expect_failure(
      {"run", folder / "c.yaml", "--output", "/proc/tomokkos/out"}, {"cannot be created"}, 1);
  EXPECT_EQ(result.out.find("sirt 0/5"), std::string::npos) << result.out;
}

TEST_F(Outputs, remaining_results_of_an_earlier_run_are_named) {
  ASSERT_EQ(run_well(folder, "out", {"output.every=1"}).error, "");
  write_bytes(folder / "out/notes.txt", "mine");
  const ProgramResult result = run_well(folder, "out", {"solver.iterations=2", "output.every=1"});
  EXPECT_CONTAINS(result.error, "reconstruction_00003.npy");
  EXPECT_EQ(result.error.find("reconstruction_00002"), std::string::npos) << result.error;
  EXPECT_EQ(result.error.find("notes.txt"), std::string::npos) << result.error;
  EXPECT_TRUE(folder.has("out/reconstruction_00003.npy"));
}

TEST_F(Outputs, a_shorter_run_does_not_overwrite_a_later_checkpoint) {
  run_well(folder, "out", {"output.checkpoint=5"});
  const std::string before = read_bytes(folder / "out/checkpoint.npz");
  const std::vector<std::string> shorter{"output.checkpoint=3", "solver.iterations=3"};
  expect_failure(run_of(folder, "out", shorter), {"holds iteration 5 of an earlier run"});
  EXPECT_EQ(read_bytes(folder / "out/checkpoint.npz"), before);
  run_with("--overwrite", shorter);
  EXPECT_NE(read_bytes(folder / "out/checkpoint.npz"), before);
  EXPECT_EQ(run_with("--resume", {"output.checkpoint=5"}).error, "");
}

}  // namespace
