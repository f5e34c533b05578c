// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolverList.hpp>
#include <memory>
#include <vector>

namespace Tomokkos {

/// \brief Arrays and orders that some solvers use besides their parameters. Empty: not used. They
/// must outlive the solver.
template <class Scalar, class MemorySpace>
struct SolverInput {
  /// Terms of the model of MLEM.
  MlemTerms<Scalar, MemorySpace> terms{};
  /// Order in which ART visits the rows.
  VectorView<const Ordinal, MemorySpace> row_order{};
  /// Order in which SIRT and SART visit the subsets.
  std::vector<Ordinal> subset_order{};
};

/// \brief Creates the solver of \p params for a matrix of \p num_rows x \p num_cols and \p
/// num_slices vectors. The solver ignores members of \p input that it does not use.
///
/// Allocates its workspace on \p exec.
///
/// \throws Error when parameters are invalid
/// \throws DimensionMismatch when the matrix is not square, but the solver needs a square one
template <class ExecutionSpace, class Scalar>
std::unique_ptr<Solver<ExecutionSpace, Scalar>> make_solver(
    const ExecutionSpace& exec, const SolverParams& params, Ordinal num_rows, Ordinal num_cols,
    Ordinal num_slices = 1,
    const SolverInput<Scalar, typename ExecutionSpace::memory_space>& input = {});

/// \brief Creates the solver of \p params for operators with the shape of \p A. The solver does not
/// keep \p A; pass the operator to `solve`.
///
/// \throws Error when parameters are invalid
/// \throws DimensionMismatch when \p A is not square, but the solver needs a square one
template <class ExecutionSpace, class Scalar>
std::unique_ptr<Solver<ExecutionSpace, Scalar>> make_solver(
    const ExecutionSpace& exec, const SolverParams& params,
    const AnyOperator<ExecutionSpace, Scalar>& A, Ordinal num_slices = 1,
    const SolverInput<Scalar, typename ExecutionSpace::memory_space>& input = {}) {
  return make_solver<ExecutionSpace, Scalar>(exec, params, A.num_rows(), A.num_cols(), num_slices,
                                             input);
}

}  // namespace Tomokkos
