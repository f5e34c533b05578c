// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolverList.hpp>
#include <memory>
#include <vector>

namespace Tomokkos {

/// \brief Arrays and orders that some solvers take beside their parameters; empty: absent. They
/// must outlive the solver.
template <class Scalar, class MemorySpace>
struct SolverInput {
  /// Terms of the model of MLEM.
  MlemTerms<Scalar, MemorySpace> terms;
  /// The rows in the order in which ART visits them.
  VectorView<const Ordinal, MemorySpace> row_order;
  /// The subsets in the order in which SIRT and SART visit them.
  std::vector<Ordinal> subset_order;
};

/// \brief The solver of \p params for a matrix of \p num_rows x \p num_cols and \p num_slices
/// vectors. What a solver does not know of \p input it leaves alone.
///
/// Allocates its workspace on \p exec.
///
/// \throws Error for parameters that make no sense
/// \throws DimensionMismatch for a matrix that is not square where the solver needs a square one
template <class ExecutionSpace, class Scalar>
std::unique_ptr<Solver<ExecutionSpace, Scalar>> make_solver(
    const ExecutionSpace& exec, const SolverParams& params, Ordinal num_rows, Ordinal num_cols,
    Ordinal num_slices = 1,
    const SolverInput<Scalar, typename ExecutionSpace::memory_space>& input = {});

/// \brief The same for \p A.
template <class ExecutionSpace, class Scalar>
std::unique_ptr<Solver<ExecutionSpace, Scalar>> make_solver(
    const ExecutionSpace& exec, const SolverParams& params,
    const AnyOperator<ExecutionSpace, Scalar>& A, Ordinal num_slices = 1,
    const SolverInput<Scalar, typename ExecutionSpace::memory_space>& input = {}) {
  return make_solver<ExecutionSpace, Scalar>(exec, params, A.num_rows(), A.num_cols(), num_slices,
                                             input);
}

}  // namespace Tomokkos
