// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PackedCsr.hpp>
#include <Tomokkos_SpmvPrivate.hpp>

namespace Tomokkos {

// A^T x without a copy of A^T, with the values as stored: the adjoint of `spmv` with the same
// packed rows.

/// \brief Computes `Y = alpha A^T X + beta Y` by one atomic addition per nonzero and column of X.
///
/// X is `A.num_rows x s`, Y is `A.num_cols x s`; `beta == 0` overwrites Y. One thread per row and
/// pack of a chunk. Reads A once, and Y once more to scale it. The order of the additions, and
/// therefore the last bits, vary from run to run. Two launches, no fence, no allocation.
///
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void spmv_transpose_atomic(
    const ExecutionSpace& exec,
    const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A,
    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

/// \brief Computes `Y = alpha A^T X + beta Y` on a host with private images, which are added up.
///
/// The bundles are divided into parts with about the same number of entries; each part is added
/// into its own image. The bits depend on the number of images, not on the number of threads. Reads
/// A once; writes and reads each image. Two launches, no fence, no allocation.
///
/// \throws Error if the images have fewer vectors
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void spmv_transpose_private(
    const ExecutionSpace& exec, const PrivateImages<ExecutionSpace, Scalar>& images,
    const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A,
    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
