// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BcsrMatrix.hpp>
#include <Tomokkos_HybMatrix.hpp>
#include <Tomokkos_SellMatrix.hpp>

namespace Tomokkos {

/// \brief `Y = alpha A^T X + beta Y` by one atomic addition per nonzero and column of X, for every
/// format but CSR, which has `spmv_transpose_atomic`. X is `A.num_rows x s`, Y `A.num_cols x s`;
/// `beta == 0` overwrites Y.
///
/// A thread per row, of COO per entry; reads A once and Y once more to scale it. The order of
/// additions, and so the last bits, vary from run to run. Two launches (HYB three), no fence, no
/// allocation. Throws `DimensionMismatch`.
template <class ExecutionSpace, class Matrix>
void format_transpose_atomic(
    const ExecutionSpace& exec, const Matrix& A, typename Matrix::scalar_type alpha,
    const MultiVectorView<const typename Matrix::scalar_type,
                          typename ExecutionSpace::memory_space>& X,
    typename Matrix::scalar_type beta,
    const MultiVectorView<typename Matrix::scalar_type, typename ExecutionSpace::memory_space>& Y);

}  // namespace Tomokkos
