// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

// All are complete on return, and throw `MemoryError` with the bytes.

/// \brief The block-circulant matrix whose first row of blocks is \p block_row, rows sorted: column
/// b n_B + l of it is column l of A_b.
///
/// Throws `Error` for blocks that do not divide the columns, and as `check_circulant_shape`. Cost:
/// one pass and one of `validate`, and a sort of each row by in-sector column.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> block_circulant_from_block_row(
    const ExecutionSpace& exec,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& block_row, Ordinal blocks);

/// \brief The first row of blocks as CSR, rows sorted: the inverse of the above.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> block_row_from_block_circulant(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief C, rows sorted, as the block-circulant matrix that it is.
///
/// Throws `Error` for blocks that do not divide its rows and columns, and, where C is not block
/// circulant, naming the first entry (row, column, value) that has another value than the first row
/// of blocks says, is missing there, or is missing here. Equal means equal bits. Cost: one pass
/// over C and one of `validate`.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> block_circulant_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& C,
    Ordinal blocks, CirculantOrder order);

/// \brief All of C in CSR, rows sorted: k times the memory. For tests, and for what has no products
/// of its own.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_from_block_circulant(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    CirculantOrder order);

/// \brief C^T, which is block circulant, too: its first row of blocks is `A_{(-j) mod k}^T`.
///
/// The same bits on every run. Cost: entries are placed once, then a transposition of nnz entries
/// with n_B columns, which leaves the rows sorted; beside the result a copy of A and 16 m_B k
/// bytes, and the workspace of the transposition.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> transposed_block_circulant(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief rho, the nonzeros over the distinct pairs (row, in-sector column): how often a row that
/// reads a row of X has use for it. 1 without entries. One pass, one fence.
template <class ExecutionSpace, class Scalar>
double circulant_reuse(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief `sums(i) = sum_e values(e)` of each row of the block row, in double: every row i k + p of
/// C has this sum.
template <class ExecutionSpace, class Scalar>
void circulant_row_sums(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const OutputVector<ExecutionSpace, double>& sums);

}  // namespace Tomokkos
