// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PackedCsr.hpp>
#include <Tomokkos_SpmvPrivate.hpp>

namespace Tomokkos {

// A^T x without a copy of A^T, from values as they are stored: adjoint to `spmv` of the same
// packed rows.

/// \brief `Y = alpha A^T X + beta Y` by one atomic addition per nonzero and column of X. X is
/// `A.num_rows x s`, Y `A.num_cols x s`; `beta == 0` overwrites Y.
///
/// A thread per row and pack of a chunk; reads A once and Y once more to scale it. The order of
/// additions, and so the last bits, vary from run to run. Two launches, no fence, no allocation.
/// Throws `DimensionMismatch`.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void spmv_transpose_atomic(
    const ExecutionSpace& exec,
    const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A,
    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

/// \brief The same on a host, by images that are added up: bundles of rows, all parts of about as
/// many entries, are added into one image each.
///
/// The bits follow from the number of images, not from that of the threads. Reads A once; writes
/// and reads each image. Two launches, no fence, no allocation. Throws `Error` for images of fewer
/// vectors, `DimensionMismatch`.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void spmv_transpose_private(
    const ExecutionSpace& exec, const PrivateImages<ExecutionSpace, Scalar>& images,
    const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A,
    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
