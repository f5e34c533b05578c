// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

// The results of these functions are complete on return. All of them throw `MemoryError` with the
// bytes needed.

/// \brief Builds the block-circulant matrix whose first row of blocks is \p block_row.
///
/// Column b n_B + l of \p block_row is column l of A_b. Its columns must ascend within each row.
/// Cost: one pass and one of `validate`, and a sort of each row by in-sector column.
///
/// \throws Error if the number of blocks does not divide the columns, and as
///   `check_circulant_shape`
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> block_circulant_from_block_row(
    const ExecutionSpace& exec,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& block_row, Ordinal blocks);

/// \brief Returns the first row of blocks as CSR with sorted rows: the inverse of
/// `block_circulant_from_block_row`.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> block_row_from_block_circulant(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Converts C, with sorted rows, to a block-circulant matrix, after checking that it is one.
///
/// Values are equal if their bits are. Cost: one pass over C and one of `validate`.
///
/// \throws Error if the number of blocks does not divide the rows and columns, or if C is not block
///   circulant. The latter names the first entry (row, column, value) that differs from the first
///   row of blocks, or is missing in either.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> block_circulant_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& C,
    Ordinal blocks, CirculantOrder order);

/// \brief Expands all of C to CSR with sorted rows: k times the memory. Meant for tests, and for
/// operations that block-circulant matrices do not support.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_from_block_circulant(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    CirculantOrder order);

/// \brief Returns C^T, which is block circulant, too: its first row of blocks is
/// `A_{(-j) mod k}^T`.
///
/// The bits are the same on every run. Cost: a pass that places the entries, then a transposition
/// of nnz entries with n_B columns, which leaves the rows sorted. Memory in addition to the result:
/// a copy of A, 16 m_B k bytes, and the workspace of the transposition.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> transposed_block_circulant(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Returns \p A with its values rounded to binary16, the nearest, ties to even. The other
/// arrays are shared.
///
/// The relative error is at most 2^-11 for values from 6.1e-5 on. The absolute error of smaller
/// values is at most 2^-25. Values that are halves already keep their bits.
/// `block_row_from_block_circulant`, `csr_from_block_circulant` and `transposed_block_circulant`
/// take rounded values, too. They use plain ones in between, which are 4 nnz bytes more. Cost: two
/// passes over the values.
///
/// \throws Refused in double, and for values beyond 65504 or not finite
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> with_rounded_values(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Returns \p A with plain values, which are those of its halves. The other arrays are
/// shared.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> with_plain_values(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Returns the reuse rho: nonzeros divided by distinct pairs (row, in-sector column). This
/// is how often, on average, a row of the matrix uses each row of X that it reads.
///
/// 1 if there are no entries. One pass, one fence.
template <class ExecutionSpace, class Scalar>
double circulant_reuse(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Computes `sums(i) = sum_e values(e)` of each row of the block row, in double. Every row i
/// k + p of C has this sum.
template <class ExecutionSpace, class Scalar>
void circulant_row_sums(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const OutputVector<ExecutionSpace, double>& sums);

}  // namespace Tomokkos
