// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_RotationCenter.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "FileTesting.hpp"
#include "TestData.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr double pi = std::numbers::pi;

std::vector<double> even_angles(std::size_t views, double range, bool with_end) {
  std::vector<double> angles(views);
  const double steps = static_cast<double>(with_end ? views - 1 : views);
  for (std::size_t i = 0; i < views; ++i) angles[i] = range * static_cast<double>(i) / steps;
  return angles;
}

/// Line integrals of three ellipses without any symmetry, the axis at \p center.
template <class Scalar>
std::vector<Scalar> asymmetric_sinogram(std::size_t columns, const std::vector<double>& angles,
                                        double center) {
  struct Ellipse {
    double value, x, y, a, b, turn;
  };
  const double scale = static_cast<double>(columns) / 2;
  const Ellipse ellipses[] = {{1, 0.05, 0.02, 0.6, 0.5, 0.3},
                              {-0.5, 0.3, 0.1, 0.2, 0.1, 1.0},
                              {2, -0.2, 0.35, 0.08, 0.12, 0}};
  std::vector<Scalar> sinogram;
  for (const double t : angles) {
    for (std::size_t k = 0; k < columns; ++k) {
      const double s = (static_cast<double>(k) - center) / scale;
      double sum = 0;
      for (const Ellipse& e : ellipses) {
        const double c = e.a * std::cos(t - e.turn);
        const double d = e.b * std::sin(t - e.turn);
        const double r2 = c * c + d * d;
        const double u = s - e.x * std::cos(t) - e.y * std::sin(t);
        if (u * u < r2) sum += 2 * e.value * e.a * e.b * std::sqrt(r2 - u * u) / r2;
      }
      sinogram.push_back(static_cast<Scalar>(sum));
    }
  }
  return sinogram;
}

template <class Scalar>
class RotationCenterTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RotationCenterTest, Scalars);

TYPED_TEST(RotationCenterTest, SyntheticCentersAreFound) {
  struct Scan {
    const char* name;
    std::vector<double> angles;
  };
  std::vector<double> shifted = even_angles(180, pi, false);
  for (double& angle : shifted) angle += 0.7;
  const Scan scans[] = {{"half turn with its end", even_angles(181, pi, true)},
                        {"half turn without its end", even_angles(180, pi, false)},
                        {"half turn from 0.7", shifted},
                        {"full turn", even_angles(360, 2 * pi, false)},
                        {"full turn, odd", even_angles(301, 2 * pi, false)},
                        {"200 degrees", even_angles(201, 200 * pi / 180, true)}};
  for (const Scan& scan : scans) {
    for (const double center : {127.5, 127.0, 120.3, 133.85, 110.07}) {
      SCOPED_TRACE(scan.name + std::string(", ") + std::to_string(center));
      const auto sinogram = asymmetric_sinogram<TypeParam>(256, scan.angles, center);
      const auto found = find_rotation_center<TypeParam>(sinogram, 256, scan.angles);
      EXPECT_NEAR(found.center, center, 0.1);
      EXPECT_LT(found.mismatch, 0.01);
    }
  }
}

TEST(RotationCenter, NoiseMovesItLittle) {
  const auto angles = even_angles(360, 2 * pi, false);
  auto sinogram = asymmetric_sinogram<float>(256, angles, 121.4);
  std::mt19937 random(5);
  std::normal_distribution<float> noise(0.0f, 0.05f);
  for (float& value : sinogram) value += noise(random);
  const auto found = find_rotation_center<float>(sinogram, 256, angles);
  EXPECT_NEAR(found.center, 121.4, 0.2);
  EXPECT_EQ(found.pairs, 16u);
}

TEST(RotationCenter, RealScansAreCentred) {
  TOMOKKOS_NEEDS_TEST_DATA("tomography/tooth.h5");
  for (const std::size_t row : {0u, 1u}) {
    const auto slice = read_hdf5_scan_slice<float>(test_data_path("tomography/tooth.h5"), row);
    const auto lines = transmission_to_line_integrals(slice.data, slice.white, slice.dark);
    EXPECT_EQ(lines.replaced, 0u);
    std::vector<double> angles;
    for (const double degrees : slice.theta_degrees) angles.push_back(degrees * pi / 180);
    const auto found = find_rotation_center<float>(lines.values, slice.columns, angles);
    // The centre that the data set is published with.
    EXPECT_NEAR(found.center, 296, 1) << found.mismatch;
  }
}

TEST(RotationCenter, WhatTellsNothingIsRefused) {
  const auto message = [](const std::vector<double>& sinogram, const std::vector<double>& angles) {
    return message_of<Error>(
        [&] { find_rotation_center<double>(sinogram, sinogram.size() / angles.size(), angles); });
  };
  const auto quarter = even_angles(90, pi / 2, false);
  EXPECT_NE(
      message(asymmetric_sinogram<double>(64, quarter, 31), quarter).find("less than 180 degrees"),
      std::string::npos);
  const auto half = even_angles(20, pi, true);
  EXPECT_NE(message(std::vector<double>(20 * 16), half).find("is zero"), std::string::npos);
  EXPECT_NE(message(std::vector<double>(20 * 16, 3.0), half).find("is constant"),
            std::string::npos);
  std::vector<double> broken(20 * 16, 1.0);
  broken[7] = NAN;
  EXPECT_NE(message(broken, half).find("not finite"), std::string::npos);
  std::vector<double> falling(half.rbegin(), half.rend());
  EXPECT_NE(message(asymmetric_sinogram<double>(64, half, 31), falling).find("ascend"),
            std::string::npos);
  const std::vector<double> short_one(5);
  EXPECT_THROW(find_rotation_center<double>(short_one, 16, half), DimensionMismatch);
}

}  // namespace
