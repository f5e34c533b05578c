// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Copies the diagonal `d_i = A(i, i)` for `i < min(rows, columns)`, the length of d.
///
/// The value is 0 if the entry is not stored, and the sum if it is stored several times. Reads the
/// columns once, one thread per row. No fence, no allocation.
///
/// \throws DimensionMismatch when d has the wrong length
template <class ExecutionSpace, class Scalar>
void csr_diagonal(const ExecutionSpace& exec,
                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                  const OutputVector<ExecutionSpace, Scalar>& d);

/// \brief Copies the diagonal blocks of \p size rows and columns of a square A.
///
/// Blocks are stored one after another, each row by row: entry (i, j) of block b is
/// `blocks(b size^2 + i size + j)`. Rows of the last block after the last row of A are those of the
/// identity. Reads A once, one thread per row. No fence, no allocation.
///
/// \throws DimensionMismatch when A is not square or \p blocks has the wrong length
template <class ExecutionSpace, class Scalar>
void csr_diagonal_blocks(const ExecutionSpace& exec,
                         const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                         int size, const OutputVector<ExecutionSpace, Scalar>& blocks);

/// \brief Returns `diag(row_scale) A diag(column_scale)`, with new values and the shared pattern.
///
/// The result is complete on return. Cost: reads A and writes the values once, allocates
/// `sizeof(Scalar) nnz` bytes, one fence.
///
/// \param row_scale one value per row
/// \param column_scale one value per column
/// \throws DimensionMismatch when a scale has the wrong length
/// \throws MemoryError with the bytes of the values
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_scaled(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Scalar>& row_scale,
    const InputVector<ExecutionSpace, Scalar>& column_scale);

/// \brief Performs one Kaczmarz sweep: for each row i,
/// `x += relaxation (b_i - a_i x) / |a_i|^2 a_i`, clamped to `[minimum, maximum]` on the columns of
/// the row.
///
/// The sweep is exact: each row uses x as updated by the rows before it. One team does all the
/// work, so this is slow on a GPU. Sums are in double and in a fixed order, so the bits repeat.
/// Rows without nonzeros are skipped. Rows must not hold duplicates.
///
/// Reads the nonzeros of each visited row twice. One launch, no fence, no allocation.
///
/// \param order rows in the order of their visits, in `[0, A.num_rows)` (asserted in debug builds).
/// Rows may be left out or repeated. Empty: 0, 1, ...
/// \param b right-hand side of length `A.num_rows`
/// \param[in,out] x iterate of length `A.num_cols`
/// \throws DimensionMismatch when b or x has the wrong length
template <class ExecutionSpace, class Scalar>
void csr_kaczmarz_sweep(const ExecutionSpace& exec,
                        const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                        const InputVector<ExecutionSpace, Ordinal>& order,
                        Coefficient<Scalar> relaxation, Coefficient<Scalar> minimum,
                        Coefficient<Scalar> maximum, const InputVector<ExecutionSpace, Scalar>& b,
                        const OutputVector<ExecutionSpace, Scalar>& x);

}  // namespace Tomokkos
