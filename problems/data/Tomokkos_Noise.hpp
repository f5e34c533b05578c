// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace Tomokkos {

/// \brief Quantity that is counted when Poisson noise is added to a sinogram g.
enum class PoissonModel {
  /// Events of emission tomography. With scale = counts / max(g), value i becomes Poisson(scale
  /// g_i) / scale. The largest value has an expected count of `counts`, so the noise of a bin does
  /// not depend on the number of views. Needs g >= 0; a sinogram of zeros is unchanged.
  emission,
  /// Photons of a transmission scan, with line integrals g: `counts` photons are sent along each
  /// ray, N_i = Poisson(counts exp(-g_i)) arrive, and value i becomes log(counts / max(N_i, 1)).
  transmission,
};

template <>
struct EnumNames<PoissonModel> {
  static constexpr auto names = names_up_to<PoissonModel::transmission>("emission", "transmission");
};

/// \brief Adds Poisson noise to \p sinogram in place. `PoissonModel` defines the meaning of \p
/// counts.
///
/// Value i depends only on (seed, i) and on its own noise-free value (for `emission` also on the
/// maximum): the result does not depend on parts, order and threads. Computed on the host in
/// double.
///
/// \return |noisy - clean|_2, the noise level that a discrepancy rule needs
/// \throws Error when counts is not a positive finite number, when a value is not finite or, for
/// `emission`, negative (its position and value are named), when an expected count exceeds 1e15, or
/// when no value counts an event; \p sinogram is then unchanged
double add_poisson_noise(std::span<double> sinogram, PoissonModel model, double counts,
                         std::uint64_t seed);

/// \brief Meaning of the level given to `add_gaussian_noise`.
enum class GaussianScale {
  absolute,  ///< level is the standard deviation
  relative,  ///< level is the expected |noise|_2 / |sinogram|_2: sigma = level |g|_2 / sqrt(number
             ///< of values)
};

template <>
struct EnumNames<GaussianScale> {
  static constexpr auto names = names_up_to<GaussianScale::relative>("absolute", "relative");
};

/// \brief Adds independent normal noise of mean 0 to every value of \p sinogram in place.
///
/// \param level standard deviation, or its fraction according to \p scale; 0 changes nothing
/// \return |noisy - clean|_2
/// \throws Error when level is negative or not finite, or a value is not finite; \p sinogram is
/// then unchanged
double add_gaussian_noise(std::span<double> sinogram, GaussianScale scale, double level,
                          std::uint64_t seed);

}  // namespace Tomokkos
