// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveSystem.hpp>
#include <Tomokkos_StencilRows.hpp>
#include <functional>
#include <variant>
#include <vector>

namespace Tomokkos {

/// \brief Rows of a linear system: a stencil, or a function that returns the matrix on the host. It
/// is called on every rank, and again if shares are measured.
template <class Scalar>
using LinearRows = std::variant<StencilRows, std::function<HostCsrMatrix<Scalar>()>>;

/// \brief Columns of equal length that follow each other.
struct HostColumns {
  std::vector<double> values;
  std::size_t columns = 1;
};

/// \brief Right-hand sides of a linear system, and as many starts.
struct LinearVectors {
  HostColumns b;
  std::vector<double> x;  ///< empty: zeros
};

/// \brief Solves `A X = B`, or the least-squares problem if the solver is one for it. Vectors are
/// in natural order; the solver uses the order of `settings.task.wish`.
///
/// Each rank holds contiguous rows of the matrix, in the order of the solver, and the corresponding
/// entries of the vectors; for least squares all unknowns.
///
/// \param vectors called once with the shape of the matrix, when it is in memory
/// \throws InputError for a matrix that is not square or, for `pcg`, not symmetric, or with a
/// diagonal that the preconditioner cannot use; ConfigError for an order that the matrix does not
/// allow; DimensionMismatch for vectors of another length; MemoryError; the errors of
/// `solve_placed`. Collective on several ranks: an error of one ends all.
template <class ExecutionSpace, class Scalar>
SolvedSystem<Scalar> solve_linear(
    const ExecutionSpace& exec, const LinearRows<Scalar>& rows,
    const std::function<LinearVectors(Ordinal rows, Ordinal columns)>& vectors,
    const SystemSettings& settings, const SystemObserver<ExecutionSpace, Scalar>& observer = {},
    const SystemRanks<ExecutionSpace>& ranks = {});

}  // namespace Tomokkos
