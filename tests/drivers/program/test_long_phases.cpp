// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that a run prints before a long phase.
#include <gtest/gtest.h>

#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <filesystem>

#include "ConfigTesting.hpp"
#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

template <class Action>
std::string printed(const Action& action, bool quiet = false) {
  Progress progress(quiet);
  ::testing::internal::CaptureStdout();
  action(progress);
  return ::testing::internal::GetCapturedStdout();
}

TEST(LongPhases, large_files_are_announced) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "A.npz";
  write_bytes(file, "x");
  const auto read = [&](Progress& progress) { progress.announce_reading(file); };
  EXPECT_EQ(printed(read), "");
  std::filesystem::resize_file(file, 1'250'000'000);  // sparse: uses almost no disk space
  EXPECT_EQ(printed(read), "reading " + file.string() + " (1.2 GB) ...\n");
  EXPECT_EQ(printed(read, true), "");
  EXPECT_EQ(printed([&](Progress& progress) { progress.announce_reading(folder / "none"); }), "");
  EXPECT_EQ(printed([](Progress& progress) { progress.announce_reading({}); }), "");
}

TEST(LongPhases, large_matrices_are_announced) {
  const auto building = [](const std::string& text, const std::vector<std::string>& settings) {
    const RunConfig config = configured(text, settings);
    return printed([&](Progress& progress) {
      progress.announce("building the matrix", expected_nonzeros(read_input(config).rows));
    });
  };
  const std::string cone_beam = R"(problem:
  type: tomography
  volume: {polar: {rings: 40, radius: 20, slices: 32, height: 40}}
  geometry: {type: cone_beam, views: 120, detectors: [80, 64], detector_width: 0.95,
             source_to_origin: 100, origin_to_detector: 50}
  phantom: shepp_logan
solver: {type: mlem}
)";
  EXPECT_EQ(building(cone_beam, {}), "");
  // One view has 1e6 rays. Each ray crosses 40 rings twice and half of the 120 sectors.
  EXPECT_EQ(building(cone_beam, {"problem.geometry.detectors=[1000, 1000]"}),
            "building the matrix (about 1.4e+08 nonzeros) ...\n");
}

TEST(LongPhases, preparations_are_named) {
  const auto preparation = [](const std::vector<std::string>& settings) {
    const RunConfig config = configured(
        "problem: {type: tomography, volume: {size: [8, 8]}, geometry: {views: 4}, "
        "phantom: disc}\nsolver: {type: sirt}\n",
        settings);
    return preparation_of(config.matrix_operator, true);
  };
  EXPECT_EQ(preparation({}), "choosing the format of the matrix");
  EXPECT_EQ(preparation({"operator.format=csr"}), "transposing the matrix");
  EXPECT_EQ(preparation({"operator.transpose=atomic"}), "preparing the products with the matrix");
  EXPECT_EQ(preparation({"operator.format=ell_r"}), "converting the matrix to its format");
}

}  // namespace
