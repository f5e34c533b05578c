// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison with filtered back projections of other codes (scikit-image, ASTRA Toolbox) from one
// sinogram: Shepp-Logan, 90 views, 95 detectors. tests/data/reference/fbp/README.md says where the
// tolerances come from.
#include <gtest/gtest.h>

#include <TestData.hpp>
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <Tomokkos_Npy.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "DeviceCsr.hpp"

namespace {

using namespace Tomokkos;
using TestMemory = TestSpace::memory_space;
using Image = std::vector<double>;

constexpr std::size_t num_views = 90, num_detectors = 95;

Image read(const std::string& name, std::size_t rows, std::size_t columns) {
  const auto array = read_npy<double>(Tomokkos::Testing::test_data_path("reference/" + name));
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{rows, columns})) << name;
  return array.data;
}

ScanGeometry golden_scan() {
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(num_views);
  scan.detectors = num_detectors;
  return scan;
}

/// Returns our image of the sinogram.
template <class Scalar>
Image image_of(const VolumeGeometry& volume, RampWindow window,
               const ScanGeometry& scan = golden_scan()) {
  const TestSpace exec;
  const Image sinogram = read("astra/shepp_logan_64_sinogram.npy", num_views, num_detectors);
  const auto data = to_device<TestSpace, Scalar>(exec, sinogram);
  const auto pixels = static_cast<std::size_t>(volume.num_pixels());
  const auto image = allocate<Vector<Scalar, TestMemory>>(exec, "image", pixels);
  const FilteredBackProjection<TestSpace, Scalar> fbp(exec, volume, scan, window);
  fbp.apply(exec, {data.data(), sinogram.size(), 1}, {image.data(), pixels, 1});
  exec.fence();
  const std::vector<Scalar> values = to_std_vector(image);
  return {values.begin(), values.end()};
}

/// Relative L2 norm of the difference.
double difference(const Image& image, const Image& reference) {
  EXPECT_EQ(image.size(), reference.size());
  double sum = 0, scale = 0;
  for (std::size_t i = 0; i < std::min(image.size(), reference.size()); ++i) {
    sum += (image[i] - reference[i]) * (image[i] - reference[i]);
    scale += reference[i] * reference[i];
  }
  return std::sqrt(sum / scale);
}

struct Golden {
  RampWindow window;
  double skimage, astra;  // largest differences
};

// About 1.5 times the differences in the README; with ram_lak rounding remains, in float 2.4e-7.
constexpr Golden goldens[] = {
    {RampWindow::ram_lak, 1e-6, 2.1e-2}, {RampWindow::shepp_logan, 1.4e-5, 1.7e-2},
    {RampWindow::cosine, 3.5e-5, 1e-2},  {RampWindow::hamming, 1.8e-3, 7.5e-3},
    {RampWindow::hann, 2e-3, 6.8e-3},
};

std::string file(const std::string& code, RampWindow window) {
  return "fbp/" + code + "_" + std::string(to_string(window)) + ".npy";
}

/// Compares the image with each window, and images that must differ.
template <class Scalar>
void expect_golden(const std::string& code, const VolumeGeometry& volume,
                   double Golden::*tolerance) {
  std::vector<Image> images;
  for (const Golden& golden : goldens) images.push_back(image_of<Scalar>(volume, golden.window));
  for (const Golden& golden : goldens) {
    SCOPED_TRACE(code + ", " + std::string(to_string(golden.window)));
    const Image reference = read(file(code, golden.window), static_cast<std::size_t>(volume.rows),
                                 static_cast<std::size_t>(volume.columns));
    for (std::size_t i = 0; i < images.size(); ++i)
      if (goldens[i].window == golden.window)
        EXPECT_LT(difference(images[i], reference), golden.*tolerance);
      else
        EXPECT_GT(difference(images[i], reference), 2 * golden.*tolerance)
            << to_string(goldens[i].window);
    // By half an element, and by half a pixel.
    ScanGeometry shifted = golden_scan();
    shifted.rotation_center = 47.5;
    EXPECT_GT(difference(image_of<Scalar>(volume, golden.window, shifted), reference), 0.1);
    VolumeGeometry moved = volume;
    moved.center_y = 0.5;
    EXPECT_GT(difference(image_of<Scalar>(moved, golden.window), reference), 0.1);
  }
}

template <class Scalar>
class FbpGolden : public ::testing::Test {};
using BothScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FbpGolden, BothScalars);

TYPED_TEST(FbpGolden, scikit_image) {
  TOMOKKOS_NEEDS_TEST_DATA("reference/fbp");
  expect_golden<TypeParam>("skimage", {65, 65, 1.0}, &Golden::skimage);
}

TYPED_TEST(FbpGolden, astra) {
  TOMOKKOS_NEEDS_TEST_DATA("reference/fbp");
  expect_golden<TypeParam>("astra", {64, 64, 1.0}, &Golden::astra);
}

// Rows and columns of the image of scikit-image, off the axis: 40 x 50 pixels from row 3, column 9.
TYPED_TEST(FbpGolden, region_of_scikit_image) {
  TOMOKKOS_NEEDS_TEST_DATA("reference/fbp");
  VolumeGeometry region{40, 50, 1.0};
  region.center_x = 1.5;  // 9 + 24.5 - 32
  region.center_y = 9.5;  // 32 - 3 - 19.5
  for (const Golden& golden : goldens) {
    SCOPED_TRACE(std::string(to_string(golden.window)));
    const Image whole = read(file("skimage", golden.window), 65, 65);
    Image part;
    for (std::size_t row = 3; row < 43; ++row)
      for (std::size_t column = 9; column < 59; ++column) part.push_back(whole[row * 65 + column]);
    EXPECT_LT(difference(image_of<TypeParam>(region, golden.window), part), golden.skimage);
  }
}

}  // namespace
