// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tomokkos info` says of block-circulant matrices.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <string>

namespace Tomokkos {

/// \brief Adds shape, reuse and bytes of the block-circulant matrix whose first row of blocks is
/// \p row, the matrix in \p file, where the file or \p given, unless it is 0, tells how many blocks
/// these are. Throws `ConfigError` for blocks that do not divide its columns, or are not those of
/// the file.
template <class Scalar>
void add_row_of_blocks(const std::string& file, Ordinal given, const HostCsrMatrix<Scalar>& row,
                       Description& result);

/// \brief Adds what is to be said of the block-circulant matrix of \p config, which is not
/// expanded.
template <class ExecutionSpace, class Scalar>
void add_block_circulant(const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
                         Description& result);

}  // namespace Tomokkos
