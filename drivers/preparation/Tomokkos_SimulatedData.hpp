// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief The exact sinogram of the phantom of \p problem, as its projector measures: along lines
/// for `line` and `linear`, mean over each detector element for `strip`.
std::vector<double> analytic_data(const ProblemSection& problem, const RunInput& input);

/// \brief Makes measurements of the projection of a phantom in `input.data`: applies the terms of
/// the model, makes a copy for every slice, one after the other, and adds to each the noise that \p
/// config asks for, slice j with the seed `run.seed + j`. Returns the norms of the noise (also in
/// the notes); nothing when none is asked for.
std::vector<double> measure_projection(const RunConfig& config, RunInput& input);

}  // namespace Tomokkos
