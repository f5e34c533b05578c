// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <concepts>

namespace Tomokkos {

// What a solver asks of a matrix. The concepts name the least, so a user's own operator is a class
// with three members. What an operator offers beyond them is a capability, one small interface each
// (Tomokkos_OperatorCapabilities.hpp), found by the names of its members; solvers that can do
// without take the plain products.
//
// X and Y are row-major n x s multivectors (s right-hand sides, slices of a stack); a vector is n
// x 1.

/// \brief `Y = alpha A X + beta Y` with X `num_cols() x s` and Y `num_rows() x s`. `beta == 0`
/// overwrites Y, whatever it held.
template <class Operator, class ExecutionSpace, class Scalar>
concept LinearOperator =
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y) {
  { A.num_rows() } -> std::convertible_to<Ordinal>;
  { A.num_cols() } -> std::convertible_to<Ordinal>;
  A.apply(exec, alpha, X, beta, Y);
};

/// \brief A linear operator with `Y = alpha A^T X + beta Y`, X `num_rows() x s` and Y `num_cols() x
/// s`. How the transpose is done is the operator's choice, never the solver's.
template <class Operator, class ExecutionSpace, class Scalar>
concept TransposableOperator = LinearOperator<Operator, ExecutionSpace, Scalar> &&
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y) {
  A.apply_transpose(exec, alpha, X, beta, Y);
};

/// \brief An operator of which a contiguous range of rows is an operator, too: `apply(exec, alpha,
/// X, beta, Y, rows)` with Y `rows.size() x s` forms `Y = alpha A(rows, :) X + beta Y`.
template <class Operator, class ExecutionSpace, class Scalar>
concept RowSubsettable = LinearOperator<Operator, ExecutionSpace, Scalar> &&
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y, RowRange rows) {
  A.apply(exec, alpha, X, beta, Y, rows);
};

/// \brief The same of the transposed product: `apply_transpose(exec, alpha, X, beta, Y, rows)` with
/// X `rows.size() x s` forms `Y = alpha A(rows, :)^T X + beta Y`.
template <class Operator, class ExecutionSpace, class Scalar>
concept TransposedRowSubsettable = TransposableOperator<Operator, ExecutionSpace, Scalar> &&
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y, RowRange rows) {
  A.apply_transpose(exec, alpha, X, beta, Y, rows);
};

/// \brief A stored matrix of any type as an operator. \p Scalar is the type of the vectors, which
/// may be wider than the values of the matrix where `Tomokkos_TwoComponentOperator.hpp` says so.
///
/// Formats of the registry are in Tomokkos_MatrixOperator.hpp, matrices with two components in
/// Tomokkos_TwoComponentOperator.hpp, block-circulant ones in Tomokkos_BlockCirculantOperator.hpp.
template <class ExecutionSpace, class Matrix, class Scalar = typename Matrix::scalar_type>
class MatrixOperator;

}  // namespace Tomokkos
