// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_TransposeOptions.hpp>

namespace Tomokkos {

/// \brief Builds the transpose of the stored rays \p E of a scan in SELL, as an operator without a
/// transposed product, for the argument `transposed` of `SymmetricOperator`.
///
/// Its rows are short and of similar length within a tile of pixels, so that chunks of few rows
/// need little padding and eight vectors are multiplied together. Measured on an H200, 1024 x 1024
/// pixels: `A^T x` in 0.297 ms, with a transpose in CSR 0.355 ms
/// (docs/benchmarks/symmetric_rows.md).
///
/// \throws Error when SELL would be padded beyond its limit
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
AnyOperator<ExecutionSpace, Scalar> make_symmetric_transpose(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& E,
    const TransposeOptions& transposition = {});

}  // namespace Tomokkos
