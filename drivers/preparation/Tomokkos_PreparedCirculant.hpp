// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_PreparedOperator.hpp>

namespace Tomokkos {

/// \brief The operator of a block-circulant matrix with the variants and the transpose that
/// \p config asks for. The report has the reuse rho, the blocks, and how many times the bytes of
/// the row of blocks the expanded matrix would take.
///
/// \param vectors that a product takes at once
/// \throw ConfigError, with the place of the key, for what cannot be had; MemoryError.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_circulant_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors);

}  // namespace Tomokkos
