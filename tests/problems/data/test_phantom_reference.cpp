// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of phantoms and sinograms with files computed by another program.
#include <gtest/gtest.h>
#include <Tomokkos_AnalyticSinogram.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Phantoms.hpp>

#include <cmath>
#include <numbers>
#include <vector>

#include "TestData.hpp"

namespace {

using namespace Tomokkos;

using Testing::test_data_path;

TEST(PhantomReference, shepp_logan_image_equals_the_reference) {
  const HostArray<double> expected =
      read_npy<double>(test_data_path("reference/astra/shepp_logan_64.npy"));
  ASSERT_EQ(expected.shape, (std::vector<std::size_t>{64, 64}));
  const std::vector<double> image = sample_phantom(PhantomKind::shepp_logan, 64, 64);
  for (std::size_t i = 0; i < image.size(); ++i)
    EXPECT_NEAR(image[i], expected.data[i], 4e-8) << "row " << i / 64 << ", column " << i % 64;
}

// The file contains the sinogram of the sampled image by linear interpolation. Sampling makes it
// differ by 5 % from the exact sinogram of the ellipses. With a wrong sign of the angle or the
// position, the difference would exceed 8 %.
TEST(PhantomReference, shepp_logan_sinogram_is_close_to_the_reference) {
  const HostArray<double> expected =
      read_npy<double>(test_data_path("reference/astra/shepp_logan_64_sinogram.npy"));
  ASSERT_EQ(expected.shape, (std::vector<std::size_t>{90, 95}));
  std::vector<double> positions(95);
  for (int i = 0; i < 95; ++i) positions[i] = i - 47.0;
  const auto difference = [&](double turn, double mirror) {
    std::vector<double> angles(90), places = positions;
    for (int k = 0; k < 90; ++k) angles[k] = turn * k * std::numbers::pi / 90;
    for (double& s : places) s *= mirror;
    const std::vector<double> sinogram = analytic_sinogram(
        make_phantom(PhantomKind::shepp_logan), half_extent(64, 64, 1.0), {}, angles, places, 1.0);
    double square = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < sinogram.size(); ++i) {
      square += std::pow(sinogram[i] - expected.data[i], 2);
      norm += std::pow(expected.data[i], 2);
    }
    return std::sqrt(square / norm);
  };
  EXPECT_LT(difference(1.0, 1.0), 0.06);
  EXPECT_GT(difference(-1.0, 1.0), 0.08);
  EXPECT_GT(difference(1.0, -1.0), 0.08);
}

}  // namespace
