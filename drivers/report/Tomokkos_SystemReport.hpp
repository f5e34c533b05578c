// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of the solutions of linear systems.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Explains why a diagonal cannot be used. \p row is in natural order.
std::string describe_fault(const SystemFault& fault, Ordinal row);

/// \brief True if x satisfies a stopping rule for a solution.
bool is_solved(const SolveResult& result);

/// \brief Describes results: `converged after 12 iterations, residual 1e-7`, or `breakdown at
/// iteration 1356; x is iterate 0, residual 1` if x is an earlier iterate. For several right-hand
/// sides: the number for each stop reason, the most iterations and the largest residual.
std::string describe_results(const std::vector<SolveResult>& results);

/// \brief Summary of several right-hand sides: their number, how many are solved, most iterations,
/// largest residual.
Description summary_description(const std::vector<SolveResult>& results);

/// \brief Result and history of each of several right-hand sides.
Description results_description(const std::vector<SolveResult>& results);

}  // namespace Tomokkos
