// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AssembledEquations.hpp>
#include <Tomokkos_Pcg.hpp>

namespace Tomokkos {

/// \brief Solves \p equations by their `default_solver`, conjugate gradients or BiCGSTAB, from the
/// values that the variables came with, and leaves the values of all variables in \p X,
/// `num_variables x num_columns`.
///
/// For whoever solves once; `Pcg` on `matrix()` and `right_hand_sides()` keeps its memory and its
/// preconditioner for the next time. One result for each right-hand side; X is what the solver left
/// whatever these say. `params.stop` is 1e-6 on `|r| / |b|` if nothing else is asked for, of the
/// square system. Complete on return. Without free variables the results are `zero_rhs`.
///
/// Of \p params BiCGSTAB takes what it has: iterations, looks, rules, preconditioner. Throws what
/// the solvers throw, `DimensionMismatch`, `MemoryError`.
template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> solve_equations(
    const ExecutionSpace& exec, const AssembledEquations<ExecutionSpace, Scalar>& equations,
    const std::type_identity_t<MultiVectorView<Scalar, typename ExecutionSpace::memory_space>>& X,
    const PcgParams& params = {});

}  // namespace Tomokkos
