// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <cstddef>

namespace Tomokkos {

// Launch parameters of padded formats and of COO. Pure functions, like `choose_spmv_launch`.

/// \brief Returns the launch parameters of an ELLPACK-R product: threads per row (`vector_length`:
/// 1, 2, 4 or 8) and rows per team.
///
/// \throws Error when \p requested has another vector length
SpmvOptions choose_ell_r_launch(const DeviceTraits& device, Ordinal rows, Offset nonzeros,
                                const SpmvOptions& requested);

/// \brief Lanes that scan a tile of COO: a warp.
inline constexpr int coo_lanes = 32;

/// \brief Returns the launch parameters of a COO product: entries of a tile (`items_per_tile`, a
/// multiple of 4) and tiles per team (`team_size`).
SpmvOptions choose_coo_launch(const DeviceTraits& device, Offset nonzeros,
                              const SpmvOptions& requested);

/// \brief Returns the best number of rows in a chunk of SELL: a warp, or a 64-byte vector of
/// values.
constexpr int sell_chunk(bool gpu, std::size_t scalar_bytes) {
  return gpu ? 32 : static_cast<int>(64 / scalar_bytes);
}

/// \brief Returns the number of entries of SELL that a lane loads at once: 16 bytes of columns on a
/// GPU.
constexpr int sell_pack(bool gpu) { return gpu ? 4 : 1; }

}  // namespace Tomokkos
