// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first row of blocks of a block-circulant matrix as a file: an m_B x k n_B matrix, column
// b n_B + l of which is column l of block b, and beside it k as far as the format has a place.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <filesystem>
#include <optional>

namespace Tomokkos {

/// \brief Writes a first row of \p blocks blocks as `.npz`, with the number of blocks as an array
/// `blocks` (SciPy's `load_npz` opens it), or `.mtx`, with a comment that says it.
///
/// Throws `OutputError` for other extensions, and as `write_matrix`.
template <class Scalar>
void write_block_row(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& block_row,
                     Ordinal blocks);

/// \brief The number of blocks that \p path tells; nothing of a file that is no `.npz`, or tells
/// none. Throws `InputError` for a number that is not positive, and as `read_npz_array`.
std::optional<Ordinal> read_number_of_blocks(const std::filesystem::path& path);

}  // namespace Tomokkos
