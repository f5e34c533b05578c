// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AssembledEquations.hpp>
#include <Tomokkos_Pcg.hpp>

namespace Tomokkos {

/// \brief Solves \p equations with their `default_solver`, conjugate gradients or BiCGSTAB,
/// starting from the values of the variables, and writes the values of all variables to \p X,
/// `num_variables x num_columns`.
///
/// Meant for a single solve. For repeated solves, `Pcg` on `matrix()` and `right_hand_sides()`
/// keeps its memory and its preconditioner. All results are complete on return. If there are no
/// free variables, each result has the reason `zero_rhs`.
///
/// \param params parameters of the solver. BiCGSTAB uses only iterations, checks, rules and
/// preconditioner. By default, `params.stop` limits `|r| / |b|` of the square system to 1e-6.
/// \return one result per right-hand side; X holds the last iterate even if a solve has failed
/// \throws DimensionMismatch, MemoryError, and the errors of the solvers
template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> solve_equations(
    const ExecutionSpace& exec, const AssembledEquations<ExecutionSpace, Scalar>& equations,
    const std::type_identity_t<MultiVectorView<Scalar, typename ExecutionSpace::memory_space>>& X,
    const PcgParams& params = {});

}  // namespace Tomokkos
