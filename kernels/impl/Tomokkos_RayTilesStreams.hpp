// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of ray tiles read: blocks, segments, and entries in packs of four.
#pragma once

#include <Tomokkos_RayTiles.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>

namespace Tomokkos::Impl {

/// Four entries as they are multiplied.
template <class Scalar>
struct TilePack {
  Scalar value[tile_pack];
  unsigned index[tile_pack];
};

/// A matrix in ray tiles as raw pointers: kernels that capture it stay small.
template <class Scalar, TileValues Values>
struct RayTilesStreams {
  const Ordinal* block_tiles;
  const Ordinal* block_groups;
  const Offset* segment_offsets;
  const Offset* pack_offsets;
  const TileSegment* segments;
  const std::uint16_t* indices;
  const Scalar* values;
  const std::uint32_t* words;
  float least, step;
  Ordinal tile, group_rows, num_cols;

  template <class MemorySpace>
  explicit RayTilesStreams(const RayTilesMatrix<Scalar, MemorySpace, Values>& A)
      : block_tiles(A.block_tiles.data()),
        block_groups(A.block_groups.data()),
        segment_offsets(A.segment_offsets.data()),
        pack_offsets(A.pack_offsets.data()),
        segments(A.segments.data()),
        indices(A.indices.data()),
        values(A.values.data()),
        words(A.words.data()),
        least(A.least),
        step(A.step),
        tile(A.tile),
        group_rows(A.group_rows),
        num_cols(A.num_cols) {}

  /// First column of the tile of a block, and one behind its last.
  KOKKOS_FUNCTION Offset first_column(Offset block) const {
    return Offset{block_tiles[block]} * tile;
  }
  KOKKOS_FUNCTION Offset end_column(Offset block) const {
    const Offset end = first_column(block) + tile;
    return end < num_cols ? end : Offset{num_cols};
  }
  KOKKOS_FUNCTION Offset first_row(Offset block) const {
    return Offset{block_groups[block]} * group_rows;
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar value_of(std::uint32_t word) const {
    if constexpr (Values == TileValues::half)
      return float_from_half(static_cast<std::uint16_t>(word >> 16));
    else
      return least + step * static_cast<float>(word >> 16);
  }

  KOKKOS_FORCEINLINE_FUNCTION TilePack<Scalar> pack(Offset at) const {
    TilePack<Scalar> result;
    if constexpr (Values == TileValues::plain) {
      load_streamed_shorts(indices + at * tile_pack, result.index);
      const Pack<Scalar> loaded = load_streamed(values + at * tile_pack);
      for (int i = 0; i < tile_pack; ++i) result.value[i] = loaded.value[i];
    } else {
      const Pack<std::uint32_t> loaded = load_streamed(words + at * tile_pack);
      for (int i = 0; i < tile_pack; ++i) {
        result.index[i] = loaded.value[i] & 0xffffU;
        result.value[i] = value_of(loaded.value[i]);
      }
    }
    return result;
  }
};

/// A segment as a lane meets it.
struct TileSpan {
  Offset row = 0;
  Offset pack = 0, end = 0;
};

/// Number `at` of the segments of a block, which ends at `last` and begins with the pack `base`.
template <class Streams>
KOKKOS_FORCEINLINE_FUNCTION TileSpan tile_span(const Streams& A, Offset block, Offset at,
                                               Offset last) {
  const TileSegment segment = A.segments[at];
  const Offset base = A.pack_offsets[block];
  return {A.first_row(block) + segment.row, base + segment.pack,
          at + 1 < last ? base + A.segments[at + 1].pack : A.pack_offsets[block + 1]};
}

}  // namespace Tomokkos::Impl
