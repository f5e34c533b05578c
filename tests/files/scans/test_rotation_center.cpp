// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_RotationCenter.hpp>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "FileTesting.hpp"
#include "NeedsHdf5.hpp"
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

/// Line integrals of three ellipses without any symmetry, with the axis at \p center.
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

TYPED_TEST(RotationCenterTest, synthetic_centers_are_found) {
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

TEST(RotationCenter, noise_changes_the_center_little) {
  const auto angles = even_angles(360, 2 * pi, false);
  auto sinogram = asymmetric_sinogram<float>(256, angles, 121.4);
  std::mt19937 random(5);
  std::normal_distribution<float> noise(0.0f, 0.05f);
  for (float& value : sinogram) value += noise(random);
  const auto found = find_rotation_center<float>(sinogram, 256, angles);
  EXPECT_NEAR(found.center, 121.4, 0.2);
  EXPECT_EQ(found.views, 360u);
  EXPECT_EQ(found.pairs, 360u);
}

/// Scan over half a turn with 180 views of 201 elements. The axis is at element 100.
class HalfTurn : public ::testing::Test {
 protected:
  static constexpr std::size_t columns = 201;
  std::vector<double> angles = even_angles(180, pi, false);
  std::vector<double> sinogram = asymmetric_sinogram<double>(columns, angles, 100);

  RotationCenter found() const { return find_rotation_center<double>(sinogram, columns, angles); }

  void expect_both_methods(double tolerance) {
    const RotationCenter center = found();
    EXPECT_NEAR(center.center, 100, tolerance);
    ASSERT_TRUE(center.registered && center.center_of_mass);
    EXPECT_LT(*center.disagreement(), 0.5);
    EXPECT_TRUE(center.is_supported());
  }
};

TEST_F(HalfTurn, both_methods_agree) {
  expect_both_methods(0.01);
  EXPECT_LT(*found().disagreement(), 0.02);
}

TEST_F(HalfTurn, noise_and_gain_errors_are_tolerated) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0.0, 0.05);
  for (double& value : sinogram) value += noise(random);
  expect_both_methods(0.15);
  sinogram = asymmetric_sinogram<double>(columns, angles, 100);
  std::normal_distribution<double> gain(1.0, 0.03);
  for (std::size_t k = 0; k < columns; ++k) {
    const double factor = gain(random);
    for (std::size_t i = 0; i < angles.size(); ++i) sinogram[i * columns + k] *= factor;
  }
  expect_both_methods(0.15);
}

TEST_F(HalfTurn, dead_frames_are_ignored) {
  for (const std::size_t dead : {0u, 1u, 90u, 178u, 179u}) {
    for (const double value : {0.0, 13.8}) {
      SCOPED_TRACE(std::to_string(dead) + ", " + std::to_string(value));
      sinogram = asymmetric_sinogram<double>(columns, angles, 100);
      std::fill_n(sinogram.begin() + static_cast<std::ptrdiff_t>(dead * columns), columns, value);
      expect_both_methods(0.2);
      EXPECT_EQ(found().discarded_views, 1u);
    }
  }
}

TEST_F(HalfTurn, missing_values_are_bridged) {
  for (std::size_t i = 0; i < angles.size(); ++i)
    sinogram[i * columns + 60] = sinogram[i * columns + 61] = NAN;
  expect_both_methods(0.1);
}

TEST_F(HalfTurn, truncation_rules_out_only_the_center_of_mass) {
  // The detector ends within the object: only elements 60 to 200 remain.
  std::vector<double> truncated;
  for (std::size_t i = 0; i < angles.size(); ++i)
    for (std::size_t k = 60; k < columns; ++k) truncated.push_back(sinogram[i * columns + k]);
  const auto center = find_rotation_center<double>(truncated, columns - 60, angles);
  EXPECT_NEAR(center.center, 40, 0.1);
  EXPECT_FALSE(center.center_of_mass);
  EXPECT_TRUE(center.is_supported());
  EXPECT_FALSE(center.disagreement());
}

TEST_F(HalfTurn, angles_may_come_in_any_order) {
  // The angles advance by the golden angle over many turns.
  for (std::size_t i = 0; i < angles.size(); ++i)
    angles[i] = static_cast<double>(i) * 2.399963229728653;
  sinogram = asymmetric_sinogram<double>(columns, angles, 100);
  expect_both_methods(0.05);
}

