// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_LaunchConfig.hpp>

namespace Tomokkos {

// The launch numbers of the formats beside CSR: pure functions, like `choose_spmv_launch`.

/// \brief Threads per row (`vector_length`: 1, 2, 4 or 8) and rows per team of an ELLPACK-R
/// product. Throws `Error` for other lengths.
SpmvOptions choose_ell_r_launch(const DeviceTraits& device, Ordinal rows, Offset nonzeros,
                                const SpmvOptions& requested);

/// \brief Lanes that scan a tile of COO: a warp.
inline constexpr int coo_lanes = 32;

/// \brief Entries of a tile (`items_per_tile`, a multiple of 4) and tiles per team (`team_size`) of
/// a COO product.
SpmvOptions choose_coo_launch(const DeviceTraits& device, Offset nonzeros,
                              const SpmvOptions& requested);

/// \brief Lanes that share a block of BCSR: a row each, rounded up to a power of two. A 2x2 block
/// is for one lane.
constexpr int bcsr_lanes_per_block(int block_size) {
  return block_size == 2 ? 1 : block_size == 3 ? 4 : block_size;
}

/// \brief Lanes of a block row (`vector_length`, at least those of a block) and block rows per team
/// (`team_size`) of a BCSR product.
SpmvOptions choose_bcsr_launch(const DeviceTraits& device, int block_size, Ordinal block_rows,
                               Offset blocks, const SpmvOptions& requested);

}  // namespace Tomokkos
