// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filtered back projections of pictures whose line integrals are known in closed form.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "DeviceCsr.hpp"

namespace {

using namespace Tomokkos;
using TestMemory = TestSpace::memory_space;
constexpr double pi = std::numbers::pi;

/// Sum of two Gaussian bells, which are as good as limited in frequency.
struct Bells {
  struct Bell {
    double x, y, height, width;
  };
  Bell bells[2] = {{13.0, -9.0, 1.0, 4.0}, {-17.5, 6.0, 0.5, 5.0}};

  double at(double x, double y) const {
    double sum = 0;
    for (const Bell& b : bells)
      sum += b.height *
             std::exp(-((x - b.x) * (x - b.x) + (y - b.y) * (y - b.y)) / (2 * b.width * b.width));
    return sum;
  }
  /// Integral along the line x cos t + y sin t = s.
  double along(double t, double s) const {
    double sum = 0;
    for (const Bell& b : bells) {
      const double d = s - (b.x * std::cos(t) + b.y * std::sin(t));
      sum += b.height * b.width * std::sqrt(2 * pi) * std::exp(-d * d / (2 * b.width * b.width));
    }
    return sum;
  }
};

/// Returns the data of a scan, from the description of its rays in `ScanGeometry`.
std::vector<double> data_of(const Bells& bells, const ScanGeometry& scan) {
  std::vector<double> data;
  for (const double angle : scan.views.radians())
    for (Ordinal i = 0; i < scan.detectors; ++i) {
      const double s = scan.position(i);
      if (scan.beam == Beam::parallel) {
        data.push_back(bells.along(angle, s));
        continue;
      }
      // The ray from the source to the element.
      const double source_x = scan.source_to_origin * std::sin(angle);
      const double source_y = -scan.source_to_origin * std::cos(angle);
      const double x = -scan.origin_to_detector * std::sin(angle) + s * std::cos(angle) - source_x;
      const double y = scan.origin_to_detector * std::cos(angle) + s * std::sin(angle) - source_y;
      const double normal = std::atan2(-x, y);
      data.push_back(
          bells.along(normal, source_x * std::cos(normal) + source_y * std::sin(normal)));
    }
  return data;
}

ScanGeometry parallel_scan(ViewAngles views) {
  ScanGeometry scan;
  scan.views = std::move(views);
  scan.detectors = 111;
  return scan;
}

ScanGeometry fan_scan(ViewAngles views) {
  ScanGeometry scan = parallel_scan(std::move(views));
  scan.beam = Beam::fan;
  scan.source_to_origin = 150;
  scan.origin_to_detector = 70;
  scan.detectors = 141;
  scan.detector_width = 1.3;
  return scan;
}

ViewAngles degrees(Ordinal count, double range, double start = 0) {
  return ViewAngles::evenly_spaced(count, Angle::degrees(start), Angle::degrees(range));
}

const VolumeGeometry volume{70, 80, 1.0};

template <class Scalar>
std::vector<Scalar> image_of(const ScanGeometry& scan, const std::vector<double>& data,
                             RampWindow window = RampWindow::ram_lak, std::size_t slices = 1,
                             const VolumeGeometry& of = volume) {
  const TestSpace exec;
  const FilteredBackProjection<TestSpace, Scalar> fbp(exec, of, scan, window);
  const std::vector<Scalar> values(data.begin(), data.end());
  const auto device = copy_to_device(exec, values);
  const auto rays = static_cast<std::size_t>(scan.num_rays());
  const auto pixels = static_cast<std::size_t>(of.num_pixels());
  const auto images = allocate<Vector<Scalar, TestMemory>>(exec, "images", pixels * slices);
  fbp.apply(exec, {device.data(), rays, slices}, {images.data(), pixels, slices});
  exec.fence();
  return to_std_vector(images);
}

/// Largest difference from the bells, away from the border.
template <class Scalar>
double error_of(const std::vector<Scalar>& image, const Bells& bells) {
  double largest = 0;
  for (Ordinal row = 3; row < volume.rows - 3; ++row)
    for (Ordinal column = 3; column < volume.columns - 3; ++column) {
      const double x = column - 0.5 * (volume.columns - 1), y = 0.5 * (volume.rows - 1) - row;
      const double found = image[static_cast<std::size_t>(row) * volume.columns + column];
      largest = std::max(largest, std::abs(found - bells.at(x, y)));
    }
  return largest;
}

struct NamedScan {
  std::string name;
  ScanGeometry scan;
};

std::vector<NamedScan> scans() {
  std::vector<NamedScan> result{
      {"half a turn", parallel_scan(degrees(180, 180))},
      {"a whole turn from 33 deg", parallel_scan(degrees(300, 360, 33))},
      {"backwards", parallel_scan(degrees(180, -180, 12))},
      {"200 deg", parallel_scan(degrees(200, 200))},
      {"fan, a whole turn", fan_scan(degrees(360, 360))},
      {"fan, a whole turn backwards", fan_scan(degrees(361, -360, 20))},
      {"fan, short scan", fan_scan(degrees(240, 240, 50))},
      {"fan, 300 deg", fan_scan(degrees(300, 300))},
      {"fan, short scan backwards", fan_scan(degrees(240, -240, 10))},
  };
  // Every third direction twice as far from the next.
  std::vector<double> uneven;
  for (int i = 0; i < 270; ++i)
    if (i % 3 != 1) uneven.push_back((i + 0.2) * pi / 270);
  std::reverse(uneven.begin(), uneven.begin() + 90);
  result.push_back({"a list of uneven angles", parallel_scan(ViewAngles::list(uneven))});
  NamedScan shifted{"off centre", parallel_scan(degrees(180, 180))};
  shifted.scan.rotation_center = 52.3;
  result.push_back(shifted);
  NamedScan narrow{"narrow elements", parallel_scan(degrees(180, 180))};
  narrow.scan.detectors = 201;
  narrow.scan.detector_width = 0.55;
  result.push_back(narrow);
  return result;
}

template <class Scalar>
class FilteredBackProjectionTest : public ::testing::Test {};
using BothScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FilteredBackProjectionTest, BothScalars);

