// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Exact sinogram of a phantom for the projector of \p input: along lines for `line` and
/// `linear`, averaged over each detector element for `strip`.
std::vector<double> analytic_data(PhantomKind kind, const RunInput& input);

/// \brief Turns the projection of a phantom in `input.data` into measurements: applies the terms of
/// the model, makes a copy for every slice, and adds \p noise, to slice j with the
/// seed `seed + j`. Returns the norm of the noise in each slice (also added to the notes);
/// empty without noise.
std::vector<double> measure_projection(const NoiseConfig& noise, std::uint64_t seed,
                                       RunInput& input);

}  // namespace Tomokkos
