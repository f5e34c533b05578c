// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <concepts>

namespace Tomokkos {

// Requirements of solvers on a matrix. The concepts name the minimum, so a user's own operator is a
// class with three members. Every further capability is a small interface of its own
// (Tomokkos_OperatorCapabilities.hpp), detected by the names of the operator's members. Solvers
// that can work without a capability use the plain products.
//
// X and Y are row-major n x s multivectors (s right-hand sides, slices of a stack); a vector is n x
// 1.

/// \brief Operator with the product `Y = alpha A X + beta Y`, X `num_cols() x s` and Y
/// `num_rows() x s`. `beta == 0` overwrites Y, whatever it held.
template <class Operator, class ExecutionSpace, class Scalar>
concept LinearOperator =
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y) {
  { A.num_rows() } -> std::convertible_to<Ordinal>;
  { A.num_cols() } -> std::convertible_to<Ordinal>;
  A.apply(exec, alpha, X, beta, Y);
};

/// \brief Linear operator that also has `Y = alpha A^T X + beta Y`, X `num_rows() x s` and Y
/// `num_cols() x s`. The operator, never the solver, chooses how the transposed product is
/// computed.
template <class Operator, class ExecutionSpace, class Scalar>
concept TransposableOperator = LinearOperator<Operator, ExecutionSpace, Scalar> &&
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y) {
  A.apply_transpose(exec, alpha, X, beta, Y);
};

/// \brief Operator that can be restricted to a contiguous range of rows:
/// `apply(exec, alpha, X, beta, Y, rows)` with Y `rows.size() x s` computes
/// `Y = alpha A(rows, :) X + beta Y`.
template <class Operator, class ExecutionSpace, class Scalar>
concept RowSubsettable = LinearOperator<Operator, ExecutionSpace, Scalar> &&
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y, RowRange rows) {
  A.apply(exec, alpha, X, beta, Y, rows);
};

/// \brief Operator whose transposed product can be restricted to a range of rows:
/// `apply_transpose(exec, alpha, X, beta, Y, rows)` with X `rows.size() x s` computes
/// `Y = alpha A(rows, :)^T X + beta Y`.
template <class Operator, class ExecutionSpace, class Scalar>
concept TransposedRowSubsettable = TransposableOperator<Operator, ExecutionSpace, Scalar> &&
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y, RowRange rows) {
  A.apply_transpose(exec, alpha, X, beta, Y, rows);
};

/// \brief Operator of a stored matrix of any type. \p Scalar is the type of the vectors; it may be
/// wider than the values of the matrix for the matrices of `Tomokkos_TwoComponentOperator.hpp`.
///
/// The specialisations are in Tomokkos_MatrixOperator.hpp (formats of the registry),
/// Tomokkos_TwoComponentOperator.hpp (matrices with two components) and
/// Tomokkos_BlockCirculantOperator.hpp (block-circulant matrices).
template <class ExecutionSpace, class Matrix, class Scalar = typename Matrix::scalar_type>
class MatrixOperator;

}  // namespace Tomokkos
