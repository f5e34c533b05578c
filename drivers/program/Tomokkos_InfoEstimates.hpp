// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>

namespace Tomokkos {

/// \brief Describes a run whose matrix is built from the geometry of a scan in \p estimates: for
/// each format that the configuration \p root allows, the bytes of the matrix and of the run, and
/// whether they fit. Builds only some rows.
///
/// \return the approximate number of entries that building the matrix would store; 0 without
/// estimates
template <class ExecutionSpace, class Scalar>
double add_estimates(const ExecutionSpace& exec, const ConfigNode& root, const RunConfig& config,
                     const RunInput& input, Description& estimates);

}  // namespace Tomokkos