TYPED_TEST(FilteredBackProjectionTest, recovers_bells_from_every_scan) {
  const Bells bells;
  for (const auto& [name, scan] : scans()) {
    SCOPED_TRACE(name);
    EXPECT_LT(error_of(image_of<TypeParam>(scan, data_of(bells, scan)), bells), 0.012);
  }
}

TYPED_TEST(FilteredBackProjectionTest, recovers_a_region_with_flat_pixels) {
  const Bells bells;
  const VolumeGeometry region{24, 30, 1.1, 0.7, 12.5, -8.0};
  for (const ScanGeometry& scan : {parallel_scan(degrees(180, 180)), fan_scan(degrees(360, 360))}) {
    const auto image =
        image_of<TypeParam>(scan, data_of(bells, scan), RampWindow::ram_lak, 1, region);
    for (Ordinal row = 0; row < region.rows; ++row)
      for (Ordinal column = 0; column < region.columns; ++column)
        ASSERT_NEAR(image[static_cast<std::size_t>(row) * region.columns + column],
                    bells.at(region.x(column), region.y(row)), 0.012);
  }
}

TEST(ViewShares, refuses_other_scans_than_flat_detectors_that_turn) {
  ScanGeometry curved = fan_scan(degrees(360, 360));
  curved.detector_shape = DetectorShape::curved;
  EXPECT_THROW(view_shares(curved), Refused);
  EXPECT_THROW(view_shares(make_vector_scan(Beam::parallel, {{0, 1, 0, 0, 1, 0}}, 3)), Refused);
}

TYPED_TEST(FilteredBackProjectionTest, keeps_the_mass_with_every_window) {
  const Bells bells;
  double mass = 0;
  for (const auto& b : bells.bells) mass += 2 * pi * b.height * b.width * b.width;
  const ScanGeometry scan = parallel_scan(degrees(180, 180));
  const std::vector<double> data = data_of(bells, scan);
  double sharpest = 0;
  for (const auto& [window, name] : EnumNames<RampWindow>::names) {
    SCOPED_TRACE(std::string(name));
    const auto image = image_of<TypeParam>(scan, data, window);
    double sum = 0, peak = 0;
    for (const TypeParam value : image) {
      sum += value;
      peak = std::max(peak, static_cast<double>(value));
    }
    EXPECT_NEAR(sum, mass, 0.01 * mass);
    // Other windows damp more, in this order but for hann and hamming, which come last.
    if (window == RampWindow::ram_lak) sharpest = peak;
    EXPECT_LE(peak, sharpest);
    EXPECT_GT(peak, 0.9 * sharpest);
  }
}

