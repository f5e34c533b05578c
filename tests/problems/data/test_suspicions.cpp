// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_Suspicions.hpp>
#include <cmath>
#include <numbers>

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
  EXPECT_NE(suspect_range(0, 180)->remedy.find("180 deg"), std::string::npos);
  EXPECT_FALSE(suspect_range(0, 3.141592653589793));
  EXPECT_FALSE(suspect_range(-pi, 4 * pi));

  EXPECT_TRUE(suspect_angles(steps(180, 1)));
  EXPECT_NE(suspect_angles(steps(180, 1))->evidence.find("look like degrees"), std::string::npos);
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
  EXPECT_TRUE(suspect_theta(steps(180, pi / 180)));
  EXPECT_TRUE(suspect_theta(steps(181, pi / 180)));
  EXPECT_TRUE(suspect_theta(steps(250, 2 * pi / 250)));
  EXPECT_FALSE(suspect_theta(steps(180, 1)));
  EXPECT_FALSE(suspect_theta(steps(4, 1)));
  EXPECT_FALSE(suspect_theta(steps(60, 0.1)));
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
  EXPECT_NE(many->evidence.find("21 of 1000 rays (2.1 %)"), std::string::npos);
  EXPECT_FALSE(suspect_missing_data(0, 0, 0));
}

}  // namespace
