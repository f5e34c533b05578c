// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares of a tile on hosts. The blocks of a tile are cut into shares, each with its own window of
// sums. The number of shares depends on the matrix, not on the number of threads.
#pragma once

#include <Tomokkos_RayTiles.hpp>
#include <algorithm>
#include <vector>

namespace Tomokkos::Impl {

/// Least number of shares in all tiles together, if there are enough entries.
inline constexpr Offset tile_shares = 64;

/// Least number of entries per column of a window, because a share costs some passes over its
/// window.
inline constexpr Offset share_entries = 16;

/// Number of shares that this many chunks justify.
inline Offset worthwhile_shares(Offset chunks, Ordinal tile) {
  return chunks * tile_chunk * tile_pack / (share_entries * tile);
}

/// Largest number of windows for all shares; 0 if each tile has only one share.
inline Offset most_shares(Offset tiles, Ordinal tile, Offset blocks, Offset chunks) {
  const Offset more = std::min({tile_shares, blocks, worthwhile_shares(chunks, tile)});
  return more > 1 ? tiles + more : 0;
}

/// Returns the number of the first share of each tile, and the end. A tile gets a part of
/// `tile_shares` that is proportional to its entries.
inline std::vector<Ordinal> begins_of_shares(const Offset* tile_blocks, const Offset* chunk_offsets,
                                             Ordinal num_tiles, Ordinal tile) {
  std::vector<Ordinal> begins(static_cast<std::size_t>(num_tiles) + 1, 0);
  const Offset all = num_tiles > 0 ? chunk_offsets[tile_blocks[num_tiles]] : 0;
  for (Ordinal t = 0; t < num_tiles; ++t) {
    const Offset blocks = tile_blocks[t + 1] - tile_blocks[t];
    const Offset chunks = chunk_offsets[tile_blocks[t + 1]] - chunk_offsets[tile_blocks[t]];
    const Offset wanted = all > 0 ? (tile_shares * chunks + all - 1) / all : 1;
    const Offset count =
        std::max<Offset>(1, std::min({wanted, blocks, worthwhile_shares(chunks, tile)}));
    begins[static_cast<std::size_t>(t) + 1] =
        begins[static_cast<std::size_t>(t)] + static_cast<Ordinal>(count);
  }
  return begins;
}

/// Shares of the tiles for a range of groups of rows.
struct SharesOfTiles {
  const Ordinal* begins;
  double* windows;
  const Offset* tile_blocks;
  const Offset* chunk_offsets;
  const Ordinal* block_groups;
  Ordinal num_tiles, tile;
  Offset first_group, last_group;

  struct Blocks {
    Offset first, last;
  };

  Ordinal tile_of(Offset item) const {
    return static_cast<Ordinal>(
        std::upper_bound(begins, begins + num_tiles, static_cast<Ordinal>(item)) - begins - 1);
  }
  double* window(Offset item) const { return windows + item * tile; }

  Blocks blocks(Ordinal t) const {
    const Ordinal* const first = block_groups + tile_blocks[t];
    const Ordinal* const last = block_groups + tile_blocks[t + 1];
    return {std::lower_bound(first, last, first_group) - block_groups,
            std::lower_bound(first, last, last_group) - block_groups};
  }
  /// Shares that have work. A product with few rows has fewer than one with all rows.
  int count(Ordinal t, const Blocks& blocks) const {
    const Offset chunks = chunk_offsets[blocks.last] - chunk_offsets[blocks.first];
    return static_cast<int>(
        std::clamp<Offset>(worthwhile_shares(chunks, tile), 1, begins[t + 1] - begins[t]));
  }
  /// First block of share k of n. All shares have about the same number of chunks.
  Offset cut(const Blocks& blocks, int k, int n) const {
    const Offset first = chunk_offsets[blocks.first], last = chunk_offsets[blocks.last];
    if (k == n) return blocks.last;
    return std::lower_bound(chunk_offsets + blocks.first, chunk_offsets + blocks.last,
                            first + (last - first) * k / n) -
           chunk_offsets;
  }
};

}  // namespace Tomokkos::Impl
