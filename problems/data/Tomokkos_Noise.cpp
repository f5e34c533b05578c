// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_Noise.hpp>
#include <Tomokkos_Philox.hpp>
#include <algorithm>
#include <cmath>
#include <string>

namespace Tomokkos {
namespace {

constexpr double largest_mean = 1e15;  // limit of CounterRandom::poisson

std::string number(double value) { return Impl::formatted("%.9g", value); }

void check_finite(std::span<const double> sinogram) {
  for (std::size_t i = 0; i < sinogram.size(); ++i)
    if (!std::isfinite(sinogram[i]))
      throw Error("noise cannot be added to values that are not finite: value " +
                  std::to_string(i) + " of the sinogram is " + number(sinogram[i]));
}

// Replaces every value by noisy(value, random numbers of its position). Returns the norm of the
// change.
template <class Noisy>
double replace(std::span<double> sinogram, std::uint64_t seed, const Noisy& noisy) {
  double square = 0.0;
  for (std::size_t i = 0; i < sinogram.size(); ++i) {
    CounterRandom random(seed, i);
    const double value = noisy(sinogram[i], random);
    const double change = value - sinogram[i];
    square += change * change;
    sinogram[i] = value;
  }
  return std::sqrt(square);
}

double add_emission_noise(std::span<double> sinogram, double counts, std::uint64_t seed) {
  double largest = 0.0;
  for (std::size_t i = 0; i < sinogram.size(); ++i) {
    if (sinogram[i] < 0.0)
      throw Error("emission noise needs a sinogram without negative values; value " +
                  std::to_string(i) + " is " + number(sinogram[i]));
    largest = std::max(largest, sinogram[i]);
  }
  if (largest == 0.0) return 0.0;
  // Divide first: counts / largest overflows for tiny sinograms.
  const auto mean = [=](double value) { return value / largest * counts; };
  // Data without a single event carry no information.
  bool any = false;
  for (std::size_t i = 0; i < sinogram.size() && !any; ++i)
    any = CounterRandom(seed, i).poisson(mean(sinogram[i])) > 0;
  if (!any)
    throw Error("emission noise leaves nothing: none of the " + std::to_string(sinogram.size()) +
                " values has counted an event; increase counts, which is " + number(counts));
  return replace(sinogram, seed, [=](double value, CounterRandom& random) {
    return random.poisson(mean(value)) / counts * largest;
  });
}

double add_transmission_noise(std::span<double> sinogram, double counts, std::uint64_t seed) {
  if (counts < 1)
    throw Error("transmission noise needs at least one photon per ray; increase counts, which is " +
                number(counts));
  for (std::size_t i = 0; i < sinogram.size(); ++i)
    if (!(counts * std::exp(-sinogram[i]) <= largest_mean))
      throw Error("transmission noise: the line integral " + number(sinogram[i]) + " of value " +
                  std::to_string(i) + " gives more than " + number(largest_mean) +
                  " photons from the " + number(counts) + " that are sent");
  return replace(sinogram, seed, [=](double value, CounterRandom& random) {
    const double arrived = random.poisson(counts * std::exp(-value));
    return std::log(counts / std::max(arrived, 1.0));
  });
}

}  // namespace

double add_poisson_noise(std::span<double> sinogram, PoissonModel model, double counts,
                         std::uint64_t seed) {
  if (!(counts > 0.0 && counts <= largest_mean))
    throw Error("the counts of Poisson noise must be positive and at most " + number(largest_mean) +
                ", not " + number(counts));
  check_finite(sinogram);
  return model == PoissonModel::emission ? add_emission_noise(sinogram, counts, seed)
                                         : add_transmission_noise(sinogram, counts, seed);
}

double add_gaussian_noise(std::span<double> sinogram, GaussianScale scale, double level,
                          std::uint64_t seed) {
  if (!(level >= 0.0) || !std::isfinite(level))
    throw Error("the level of Gaussian noise must be at least 0, not " + number(level));
  check_finite(sinogram);
  double sigma = level;
  if (scale == GaussianScale::relative) {
    // Mean square of values divided by the largest one: squares of very large or small values would
    // overflow or underflow.
    double largest = 0.0, square = 0.0;
    for (const double value : sinogram) largest = std::max(largest, std::abs(value));
    if (largest == 0.0) return 0.0;
    for (const double value : sinogram) square += (value / largest) * (value / largest);
    sigma = level * largest * std::sqrt(square / static_cast<double>(sinogram.size()));
  }
  if (sigma == 0.0) return 0.0;
  return replace(sinogram, seed, [=](double value, CounterRandom& random) {
    return value + sigma * random.normal();
  });
}

}  // namespace Tomokkos
