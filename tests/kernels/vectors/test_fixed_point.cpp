// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units of fixed-point sums, for all bounds that a double can represent.
#include <gtest/gtest.h>

#include <cmath>
#include <impl/Tomokkos_CirculantBounds.hpp>
#include <impl/Tomokkos_FixedSums.hpp>
#include <limits>
#include <vector>

using namespace Tomokkos;

namespace {

constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double most = std::numeric_limits<double>::max();

std::vector<double> bounds() {
  std::vector<double> all{least, 1e-310, most, most / 1.0005};
  for (int e = -1022; e <= 1023; e += 5)
    for (const double factor : {1.0, 1.3, 1.9999}) all.push_back(factor * std::ldexp(1.0, e));
  return all;
}

/// Sums of \p terms as in the products, for a vector whose largest entry is \p largest.
template <class Scalar, class Integer>
double sum_of(const std::vector<double>& terms, double largest, double matrix_bound) {
  constexpr int bits = Impl::fixed_point_bits<Integer>;
  const double scale = Impl::power_of_two(Impl::fixed_point_exponent(largest * matrix_bound, bits));
  Integer sum = 0;
  for (const double term : terms) sum += static_cast<Integer>(Impl::nearest(term * scale));
  unsigned char fault = 0;
  Scalar result = 0;
  const Impl::FixedSums<Scalar, Integer> sums{&largest,  matrix_bound, bits,   Scalar(1),
                                              Scalar(0), &sum,         &fault, &result};
  Impl::ConvertFixedSums<1, true, Scalar, Integer>{sums, 1, 1}(0);
  EXPECT_EQ(sum, 0);
  return static_cast<double>(result);
}

}  // namespace

TEST(FixedPoint, powers_and_their_inverses_are_normal_numbers) {
  for (const int bits : {30, 60, 61})
    for (const double bound : bounds()) {
      const int e = Impl::fixed_point_exponent(bound, bits);
      EXPECT_TRUE(std::isnormal(Impl::power_of_two(e))) << bound;
      EXPECT_TRUE(std::isnormal(Impl::power_of_two(-e))) << bound;
      // Twice the bound still leaves a bit for the sign.
      EXPECT_LT(std::ldexp(bound, e), std::ldexp(1.0, bits + 1)) << bound;
      // No bit is wasted unless the exponent is limited.
      if (e < Impl::largest_fixed_point_exponent) {
        EXPECT_GE(std::ldexp(1.0011 * bound, e), std::ldexp(1.0, bits)) << bound;
      }
    }
}

TEST(FixedPoint, nothing_to_add_has_a_unit_of_one) {
  EXPECT_EQ(Impl::fixed_point_exponent(0, 61), 0);
  EXPECT_EQ(Impl::fixed_point_exponent(std::nan(""), 61), 0);
}

TEST(FixedPoint, sums_of_data_of_any_size_are_within_half_a_unit_a_term) {
  const std::vector<double> weights{0.5, -0.25, 0.125, 1.0 / 3, -1e-7, 0.03};
  for (const double largest : {1e-307, 1e-300, 1e-292, 1e-285, 1e-20, 1.0, 1e20, 1e300}) {
    std::vector<double> terms;
    double expected = 0, matrix_bound = 0;
    for (const double weight : weights) {
      terms.push_back(weight * largest);
      expected += weight * largest;
      matrix_bound += std::abs(weight);
    }
    const auto count = static_cast<double>(weights.size());
    const double rounding = 4e-16 * matrix_bound * largest;
    EXPECT_NEAR((sum_of<double, long long>(terms, largest, matrix_bound)), expected,
                count * (0x1p-61 * matrix_bound * largest + 0x1p-1023) + rounding)
        << largest;
    EXPECT_NEAR((sum_of<double, int>(terms, largest, matrix_bound)), expected,
                count * (0x1p-30 * matrix_bound * largest + 0x1p-1023) + rounding)
        << largest;
  }
}

TEST(FixedPoint, a_bound_beyond_the_range_is_no_number) {
  EXPECT_TRUE(std::isnan(sum_of<double, long long>({1e200}, 1e200, 1e200)));
}

TEST(FixedPoint, several_entries_at_once_are_one_after_the_other) {
  const double largest = 2;
  for (const int count : {1, 3, 4, 7, 8}) {
    const auto taken = [&]<int entries>(std::integral_constant<int, entries>) {
      std::vector<long long> sums;
      std::vector<unsigned char> faults;
      std::vector<float> values;
      for (int i = 0; i < count; ++i) {
        sums.push_back((i - 3) * (1LL << 58));
        faults.push_back(i == 2 ? 1 : 0);
        for (int j = 0; j < 2; ++j) values.push_back(static_cast<float>(10 * i + j));
      }
      const int steps = (count + entries - 1) / entries;
      const Impl::ConvertFixedSums<entries, true, float, long long> take{
          {&largest, 3.0, 61, 1.5F, 2.0F, sums.data(), faults.data(), values.data(), 2},
          count,
          steps};
      for (int i = 0; i < steps; ++i) take(i);
      for (int i = 0; i < count; ++i) {
        EXPECT_EQ(sums[i], 0);
        EXPECT_EQ(faults[i], 0);
        EXPECT_EQ(std::isnan(values[2 * i]), i == 2);
        EXPECT_EQ(values[2 * i + 1], 10 * i + 1);  // between the entries of a column
        values[2 * i] = i == 2 ? 0 : values[2 * i];
      }
      return values;
    };
    EXPECT_EQ(taken(std::integral_constant<int, 4>()), taken(std::integral_constant<int, 1>()))
        << count;
  }
}

TEST(FixedPoint, folded_sums_are_added_and_known_by_their_bound) {
  // A column of two blocks. The last one has one position and has met a value that is not finite.
  const double largest = 2;
  std::vector<long long> sums{1LL << 58, 7, 1LL << 57};
  std::vector<unsigned char> faults{0, 1};
  std::vector<double> x{1, 1};
  Impl::FoldSums<double, long long> fold{
      &largest, 3.0, 61, 2.0, 0.5, Impl::DivideBy(2), 3, 1, sums.data(), faults.data(), x.data()};
  for (Offset i = 0; i < 2; ++i) fold(i);
  const double unit =
      Impl::power_of_two(-Impl::fixed_point_exponent(6.0, Impl::fixed_point_bits<long long>));
  EXPECT_EQ(x[0], 2 * 3 * 0x1p57 * unit + 0.5);
  EXPECT_TRUE(std::isnan(x[1]));
  EXPECT_EQ(sums, (std::vector<long long>{0, 0, 0}));
  EXPECT_EQ(faults, (std::vector<unsigned char>{0, 0}));

  const double huge = 1e200;
  fold.bound = &huge;
  fold.column_bound = 1e200;
  sums = {5, 5, 5};
  for (Offset i = 0; i < 2; ++i) fold(i);
  EXPECT_TRUE(std::isnan(x[0]) && std::isnan(x[1]));
}

TEST(FixedPoint, the_largest_of_several_entries_at_once_is_finite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{1, 0, -7, 0, infinity, 0, std::nan(""), 0, 3, 0};
  double largest = 0;
  for (int i = 0; i < 2; ++i) Impl::LargestFinite<4, double>{values.data(), 2, 5, 2}(i, largest);
  EXPECT_EQ(largest, 7);
}
