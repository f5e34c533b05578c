// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace Tomokkos {

/// \brief What is counted when Poisson noise is added to a sinogram g.
enum class PoissonModel {
  /// Events of emission tomography: with scale = counts / max(g), value i becomes
  /// Poisson(scale g_i) / scale. The largest value is expected to count `counts` events, so the
  /// noise of a bin does not depend on the number of views. Needs g >= 0; a sinogram of zeros stays
  /// as it is.
  emission,
  /// Photons of a transmission scan, g being line integrals: `counts` photons are sent along each
  /// ray, N_i = Poisson(counts exp(-g_i)) arrive, value i becomes log(counts / max(N_i, 1)).
  transmission,
};

template <>
struct EnumNames<PoissonModel> {
  static constexpr std::array<std::pair<PoissonModel, std::string_view>, 2> names{{
      {PoissonModel::emission, "emission"},
      {PoissonModel::transmission, "transmission"},
  }};
};

/// \brief Adds Poisson noise to \p sinogram in place; `PoissonModel` says what \p counts means.
///
/// Value i depends on (seed, i) and on its own clean value (for `emission` also on the maximum)
/// alone: parts, order and threads change nothing. Made on the host in double.
///
/// \return |noisy - clean|_2, the noise level that a discrepancy rule needs.
/// \throw Error when counts is not a positive finite number, when a value is not finite or, for
///   `emission`, negative (its position and value are named), when an expected count exceeds 1e15,
///   when no value counts an event; \p sinogram is unchanged then.
double add_poisson_noise(std::span<double> sinogram, PoissonModel model, double counts,
                         std::uint64_t seed);

/// \brief What the number given to `add_gaussian_noise` means.
enum class GaussianScale {
  absolute,  ///< the standard deviation itself
  relative,  ///< expected |noise|_2 / |sinogram|_2: sigma = level |g|_2 / sqrt(number of values)
};

template <>
struct EnumNames<GaussianScale> {
  static constexpr std::array<std::pair<GaussianScale, std::string_view>, 2> names{{
      {GaussianScale::absolute, "absolute"},
      {GaussianScale::relative, "relative"},
  }};
};

/// \brief Adds independent normal noise of mean 0 to every value of \p sinogram in place.
///
/// \param level standard deviation, or its share as \p scale says; 0 changes nothing.
/// \return |noisy - clean|_2.
/// \throw Error when level is negative or not finite, or a value is not finite; \p sinogram is
///   unchanged then.
double add_gaussian_noise(std::span<double> sinogram, GaussianScale scale, double level,
                          std::uint64_t seed);

}  // namespace Tomokkos
