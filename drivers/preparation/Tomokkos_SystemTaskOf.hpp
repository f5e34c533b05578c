// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SystemTask.hpp>

namespace Tomokkos {

/// \brief Needs of the solver of \p config.
SolverNeeds needs_of(const RunConfig& config, Ordinal vectors);

/// \brief Task of building the operator of a reconstruction.
SystemTask system_task(const RunConfig& config, const RunInput& input);

/// \brief Task of preparing the operator of a linear system whose matrix exists already.
SystemTask system_task(const RunConfig& config, Ordinal vectors);

}  // namespace Tomokkos
