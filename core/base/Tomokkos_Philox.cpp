// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Philox.hpp>
#include <cmath>
#include <numbers>
#include <string>

namespace Tomokkos {
namespace {

constexpr std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

// Logarithm of the probability of k for a Poisson distribution with the given mean >= 10.
double log_probability(double k, double mean) {
  if (k < 16.0) {
    double log_factorial = 0.0;
    for (double i = 2.0; i <= k; i += 1.0) log_factorial += std::log(i);
    return k * std::log(mean) - mean - log_factorial;
  }
  // Stirling's series is inserted first to avoid cancellation: k log(mean) - mean - log k! loses
  // all digits for large means. The difference below stays of the order of (k - mean)^2 / mean.
  const double inverse = 1.0 / k, square = inverse * inverse;
  const double stirling =
      inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
  const double excess = (mean - k) / k;
  return k * (std::log1p(excess) - excess) - stirling - 0.5 * std::log(2.0 * std::numbers::pi * k);
}

double poisson_by_search(double mean, double u) {
  double probability = std::exp(-mean);
  double k = 0.0;
  while (u > probability) {
    u -= probability;
    k += 1.0;
    probability *= mean / k;
    // u exceeds the rounded sum of all probabilities: the remaining tail is below 1e-30.
    if (probability < 1e-30 && k > mean) break;
  }
  return k;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

double CounterRandom::uniform() {
  const std::uint64_t block = draws_ / 2;
  const bool second = draws_ % 2 == 1;
  if (!second)
    block_ =
        philox4x32({low(block), high(block), low(index_), high(index_)}, {low(seed_), high(seed_)});
  ++draws_;
  const std::uint64_t word = second ? std::uint64_t{block_[3]} << 32 | block_[2]
                                    : std::uint64_t{block_[1]} << 32 | block_[0];
  // 52 bits plus one half: exact in a double, never 0 and never 1.
  return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
}

double CounterRandom::normal() {
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double CounterRandom::poisson(double mean) {
  if (!(mean >= 0.0 && mean <= 1e15))
    throw Refused(
        Impl::text("the mean of a Poisson distribution is {}; it must be between 0 and 1e15",
                   std::to_string(mean)));
  if (mean == 0.0) return 0.0;
  if (mean < 10.0) return poisson_by_search(mean, uniform());

  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double sure_acceptance = 0.9277 - 3.6224 / (b - 2.0);
  for (;;) {
    const double u = uniform() - 0.5;
    const double v = uniform();
    const double distance = 0.5 - std::abs(u);
    const double k = std::floor((2.0 * a / distance + b) * u + mean + 0.43);
    if (distance >= 0.07 && v <= sure_acceptance) return k;
    if (k < 0.0 || (distance < 0.013 && v > distance)) continue;
    if (std::log(v * inverse_alpha / (a / (distance * distance) + b)) <= log_probability(k, mean))
      return k;
  }
}

}  // namespace Tomokkos
