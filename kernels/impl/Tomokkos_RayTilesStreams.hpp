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

/// The segments and packs of one block, from its beginnings on: positions in it fit 32 bits, and
/// kernels need few registers for them.
template <class Scalar, TileValues Values>
struct TileBlock {
  const TileSegment* segments;
  const std::uint16_t* indices;
  const Scalar* values;
  const std::uint32_t* words;
  unsigned num_segments, num_packs;
  Offset first_row;
  Offset first_column;
  int width;  // columns of its tile
  float least, step;

  KOKKOS_FORCEINLINE_FUNCTION Scalar value_of(std::uint32_t word) const {
    if constexpr (Values == TileValues::half)
      return float_from_half(static_cast<std::uint16_t>(word >> 16));
    else
      return least + step * static_cast<float>(word >> 16);
  }

  KOKKOS_FORCEINLINE_FUNCTION TilePack<Scalar> pack(unsigned at) const {
    TilePack<Scalar> result;
    if constexpr (Values == TileValues::plain) {
      load_streamed_shorts(indices + std::size_t{at} * tile_pack, result.index);
      const Pack<Scalar> loaded = load_streamed(values + std::size_t{at} * tile_pack);
      for (int i = 0; i < tile_pack; ++i) result.value[i] = loaded.value[i];
    } else {
      const Pack<std::uint32_t> loaded = load_streamed(words + std::size_t{at} * tile_pack);
      for (int i = 0; i < tile_pack; ++i) {
        result.index[i] = loaded.value[i] & 0xffffU;
        result.value[i] = value_of(loaded.value[i]);
      }
    }
    return result;
  }

  /// Where the packs of a segment end.
  KOKKOS_FORCEINLINE_FUNCTION unsigned end_of(unsigned segment) const {
    return segment + 1 < num_segments ? segments[segment + 1].pack : num_packs;
  }
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

  KOKKOS_FUNCTION TileBlock<Scalar, Values> block(Offset b) const {
    const Offset segment = segment_offsets[b], pack = pack_offsets[b];
    const Offset first_column = Offset{block_tiles[b]} * tile;
    const Offset behind = first_column + tile < num_cols ? first_column + tile : Offset{num_cols};
    return {segments + segment,
            indices + pack * tile_pack,
            values + pack * tile_pack,
            words + pack * tile_pack,
            static_cast<unsigned>(segment_offsets[b + 1] - segment),
            static_cast<unsigned>(pack_offsets[b + 1] - pack),
            Offset{block_groups[b]} * group_rows,
            first_column,
            static_cast<int>(behind - first_column),
            least,
            step};
  }
};

}  // namespace Tomokkos::Impl
