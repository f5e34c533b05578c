// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data read by the kernels of ray tiles: blocks, segments, and entries in packs of four.
#pragma once

#include <Tomokkos_RayTiles.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>

namespace Tomokkos::Impl {

/// Four entries as loaded: indices and values, or words that hold both.
template <class Scalar, StoredPrecision Values>
struct TilePack {
  ShortPack indices;
  Pack<Scalar> values;

  KOKKOS_FORCEINLINE_FUNCTION bool begins_segment() const {
    return (indices[0] & segment_flag) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned index(int i) const {
    return i == 0 ? indices[0] & ~segment_flag : indices[i];
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(int i, float, float) const { return values.value[i]; }
};

template <class Scalar, StoredPrecision Values>
requires(Values != StoredPrecision::plain) struct TilePack<Scalar, Values> {
  Pack<std::uint32_t> words;

  KOKKOS_FORCEINLINE_FUNCTION bool begins_segment() const {
    return (words.value[0] & segment_flag) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned index(int i) const {
    return words.value[i] & (i == 0 ? 0x7fffU : 0xffffU);
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(int i, float least, float step) const {
    const std::uint32_t code = words.value[i] >> 16;
    if constexpr (Values == StoredPrecision::half)
      return float_from_half(static_cast<std::uint16_t>(code));
    else
      return least + step * static_cast<float>(code);
  }
};

/// Range of segments of a block, and the chunks that hold them.
struct BlockPart {
  unsigned first_segment, last_segment;
  unsigned first_chunk, last_chunk;
};

/// One block with pointers to its first elements. Positions within it fit 32 bits, so kernels need
/// few registers for them.
template <class Scalar, StoredPrecision Values>
struct TileBlock {
  const std::uint32_t* rows;            // row of each segment
  const std::uint32_t* chunk_segments;  // number of segments that begin before each chunk
  const std::uint16_t* indices;
  const Scalar* values;
  const std::uint32_t* words;
  unsigned num_segments, num_chunks;
  Offset first_row;
  Offset first_column;
  int width;  // columns of its tile
  float least, step;

  static constexpr StoredPrecision stored_precision = Values;
  using PackType = TilePack<Scalar, Values>;

  KOKKOS_FORCEINLINE_FUNCTION PackType pack(std::size_t at) const {
    const std::size_t entry = at * tile_pack;
    if constexpr (Values == StoredPrecision::plain)
      return {load_streamed_shorts(indices + entry), load_streamed(values + entry)};
    else
      return {load_streamed(words + entry)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(const PackType& pack, int i) const {
    return pack.value(i, least, step);
  }

  /// Returns the segments of the rows `begin` to `end`. The first and the last chunk may hold other
  /// segments, too.
  KOKKOS_FUNCTION BlockPart part(Offset begin, Offset end) const {
    // Most blocks lie entirely in the range: no search is needed for them.
    const unsigned first = begin > first_row ? first_segment_from(begin) : 0;
    const unsigned last =
        first_row + rows[num_segments - 1] < end ? num_segments : first_segment_from(end);
    if (first >= last) return {0, 0, 0, 0};
    return {first, last, first > 0 ? chunk_of(first) : 0,
            last < num_segments ? chunk_of(last) + 1 : num_chunks};
  }

 private:
  KOKKOS_FUNCTION unsigned first_segment_from(Offset row) const {
    unsigned first = 0, last = num_segments;
    while (first < last) {
      const unsigned middle = (first + last) / 2;
      if (first_row + rows[middle] < row)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
  /// Returns the chunk in which a segment begins.
  KOKKOS_FUNCTION unsigned chunk_of(unsigned segment) const {
    unsigned first = 1, last = num_chunks;
    while (first < last) {
      const unsigned middle = (first + last) / 2;
      if (chunk_segments[middle] <= segment)
        first = middle + 1;
      else
        last = middle;
    }
    return first - 1;
  }
};

/// Matrix in ray tiles as raw pointers, so that kernels that capture it stay small.
template <class Scalar, StoredPrecision Values>
struct RayTilesStreams {
  const Ordinal* block_tiles;
  const Ordinal* block_groups;
  const Offset* segment_offsets;
  const Offset* chunk_offsets;
  const std::uint32_t* segment_rows;
  const std::uint32_t* chunk_segments;
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
        chunk_offsets(A.chunk_offsets.data()),
        segment_rows(A.segment_rows.data()),
        chunk_segments(A.chunk_segments.data()),
        indices(A.indices.data()),
        values(A.values.data()),
        words(A.words.data()),
        least(A.least),
        step(A.step),
        tile(A.tile),
        group_rows(A.group_rows),
        num_cols(A.num_cols) {}

  KOKKOS_FUNCTION TileBlock<Scalar, Values> block(Offset b) const {
    const Offset segment = segment_offsets[b], chunk = chunk_offsets[b];
    const Offset entry = chunk * tile_chunk * tile_pack;
    const Offset first_column = Offset{block_tiles[b]} * tile;
    const Offset behind = first_column + tile < num_cols ? first_column + tile : Offset{num_cols};
    return {segment_rows + segment,
            chunk_segments + chunk,
            indices + entry,
            values + entry,
            words + entry,
            static_cast<unsigned>(segment_offsets[b + 1] - segment),
            static_cast<unsigned>(chunk_offsets[b + 1] - chunk),
            Offset{block_groups[b]} * group_rows,
            first_column,
            static_cast<int>(behind - first_column),
            least,
            step};
  }
};

}  // namespace Tomokkos::Impl
