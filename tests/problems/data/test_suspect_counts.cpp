// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts and transmissions are told from line integrals by their values.
#include <gtest/gtest.h>

#include <Tomokkos_Philox.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "Complaint.hpp"

namespace {

using namespace Tomokkos;

/// Line integral at angle t and position s.
using Integral = std::function<double(double t, double s)>;

/// Disc of radius \p r at (x, y), in units of detector elements.
Integral disc(double x, double y, double r, double value) {
  return [=](double t, double s) {
    const double d = s - x * std::cos(t) - y * std::sin(t);
    return 2 * value * std::sqrt(std::max(r * r - d * d, 0.0));
  };
}

Integral sum(std::vector<Integral> parts) {
  return [parts = std::move(parts)](double t, double s) {
    double total = 0;
    for (const Integral& part : parts) total += part(t, s);
    return total;
  };
}

/// A scan of views over \p turn, of which element \p axis sees the axis.
struct Scan {
  std::size_t views = 60, detectors = 96;
  double axis = 47.5, turn = std::numbers::pi, start = 0;

  std::vector<double> operator()(const Integral& integral) const {
    std::vector<double> values;
    for (std::size_t v = 0; v < views; ++v)
      for (std::size_t k = 0; k < detectors; ++k)
        values.push_back(
            integral(start + turn * static_cast<double>(v) / static_cast<double>(views),
                     static_cast<double>(k) - axis));
    return values;
  }
};

std::vector<double> map(std::vector<double> values,
                        const std::function<double(std::size_t, double)>& function) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(i, values[i]);
  return values;
}

/// Counts of a beam of \p beam photons.
std::vector<double> counts(const std::vector<double>& integrals, double beam) {
  return map(integrals, [=](std::size_t, double p) { return beam * std::exp(-p); });
}

/// Adds noise of the standard deviation \p sigma.
std::vector<double> noisy(const std::vector<double>& values, double sigma) {
  return map(values, [=](std::size_t i, double value) {
    CounterRandom random(7, i);
    double sum = -6;
    for (int j = 0; j < 12; ++j) sum += random.uniform();
    return value + sigma * sum;
  });
}

std::vector<double> rounded(const std::vector<double>& values) {
  return map(values, [](std::size_t, double value) { return std::round(value); });
}

const Scan whole;
const Scan half{.axis = 12, .turn = 2 * std::numbers::pi};
const Integral body = disc(4, -3, 30, 0.02), strong = disc(4, -3, 30, 0.13),
               large = sum({disc(0, 0, 90, 0.01), disc(20, 10, 12, 0.02)});

/// Slab that is thicker at some places, at tilts of up to 60 degrees.
const Scan tilts{.views = 41, .turn = 2 * std::numbers::pi / 3, .start = -std::numbers::pi / 3};
Integral slab(double reach) {
  return [=](double t, double s) {
    if (std::abs(s) > reach * std::cos(t)) return 0.0;
    double value = 10 / std::cos(t);
    for (const double x : {-40.0, -22.0, -13.0, 5.0, 17.0, 38.0})
      value += disc(x, 0.1 * x, 5, 0.3 + 0.01 * x)(t, s);
    return value;
  };
}

bool is_suspected(const std::vector<double>& values, const Scan& scan = whole) {
  return suspect_counts(values, 1, scan.views, scan.detectors, "a.npy").has_value();
}

TEST(SuspectCounts, pictures_of_absorption_upside_down_are_suspected) {
  for (const double beam : {1.0, 255.0, 20000.0, 1e-9}) {
    EXPECT_TRUE(is_suspected(counts(whole(body), beam))) << beam;
    EXPECT_TRUE(is_suspected(counts(whole(strong), beam))) << beam;
    EXPECT_TRUE(is_suspected(noisy(counts(whole(body), beam), 0.02 * beam))) << beam;
    // Values below 0 after the subtraction of a dark field.
    EXPECT_TRUE(is_suspected(noisy(counts(whole(strong), beam), 0.01 * beam))) << beam;
    EXPECT_TRUE(is_suspected(counts(whole(disc(20, 0, 2.5, 0.2)), beam))) << "a needle";
    EXPECT_TRUE(is_suspected(counts(whole(large), beam))) << "a region of interest";
    EXPECT_TRUE(is_suspected(counts(half(disc(8, 5, 50, 0.01)), beam), half)) << "half";
  }
  // Elements of different gains, two of them dead, and a view without a beam.
  auto raw = map(counts(whole(body), 20000), [](std::size_t i, double value) {
    const std::size_t k = i % whole.detectors;
    const double gain = k == 11 || k == 60 ? 0 : 1 + 0.05 * std::sin(7.0 * static_cast<double>(k));
    return i / whole.detectors == 9 ? 0.5 : gain * value + 0.5;
  });
  EXPECT_TRUE(is_suspected(raw));
  raw[5] = raw[400] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_suspected(raw));
  const auto message = suspect_counts(counts(whole(body), 1), 1, 60, 96, "a.npy")->text();
  EXPECT_CONTAINS(message,
                  "a.npy looks like counts or transmission: its values are about 1 and 1 ");
  EXPECT_CONTAINS(message, "flat: none");
}

