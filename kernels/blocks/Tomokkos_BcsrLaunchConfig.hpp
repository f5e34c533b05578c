// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <array>
#include <cstddef>

namespace Tomokkos {

/// \brief Block sizes for which kernels are compiled.
inline constexpr std::array<int, 4> block_sizes{2, 3, 4, 8};

/// \brief Returns the number of lanes that share a block of BCSR: one per row, rounded up to a
/// power of two. One lane processes a 2x2 block alone.
constexpr int bcsr_lanes_per_block(int block_size) {
  return block_size == 2 ? 1 : block_size == 3 ? 4 : block_size;
}

/// \brief Returns the launch parameters of a BCSR product: lanes of a block row (`vector_length`,
/// at least those of a block) and block rows per team (`team_size`).
SpmvOptions choose_bcsr_launch(const DeviceTraits& device, int block_size, Ordinal block_rows,
                               Offset blocks, const SpmvOptions& requested);

namespace Impl {

/// Returns the minimum number of teams of `spmv_dot_threads` that share a multiprocessor for a
/// product with a dot. A thread keeps as many registers as the plain product uses: 32, 40, or 56
/// for the widest blocks.
constexpr int bcsr_dot_teams(int block_size, std::size_t scalar_bytes) {
  const std::size_t row_bytes = static_cast<std::size_t>(block_size) * scalar_bytes;
  return row_bytes > 32 ? 9 : row_bytes == 32 ? 12 : 16;
}

}  // namespace Impl

}  // namespace Tomokkos
