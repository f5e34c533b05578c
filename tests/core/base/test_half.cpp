// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between float and half: every half, and the floats next to every half.
#include <gtest/gtest.h>

#include <Tomokkos_Half.hpp>
#include <cmath>
#include <limits>
#include <random>

using namespace Tomokkos;

namespace {

/// Computes the value of a half from the definition in IEEE 754.
double value_of(unsigned bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const double fraction = bits & 1023U;
  if (exponent == 31)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

void expect_half(float value, unsigned bits) {
  EXPECT_EQ(half_bits_from_float(value), bits) << value;
  EXPECT_EQ(half_from_float(value), bits) << value;
}

}  // namespace

TEST(Half, every_half_has_its_value_and_survives_a_round_trip) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double expected = value_of(bits);
    const float by_bits = float_from_half_bits(half), by_device = float_from_half(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(by_bits) && std::isnan(by_device)) << bits;
      EXPECT_TRUE(std::isnan(float_from_half_bits(half_bits_from_float(by_bits)))) << bits;
      EXPECT_TRUE(std::isnan(float_from_half(half_from_float(by_device)))) << bits;
      continue;
    }
    ASSERT_EQ(by_bits, expected) << bits;
    ASSERT_EQ(by_device, expected) << bits;
    ASSERT_EQ(std::signbit(by_bits), std::signbit(expected)) << bits;
    expect_half(by_bits, bits);
  }
}

TEST(Half, floats_round_to_the_nearest_half_and_ties_to_even) {
  const float largest = std::numeric_limits<float>::max();
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const auto low = static_cast<float>(value_of(bits)),
               high = static_cast<float>(value_of(bits + 1));
    const float middle = low + (high - low) / 2;
    ASSERT_EQ((low + static_cast<double>(high)) / 2, middle);
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    expect_half(middle, even);
    expect_half(-middle, even | 0x8000U);
    expect_half(std::nextafter(middle, -largest), bits);
    expect_half(std::nextafter(middle, largest), bits + 1);
  }
  expect_half(65504, 0x7bff);
  expect_half(std::nextafter(65520.0F, 0.0F), 0x7bff);
  expect_half(65520, 0x7c00);
  expect_half(largest, 0x7c00);
  expect_half(-std::numeric_limits<float>::infinity(), 0xfc00);
  expect_half(std::numeric_limits<float>::denorm_min(), 0);
}
