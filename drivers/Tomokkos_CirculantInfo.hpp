// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tomokkos info` says of block-circulant matrices.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <string>

namespace Tomokkos {

/// \brief Shape, reuse and bytes of the block-circulant matrix whose first row of \p blocks blocks
/// is \p row. Throws `ConfigError` for blocks that do not divide its columns.
template <class Scalar>
ConfigNode block_row_info(const std::string& file, const HostCsrMatrix<Scalar>& row,
                          Ordinal blocks);

/// \brief Adds what is to be said of the block-circulant matrix of \p config, which is not
/// expanded.
template <class ExecutionSpace, class Scalar>
void add_block_circulant(const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
                         ConfigNode& node);

}  // namespace Tomokkos