TYPED_TEST(FilteredBackProjectionTest, treats_slices_alike_and_repeats_its_bits) {
  const Bells bells;
  for (const ScanGeometry& scan : {parallel_scan(degrees(30, 180)), fan_scan(degrees(40, 360))}) {
    const std::vector<double> data = data_of(bells, scan);
    std::vector<double> stack;
    for (const double value : data)
      for (const double factor : {1.0, -2.0, 0.5}) stack.push_back(factor * value);
    const auto alone = image_of<TypeParam>(scan, data);
    EXPECT_EQ(alone, image_of<TypeParam>(scan, data));
    const auto together = image_of<TypeParam>(scan, stack, RampWindow::ram_lak, 3);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      ASSERT_EQ(together[3 * i], alone[i]);
      ASSERT_EQ(together[3 * i + 1], -2 * alone[i]);
    }
  }
}

TEST(RampFilter, is_the_transform_of_its_window) {
  const auto window_at = [](RampWindow window, double f) {
    // f in units of the sampling frequency, at most 1/2.
    switch (window) {
      case RampWindow::shepp_logan:
        return f == 0 ? 1.0 : std::sin(pi * f) / (pi * f);
      case RampWindow::cosine:
        return std::cos(pi * f);
      case RampWindow::hamming:
        return 0.54 + 0.46 * std::cos(2 * pi * f);
      case RampWindow::hann:
        return 0.5 + 0.5 * std::cos(2 * pi * f);
      default:
        return 1.0;
    }
  };
  for (const auto& [window, name] : EnumNames<RampWindow>::names) {
    SCOPED_TRACE(std::string(name));
    const std::vector<double> weights = ramp_filter(window, 12);
    for (int k = 0; k < 12; ++k) {
      // Simpson's rule on [0, 1/2].
      constexpr int steps = 4000;
      double sum = 0;
      for (int i = 0; i <= steps; ++i) {
        const double f = 0.5 * i / steps;
        const double part = f * window_at(window, f) * std::cos(2 * pi * f * k);
        sum += part * (i == 0 || i == steps ? 1 : (i % 2 == 1 ? 4 : 2));
      }
      EXPECT_NEAR(weights[static_cast<std::size_t>(k)], 2 * sum * 0.5 / steps / 3, 1e-10) << k;
    }
  }
}

TEST(ViewShares, divide_the_turn_among_the_views) {
  for (const auto& [name, scan] : scans()) {
    SCOPED_TRACE(name);
    const ViewShares shares = view_shares(scan);
    double sum = 0;
    for (const double share : shares.radians) {
      EXPECT_GT(share, 0);
      sum += share;
    }
    EXPECT_NEAR(sum, shares.arc, 1e-9);
  }
  const std::vector<double> uneven =
      view_shares(parallel_scan(ViewAngles::list({0, 0.5, 2}))).radians;
  EXPECT_NEAR(uneven[0], 0.5 * (0.5 + pi - 2), 1e-12);
  EXPECT_NEAR(uneven[1], 1.0, 1e-12);
}

