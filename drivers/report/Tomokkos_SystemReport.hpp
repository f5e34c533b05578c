// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run of a linear system says of its solutions.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Why a diagonal cannot be used; \p row in natural order.
std::string describe_fault(const SystemFault& fault, Ordinal row);

/// \brief True when x is what was asked for.
bool is_solved(const SolveResult& result);

/// \brief `converged after 12 iterations, residual 1e-7`; of several right-hand sides how many have
/// ended in which way, the most iterations and the largest residual.
std::string describe_results(const std::vector<SolveResult>& results);

/// \brief Of several right-hand sides: how many there are and are solved, most iterations, largest
/// residual.
Description summary_description(const std::vector<SolveResult>& results);

/// \brief Of several right-hand sides: the result of each, and its history.
Description results_description(const std::vector<SolveResult>& results);

}  // namespace Tomokkos
