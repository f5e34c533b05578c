// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Noise.hpp>
#include <Tomokkos_Philox.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "Complaint.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;
using Words = std::array<std::uint32_t, 4>;

// Known answers published with Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, gives_the_published_answers) {
  constexpr std::uint32_t ones = 0xffffffffu;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
  EXPECT_EQ(
      philox4x32({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
      (Words{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

TEST(Philox, uniform_is_open_and_uses_all_words) {
  CounterRandom random(0, 0);
  // Each draw uses 52 bits: of the first half of the first known answer, of its second half, and
  // then of a new block.
  EXPECT_EQ(random.uniform(), (static_cast<double>(0xe169c58d6627eull) + 0.5) * 0x1p-52);
  EXPECT_EQ(random.uniform(), (static_cast<double>(0x9b00dbd8bc57aull) + 0.5) * 0x1p-52);
  const Words next = philox4x32({1, 0, 0, 0}, {0, 0});
  EXPECT_EQ(random.uniform(),
            (static_cast<double>((std::uint64_t{next[1]} << 32 | next[0]) >> 12) + 0.5) * 0x1p-52);
  // The largest and the smallest possible result lie inside the open interval.
  EXPECT_LT((static_cast<double>((1ull << 52) - 1) + 0.5) * 0x1p-52, 1.0);
  EXPECT_GT(0.5 * 0x1p-52, 0.0);
}

TEST(Philox, draws_depend_only_on_seed_index_and_number) {
  std::vector<double> first;
  for (std::uint64_t index = 0; index < 100; ++index) {
    CounterRandom random(99, index);
    for (int draw = 0; draw < 5; ++draw) first.push_back(random.uniform());
  }
  std::vector<CounterRandom> interleaved;
  for (std::uint64_t index = 0; index < 100; ++index) interleaved.emplace_back(99, 99 - index);
  for (int draw = 0; draw < 5; ++draw)
    for (std::uint64_t i = 0; i < 100; ++i)
      EXPECT_EQ(interleaved[i].uniform(), first[5 * (99 - i) + draw]);
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::adjacent_find(first.begin(), first.end()), first.end());
  EXPECT_NE(CounterRandom(1, 0).uniform(), CounterRandom(std::uint64_t{1} << 32, 0).uniform());
  EXPECT_NE(CounterRandom(1, 1).uniform(), CounterRandom(1, std::uint64_t{1} << 32).uniform());
}

struct Moments {
  double mean = 0.0, variance = 0.0, skewness = 0.0, kurtosis = 0.0;
};

template <class Draw>
Moments moments(int number, const Draw& draw) {
  std::vector<double> values(number);
  Moments m;
  for (int i = 0; i < number; ++i) values[i] = draw(i);
  for (const double value : values) m.mean += value / number;
  double third = 0.0, fourth = 0.0;
  for (const double value : values) {
    const double d = value - m.mean;
    m.variance += d * d / number;
    third += d * d * d / number;
    fourth += d * d * d * d / number;
  }
  m.skewness = third / std::pow(m.variance, 1.5);
  m.kurtosis = fourth / (m.variance * m.variance);
  return m;
}

// The bounds are 5 standard deviations of each estimate. The seeds are fixed.
TEST(Philox, uniform_and_normal_draws_have_the_right_moments) {
  const int n = 200000;
  const Moments uniform = moments(n, [](int i) { return CounterRandom(5, i).uniform(); });
  EXPECT_NEAR(uniform.mean, 0.5, 5.0 * std::sqrt(1.0 / 12.0 / n));
  EXPECT_NEAR(uniform.variance, 1.0 / 12.0, 5.0 * std::sqrt(1.0 / 180.0 / n));
  const Moments normal = moments(n, [](int i) { return CounterRandom(6, i).normal(); });
  EXPECT_NEAR(normal.mean, 0.0, 5.0 * std::sqrt(1.0 / n));
  EXPECT_NEAR(normal.variance, 1.0, 5.0 * std::sqrt(2.0 / n));
  EXPECT_NEAR(normal.skewness, 0.0, 5.0 * std::sqrt(6.0 / n));
  EXPECT_NEAR(normal.kurtosis, 3.0, 5.0 * std::sqrt(24.0 / n));
}

TEST(Philox, poisson_draws_have_the_right_moments) {
  const int n = 200000;
  std::uint64_t seed = 40;
  for (const double mean : {0.1, 0.9, 3.0, 9.99, 10.0, 11.5, 15.9, 40.0, 1e3, 1e6, 1e12}) {
    ++seed;
    const Moments m = moments(n, [&](int i) { return CounterRandom(seed, i).poisson(mean); });
    EXPECT_NEAR(m.mean, mean, 5.0 * std::sqrt(mean / n)) << mean;
    EXPECT_NEAR(m.variance, mean, 5.0 * std::sqrt((mean + 2.0 * mean * mean) / n)) << mean;
    // The standard deviation of the skewness is about sqrt(6/n) for large means. It is larger for
    // small means because of their heavier tails.
    EXPECT_NEAR(m.skewness, 1.0 / std::sqrt(mean), 5.0 * std::sqrt(6.0 / n) * (1.0 + 3.0 / mean))
        << mean;
  }
}

double log_poisson(double k, double mean) {
  return k * std::log(mean) - mean - std::lgamma(k + 1.0);
}

// Uses Pearson's statistic over cells with at least 50 expected draws.
TEST(Philox, poisson_draws_have_the_right_probabilities) {
  std::uint64_t seed = 70;
  for (const double mean : {0.1, 0.9, 3.0, 9.99, 10.0, 11.5, 15.9, 40.0, 200.0, 1e4}) {
    ++seed;
    // For some means, use enough draws to detect an excess of 2 % in the tails.
    const int n = mean == 11.5 || mean == 40.0 ? 2000000 : 200000;
    const double spread = 8.0 * std::sqrt(mean) + 8.0;
    const int first = static_cast<int>(std::max(0.0, std::floor(mean - spread)));
    const int last = static_cast<int>(std::ceil(mean + spread));
    std::vector<double> seen(last - first + 1, 0.0);
    for (int i = 0; i < n; ++i) {
      const double k = CounterRandom(seed, i).poisson(mean);
      ASSERT_EQ(k, std::floor(k));
      ASSERT_GE(k, first);
      ASSERT_LE(k, last);
      seen[static_cast<std::size_t>(k) - first] += 1.0;
    }
    double statistic = 0.0, expected = 0.0, observed = 0.0, used = 0.0;
    int cells = 0;
    for (int k = first; k <= last; ++k) {
      expected += n * std::exp(log_poisson(k, mean));
      observed += seen[k - first];
      if (expected < 50.0 || n - used - expected < 50.0) continue;
      statistic += (observed - expected) * (observed - expected) / expected;
      used += expected;
      ++cells;
      expected = observed = 0.0;
    }
    if (expected > 5.0) {
      statistic += (observed - expected) * (observed - expected) / expected;
      ++cells;
    }
    ASSERT_GE(cells, 3) << mean;
    // Chi-squared with cells - 1 degrees of freedom has that number as its mean and twice that
    // number as its variance.
    const double freedom = cells - 1.0;
    EXPECT_LT(statistic, freedom + 5.0 * std::sqrt(2.0 * freedom)) << mean;
    EXPECT_GT(statistic, freedom - 5.0 * std::sqrt(2.0 * freedom)) << mean;
  }
}

TEST(Philox, poisson_refuses_bad_means) {
  CounterRandom random(1, 1);
  EXPECT_EQ(random.poisson(0.0), 0.0);
  EXPECT_THROW(random.poisson(-1e-9), Error);
  EXPECT_THROW(random.poisson(NAN), Error);
  EXPECT_THROW(random.poisson(1.1e15), Error);
  const double huge = random.poisson(1e15);
  EXPECT_NEAR(huge, 1e15, 10.0 * std::sqrt(1e15));
}

std::vector<double> ramp(int number) {
  std::vector<double> values(number);
  for (int i = 0; i < number; ++i) values[i] = 4.0 * (i % 1000) / 999.0;
  return values;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(square);
}

TEST(Noise, emission_counts_events) {
  const std::vector<double> clean = ramp(100000);
  std::vector<double> noisy = clean;
  const double counts = 50.0;
  const double norm = add_poisson_noise(noisy, PoissonModel::emission, counts, 8);
  EXPECT_NEAR(norm, distance(noisy, clean), 1e-12 * norm);
  const double scale = counts / 4.0;
  double sum = 0.0, clean_sum = 0.0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const double events = noisy[i] * scale;
    ASSERT_NEAR(events, std::round(events), 1e-9);
    if (clean[i] == 0.0) {
      ASSERT_EQ(noisy[i], 0.0);
    }
    sum += noisy[i];
    clean_sum += clean[i];
  }
  // The variance of a value is clean / scale.
  EXPECT_NEAR(sum, clean_sum, 5.0 * std::sqrt(clean_sum / scale));
  EXPECT_NEAR(norm * norm, clean_sum / scale, 0.03 * clean_sum / scale);
}

TEST(Noise, transmission_counts_photons) {
  const int n = 100000;
  for (const double p : {0.0, 1.0, 3.0}) {
    std::vector<double> noisy(n, p);
    const double counts = 1e5;
    add_poisson_noise(noisy, PoissonModel::transmission, counts, 9);
    double mean = 0.0, square = 0.0;
    for (const double value : noisy) {
      const double photons = counts * std::exp(-value);
      ASSERT_NEAR(photons, std::round(photons), 1e-6);
      mean += value / n;
      square += (value - p) * (value - p) / n;
    }
    // The variance holds to first order, and the mean is too large by half of it.
    const double variance = std::exp(p) / counts;
    EXPECT_NEAR(mean, p + 0.5 * variance, 5.0 * std::sqrt(variance / n));
    EXPECT_NEAR(square, variance, 0.03 * variance);
  }
  // An opaque ray counts one photon instead of none. A ray without losses does not give a negative
  // zero.
  std::vector<double> opaque(10, 800.0);
  add_poisson_noise(opaque, PoissonModel::transmission, 1000.0, 9);
  for (const double value : opaque) EXPECT_DOUBLE_EQ(value, std::log(1000.0));
  std::vector<double> single(200, 0.0);
  add_poisson_noise(single, PoissonModel::transmission, 1.0, 9);
  for (const double value : single) EXPECT_FALSE(value == 0.0 && std::signbit(value));
}

TEST(Noise, gaussian_noise_has_the_requested_level) {
  const std::vector<double> clean = ramp(100000);
  const double n = static_cast<double>(clean.size());
  const double clean_norm = distance(clean, std::vector<double>(clean.size(), 0.0));
  std::vector<double> absolute = clean, relative = clean;
  const double norm = add_gaussian_noise(absolute, GaussianScale::absolute, 0.2, 3);
  EXPECT_NEAR(norm, distance(absolute, clean), 1e-12 * norm);
  EXPECT_NEAR(norm, 0.2 * std::sqrt(n), 5.0 * 0.2 / std::sqrt(2.0));
  EXPECT_NEAR(add_gaussian_noise(relative, GaussianScale::relative, 0.05, 3), 0.05 * clean_norm,
              0.05 * clean_norm * 5.0 / std::sqrt(2.0 * n));
  std::vector<double> same = clean;
  EXPECT_EQ(add_gaussian_noise(same, GaussianScale::absolute, 0.0, 3), 0.0);
  EXPECT_EQ(same, clean);
  std::vector<double> tiny(4, 1e-200);
  add_gaussian_noise(tiny, GaussianScale::relative, 0.1, 3);
  EXPECT_NE(tiny, std::vector<double>(4, 1e-200));
}

// The noise of a value depends only on its position and the seed. A part of a sinogram gets the
// same noise as in the whole, and another seed gives other noise.
TEST(Noise, depends_only_on_seed_and_position) {
  const std::vector<double> clean(1000, 2.0);
  for (const PoissonModel model : {PoissonModel::emission, PoissonModel::transmission}) {
    std::vector<double> whole = clean, again = clean, other = clean;
    std::vector<double> part(clean.begin(), clean.begin() + 300);
    add_poisson_noise(whole, model, 1000.0, 5);
    add_poisson_noise(again, model, 1000.0, 5);
    add_poisson_noise(other, model, 1000.0, 6);
    add_poisson_noise(part, model, 1000.0, 5);
    EXPECT_EQ(whole, again);
    EXPECT_NE(whole, other);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
  }
  std::vector<double> whole = clean, part(clean.begin(), clean.begin() + 300);
  add_gaussian_noise(whole, GaussianScale::absolute, 1.0, 5);
  add_gaussian_noise(part, GaussianScale::absolute, 1.0, 5);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
}

TEST(Noise, counts_too_small_to_leave_any_event_are_refused) {
  for (const auto model : {PoissonModel::emission, PoissonModel::transmission}) {
    const std::vector<double> clean{1, 2, 3, 0};
    std::vector<double> data = clean;
    EXPECT_COMPLAINT(add_poisson_noise(data, model, 1e-300, 1), "increase counts, which is 1e-300");
    EXPECT_EQ(data, clean);
  }
  std::vector<double> nothing(3, 0.0);
  EXPECT_EQ(add_poisson_noise(nothing, PoissonModel::emission, 5, 1), 0.0);
}

TEST(Noise, refuses_bad_numbers_and_keeps_the_sinogram_unchanged) {
  const std::vector<double> clean{1.0, 2.0, -0.5, 3.0};
  std::vector<double> values = clean;
  for (const auto& [counts, part] :
       std::vector<std::pair<double, std::string>>{{10.0, "value 2 is -0.5"},
                                                   {0.0, "not 0"},
                                                   {-3.0, "not -3"},
                                                   {NAN, "nan"},
                                                   {INFINITY, "inf"}}) {
    const double given = counts;
    EXPECT_COMPLAINT(add_poisson_noise(values, PoissonModel::emission, given, 1), part);
  }
  EXPECT_COMPLAINT(add_gaussian_noise(values, GaussianScale::absolute, -0.25, 1), "-0.25");
  EXPECT_EQ(values, clean);
  values[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_COMPLAINT(add_gaussian_noise(values, GaussianScale::relative, 0.1, 1), "value 1");
  EXPECT_COMPLAINT(add_poisson_noise(values, PoissonModel::transmission, 10.0, 1), "value 1");
  std::vector<double> bright{1.0, -100.0};
  EXPECT_COMPLAINT(add_poisson_noise(bright, PoissonModel::transmission, 10.0, 1), "-100");
  EXPECT_EQ(bright[0], 1.0);
  std::vector<double> zeros(3, 0.0);
  EXPECT_EQ(add_poisson_noise(zeros, PoissonModel::emission, 10.0, 1), 0.0);
  EXPECT_EQ(add_gaussian_noise(zeros, GaussianScale::relative, 0.1, 1), 0.0);
  EXPECT_EQ(zeros, std::vector<double>(3, 0.0));
}

}  // namespace