TEST(ViewShares, tell_which_directions_are_missing) {
  const auto degrees_of = [](double radians) { return radians * 180 / pi; };
  const ViewShares wedge = view_shares(parallel_scan(degrees(140, 140, -70)));
  EXPECT_TRUE(wedge.has_missing_directions());
  EXPECT_NEAR(degrees_of(wedge.covered), 140, 1e-6);
  EXPECT_NEAR(degrees_of(wedge.needed), 180, 1e-6);
  EXPECT_NEAR(degrees_of(wedge.gap), 41, 1e-6);
  // Five neighbours of 180 views are lost.
  std::vector<double> some;
  for (int i = 0; i < 180; ++i)
    if (i < 40 || i >= 45) some.push_back(i * pi / 180);
  const ViewShares lost = view_shares(parallel_scan(ViewAngles::list(some)));
  EXPECT_TRUE(lost.has_missing_directions());
  EXPECT_NEAR(degrees_of(lost.gap), 6, 1e-6);
  EXPECT_NEAR(degrees_of(lost.gap_start), 39, 1e-6);
  // Views with larger steps stand for their steps, also where the step changes.
  std::vector<double> two_steps;
  for (int i = 0; i < 360; ++i) two_steps.push_back(i * 0.25 * pi / 180);
  for (int i = 0; i < 36; ++i) two_steps.push_back((90 + i * 2.5) * pi / 180);
  const ViewShares steps = view_shares(parallel_scan(ViewAngles::list(two_steps)));
  EXPECT_NEAR(steps.radians[380] / steps.radians[100], 10, 1e-6);
  // Opposite views of a parallel beam look in one direction.
  EXPECT_TRUE(view_shares(parallel_scan(ViewAngles::list({0, pi}))).has_missing_directions());
  EXPECT_TRUE(view_shares(parallel_scan(ViewAngles::list({0.1}))).has_missing_directions());
  EXPECT_TRUE(view_shares(parallel_scan(ViewAngles::list({0, 0.02}))).has_missing_directions());
  // The shares cover half a turn nevertheless, and none is more than the usual gaps allow.
  for (const ViewShares& shares : {wedge, lost}) {
    double sum = 0, most = 0;
    for (const double share : shares.radians) {
      sum += share;
      most = std::max(most, share);
    }
    EXPECT_NEAR(sum, pi, 1e-9);
    EXPECT_LT(degrees_of(most), 3.5);
  }
  // The fan has 2 atan(91 / 220) = 45 deg.
  EXPECT_TRUE(view_shares(fan_scan(degrees(200, 200))).has_missing_directions());
  EXPECT_FALSE(view_shares(fan_scan(degrees(230, 230))).has_missing_directions());
  for (const auto& [name, scan] : scans())
    EXPECT_FALSE(view_shares(scan).has_missing_directions()) << name;
}

TYPED_TEST(FilteredBackProjectionTest, nearly_recovers_bells_without_some_directions) {
  const Bells bells;
  std::vector<double> some, random;
  for (int i = 0; i < 180; ++i)
    if (i < 40 || i >= 45) some.push_back(i * pi / 180);
  // Multiples of the golden ratio, without some: uneven, with gaps.
  for (int i = 0; i < 250; ++i)
    if (i % 9 != 4) random.push_back(pi * std::fmod(0.6180339887498949 * i, 1.0));
  for (const ScanGeometry& scan :
       {parallel_scan(ViewAngles::list(some)), parallel_scan(ViewAngles::list(random)),
        fan_scan(ViewAngles::list(some)), parallel_scan(degrees(170, 170))}) {
    const double error = error_of(image_of<TypeParam>(scan, data_of(bells, scan)), bells);
    EXPECT_LT(error, scan.beam == Beam::fan ? 0.5 : 0.1);
  }
}

/// Whole turns in which only one of two opposite views sees a part of the lines.
std::vector<NamedScan> displaced_scans() {
  std::vector<NamedScan> result;
  for (const double center : {5.0, 20.3, 90.0, 50.0, 54.6, 0.0}) {
    NamedScan named{"axis at " + std::to_string(center), parallel_scan(degrees(360, 360, 7))};
    named.scan.rotation_center = center;
    result.push_back(named);
  }
  result.back().scan.views = degrees(361, -360);
  for (const double offset : {20.0, -35.0, 55.0}) {
    NamedScan named{"fan shifted by " + std::to_string(offset), fan_scan(degrees(360, 360))};
    named.scan.detector_offset = offset;
    result.push_back(named);
  }
  return result;
}

TYPED_TEST(FilteredBackProjectionTest, recovers_bells_from_displaced_detectors) {
  const Bells bells;
  for (auto& [name, scan] : displaced_scans()) {
    SCOPED_TRACE(name);
    EXPECT_LT(error_of(image_of<TypeParam>(scan, data_of(bells, scan)), bells), 0.02);
  }
  // Opposite views are needed.
  ScanGeometry half = parallel_scan(degrees(180, 180));
  half.rotation_center = 20.3;
  EXPECT_GT(error_of(image_of<TypeParam>(half, data_of(bells, half)), bells), 0.1);
}

