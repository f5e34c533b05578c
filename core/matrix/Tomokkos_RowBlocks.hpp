// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Types.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Divides the rows of a matrix into consecutive blocks of at most \p most_nonzeros
/// nonzeros, each as long as possible. A row with more nonzeros is a block of its own.
///
/// \param row_offsets num_rows + 1 nondecreasing positions
std::vector<RowRange> blocks_of_rows(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets, Offset most_nonzeros);

}  // namespace Tomokkos
