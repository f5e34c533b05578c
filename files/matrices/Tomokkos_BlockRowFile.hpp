// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files with the first row of blocks of a block-circulant matrix: an m_B x k n_B matrix in which
// column b n_B + l is column l of block b. The number of blocks k is stored as well if the format
// allows it.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <filesystem>
#include <optional>

namespace Tomokkos {

/// \brief Writes a first row of \p blocks blocks as `.npz`, with the number of blocks as an array
/// `blocks` (SciPy's `load_npz` opens it), or as `.mtx`, with the number in a comment.
///
/// \throws OutputError for other extensions, and like `write_matrix`
template <class Scalar>
void write_block_row(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& block_row,
                     Ordinal blocks);

/// \brief Reads the number of blocks from an `.npz` file; empty if the file has no such number or
/// another format.
///
/// \throws InputError for a number that is not positive, and like `read_npz_array`
std::optional<Ordinal> read_number_of_blocks(const std::filesystem::path& path);

}  // namespace Tomokkos
