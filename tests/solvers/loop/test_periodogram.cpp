// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms of any length, and cumulative periodograms of noise and of other signals.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Periodogram.hpp>
#include <cmath>
#include <random>

namespace {

using namespace Tomokkos;

constexpr double pi = 3.14159265358979323846;

std::vector<double> noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(size);
  for (auto& value : values) value = normal(random);
  return values;
}

TEST(FourierTransform, is_the_sum_that_defines_it) {
  for (const std::size_t n :
       {1U, 2U, 3U, 4U, 5U, 7U, 8U, 12U, 30U, 64U, 95U, 97U, 128U, 243U, 367U}) {
    const auto signal = noise(n, static_cast<unsigned>(n));
    const auto spectrum = FourierTransform(n)(signal);
    ASSERT_EQ(spectrum.size(), n);
    for (std::size_t f = 0; f < n; ++f) {
      std::complex<double> sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double angle = -2 * pi * static_cast<double>(f * j % n) / static_cast<double>(n);
        sum += signal[j] * std::complex<double>(std::cos(angle), std::sin(angle));
      }
      EXPECT_LT(std::abs(spectrum[f] - sum), 1e-12 * static_cast<double>(n)) << n << ", " << f;
    }
  }
  EXPECT_THROW(FourierTransform(0), Error);
}

// Squares of indices far beyond the resolution of an angle in double.
TEST(FourierTransform, keeps_the_energy_of_a_long_signal) {
  const std::size_t n = 300007;
  const auto signal = noise(n, 3);
  double energy = 0, spectral = 0;
  for (const double value : signal) energy += value * value;
  for (const auto& value : FourierTransform(n)(signal)) spectral += std::norm(value);
  EXPECT_NEAR(spectral / static_cast<double>(n), energy, 1e-10 * energy);
}

TEST(CumulativePeriodogram, is_a_straight_line_for_white_noise) {
  for (const std::size_t n : {95U, 128U}) {
    // The variance may differ between values.
    CumulativePeriodogram plain(n), uneven(n), one(n);
    for (unsigned view = 0; view < 200; ++view) {
      auto signal = noise(n, view);
      plain.add(signal);
      if (view == 0) one.add(signal);
      for (std::size_t i = 0; i < n; ++i) signal[i] *= i < n / 3 ? 3 : 0.5;
      uneven.add(signal);
    }
    const auto c = plain.values();
    ASSERT_EQ(c.size(), n / 2);
    EXPECT_DOUBLE_EQ(c.back(), 1);
    // Kolmogorov and Smirnov: the probability of exceeding 1.63 / sqrt(frequencies x signals) is 1
    // %.
    for (std::size_t i = 0; i < c.size(); ++i)
      EXPECT_NEAR(c[i], static_cast<double>(i + 1) / static_cast<double>(c.size()),
                  1.63 / std::sqrt(static_cast<double>(c.size()) * 200));
    EXPECT_LT(plain.distance_from_white(), 0.01);
    EXPECT_LT(uneven.distance_from_white(), 0.02);
    EXPECT_LT(one.distance_from_white(), 0.15);
    EXPECT_GT(one.distance_from_white(), plain.distance_from_white());
  }
}

TEST(CumulativePeriodogram, is_far_from_one_for_what_is_smooth_or_rough) {
  const std::size_t n = 120;
  CumulativePeriodogram smooth(n), rough(n), mixed(n);
  std::vector<double> low(n), high(n);
  for (std::size_t i = 0; i < n; ++i) {
    low[i] = 7 + std::cos(2 * pi * static_cast<double>(i) / static_cast<double>(n));
    high[i] = i % 2 == 0 ? 1 : -1;
  }
  smooth.add(low);
  rough.add(high);
  for (const double value : smooth.values()) EXPECT_NEAR(value, 1, 1e-12);
  EXPECT_NEAR(smooth.distance_from_white(), std::sqrt(1.0 / 3), 0.02);
  EXPECT_NEAR(rough.values()[58], 0, 1e-12);
  EXPECT_NEAR(rough.values()[59], 1, 1e-12);
  auto sum = noise(n, 1);
  for (std::size_t i = 0; i < n; ++i) sum[i] += 3 * low[i];
  mixed.add(sum);
  EXPECT_GT(mixed.distance_from_white(), 0.2);
  CumulativePeriodogram empty(n);
  empty.add(std::vector<double>(n, 0));
  EXPECT_EQ(empty.distance_from_white(), 0);
  EXPECT_THROW(CumulativePeriodogram(1), Error);
}

}  // namespace
