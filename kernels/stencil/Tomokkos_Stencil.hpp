// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Builds the matrix of a 7-point or 27-point difference stencil on a box of `nx x ny x nz`
/// points.
///
/// Point (ix, iy, iz) is row and column `ix + nx (iy + ny iz)`. Off-diagonal entries are -1 for the
/// neighbours inside the box. The diagonal is 6 (7 points: the negative Laplacian with zero
/// boundary values) or 26 (27 points: the values of the HPCG benchmark). The matrix is symmetric,
/// its rows are sorted. Built on \p exec: count, scan, fill; two fences.
///
/// \param rows rows to build, with all columns
/// \throws Error when \p points is not 7 or 27, a side is below 1, or there are more points than
/// `Ordinal` can count
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_stencil_matrix(
    const ExecutionSpace& exec, int points, Ordinal nx, Ordinal ny, Ordinal nz,
    RowRange rows = all_rows);

/// \brief Returns the Kronecker product of \p A and the dense matrix
/// `(I + 1 1^T) / (unknowns + 1)`.
///
/// Every row of A gets \p unknowns unknowns, coupled with each other and with those of its
/// neighbours. Row sums are those of A, and a symmetric positive definite A stays symmetric
/// positive definite. The result has `unknowns^2` times the nonzeros of A, and sorted rows if A
/// has. One pass, one fence.
///
/// \throws Error when \p unknowns is below 1, or there are more rows or columns than `Ordinal` can
/// count
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> couple_unknowns(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    int unknowns);

}  // namespace Tomokkos
