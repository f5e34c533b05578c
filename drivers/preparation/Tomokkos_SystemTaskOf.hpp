// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SystemTask.hpp>

namespace Tomokkos {

/// \brief Task of building the operator of a reconstruction. The slices of \p input decide the
/// vectors of \p needs, and its views the subsets of `sart`.
///
/// \param input must outlive the task
SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs, const RunInput& input);

/// \brief Task of preparing the operator of a linear system whose matrix exists already.
SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs);

}  // namespace Tomokkos
