// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Description of block-circulant matrices for `tomokkos info`.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <string>

namespace Tomokkos {

/// \brief Adds shape, reuse and bytes of the block-circulant matrix whose first block row is \p
/// row. Adds nothing if the number of blocks is not known.
///
/// \param given number of blocks; 0: read from \p file
/// \throws ConfigError if the number of blocks does not divide the columns or differs from that in
/// the file
template <class Scalar>
void add_row_of_blocks(const std::string& file, Ordinal given, const HostCsrMatrix<Scalar>& row,
                       Description& result);

/// \brief Adds the description of the block-circulant matrix of \p task without expanding it.
template <class ExecutionSpace, class Scalar>
void add_block_circulant(const ExecutionSpace& exec, const SystemTask& task, Description& result);

}  // namespace Tomokkos
