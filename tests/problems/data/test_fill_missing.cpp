// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interpolation of rays without a measurement.
#include <gtest/gtest.h>

#include <Tomokkos_FillMissing.hpp>
#include <cmath>
#include <numbers>
#include <vector>

namespace {

using namespace Tomokkos;

constexpr double turn = 2 * std::numbers::pi;
constexpr std::size_t views = 6, detectors = 10, rays = views * detectors;

ScanGeometry scan_with(const ViewAngles& angles) {
  ScanGeometry scan;
  scan.views = angles;
  scan.detectors = detectors;
  return scan;
}

/// Data that linear interpolation reproduces, along the detector and between views. Angles that
/// differ by turns are the same.
std::vector<double> planes(const ScanGeometry& scan, std::size_t slices = 1) {
  std::vector<double> data;
  for (std::size_t slice = 0; slice < slices; ++slice)
    for (const double radians : scan.views.radians()) {
      const double angle = radians - turn * std::floor(radians / turn);
      for (std::size_t k = 0; k < detectors; ++k)
        data.push_back(1 + static_cast<double>(slice) + 3 * angle + 0.5 * static_cast<double>(k));
    }
  return data;
}

TEST(FillMissing, interpolates_along_the_detector_and_between_views) {
  for (const ViewAngles& angles :
       {ViewAngles::evenly_spaced(views), ViewAngles::list({0.3, 2.9, 0.1, 1.7, 0.9, 2.0}),
        ViewAngles::list({0.3, 2.9 - turn, 0.1 + turn, 1.7 + 3 * turn, 0.9 - 2 * turn, 2.0})}) {
    const ScanGeometry scan = scan_with(angles);
    const std::vector<double> whole = planes(scan, 2);
    std::vector<double> data = whole;
    std::vector<char> mask(rays, 1);
    for (std::size_t view = 0; view < views; ++view) {
      data[view * detectors + 3] = std::nan("");
      data[view * detectors + 4] = std::nan("");
      mask[view * detectors + 7] = 0;
      data[view * detectors + 7] = data[rays + view * detectors + 7] = 0;
    }
    // View 3 lies between others in both orders.
    for (std::size_t k = 0; k < detectors; ++k) data[rays + 3 * detectors + k] = std::nan("");
    const FilledRays filled = fill_missing(scan, mask, data);
    for (std::size_t i = 0; i < data.size(); ++i) ASSERT_NEAR(data[i], whole[i], 1e-12) << i;
    EXPECT_EQ(filled.values, 3 * views + (views - 1) + detectors);
    EXPECT_EQ(filled.of, 2 * rays);
    EXPECT_EQ(filled.elements, (std::set<Ordinal>{3, 4, 7}));
    EXPECT_EQ(filled.views, (std::set<Ordinal>{3}));
    EXPECT_EQ(filled.describe(), "33 of 120 values (elements 3, 4, 7; view 3)");
  }
}

TEST(FillMissing, repeats_the_nearest_value_at_the_edges) {
  const ScanGeometry scan = scan_with(ViewAngles::evenly_spaced(views));
  const std::vector<double> whole = planes(scan);
  std::vector<double> data = whole;
  for (std::size_t view = 1; view < views; ++view) {
    data[view * detectors] = data[view * detectors + 1] = std::nan("");
    data[view * detectors + 9] = std::nan("");
  }
  for (std::size_t k = 0; k < detectors; ++k) data[k] = std::nan("");
  fill_missing(scan, {}, data);
  for (std::size_t view = 0; view < views; ++view) {
    const std::size_t from = std::max<std::size_t>(view, 1) * detectors;
    EXPECT_EQ(data[view * detectors], whole[from + 2]);
    EXPECT_EQ(data[view * detectors + 1], whole[from + 2]);
    EXPECT_EQ(data[view * detectors + 5], whole[from + 5]);
    EXPECT_EQ(data[view * detectors + 9], whole[from + 8]);
  }
}

TEST(FillMissing, leaves_complete_data_and_empty_slices_alone) {
  const ScanGeometry scan = scan_with(ViewAngles::evenly_spaced(views));
  std::vector<double> data = planes(scan);
  EXPECT_EQ(fill_missing(scan, {}, data).values, 0U);
  EXPECT_EQ(data, planes(scan));
  std::vector<double> empty(rays, std::nan(""));
  EXPECT_EQ(fill_missing(scan, {}, empty).values, 0U);
  EXPECT_TRUE(std::isnan(empty[7]));
}

}  // namespace
