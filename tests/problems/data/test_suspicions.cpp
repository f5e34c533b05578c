// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_Suspicions.hpp>
#include <cmath>
#include <numbers>

#include "Complaint.hpp"

namespace {

using namespace Tomokkos;

constexpr double pi = std::numbers::pi;

std::vector<double> steps(std::size_t count, double step, double first = 0) {
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = first + step * static_cast<double>(i);
  return result;
}

TEST(Suspicions, degrees_without_a_unit_are_suspected) {
  EXPECT_TRUE(suspect_range(0, 180));
  EXPECT_TRUE(suspect_range(0, -360));
  EXPECT_TRUE(suspect_range(90, 3.14));
  EXPECT_TRUE(suspect_range(1e18, pi));
  EXPECT_CONTAINS(suspect_range(0, 180)->remedy, "180 deg");
  EXPECT_FALSE(suspect_range(0, 3.141592653589793));
  EXPECT_FALSE(suspect_range(-pi, 4 * pi));

  EXPECT_TRUE(suspect_angles(steps(180, 1)));
  EXPECT_CONTAINS(suspect_angles(steps(180, 1))->evidence, "look like degrees");
  EXPECT_TRUE(suspect_angles(steps(721, 0.25, -90)));
  // Golden angles span many turns, but their steps are not round numbers of degrees.
  const auto golden = suspect_angles(steps(100, 2.399963229728653));
  ASSERT_TRUE(golden);
  EXPECT_EQ(golden->evidence.find("look like degrees"), std::string::npos);
  EXPECT_FALSE(suspect_angles(steps(180, pi / 179)));
  EXPECT_FALSE(suspect_angles(steps(3, 0.5)));
  EXPECT_FALSE(suspect_angles({}));
}

TEST(Suspicions, radians_given_as_degrees_are_suspected) {
  EXPECT_TRUE(suspect_theta(steps(180, pi / 180), "/exchange/theta"));
  EXPECT_TRUE(suspect_theta(steps(181, pi / 180), "/exchange/theta"));
  EXPECT_TRUE(suspect_theta(steps(250, 2 * pi / 250), "/exchange/theta"));
  EXPECT_FALSE(suspect_theta(steps(180, 1), "/exchange/theta"));
  EXPECT_FALSE(suspect_theta(steps(4, 1), "/exchange/theta"));
  EXPECT_FALSE(suspect_theta(steps(60, 0.1), "/exchange/theta"));
  EXPECT_EQ(suspect_theta(steps(180, pi / 180), "/a/b")->evidence.find("/a/b has no unit"), 0U);
}

TEST(Suspicions, views_without_signal_are_suspected) {
  const std::vector<std::size_t> views{3, 7};
  const auto some = suspect_dark_views(views, 5, 24, 1);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->kind, SuspicionKind::data);
  EXPECT_EQ(
      some->evidence.find("5 of 24 views have no signal above the dark field in slice 1: views "
                          "3, 7, ..."),
      0U)
      << some->evidence;
  EXPECT_CONTAINS(suspect_dark_views(std::vector<std::size_t>{9}, 1, 24, 0)->evidence, "view 9 (");
  EXPECT_FALSE(suspect_dark_views({}, 0, 24, 0));
}

TEST(Suspicions, unsupported_centers_are_suspected) {
  RotationCenter found;
  found.center = 99.5;
  found.registered = 99.5;
  found.center_of_mass = 99.6;
  found.pairs = 2;
  found.mismatch = 0.01;
  found.typical_mismatch = 0.4;
  EXPECT_FALSE(suspect_rotation_center(found));
  found.center_of_mass = 100.1;
  EXPECT_TRUE(suspect_rotation_center(found));
  found.center_of_mass.reset();
  EXPECT_FALSE(suspect_rotation_center(found));
  found.mismatch = 1.2;
  EXPECT_TRUE(suspect_rotation_center(found));
  found.pairs = 0;
  found.registered.reset();
  EXPECT_TRUE(suspect_rotation_center(found));
}

TEST(Suspicions, many_missing_rays_are_suspected) {
  EXPECT_FALSE(suspect_missing_data(10, 10, 1000));
  const auto many = suspect_missing_data(10, 11, 1000);
  ASSERT_TRUE(many);
  EXPECT_CONTAINS(many->evidence, "21 of 1000 rays (2.1 %)");
  EXPECT_FALSE(suspect_missing_data(0, 0, 0));
}

ScanGeometry parallel(Ordinal views, double range, double center) {
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(views, {}, Angle::degrees(range));
  scan.detectors = 120;
  scan.rotation_center = center;
  return scan;
}

/// Evidence against the views, empty if there is none.
std::string evidence(const ScanGeometry& scan, const DataEnds* ends = nullptr, Ordinal size = 100) {
  const auto suspicion = suspect_views({size, size, 1.0}, scan, ends, "solver.type", "do it");
  if (!suspicion) return "";
  EXPECT_EQ(suspicion->kind, SuspicionKind::views);
  EXPECT_EQ(suspicion->place, "solver.type");
  EXPECT_EQ(suspicion->remedy, "do it");
  return suspicion->evidence;
}

TEST(Suspicions, missing_directions_are_suspected) {
  EXPECT_EQ(evidence(parallel(180, 180, 59.5)), "");
  EXPECT_EQ(evidence(parallel(360, 360, 20)), "");
  EXPECT_EQ(evidence(parallel(70, 140, 59.5)),
            "the views cover 140 deg, but fbp of a parallel_beam needs at least 180 deg");
  EXPECT_CONTAINS(evidence(parallel(5, 170, 59.5)), "the views cover 170 deg, but");
  ScanGeometry lost = parallel(180, 180, 59.5);
  std::vector<double> angles;
  for (int i = 0; i < 180; ++i)
    if (i < 40 || i >= 45) angles.push_back(i * pi / 180);
  lost.views = ViewAngles::list(angles);
  EXPECT_CONTAINS(evidence(lost), "a gap of 6 deg after 39 deg");
  // Three lost views leave four usual gaps.
  angles.clear();
  for (int i = 0; i < 180; ++i)
    if (i < 40 || i >= 43) angles.push_back(i * pi / 180);
  lost.views = ViewAngles::list(angles);
  EXPECT_EQ(evidence(lost), "");
}

TEST(Suspicions, missing_opposite_rays_are_suspected) {
  DataEnds whole, low, high;
  low.low = {180, 0.5};
  high.high = {180, 0.5};
  const ScanGeometry displaced = parallel(180, 180, 15);
  EXPECT_CONTAINS(evidence(displaced), "opposite rays are missing");
  EXPECT_CONTAINS(evidence(displaced, &low), "opposite rays are missing");
  // The object does not reach beyond the shorter side, the image does not, or the views are
  // opposite.
  EXPECT_EQ(evidence(displaced, &whole), "");
  EXPECT_EQ(evidence(displaced, &high), "");
  EXPECT_EQ(evidence(displaced, &low, 20), "");
  EXPECT_EQ(evidence(parallel(360, 360, 15), &low), "");
  // A usual shift of the axis, and a region of interest.
  EXPECT_EQ(evidence(parallel(180, 180, 56), &low), "");
  EXPECT_CONTAINS(evidence(parallel(360, 360, -3)), "the axis lies beside the detector");
  ScanGeometry fan = parallel(240, 240, 40);
  fan.beam = Beam::fan;
  fan.source_to_origin = 300;
  fan.origin_to_detector = 100;
  EXPECT_CONTAINS(evidence(fan, &low), "opposite rays are missing");
}

}  // namespace
