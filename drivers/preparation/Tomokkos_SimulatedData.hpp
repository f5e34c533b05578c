// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Exact sinogram of the phantom of \p problem for its projector: along lines for `line` and
/// `linear`, averaged over each detector element for `strip`.
std::vector<double> analytic_data(const ProblemSection& problem, const RunInput& input);

/// \brief Turns the projection of a phantom in `input.data` into measurements: applies the terms of
/// the model, makes a copy for every slice, and adds the noise of \p config, to slice j with the
/// seed `run.seed + j`. Returns the norm of the noise in each slice (also added to the notes);
/// empty without noise.
std::vector<double> measure_projection(const RunConfig& config, RunInput& input);

}  // namespace Tomokkos
