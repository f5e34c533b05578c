// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a range of the rays of a scan, computed from its stored rays. The cost depends on
// the entries of the range, not on those of all rays. X and Y are row-major multivectors in natural
// order. No fence, no allocation. All throw `Error` for a range outside the rays, and
// `DimensionMismatch`.
#pragma once

#include <Tomokkos_RayBands.hpp>
#include <Tomokkos_SymmetricRows.hpp>

namespace Tomokkos {

/// \brief Computes `Y = alpha A(rows, :) X + beta Y`; `beta == 0` overwrites Y. A warp per row on a
/// GPU, a thread per row on a host.
///
/// Reads the entries of these rows, of stored rays in CSR or in pairs. Rays that are images of one
/// stored ray read the same entries: all but the first find them in a cache. The bits are the same
/// on every run.
template <class ExecutionSpace, class Scalar, class StoredRows>
void symmetric_product_of_rows(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space, StoredRows>& A,
    RowRange rows, Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

/// \brief Computes `Y = alpha A(rows, :)^T X + beta Y` by one atomic addition per entry and vector.
/// The last bits vary from run to run. Reads the entries of these rows, and Y once more to scale
/// it.
template <class ExecutionSpace, class Scalar, class StoredRows>
void symmetric_transpose_atomic(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space, StoredRows>& A,
    RowRange rows, Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

/// \brief Computes `Y = alpha A(rows, :)^T X + beta Y` from the transpose T of the stored rays,
/// whose rows are sorted. The bits are the same on every run.
///
/// For each map with a band, a pixel finds by bisection the part of its row of T within the band.
/// Sums run over maps, then over stored rays. Reads `bands.rows() / num_stored` times T, which is a
/// small part of it for a few views.
///
/// \param bands bands of \p rows, from `RayBands`
/// \param Y8 workspace of `num_stored x 8 s` values; the function overwrites some of them
template <class ExecutionSpace, class Scalar>
void symmetric_transpose_of_bands(
    const ExecutionSpace& exec, const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& T, const StoredBands& bands,
    RowRange rows, Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y8, Coefficient<Scalar> beta,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
