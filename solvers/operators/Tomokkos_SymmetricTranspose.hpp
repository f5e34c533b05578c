// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>

namespace Tomokkos {

/// \brief The transpose of the stored rays \p E of a scan in SELL, as an operator without a
/// transposed product: what `SymmetricOperator` may take beside E.
///
/// Its rows are short, and of about the same length in a tile of pixels, so that chunks of few rows
/// are hardly padded and eight vectors take them at once. Measured on an H200, 1024 x 1024 pixels:
/// `A^T x` in 0.297 ms, with a transpose in CSR 0.355 (docs/benchmarks/symmetric_rows.md).
///
/// \throw Error where SELL would be padded to more than its limit; MemoryError.
template <class ExecutionSpace, class Scalar>
AnyOperator<ExecutionSpace, Scalar> make_symmetric_transpose(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& E);

}  // namespace Tomokkos
