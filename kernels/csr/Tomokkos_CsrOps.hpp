// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief `d_i = A(i, i)`, 0 where it is not stored and the sum where it is stored several times,
/// for `i < min(rows, columns)`, the length of d.
///
/// Reads the columns once, a thread per row. No fence, no allocation. Throws `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void csr_diagonal(const ExecutionSpace& exec,
                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                  const OutputVector<ExecutionSpace, Scalar>& d);

/// \brief The blocks of \p size rows and columns along the diagonal of a square A, each row by row,
/// one after the other: entry (i, j) of block b is `blocks(b size^2 + i size + j)`. What lies
/// behind the last row of A is that of the identity.
///
/// Reads A once, a thread per row. No fence, no allocation. Throws `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void csr_diagonal_blocks(const ExecutionSpace& exec,
                         const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                         int size, const OutputVector<ExecutionSpace, Scalar>& blocks);

/// \brief `diag(row_scale) A diag(column_scale)`: new values, the pattern shared.
///
/// \p row_scale has a value per row, \p column_scale one per column. Complete on return. Throws
/// `DimensionMismatch`, and `MemoryError` with the bytes of the values. Cost: reads A and writes
/// the values once, allocates `sizeof(Scalar) nnz` bytes, one fence.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_scaled(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Scalar>& row_scale,
    const InputVector<ExecutionSpace, Scalar>& column_scale);

/// \brief One Kaczmarz sweep: for each row i of \p order (or 0, 1, ... where it is empty)
/// `x += relaxation (b_i - a_i x) / |a_i|^2 a_i`, clamped to `[minimum, maximum]` on the columns of
/// the row.
///
/// Exact: a row sees what the rows before it left. One team does all of it, so on a GPU this is
/// slow; sums are in double and in a fixed order, so the bits repeat. Rows without nonzeros are
/// passed over. Rows must hold no duplicates.
///
/// b has length `A.num_rows`, x `A.num_cols`; \p order may leave rows out or repeat them, its
/// entries lie in `[0, A.num_rows)` (asserted in debug builds). Reads the nonzeros of each visited
/// row twice. One launch, no fence, no allocation. Throws `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void csr_kaczmarz_sweep(const ExecutionSpace& exec,
                        const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                        const InputVector<ExecutionSpace, Ordinal>& order,
                        Coefficient<Scalar> relaxation, Coefficient<Scalar> minimum,
                        Coefficient<Scalar> maximum, const InputVector<ExecutionSpace, Scalar>& b,
                        const OutputVector<ExecutionSpace, Scalar>& x);

}  // namespace Tomokkos
