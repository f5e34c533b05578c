// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Geometry, image and data of a measured scan that hardly suit each other, and legal scans like
// them.
#include <gtest/gtest.h>

#include <Tomokkos_Suspicions.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "Complaint.hpp"

namespace {

using namespace Tomokkos;

constexpr double pi = std::numbers::pi;

ScanGeometry parallel(Ordinal views, double range, Ordinal detectors, double center) {
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(views, {}, Angle::degrees(range));
  scan.detectors = detectors;
  scan.rotation_center = center;
  return scan;
}

TEST(ScanSuspicions, many_views_in_a_small_angle_are_suspected) {
  const auto of = [](Ordinal views, double range) {
    return suspect_small_span(
        ViewAngles::evenly_spaced(views, {}, Angle::degrees(range)).radians());
  };
  const auto radians = of(180, pi);
  ASSERT_TRUE(radians);
  EXPECT_EQ(radians->kind, SuspicionKind::angles);
  EXPECT_EQ(radians->evidence, "180 views span only 3.12 deg");
  EXPECT_EQ(suspect_small_span(std::vector<double>(10, 0.0))->evidence,
            "10 views all have the angle 0 deg");
  EXPECT_TRUE(of(10, 0.5));
  EXPECT_FALSE(of(9, 3));     // a few views
  EXPECT_FALSE(of(20, 6));    // a short tomosynthesis
  EXPECT_FALSE(of(70, 140));  // a tilt series
  EXPECT_FALSE(of(180, 180));
  EXPECT_FALSE(suspect_small_span({}));
}

TEST(ScanSuspicions, transmissions_without_a_logarithm_are_suspected) {
  EXPECT_EQ(suspect_clamped(86, 240)->evidence.find("86 of 240 transmissions (35.8 %)"), 0U);
  EXPECT_EQ(suspect_clamped(86, 240)->kind, SuspicionKind::data);
  EXPECT_FALSE(suspect_clamped(4, 240));
  EXPECT_FALSE(suspect_clamped(0, 0));
}

/// Line integrals of a disc of this radius at \p x from the axis, which lies at \p center.
std::vector<double> disc(Ordinal views, double range, Ordinal detectors, double center, double x,
                         double radius) {
  std::vector<double> result;
  for (Ordinal v = 0; v < views; ++v)
    for (Ordinal k = 0; k < detectors; ++k) {
      const double s = k - center - x * std::cos(range / views * v * pi / 180);
      result.push_back(std::sqrt(std::max(0.0, radius * radius - s * s)));
    }
  return result;
}

TEST(ScanSuspicions, a_centre_that_the_data_contradict_is_suspected) {
  const auto whole = disc(40, 180, 60, 29.5, 6, 15);
  const auto suspect = [&](double center) {
    return suspect_given_center(parallel(40, 180, 60, center), whole, "key");
  };
  EXPECT_CONTAINS(suspect(0)->evidence,
                  "lies at the end of the detector of elements 0 to 59, but "
                  "the data have it at 29.5");
  EXPECT_EQ(suspect(0)->kind, SuspicionKind::rotation_center);
  EXPECT_EQ(suspect(0)->place, "key");
  EXPECT_TRUE(suspect(58));
  EXPECT_CONTAINS(suspect(-3)->evidence, "lies outside");
  EXPECT_TRUE(suspect(62));
  EXPECT_FALSE(suspect(29.5));
  EXPECT_FALSE(suspect(20));  // may be tried

  // A half acquisition: the object reaches beyond the detector, and the axis is near its end.
  const auto half = disc(80, 360, 60, 3, 6, 50);
  EXPECT_FALSE(suspect_given_center(parallel(80, 360, 60, 3), half, "key"));
  // An object within the detector, with the axis near its end.
  const auto aside = disc(80, 360, 60, 4, 0, 4);
  EXPECT_FALSE(suspect_given_center(parallel(80, 360, 60, 4), aside, "key"));
  // Data that cannot tell.
  EXPECT_FALSE(
      suspect_given_center(parallel(40, 180, 60, 2), std::vector<double>(2400, 1.0), "key"));
  EXPECT_TRUE(
      suspect_given_center(parallel(40, 180, 60, -2), std::vector<double>(2400, 1.0), "key"));
}

TEST(ScanSuspicions, an_image_that_the_detector_hardly_sees_is_suspected) {
  const ScanGeometry scan = parallel(40, 180, 100, 49.5);
  const auto evidence = [&](const VolumeGeometry& volume, const ScanGeometry& of) {
    const auto suspicion = suspect_coverage(volume, of);
    if (suspicion) {
      EXPECT_EQ(suspicion->kind, SuspicionKind::views);
    }
    return suspicion ? suspicion->evidence : "";
  };
  EXPECT_CONTAINS(evidence({16, 16, 1.0, 0, 500, 0}, scan),
                  "of the rays miss the image, which is ");
  EXPECT_CONTAINS(evidence({64, 64, 1000.0}, scan), "the detector sees only");
  EXPECT_CONTAINS(evidence({64, 64, 0.0065}, scan), "whose pixels are");
  ScanGeometry wide = scan;
  wide.detector_width = 1000;
  EXPECT_CONTAINS(evidence({64, 64, 1.0}, wide), "whose pixels are");
  // A whole image, in other units too; a region of interest; local tomography.
  EXPECT_EQ(evidence({64, 64, 1.0}, scan), "");
  wide.detector_width = 0.0065;
  EXPECT_EQ(evidence({64, 64, 0.0065}, wide), "");
  EXPECT_EQ(evidence({6, 6, 1.0, 0, 20, 10}, scan), "");
  EXPECT_EQ(evidence({24, 24, 0.1}, scan), "");
  EXPECT_EQ(evidence({2000, 2000, 1.0}, scan), "");
  // A small region that only one of two opposite views of a displaced detector sees.
  const ScanGeometry displaced = parallel(80, 360, 100, 5);
  EXPECT_EQ(evidence({10, 10, 1.0, 0, 50, 0}, displaced), "");
  EXPECT_EQ(evidence({64, 64, 1.0}, displaced), "");
  // Pixels that are not squares.
  EXPECT_EQ(evidence({20, 80, 1.0, 4.0}, scan), "");
}

TEST(ScanSuspicions, outliers_are_described) {
  std::vector<double> values(2000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2.0 + std::sin(0.1 * i) * 2.1;
  EXPECT_EQ(describe_outliers(values, 1000), "");
  values[1500] = -1e30;
  values[1501] = NAN;
  EXPECT_CONTAINS(describe_outliers(values, 1000), "1 value is beyond 1000 times the 99.9th ");
  EXPECT_CONTAINS(describe_outliers(values, 1000),
                  "up to -1e+30, the first one at ray 500 of slice "
                  "1;");
  EXPECT_CONTAINS(describe_outliers(values, 2000), "at ray 1500;");
  // A bright wire, and a point in an empty scan, are usual.
  values[1500] = 400;
  EXPECT_EQ(describe_outliers(values, 1000), "");
  std::vector<double> empty(2000);
  empty[3] = 1;
  EXPECT_EQ(describe_outliers(empty, 2000), "");
}

TEST(ScanSuspicions, a_short_fan_is_described) {
  ScanGeometry scan = parallel(180, 180, 100, 49.5);
  EXPECT_EQ(describe_short_fan(scan), "");
  scan.beam = Beam::fan;
  scan.source_to_origin = 100;
  scan.origin_to_detector = 50;
  EXPECT_EQ(describe_short_fan(scan).find("problem.geometry: the views cover 180 deg, but a "
                                          "fan_beam needs at least 21"),
            0U)
      << describe_short_fan(scan);
  scan.views = ViewAngles::evenly_spaced(220, {}, Angle::degrees(220));
  EXPECT_EQ(describe_short_fan(scan), "");
  scan.views = ViewAngles::evenly_spaced(360, {}, Angle::degrees(360));
  EXPECT_EQ(describe_short_fan(scan), "");
  scan.views = ViewAngles::evenly_spaced(180, {}, Angle::degrees(180));
  scan.detector_shape = DetectorShape::curved;
  EXPECT_EQ(describe_short_fan(scan), "");
}

}  // namespace
