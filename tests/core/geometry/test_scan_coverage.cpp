// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the image and lines that a detector does not see, and data that do not reach zero.
#include <gtest/gtest.h>

#include <Tomokkos_DataEnds.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ScanCoverage.hpp>
#include <cmath>
#include <numbers>

namespace {

using namespace Tomokkos;

constexpr double pi = std::numbers::pi;

ScanGeometry parallel(Ordinal views, double range, double center) {
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(views, {}, Angle::degrees(range));
  scan.detectors = 120;
  scan.detector_width = 0.5;
  scan.rotation_center = center;
  return scan;
}

ScanGeometry fan(double offset) {
  ScanGeometry scan = parallel(360, 360, 0);
  scan.beam = Beam::fan;
  scan.rotation_center.reset();
  scan.detector_offset = offset;
  scan.source_to_origin = 100;
  scan.origin_to_detector = 50;
  return scan;
}

TEST(ScanCoverage, counts_how_often_lines_are_measured) {
  // Elements from -7.75 to 52.25 of the axis.
  const MeasuredLines half_acquisition = measured_lines(parallel(360, 360, 15));
  EXPECT_DOUBLE_EQ(half_acquisition.two_sided, 7.75);
  EXPECT_DOUBLE_EQ(half_acquisition.one_sided, 52.25);
  EXPECT_EQ(half_acquisition.times(5), 2);
  EXPECT_EQ(half_acquisition.times(20), 1);
  EXPECT_EQ(half_acquisition.times(53), 0);
  EXPECT_TRUE(half_acquisition.is_displaced);
  EXPECT_EQ(half_acquisition.short_side, DetectorSide::low);
  const MeasuredLines half_turn = measured_lines(parallel(180, 180, 15));
  EXPECT_EQ(half_turn.times(5), 1);
  EXPECT_EQ(half_turn.times(20), 0);
  const MeasuredLines beside = measured_lines(parallel(360, 360, -5));
  EXPECT_EQ(beside.times(2), 0);
  EXPECT_EQ(beside.times(3), 1);
  const MeasuredLines centred = measured_lines(parallel(360, 360, 59.5));
  EXPECT_EQ(centred.short_side, DetectorSide::none);
  EXPECT_FALSE(centred.is_displaced);
  // Few views of half a turn are no whole turn.
  EXPECT_FALSE(measured_lines(parallel(3, 180, 15)).is_whole_turn);
  // A ray at t on the detector passes the axis at 100 sin(atan(t / 150)).
  const MeasuredLines of_fan = measured_lines(fan(-40));
  EXPECT_NEAR(of_fan.one_sided, 100 * std::sin(std::atan(50.0 / 150)), 1e-12);
  EXPECT_NEAR(of_fan.two_sided, 100 * std::sin(std::atan(10.0 / 150)), 1e-12);
  EXPECT_EQ(of_fan.short_side, DetectorSide::high);
}

TEST(ScanCoverage, says_where_the_image_projects_beyond_the_detector) {
  const VolumeGeometry square{40, 40, 1.0};
  ScanGeometry scan = parallel(8, 360, 15);
  const ScanCoverage coverage = scan_coverage(square, scan);
  ASSERT_EQ(coverage.views.size(), 8U);
  // The image extends from -20 to 20, and at 45 deg by sqrt(2) more; elements are half as wide.
  EXPECT_NEAR(coverage.views[0].below, 2 * (20 - 7.75), 1e-9);
  EXPECT_NEAR(coverage.views[1].below, 2 * (20 * std::sqrt(2.0) - 7.75), 1e-9);
  EXPECT_EQ(coverage.views[1].beyond, 0);
  EXPECT_EQ(coverage.largest.below, coverage.views[1].below);
  scan.rotation_center = 59.5;
  EXPECT_EQ(scan_coverage(square, scan).largest.below, 0);
  // A corner (20, -20) of the image is magnified by 150 / 80 in the view from below.
  ScanGeometry close = fan(0);
  close.detectors = 60;
  const Overhang overhang = scan_coverage(square, close).views[0];
  EXPECT_NEAR(overhang.beyond, 2 * (20 * 150 / 80.0 - 15), 1e-9);
  EXPECT_NEAR(overhang.below, overhang.beyond, 1e-9);
  close.detector_shape = DetectorShape::curved;
  EXPECT_NEAR(scan_coverage(square, close).views[0].beyond, 2 * (150 * std::atan(20 / 80.0) - 15),
              1e-9);
}

TEST(ScanCoverage, says_how_much_of_image_and_detector_see_each_other) {
  // A detector of 120 elements of 0.5, with the axis in its middle.
  const ScanGeometry scan = parallel(8, 360, 59.5);
  const ScanCoverage whole = scan_coverage({20, 20, 1.0}, scan);
  EXPECT_TRUE(whole.is_inside);
  EXPECT_EQ(whole.image, 1);
  EXPECT_NEAR(whole.width, 40 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(whole.rays, 40 * (1 + std::sqrt(2.0)) / 2 / 120, 1e-9);
  const ScanCoverage region = scan_coverage({3000, 3000, 1.0}, scan);
  EXPECT_FALSE(region.is_inside);
  EXPECT_NEAR(region.rays, 1, 1e-12);
  EXPECT_NEAR(region.image, 0.02, 1e-9);
  // Opposite views of a displaced detector see the whole image together.
  EXPECT_TRUE(scan_coverage({20, 20, 1.0}, parallel(8, 360, 15)).is_inside);
  EXPECT_FALSE(scan_coverage({20, 20, 1.0}, parallel(8, 180, 15)).is_inside);
  // Beside the field: only the views along x see it.
  const ScanCoverage beside = scan_coverage({20, 20, 1.0, 0, 200, 0}, scan);
  EXPECT_FALSE(beside.is_inside);
  EXPECT_NEAR(beside.rays, 2 * 40 / (8 * 120.0), 1e-9);
}

TEST(ScanCoverage, shares_lines_among_opposite_views) {
  for (const double center : {3.0, 15.0, 40.0, 57.5, 80.0, 110.5}) {
    const ScanGeometry scan = parallel(360, 360, center);
    const std::vector<double> weights = opposite_weights(scan);
    ASSERT_EQ(weights.size(), 120U);
    for (Ordinal i = 0; i < 120; ++i) {
      const double opposite = 2 * center - i;
      const auto at = static_cast<std::size_t>(i);
      const bool both = opposite >= 0 && opposite <= 119;
      const double other = both ? weights[static_cast<std::size_t>(opposite)] : 0;
      EXPECT_NEAR(weights[at] + other, 2, 1e-12) << center << ", element " << i;
      if (i > 0 && both) {
        EXPECT_LT(std::fabs(weights[at] - weights[at - 1]), 0.6) << i;
      }
    }
    EXPECT_NEAR(weights[center < 59.5 ? 0 : 119], 0, 1e-12);
  }
  EXPECT_TRUE(opposite_weights(parallel(360, 360, 59.5)).empty());
  EXPECT_TRUE(opposite_weights(parallel(180, 180, 15)).empty());
  EXPECT_TRUE(opposite_weights(fan(0)).empty());
  EXPECT_FALSE(opposite_weights(fan(20)).empty());
  // Close to the centre, only a few elements differ from 1.
  const std::vector<double> close = opposite_weights(parallel(360, 360, 59.6));
  for (std::size_t i = 4; i < 116; ++i) EXPECT_EQ(close[i], 1);
}

/// Data of a disc in 100 views of 80 elements.
std::vector<double> disc_data(double radius, double x, double background = 0) {
  std::vector<double> data;
  for (int view = 0; view < 100; ++view)
    for (int i = 0; i < 80; ++i) {
      const double s = i - 39.5 - x * std::cos(pi * view / 100);
      // Noise of 5 % of the peak.
      data.push_back(std::sqrt(std::max(0.0, radius * radius - s * s)) + background +
                     0.05 * radius * std::sin(12.9898 * (i * 101 + view * view % 7919)));
    }
  return data;
}

TEST(DataEnds, finds_data_that_do_not_reach_zero) {
  const DataEnds whole = data_ends(disc_data(30, 5), 100, 80);
  EXPECT_FALSE(whole.low.is_truncated() || whole.high.is_truncated());
  EXPECT_FALSE(data_ends(disc_data(30, 5, 0.5), 100, 80).low.is_truncated());
  const DataEnds cut = data_ends(disc_data(60, 0), 100, 80);
  EXPECT_EQ(cut.low.views, 100);
  EXPECT_EQ(cut.high.views, 100);
  EXPECT_NEAR(cut.low.level, std::sqrt(60.0 * 60 - 39.5 * 39.5) / 60, 0.1);
  // At 0 deg the disc leaves the detector at the last element, at 180 deg at the first one.
  const DataEnds beside = data_ends(disc_data(30, 25), 100, 80);
  EXPECT_GT(beside.high.views, 20);
  EXPECT_LT(beside.high.views, 60);
  EXPECT_GT(beside.low.views, 20);
  // An object that ends just inside the detector, and a bright element at its end, do not count.
  std::vector<double> inside(100 * 400), bright = disc_data(30, 5);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const double s = static_cast<double>(i % 400) - 199.5;
    inside[i] = std::sqrt(std::max(0.0, 197.0 * 197 - s * s));
  }
  EXPECT_FALSE(data_ends(inside, 100, 400).low.is_truncated());
  for (std::size_t view = 0; view < 100; ++view) bright[80 * view + 79] = 30;
  EXPECT_FALSE(data_ends(bright, 100, 80).high.is_truncated());
  // All slices of a stack count.
  std::vector<double> stack = disc_data(30, 5);
  const std::vector<double> other = disc_data(60, 0);
  stack.insert(stack.end(), other.begin(), other.end());
  EXPECT_EQ(data_ends(stack, 100, 80).low.views, 100);
  // Missing elements at the ends do not hide it, and a mask counts as missing.
  std::vector<double> missing = disc_data(60, 0);
  std::vector<char> mask(missing.size(), 1);
  for (std::size_t view = 0; view < 100; ++view) {
    missing[80 * view] = std::nan("");
    for (std::size_t i : {78, 79}) missing[80 * view + i] = mask[80 * view + i] = 0;
  }
  EXPECT_EQ(data_ends(missing, 100, 80, mask).low.views, 100);
  EXPECT_EQ(data_ends(missing, 100, 80, mask).high.views, 100);
  EXPECT_EQ(data_ends(missing, 100, 80).high.views, 0);
}

}  // namespace
