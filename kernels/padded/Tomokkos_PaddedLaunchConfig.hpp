// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <cstddef>

namespace Tomokkos {

// The launch numbers of padded formats and of COO: pure functions, like `choose_spmv_launch`.

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

/// \brief Rows of a chunk of SELL that the kernels like best: a warp, or a 64-byte vector of
/// values.
constexpr int sell_chunk(bool gpu, std::size_t scalar_bytes) {
  return gpu ? 32 : static_cast<int>(64 / scalar_bytes);
}

/// \brief Entries of SELL that a lane loads at once: 16 bytes of columns on a GPU.
constexpr int sell_pack(bool gpu) { return gpu ? 4 : 1; }

}  // namespace Tomokkos
