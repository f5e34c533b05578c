// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings of images that explain little of their data, and excuses.
#include <gtest/gtest.h>

#include <Tomokkos_DescribeInput.hpp>
#include <cmath>
#include <vector>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// A scan of 4 views x 10 detectors, and the result of a solve.
class ExplainedData : public ::testing::Test {
 protected:
  ExplainedData() {
    ScanGeometry scan;
    scan.views = ViewAngles::evenly_spaced(4);
    scan.detectors = 10;
    input.volume = {8, 8, 1.0};
    input.rows = ScanRows{input.volume, scan, Projector::line};
    input.facts.are_measured = true;
    input.views = 4;
    input.detectors = 10;
    for (int v = 0; v < 4; ++v)
      for (const double value : {0.0, 0.0, 1.5, 2.5, 3.5, 3.5, 2.5, 1.5, 0.0, 0.0})
        input.data.push_back(value);
  }

  static RunConfig configured(const std::string& solver) {
    return read_run_config(parse("problem: {type: tomography, volume: {size: [8, 8]}, geometry: "
                                 "{views: 4, detectors: 10}, sinogram: s.npy}\nsolver: " +
                                 solver + "\n"),
                           ConfigUse::run, "f");
  }

  static SolveResult result(double residual, int iterations = 30) {
    SolveResult solved;
    solved.relative_residual = residual;
    solved.iterations = iterations;
    return solved;
  }

  std::string warning(const RunConfig& config, const std::vector<SolveResult>& results,
                      const std::vector<double>& noise = {}) const {
    UnexplainedData found;
    find_unexplained(config.needs(), input, noise, results, found);
    return describe_unexplained(found);
  }

  RunInput input;
  const RunConfig sirt = configured("{type: sirt}");
};

TEST_F(ExplainedData, a_large_residual_is_reported) {
  EXPECT_EQ(warning(sirt, {result(0.83)}),
            "the image explains less than half of the data (relative residual 0.83): check the "
            "geometry (angles, lengths, sense of rotation), then the logarithm (flat fields), the "
            "order of the axes, and the rotation centre");
  EXPECT_EQ(warning(sirt, {result(0.49)}), "");
  EXPECT_EQ(warning(sirt, {result(0.83, 4)}), "");
  EXPECT_EQ(warning(sirt, {result(NAN)}), "");
  // These have an exit status.
  SolveResult failed = result(3);
  failed.reason = StopReason::interrupted;
  EXPECT_EQ(warning(sirt, {failed}), "");
  failed.reason = StopReason::non_finite;
  EXPECT_EQ(warning(sirt, {failed}), "");
  // Unknowns that are no image.
  input.volume.rows = 0;
  EXPECT_EQ(warning(sirt, {result(0.83)}), "");
}

TEST_F(ExplainedData, slices_are_counted_and_named) {
  input.stack = true;
  input.slices = 12;
  const std::vector<double> one = input.data;
  for (int j = 1; j < 12; ++j) input.data.insert(input.data.end(), one.begin(), one.end());
  std::vector<SolveResult> results(12, result(0.1));
  results[7] = result(0.6);
  EXPECT_EQ(warning(sirt, results)
                .find("the image of slice 7 explains less than half of the data (relative residual "
                      "0.6)"),
            0U);
  results[2] = result(0.75);
  // A slab of a volume.
  input.slab_begin = 100;
  EXPECT_EQ(warning(sirt, results)
                .find("the images of 2 slices (102, 107) explain less than half of the data "
                      "(relative residual up to 0.75)"),
            0U)
      << warning(sirt, results);
  EXPECT_CONTAINS(warning(sirt, std::vector<SolveResult>(12, result(0.6))), "109, ...)");
}

TEST_F(ExplainedData, noise_is_an_excuse) {
  // Few counts: expected 0.7.
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    input.data[i] = static_cast<double>(i % 5);
    sum += input.data[i];
    squares += input.data[i] * input.data[i];
  }
  ASSERT_NEAR(std::sqrt(sum / squares), 0.58, 0.01);
  const RunConfig mlem = configured("{type: mlem}");
  EXPECT_EQ(warning(mlem, {result(0.7)}), "");
  EXPECT_NE(warning(mlem, {result(0.9)}), "");
  EXPECT_EQ(warning(sirt, {result(0.7)}), "");
  input.has_flat_fields = true;  // line integrals
  EXPECT_NE(warning(mlem, {result(0.7)}), "");
  input.has_flat_fields = false;
  input.data[1] = 0.5;  // corrected counts
  EXPECT_EQ(warning(mlem, {result(0.7)}), "");
  EXPECT_NE(warning(sirt, {result(0.7)}), "");
  for (double& value : input.data) value *= 100;
  EXPECT_NE(warning(mlem, {result(0.7)}), "");

  // Simulated data have a known noise.
  input.facts.are_measured = false;
  double norm = 0;
  for (const double value : input.data) norm += value * value;
  norm = std::sqrt(norm);
  EXPECT_EQ(warning(sirt, {result(0.8)}, {0.7 * norm}), "");
  const std::string text = warning(sirt, {result(0.8)}, {0.1 * norm});
  EXPECT_CONTAINS(text, "these data are simulated, so the solver needs more iterations");
}

TEST_F(ExplainedData, a_region_of_interest_is_an_excuse) {
  // Rays beside an image of one pixel have most of the data.
  input.volume = {1, 1, 1.0};
  std::get<ScanRows>(input.rows).volume = input.volume;
  EXPECT_EQ(warning(sirt, {result(0.8)}), "");
  EXPECT_EQ(warning(configured("{type: fbp}"), {result(0.9)}), "");
  // The rotation centre is wrong: the image is not inside the field.
  input.volume = {8, 8, 1.0};
  auto& rows = std::get<ScanRows>(input.rows);
  rows.volume = input.volume;
  rows.scan.rotation_center = 1;
  EXPECT_NE(warning(sirt, {result(0.8)}), "");
  // The object reaches beyond the field.
  for (double& value : input.data) value += 2;
  EXPECT_EQ(warning(sirt, {result(0.8)}), "");
}

TEST_F(ExplainedData, approximate_data_excuse_a_filtered_back_projection) {
  const RunConfig fbp = configured("{type: fbp}");
  EXPECT_NE(warning(fbp, {result(0.6, 0)}), "");
  input.suspicions.push_back({SuspicionKind::views, "", "", ""});
  EXPECT_EQ(warning(fbp, {result(0.6, 0)}), "");
  EXPECT_NE(warning(sirt, {result(0.6)}), "");
  input.suspicions.clear();
  // The object reaches beyond the detector.
  for (double& value : input.data) value += 2;
  EXPECT_EQ(warning(fbp, {result(0.6, 0)}), "");
  EXPECT_NE(warning(sirt, {result(0.6)}), "");
}

}  // namespace
