// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_LaunchConfig.hpp>

namespace Tomokkos {

// The launch numbers of the formats beside CSR: pure functions, like `choose_spmv_launch`.

/// \brief Threads per row (`vector_length`: 1, 2, 4 or 8) and rows per team of an ELLPACK-R
/// product. Throws `Error` for other lengths.
SpmvOptions choose_ell_r_launch(const DeviceTraits& device, Ordinal rows, Offset nonzeros,
                                const SpmvOptions& requested);

/// \brief Lanes over the blocks of a block row (`vector_length`) and scalar rows per team (a
/// multiple of \p block_size) of a BCSR product.
SpmvOptions choose_bcsr_launch(const DeviceTraits& device, int block_size, Ordinal block_rows,
                               Offset blocks, const SpmvOptions& requested);

}  // namespace Tomokkos
