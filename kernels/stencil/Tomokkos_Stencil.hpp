// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief The matrix of a 7-point or 27-point difference stencil on a box of `nx x ny x nz` points.
///
/// Point (ix, iy, iz) is row and column `ix + nx (iy + ny iz)`. Off-diagonal entries are -1 for the
/// neighbours inside the box, the diagonal is 6 (7 points: the negative Laplacian with zero
/// boundary values) or 26 (27 points: the values of the HPCG benchmark). Symmetric, rows sorted.
///
/// \param rows those that are built, with all columns
///
/// Built on \p exec: count, scan, fill; two fences. Throws `Error` for another number of points, a
/// side below 1, or more points than `Ordinal` counts.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_stencil_matrix(
    const ExecutionSpace& exec, int points, Ordinal nx, Ordinal ny, Ordinal nz,
    RowRange rows = all_rows);

/// \brief The Kronecker product of \p A and the dense `(I + 1 1^T) / (unknowns + 1)`: \p unknowns
/// unknowns for every row of A, coupled among each other and with those of its neighbours. Row sums
/// are those of A, and a symmetric positive definite A stays so.
///
/// `unknowns^2` times the nonzeros of A, rows sorted as those of A are; one pass, one fence. Throws
/// `Error` for fewer than one unknown, or more rows or columns than `Ordinal` counts.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> couple_unknowns(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    int unknowns);

}  // namespace Tomokkos
