// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Periodogram.hpp>
#include <cmath>
#include <string>
#include <utility>

namespace Tomokkos {

namespace {

constexpr double pi = 3.14159265358979323846;

std::complex<double> root(double turns) {
  return {std::cos(2 * pi * turns), std::sin(2 * pi * turns)};
}

std::size_t power_of_two_from(std::size_t least) {
  std::size_t power = 1;
  while (power < least) power *= 2;
  return power;
}

}  // namespace

FourierTransform::FourierTransform(std::size_t length) : length_(length), padded_(length) {
  require(length >= 1 && length <= std::size_t{1} << 40,
          "signals of " + std::to_string(length) +
              " values cannot be transformed: the length must be from 1 to 2^40");
  const bool direct = power_of_two_from(length) == length;
  if (!direct) padded_ = power_of_two_from(2 * length - 1);
  const auto size = static_cast<double>(padded_);
  for (std::size_t k = 0; k < padded_ / 2; ++k)
    roots_.push_back(root(-static_cast<double>(k) / size));
  if (direct) return;
  // j^2 modulo 2 n, exactly: the angle of a large square would lose its digits.
  for (std::size_t j = 0, square = 0; j < length; ++j) {
    chirp_.push_back(root(-static_cast<double>(square) / static_cast<double>(2 * length)));
    square = (square + 2 * j + 1) % (2 * length);
  }
  filter_.assign(padded_, 0.0);
  for (std::size_t j = 0; j < length; ++j) {
    filter_[j] = std::conj(chirp_[j]);
    if (j > 0) filter_[padded_ - j] = std::conj(chirp_[j]);
  }
  transform(filter_);
}

/// Transforms `padded_` values in place.
void FourierTransform::transform(Values& values) const {
  const std::size_t size = values.size();
  for (std::size_t i = 1, reversed = 0; i < size; ++i) {
    std::size_t bit = size / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed |= bit;
    if (i < reversed) std::swap(values[i], values[reversed]);
  }
  for (std::size_t half = 1; half < size; half *= 2)
    for (std::size_t first = 0; first < size; first += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> even = values[first + k];
        const std::complex<double> odd = values[first + half + k] * roots_[k * (size / (2 * half))];
        values[first + k] = even + odd;
        values[first + half + k] = even - odd;
      }
}

std::vector<std::complex<double>> FourierTransform::operator()(
    std::span<const double> signal) const {
  Values values(padded_, 0.0);
  for (std::size_t j = 0; j < length_; ++j)
    values[j] = chirp_.empty() ? std::complex<double>(signal[j]) : signal[j] * chirp_[j];
  transform(values);
  if (chirp_.empty()) return values;
  // The inverse transform is the conjugate of the transform of the conjugate.
  for (std::size_t k = 0; k < padded_; ++k) values[k] = std::conj(values[k] * filter_[k]);
  transform(values);
  values.resize(length_);
  const double scale = 1.0 / static_cast<double>(padded_);
  for (std::size_t f = 0; f < length_; ++f) values[f] = scale * std::conj(values[f]) * chirp_[f];
  return values;
}

CumulativePeriodogram::CumulativePeriodogram(std::size_t length)
    : transform_(length), power_(length / 2, 0.0) {
  require(length >= 2, "a periodogram needs signals of at least 2 values");
}

void CumulativePeriodogram::add(std::span<const double> signal) {
  const auto spectrum = transform_(signal);
  for (std::size_t f = 0; f < power_.size(); ++f) power_[f] += std::norm(spectrum[f + 1]);
}

std::vector<double> CumulativePeriodogram::values() const {
  std::vector<double> result;
  double sum = 0;
  for (const double power : power_) result.push_back(sum += power);
  if (sum > 0)
    for (double& value : result) value /= sum;
  return result;
}

double CumulativePeriodogram::distance_from_white() const {
  const std::vector<double> c = values();
  if (!(c.back() > 0)) return 0;
  const auto q = static_cast<double>(c.size());
  double squared = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double difference = c[i] - static_cast<double>(i + 1) / q;
    squared += difference * difference;
  }
  return std::sqrt(squared / q);
}

}  // namespace Tomokkos
