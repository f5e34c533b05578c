// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effect of 16-bit values on an image, compared with the effect of noise in the data.
//
// MLEM reconstructs a phantom from its projection with plain values and Poisson noise of `counts`
// expected in the brightest bin. The noise level is the root mean square over the pixels of
// x(noisy) - x(clean), both with plain values after the same number of iterations. The effect of
// rounding is the root mean square of x(noisy) with rounded values - x(noisy) with plain ones. With
// 1e4 counts, which means noise of 1 % in the brightest bin, it must stay below 1 % of the noise
// level.
//
// The same holds with 1e5 counts if values are `scaled`. With halves it is 1 %, since chords of
// equal length in one view are rounded alike. The sum of a ray is off by 1.8e-4 (root mean square),
// where independent rounding errors would leave 3e-5, and all rays of a view are off by the same
// amount.
#include <gtest/gtest.h>

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Noise.hpp>
#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <cmath>
#include <cstdio>

#include "DeviceCsr.hpp"
#include "FlatFormat.hpp"

using namespace Tomokkos;

namespace {

using MemorySpace = TestSpace::memory_space;
using Image = std::vector<float>;

constexpr VolumeGeometry volume{96, 96, 1.0};
constexpr int views = 90, detectors = 140;

/// Scan, phantom and data for one projector.
class Scan {
 public:
  explicit Scan(Projector projector) {
    ScanGeometry geometry;
    geometry.views = ViewAngles::evenly_spaced(views, Angle(), ViewAngles::half_turn());
    geometry.detectors = detectors;
    matrix_ = build_system_matrix<TestSpace, float>(exec_, volume, geometry, projector);
    const CsrOperator<TestSpace, float> A(exec_, matrix_);
    const auto image = to_device<TestSpace, float>(
        exec_, sample_phantom(PhantomKind::shepp_logan, volume.rows, volume.columns));
    const Vector<float, MemorySpace> projected("projected", matrix_.num_rows);
    A.apply(exec_, 1.0F,
            MultiVectorView<const float, MemorySpace>(image.data(), image.extent(0), 1), 0.0F,
            as_multivector(projected));
    const auto host = to_std_vector(projected);
    clean_.assign(host.begin(), host.end());
  }

  const std::vector<double>& clean() const { return clean_; }
  std::vector<double> noisy(double counts) const {
    std::vector<double> data = clean_;
    add_poisson_noise(data, PoissonModel::emission, counts, 7);
    return data;
  }

  AnyOperator<TestSpace, float> in_format(MatrixFormat format, StoredPrecision values) const {
    FlatFormat options;
    options.format = format;
    options.values = values;
    return make_format_operator<TestSpace, float>(exec_, matrix_, options).A;
  }

  Image reconstruct(const AnyOperator<TestSpace, float>& A, const std::vector<double>& data,
                    int iterations) const {
    MlemParams params;
    params.iterations = params.check_every = iterations;
    params.log_likelihood = false;
    Mlem<TestSpace, float> mlem(exec_, A.num_rows(), A.num_cols(), params);
    const auto x = to_device<TestSpace, float>(
        exec_, std::vector<double>(static_cast<std::size_t>(A.num_cols()), 1.0));
    mlem.solve(exec_, A, to_device<TestSpace, float>(exec_, data), x);
    return to_std_vector(x);
  }

 private:
  TestSpace exec_;
  CsrMatrix<float, MemorySpace> matrix_;
  std::vector<double> clean_;
};

double rms_difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

/// Returns the effect of rounding divided by the effect of noise, after 20 iterations.
double share_of_noise(const Scan& scan, MatrixFormat format, StoredPrecision values,
                      double counts) {
  constexpr int iterations = 20;
  const auto plain = scan.in_format(format, StoredPrecision::plain);
  const std::vector<double> noisy = scan.noisy(counts);
  const Image expected = scan.reconstruct(plain, noisy, iterations);
  const double noise = rms_difference(expected, scan.reconstruct(plain, scan.clean(), iterations));
  EXPECT_GT(noise, 1e-3);
  const Image rounded = scan.reconstruct(scan.in_format(format, values), noisy, iterations);
  return rms_difference(rounded, expected) / noise;
}

/// Checks the largest ratio over every projector and format.
void check_shares(StoredPrecision values, double counts, double bound) {
  for (const Projector projector : {Projector::line, Projector::linear}) {
    const Scan scan(projector);
    for (const MatrixFormat format : {MatrixFormat::ray_tiles, MatrixFormat::packed_csr}) {
      const double share = share_of_noise(scan, format, values, counts);
      const std::string what = std::string(to_string(projector)) + "_" +
                               std::string(to_string(format)) + "_" +
                               std::string(to_string(values));
      char text[32];
      std::snprintf(text, sizeof text, "%.2e", share);
      ::testing::Test::RecordProperty(what, text);
      EXPECT_LT(share, bound) << what;
      EXPECT_GT(share, 0) << what;
    }
  }
}

TEST(PackedQuality, halves_change_less_than_a_hundredth_of_the_noise_of_1e4_counts) {
  check_shares(StoredPrecision::half, 1e4, 0.01);
}

TEST(PackedQuality, scaled_values_change_less_than_a_hundredth_of_the_noise_of_1e4_counts) {
  check_shares(StoredPrecision::scaled, 1e4, 0.01);
}

TEST(PackedQuality, halves_change_about_a_hundredth_of_the_noise_of_1e5_counts) {
  check_shares(StoredPrecision::half, 1e5, 0.015);
}

TEST(PackedQuality, scaled_values_change_about_a_thousandth_of_the_noise_of_1e5_counts) {
  check_shares(StoredPrecision::scaled, 1e5, 0.0015);
}

}  // namespace
