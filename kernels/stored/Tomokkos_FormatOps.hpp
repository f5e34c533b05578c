// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FormatTraits.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

// Counterparts of `csr_diagonal`, `csr_diagonal_blocks`, `csr_scaled` and `spmv_transpose_atomic`
// for the other formats with `FormatTraits<Matrix>::has_entries`.

/// \brief Copies the diagonal of a square A: `d_i = A(i, i)`, or 0 if it is not stored.
///
/// One pass over A, no fence, no allocation.
///
/// \throws DimensionMismatch when A is not square or d has the wrong length
template <class ExecutionSpace, class Matrix>
void format_diagonal(const ExecutionSpace& exec, const Matrix& A,
                     const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& d);

/// \brief Copies the diagonal blocks of \p size rows and columns of a square A.
///
/// The layout is that of `csr_diagonal_blocks`. One pass over A, no fence, no allocation.
///
/// \throws DimensionMismatch when A is not square or \p blocks has the wrong length
template <class ExecutionSpace, class Matrix>
void format_diagonal_blocks(
    const ExecutionSpace& exec, const Matrix& A, int size,
    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& blocks);

/// \brief Returns `diag(row_scale) A diag(column_scale)` in the same format, with new values and
/// the shared pattern.
///
/// The result is complete on return.
///
/// \throws DimensionMismatch when a scale has the wrong length
/// \throws MemoryError with the bytes of the values
template <class ExecutionSpace, class Matrix>
Matrix format_scaled(const ExecutionSpace& exec, const Matrix& A,
                     const InputVector<ExecutionSpace, typename Matrix::scalar_type>& row_scale,
                     const InputVector<ExecutionSpace, typename Matrix::scalar_type>& column_scale);

/// \brief Computes `Y = alpha A^T X + beta Y` with one atomic addition per nonzero and column of X.
///
/// X is `A.num_rows x s`, Y `A.num_cols x s`; `beta == 0` overwrites Y. One thread per row, or per
/// entry for COO. Reads A once and Y once more to scale it. The order of additions, and so the last
/// bits, vary from run to run. Two launches (three for HYB), no fence, no allocation.
///
/// \throws DimensionMismatch when X or Y has the wrong shape
template <class ExecutionSpace, class Matrix>
void format_transpose_atomic(
    const ExecutionSpace& exec, const Matrix& A, typename Matrix::scalar_type alpha,
    const InputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& X,
    typename Matrix::scalar_type beta,
    const OutputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& Y);

}  // namespace Tomokkos
