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

/// \brief Adds the noise that \p config asks for, and returns its norm; nothing when it asks for
/// none.
std::optional<double> add_noise(const RunConfig& config, std::vector<double>& data);

}  // namespace Tomokkos
