// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_PreparedOperator.hpp>

namespace Tomokkos {

/// \brief Prepares the operator of a block-circulant matrix with the variants and the transpose of
/// \p config. The report contains the reuse rho, the blocks, and the ratio of the bytes of the
/// expanded matrix to those of the block row.
///
/// \param vectors number of vectors of a product
/// \throws ConfigError with the position of the key for settings that are not possible; MemoryError
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_circulant_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors);

}  // namespace Tomokkos
