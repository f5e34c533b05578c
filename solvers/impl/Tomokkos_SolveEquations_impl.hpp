// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_SolveEquations.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> solve_equations(
    const ExecutionSpace& exec, const AssembledEquations<ExecutionSpace, Scalar>& equations,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X,
    const PcgParams& params) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto& rows = equations.rows();
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "number of variables",
                rows.num_variables());
  require_equal("columns of X", static_cast<long long>(X.extent(1)), "right-hand sides",
                rows.num_columns());
  const EquationSolver solver = equations.solver(exec);
  require(solver == EquationSolver::pcg,
          "the matrix is not symmetric, or its diagonal not positive: conjugate gradients cannot "
          "solve this system, whose solver is " +
              std::string(to_string(solver)));
  const auto free = allocate<MultiVector<Scalar, MemorySpace>>(
      exec, "Tomokkos::solve_equations::free", rows.num_free(), rows.num_columns());
  Kokkos::deep_copy(exec, as_vector(free), as_vector(rows.start()));
  std::vector<SolveResult> results(static_cast<std::size_t>(rows.num_columns()));
  if (rows.num_free() == 0) {
    for (SolveResult& result : results) result.reason = StopReason::zero_rhs;
  } else {
    OperatorOptions options;
    options.transpose = TransposeMethod::atomic;  // none is needed
    const CsrOperator<ExecutionSpace, Scalar> A(exec, equations.matrix(), options);
    Pcg<ExecutionSpace, Scalar> pcg(exec, rows.num_free(), params, rows.num_columns());
    results = pcg.solve_stack(exec, A, equations.right_hand_sides(), free);
  }
  rows.scatter(exec, free, X);
  Impl::fence(exec, "solve_equations: all variables have their values");
  return results;
}

}  // namespace Tomokkos