/// Data of a disc around (x, y).
std::vector<double> disc_data(const ScanGeometry& scan, double x, double y, double radius) {
  std::vector<double> data;
  const bool is_fan = scan.beam == Beam::fan;
  for (const double angle : scan.views.radians())
    for (Ordinal i = 0; i < scan.detectors; ++i) {
      const double s = scan.position(i), source = scan.source_to_origin;
      const double in_fan = is_fan ? std::atan(s / (source + scan.origin_to_detector)) : 0.0;
      const double normal = angle - in_fan;
      const double d =
          (is_fan ? source * std::sin(in_fan) : s) - (x * std::cos(normal) + y * std::sin(normal));
      data.push_back(std::sqrt(std::max(0.0, radius * radius - d * d)));
    }
  return data;
}

/// Mean of an image of 48 x 48 pixels in a circle around its centre.
template <class Scalar>
double mean_of(const std::vector<Scalar>& image, double radius) {
  double sum = 0, count = 0;
  for (int row = 0; row < 48; ++row)
    for (int column = 0; column < 48; ++column)
      if (std::hypot(column - 23.5, row - 23.5) <= radius) {
        sum += static_cast<double>(image[static_cast<std::size_t>(48 * row + column)]);
        ++count;
      }
  return sum / count;
}

TYPED_TEST(FilteredBackProjectionTest, continues_truncated_data) {
  const VolumeGeometry inner{48, 48, 1.0};
  ScanGeometry scan = parallel_scan(degrees(180, 180));
  scan.detectors = 60;
  const auto mean = [&](double x, double y, double radius) {
    return mean_of(
        image_of<TypeParam>(scan, disc_data(scan, x, y, radius), RampWindow::ram_lak, 1, inner),
        20);
  };
  // 0.78 without the continuation.
  EXPECT_NEAR(mean(0, 0, 60), 0.5, 0.005);
  EXPECT_NEAR(mean(15, 10, 60), 0.5, 0.02);
  EXPECT_NEAR(mean(0, 0, 35), 0.5, 0.005);
  // Fan beams of a whole turn and of less; the detector sees 27 of 60.
  const ScanGeometry parallel = scan;
  scan = fan_scan(degrees(360, 360));
  scan.detectors = 60;
  scan.rotation_center = 29.5;
  EXPECT_NEAR(mean(0, 0, 60), 0.5, 0.005);
  scan.views = degrees(240, 240);
  EXPECT_NEAR(mean(0, 0, 60), 0.5, 0.02);
  // Half acquisition, truncated on the longer side.
  scan = parallel;
  scan.views = degrees(360, 360);
  scan.rotation_center = 15;
  EXPECT_NEAR(mean(0, 0, 60), 0.5, 0.01);
}

TYPED_TEST(FilteredBackProjectionTest, leaves_other_data_alone) {
  // Without a continuation images are linear in the data, with noise and a low background, too.
  const Bells bells;
  const ScanGeometry scan = parallel_scan(degrees(180, 180));
  const std::vector<double> data = data_of(bells, scan);
  std::vector<double> raised, more, less;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double noise = 0.3 * std::sin(12.9898 * static_cast<double>(i * i % 7919));
    raised.push_back(data[i] + 0.2);
    more.push_back(data[i] + 0.2 + noise);
    less.push_back(data[i] + 0.2 - noise);
  }
  const auto all = image_of<TypeParam>(scan, raised), a = image_of<TypeParam>(scan, more),
             b = image_of<TypeParam>(scan, less);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_NEAR(a[i] + b[i], 2 * all[i], 1e-4) << i;
  // A high one is continued, and the result is not linear.
  for (double& value : raised) value += 3;
  for (double& value : more) value += 6;
  const auto c = image_of<TypeParam>(scan, raised), d = image_of<TypeParam>(scan, more);
  double largest = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    largest = std::max<double>(largest, std::abs(d[i] - a[i] - 2 * (c[i] - all[i])));
  EXPECT_GT(largest, 1e-3);
}

}  // namespace
