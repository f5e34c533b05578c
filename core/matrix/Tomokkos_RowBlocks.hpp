// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Types.hpp>
#include <vector>

namespace Tomokkos {

/// \brief The rows of a matrix in blocks that follow each other, each of as many rows as hold at
/// most \p most_nonzeros nonzeros; a longer row is a block of its own.
///
/// \param row_offsets num_rows + 1 positions that do not fall
std::vector<RowRange> blocks_of_rows(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets, Offset most_nonzeros);

}  // namespace Tomokkos
