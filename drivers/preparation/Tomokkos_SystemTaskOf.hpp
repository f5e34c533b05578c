// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <optional>

namespace Tomokkos {

/// \brief Needs of the solver of \p config.
///
/// \param subsets empty: those of the configuration
SolverNeeds needs_of(const RunConfig& config, Ordinal vectors, std::optional<int> subsets = {});

/// \brief Task of building the operator of a reconstruction.
SystemTask system_task(const RunConfig& config, const RunInput& input);

/// \brief Task of preparing the operator of a linear system whose matrix exists already.
SystemTask system_task(const RunConfig& config, Ordinal vectors);

}  // namespace Tomokkos
