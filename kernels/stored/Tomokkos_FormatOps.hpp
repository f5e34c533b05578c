// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FormatTraits.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

// What `csr_diagonal`, `csr_diagonal_blocks`, `csr_scaled` and `spmv_transpose_atomic` are for CSR,
// for the other formats with `FormatTraits<Matrix>::has_entries`.

/// \brief `d_i = A(i, i)`, 0 where it is not stored, for a square A. One pass over A, no fence, no
/// allocation. Throws `DimensionMismatch`.
template <class ExecutionSpace, class Matrix>
void format_diagonal(const ExecutionSpace& exec, const Matrix& A,
                     const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& d);

/// \brief The blocks of \p size rows and columns along the diagonal of a square A, as
/// `csr_diagonal_blocks` lays them. One pass over A, no fence, no allocation. Throws
/// `DimensionMismatch`.
template <class ExecutionSpace, class Matrix>
void format_diagonal_blocks(
    const ExecutionSpace& exec, const Matrix& A, int size,
    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& blocks);

/// \brief `diag(row_scale) A diag(column_scale)` in the same format: new values, the pattern
/// shared. Complete on return. Throws `DimensionMismatch`, and `MemoryError` with the bytes of the
/// values.
template <class ExecutionSpace, class Matrix>
Matrix format_scaled(const ExecutionSpace& exec, const Matrix& A,
                     const InputVector<ExecutionSpace, typename Matrix::scalar_type>& row_scale,
                     const InputVector<ExecutionSpace, typename Matrix::scalar_type>& column_scale);

/// \brief `Y = alpha A^T X + beta Y` by one atomic addition per nonzero and column of X. X is
/// `A.num_rows x s`, Y `A.num_cols x s`; `beta == 0` overwrites Y.
///
/// A thread per row, of COO per entry; reads A once and Y once more to scale it. The order of
/// additions, and so the last bits, vary from run to run. Two launches (HYB three), no fence, no
/// allocation. Throws `DimensionMismatch`.
template <class ExecutionSpace, class Matrix>
void format_transpose_atomic(
    const ExecutionSpace& exec, const Matrix& A, typename Matrix::scalar_type alpha,
    const InputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& X,
    typename Matrix::scalar_type beta,
    const OutputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& Y);

}  // namespace Tomokkos
