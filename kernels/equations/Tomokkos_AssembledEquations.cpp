// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_AssembledEquations_impl.hpp>

namespace Tomokkos {

EquationSolver default_solver(EquationKind kind, const DefiniteSigns& signs) {
  if (kind == EquationKind::least_squares) return EquationSolver::pcg;
  return signs.symmetric && signs.positive_diagonal ? EquationSolver::pcg
                                                    : EquationSolver::bicgstab;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class AssembledEquations<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
