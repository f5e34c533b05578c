// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <array>
#include <optional>

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

namespace Impl {

/// Rows of ELLPACK, SELL or BCSR whose products with x a host adds to one sum, whatever the number
/// of threads is: whole chunks of SELL, and enough sums for the shares of many threads to be equal.
inline constexpr Ordinal format_dot_rows = 256;

/// Teams of `spmv_dot_threads` of a product with a dot that share a multiprocessor at least, which
/// leaves a thread the registers that the product alone takes. Where four entries of a row or more
/// are under way these are 40 ...
inline constexpr int slot_dot_teams = 12;
/// ... else, and with ELLPACK in float, 32 ...
inline constexpr int small_slot_dot_teams = 16;

/// ... of BCSR 32, 40, or 56 of the widest blocks.
constexpr int bcsr_dot_teams(int block_size, std::size_t scalar_bytes) {
  const std::size_t row_bytes = static_cast<std::size_t>(block_size) * scalar_bytes;
  return row_bytes > 32 ? 9 : row_bytes == 32 ? 12 : 16;
}

}  // namespace Impl

/// \brief Rows of a chunk of SELL that the kernels like best: a warp, or a 64-byte vector of
/// values.
constexpr int sell_chunk(bool gpu, std::size_t scalar_bytes) {
  return gpu ? 32 : static_cast<int>(64 / scalar_bytes);
}

/// \brief Entries of SELL that a lane loads at once: 16 bytes of columns on a GPU.
constexpr int sell_pack(bool gpu) { return gpu ? 4 : 1; }

/// \brief The rows among which `choose_format` would sort by length: long enough that a chunk holds
/// equal rows, short enough that the results of neighbours stay near each other.
inline constexpr Ordinal sorting_window = 8192;

/// \brief The sizes of blocks that are compiled.
inline constexpr std::array<int, 4> block_sizes{2, 3, 4, 8};

/// \brief What the choice of a format depends on besides the device: `format_statistics` finds it.
struct FormatStatistics {
  RowStatistics rows;
  /// Entries that SELL would store, padding included, with rows as they come.
  Offset sell_entries = 0;
  /// The same with every `sorting_window` rows sorted by length.
  Offset sorted_sell_entries = 0;
  /// Stored entries over nonzeros of each of `block_sizes`, estimated from a sample of the rows; 0:
  /// not known.
  std::array<double, block_sizes.size()> block_fill{};
};

/// \brief A format with its shape. The variant of CSR and all launch numbers are chosen afterwards,
/// by `choose_spmv_launch` and its like.
struct FormatChoice {
  MatrixFormat format = MatrixFormat::csr;
  Ordinal sigma = 1;  ///< of `sell`
  int block = 4;      ///< of `bcsr`
};

/// \brief The format whose product should be the fastest: the bytes that each one reads over the
/// share of the bandwidth that it was measured to reach. CSR, which needs no conversion, unless
/// another one promises to be clearly faster.
///
/// A pure function, as `choose_spmv_launch`. The conversion itself is not weighed: it costs some to
/// a hundred products.
///
/// \param largest_fill stored entries over nonzeros that no choice exceeds; nothing: the limit of
/// each format
/// \param several_vectors products with several vectors at once are meant
FormatChoice choose_format(const DeviceTraits& device, const FormatStatistics& statistics,
                           std::size_t scalar_bytes, std::optional<double> largest_fill = {},
                           bool several_vectors = false);

}  // namespace Tomokkos