TEST_F(HalfTurn, unrelated_views_do_not_support_a_center) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (double& value : sinogram) value = uniform(random);
  EXPECT_FALSE(found().is_supported()) << found().mismatch << ", " << found().typical_mismatch;
}

TEST_F(HalfTurn, without_opposite_views_nothing_supports_the_center_of_mass) {
  angles = even_angles(120, pi / 1.5, false);
  sinogram = asymmetric_sinogram<double>(columns, angles, 104);
  const RotationCenter center = found();
  EXPECT_NEAR(center.center, 104, 0.1);
  EXPECT_FALSE(center.is_supported());
  EXPECT_EQ(center.pairs, 0u);
}

TEST(RotationCenter, fan_beams_over_a_whole_turn_are_centred) {
  ScanGeometry scan;
  scan.beam = Beam::fan;
  scan.views = ViewAngles::evenly_spaced(180, {}, ViewAngles::full_turn());
  scan.detectors = 161;
  scan.detector_width = 2;
  scan.source_to_origin = 300;
  scan.origin_to_detector = 150;
  for (const double center : {80.0, 74.3, 85.75}) {
    scan.rotation_center = center;
    // The object is a disc away from the axis with a smaller disc inside.
    std::vector<double> sinogram;
    for (Ordinal view = 0; view < scan.views.count(); ++view) {
      const double t = scan.views.radians(view);
      for (Ordinal k = 0; k < scan.detectors; ++k) {
        const double fan = std::atan(scan.position(k) / 450);
        const double angle = t - fan, s = 300 * std::sin(fan);
        double sum = 0;
        for (const auto& [x, y, radius] : {std::array{12.0, -20.0, 40.0}, {30.0, -5.0, 8.0}}) {
          const double u = s - x * std::cos(angle) - y * std::sin(angle);
          if (u * u < radius * radius) sum += 2 * std::sqrt(radius * radius - u * u);
        }
        sinogram.push_back(sum);
      }
    }
    const auto found = find_rotation_center<double>(sinogram, scan);
    EXPECT_NEAR(found.center, center, 0.1);
    ASSERT_TRUE(found.center_of_mass);
    EXPECT_LT(*found.disagreement(), 0.1);
    EXPECT_TRUE(found.is_supported());
  }
}

TEST(RotationCenter, real_scans_are_centred) {
  TOMOKKOS_NEEDS_HDF5();
  for (const std::size_t row : {0u, 1u}) {
    const auto slice = read_hdf5_scan_slice<float>(test_data_path("tomography/tooth.h5"), row);
    const auto lines = transmission_to_line_integrals(slice.data, slice.white, slice.dark);
    EXPECT_EQ(lines.clamped, 0u);
    std::vector<double> angles;
    for (const double degrees : slice.theta) angles.push_back(degrees * pi / 180);
    const auto found = find_rotation_center<float>(lines.values, slice.columns, angles);
    // The data set was published with this centre.
    EXPECT_NEAR(found.center, 296, 1) << found.mismatch;
    EXPECT_TRUE(found.is_supported());
    if (found.center_of_mass) {
      EXPECT_LT(*found.disagreement(), 0.5);
    }
  }
}

TEST(RotationCenter, unusable_sinograms_are_refused) {
  const auto message = [](const std::vector<double>& sinogram, const std::vector<double>& angles) {
    return message_of<Error>(
        [&] { find_rotation_center<double>(sinogram, sinogram.size() / angles.size(), angles); });
  };
  const auto quarter = even_angles(90, pi / 2, false);
  // The object extends beyond the detector.
  auto truncated = asymmetric_sinogram<double>(64, quarter, 10);
  EXPECT_NE(message(truncated, quarter).find("less than 180 degrees"), std::string::npos);
  const auto half = even_angles(20, pi, true);
  EXPECT_NE(message(std::vector<double>(20 * 16), half).find("is zero"), std::string::npos);
  EXPECT_NE(message(std::vector<double>(20 * 16, 3.0), half).find("is constant"),
            std::string::npos);
  std::vector<double> broken(20 * 16, 1.0);
  broken[7] = INFINITY;
  EXPECT_NE(message(broken, half).find("infinite"), std::string::npos);
  const std::vector<double> too_short(5);
  EXPECT_THROW(find_rotation_center<double>(too_short, 16, half), DimensionMismatch);
}

}  // namespace
