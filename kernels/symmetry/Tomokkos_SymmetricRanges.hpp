// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a range of the rays of a scan, out of its stored rays: what costs as much as these
// rays have entries, not as much as all have. X and Y are row-major multivectors in natural order.
// No fence, no allocation. All throw `Error` for a range that does not lie within the rays, and
// `DimensionMismatch`.
#pragma once

#include <Tomokkos_RayBands.hpp>
#include <Tomokkos_SymmetricRows.hpp>

namespace Tomokkos {

/// \brief `Y = alpha A(rows, :) X + beta Y`, a warp per row, or a thread of a host. `beta == 0`
/// overwrites.
///
/// Reads the entries of these rows; of the rays that are images of one stored ray all but the first
/// find them in a cache. The same bits on every run.
template <class ExecutionSpace, class Scalar>
void symmetric_product_of_rows(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

/// \brief `Y = alpha A(rows, :)^T X + beta Y` by one atomic addition per entry and vector: the last
/// bits vary from run to run. Reads the entries of these rows, and Y once more to scale it.
template <class ExecutionSpace, class Scalar>
void symmetric_transpose_atomic(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

/// \brief The same from the transpose T of the stored rays, its rows sorted: a pixel finds the part
/// of its row of T that is in a band by bisection, for each map that has one. The same bits on
/// every run; sums go by maps, then by stored rays.
///
/// Reads `bands.rows() / num_stored` times T, for a few views a small part of it.
///
/// \param bands of \p rows, by `RayBands`
/// \param Y8 `num_stored x 8 s` values, some of which are written over
template <class ExecutionSpace, class Scalar>
void symmetric_transpose_of_bands(
    const ExecutionSpace& exec, const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& T, const StoredBands& bands,
    RowRange rows, Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y8, Coefficient<Scalar> beta,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
