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

/// \brief Makes \p slices copies of \p data, one after the other, and adds to each the noise that
/// \p config asks for, slice j with the seed `run.seed + j`. Returns the norms of the noise;
/// nothing when none is asked for.
std::vector<double> add_noise(const RunConfig& config, Ordinal slices, std::vector<double>& data);

}  // namespace Tomokkos