TEST(SuspectCounts, line_integrals_are_not_suspected) {
  const auto integrals = whole(body);
  EXPECT_FALSE(is_suspected(integrals));
  EXPECT_FALSE(is_suspected(noisy(integrals, 0.1)));
  // In units of pixels.
  EXPECT_FALSE(is_suspected(map(integrals, [](std::size_t, double p) { return 167 * p; })));
  EXPECT_FALSE(is_suspected(map(integrals, [](std::size_t, double p) { return 1e6 * p; })));
  // A background that is too small or too large.
  EXPECT_FALSE(is_suspected(map(integrals, [](std::size_t, double p) { return p - 0.3; })));
  EXPECT_FALSE(is_suspected(map(integrals, [](std::size_t, double p) { return p + 0.3; })));
  EXPECT_FALSE(is_suspected(map(integrals, [](std::size_t, double p) { return -p; })));
  // Objects with a hole, and two objects.
  EXPECT_FALSE(is_suspected(whole(sum({disc(0, 0, 40, 0.1), disc(0, 0, 35, -0.1)}))));
  EXPECT_FALSE(is_suspected(whole(sum({disc(0, 0, 45, 0.1), disc(0, 0, 43, -0.1)}))));
  EXPECT_FALSE(is_suspected(whole(sum({disc(30, 0, 10, 0.1), disc(-30, 0, 10, 0.1)}))));
  // The object reaches beyond both ends, or beyond one.
  EXPECT_FALSE(is_suspected(whole(large)));
  EXPECT_FALSE(is_suspected(noisy(whole(large), 0.02)));
  EXPECT_FALSE(is_suspected(whole(disc(30, 10, 90, 0.01))));
  for (const Integral& object : {disc(8, 5, 50, 0.01), disc(0, 0, 95, 0.01),
                                 sum({disc(3, 2, 95, 0.01), disc(20, 10, 12, 0.02)})}) {
    EXPECT_FALSE(is_suspected(half(object), half));
    EXPECT_FALSE(is_suspected(noisy(half(object), 0.02), half));
  }
  // Slabs.
  for (const double reach : {1000.0, 60.0, 40.0}) {
    EXPECT_FALSE(is_suspected(tilts(slab(reach)), tilts)) << reach;
    EXPECT_FALSE(is_suspected(noisy(tilts(slab(reach)), 0.3), tilts)) << reach;
  }
  // No object.
  EXPECT_FALSE(is_suspected(std::vector<double>(integrals.size(), 1)));
  for (const double level : {0.0, 1.0, 900.0})
    EXPECT_FALSE(is_suspected(noisy(std::vector<double>(integrals.size(), level), 0.01)));
  EXPECT_FALSE(is_suspected(
      std::vector<double>(integrals.size(), std::numeric_limits<double>::quiet_NaN())));
  EXPECT_FALSE(suspect_counts({}, 0, 0, 0, ""));
}

TEST(SuspectCounts, whole_numbers_are_suspected_above_a_thousand) {
  const auto pixels = [](double factor) {
    return rounded(map(whole(body), [=](std::size_t, double p) { return factor * p; }));
  };
  EXPECT_FALSE(is_suspected(pixels(201 / 1.2)));
  EXPECT_FALSE(is_suspected(pixels(999 / 1.2)));
  EXPECT_TRUE(is_suspected(pixels(1010 / 1.2)));
  auto almost = pixels(1010 / 1.2);
  almost[7] = 0.5;
  EXPECT_FALSE(is_suspected(almost));
  // Counts whose beam is brighter in the middle.
  auto beam = map(counts(whole(disc(4, -3, 30, 0.002)), 20000), [](std::size_t i, double value) {
    return std::round(value * std::sin(std::numbers::pi * (0.1 + 0.8 * (i % 96) / 95.0)));
  });
  EXPECT_TRUE(is_suspected(beam));
  EXPECT_TRUE(is_suspected(rounded(counts(whole(body), 250)))) << "a picture of 8 bits";
  beam[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_suspected(beam));
}

TEST(SuspectCounts, slices_with_a_clear_object_decide_for_a_stack) {
  const auto stack = [](const std::vector<std::vector<double>>& slices) {
    std::vector<double> all;
    for (const auto& slice : slices) all.insert(all.end(), slice.begin(), slice.end());
    return suspect_counts(all, slices.size(), whole.views, whole.detectors, "a.npy").has_value();
  };
  const auto air = noisy(counts(whole(disc(0, 0, 0, 0)), 1), 0.01);
  const auto object = counts(whole(body), 1), integrals = whole(body);
  EXPECT_TRUE(stack({air, air, air, object, air}));
  EXPECT_FALSE(stack({air, air, air}));
  EXPECT_FALSE(stack({integrals, integrals, object}));
  EXPECT_TRUE(stack({integrals, object, object}));
}

}  // namespace
