// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Half.hpp>
#include <Tomokkos_Views.hpp>
#include <cstdint>
#include <type_traits>

namespace Tomokkos {

/// \brief Storage of the values of a matrix in ray tiles.
enum class StoredPrecision {
  plain,  ///< full precision: 6 bytes an entry in float, 10 in double
  half,   ///< rounded to binary16: 4 bytes; relative error 2^-11 from 6.1e-5 on, absolute error
          ///< 3e-8 below
  scaled  ///< 65535 equal steps from the least to the largest value: 4 bytes; error half a step
};

template <>
struct EnumNames<StoredPrecision> {
  static constexpr auto names = names_up_to<StoredPrecision::scaled>("plain", "half", "scaled");
};

/// \brief Largest number of columns of a tile: 64 x 64 pixels.
inline constexpr Ordinal largest_tile = 4096;

/// \brief Largest number of segments of a block. Their data fits into scratch memory beside the
/// tile of a team.
inline constexpr int most_tile_segments = 1280;

/// \brief Entries of a pack. Four indices are one 8-byte load; four values are one or two loads of
/// 16 bytes.
inline constexpr int tile_pack = 4;

/// \brief Packs of a chunk: one for each lane of a warp.
inline constexpr int tile_chunk = 32;

/// \brief Bit that marks the first index of a pack that begins a segment.
inline constexpr unsigned segment_flag = 0x8000U;

/// \brief Sparse matrix in ray tiles, a format in which one copy serves both A x and A^T y.
///
/// Columns are cut into tiles of `tile` successive columns, rows into groups of `group_rows`
/// successive rows. The entries of one row in one tile are a *segment*. The segments of one group
/// in one tile, up to 1280 of them, are a *block*. For A x the tile of x fits into the fast memory
/// of a team; for A^T y the tile of the result does.
///
/// The format is worth its bytes if segments are long (about 64 entries). Number the columns so
/// that a tile is a square of pixels (`tiled_order` with 64 x 64) or a cube of voxels, which rays
/// cross.
///
/// Contract:
///  - 1 <= tile <= `largest_tile`; group_rows >= 1;
///  - blocks are ordered by tile, then by group. The blocks of tile t are `tile_blocks(t)` to
///    `tile_blocks(t + 1)`. The blocks of group g are listed in ascending order in `group_blocks`,
///    from `group_offsets(g)` on;
///  - the segments of a block are ordered by row, with at most one segment per row. `segment_rows`,
///    from `segment_offsets(block)` on, holds their rows, counted from the first row of the group;
///  - an entry is an index (its column within the tile) and a value. A segment fills packs of four
///    entries, columns ascending; its first index carries `segment_flag`. A block fills chunks of
///    32 packs, from `chunk_offsets(block)` on. `chunk_segments` holds how many segments of the
///    block begin before each chunk;
///  - padding of packs and chunks has the index `tile`, which is no column's index.
///
/// Padding never reads x and never changes y. Memory: `entry_bytes` an entry, 4 bytes a segment and
/// a chunk, about 40 a block.
template <class Scalar, class MemorySpace, StoredPrecision Values = StoredPrecision::plain>
struct RayTilesMatrix {
  static_assert(Values == StoredPrecision::plain || std::is_same_v<Scalar, float>,
                "values of 16 bits require vectors in float");
  using scalar_type = Scalar;
  using memory_space = MemorySpace;
  static constexpr StoredPrecision stored_precision = Values;
  static constexpr bool is_packed = Values != StoredPrecision::plain;
  /// Bytes of an entry. Packed entries are one word: the index in the lower 16 bits, the value in
  /// the upper 16. Plain entries use two arrays.
  static constexpr std::size_t entry_bytes = is_packed ? 4 : 2 + sizeof(Scalar);

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Offset nonzeros = 0;
  Ordinal tile = 0;
  Ordinal group_rows = 0;
  Kokkos::View<const Offset*, MemorySpace> tile_blocks;
  Kokkos::View<const Offset*, MemorySpace> group_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> group_blocks;
  Kokkos::View<const Ordinal*, MemorySpace> block_tiles;
  Kokkos::View<const Ordinal*, MemorySpace> block_groups;
  Kokkos::View<const Offset*, MemorySpace> segment_offsets;
  Kokkos::View<const Offset*, MemorySpace> chunk_offsets;
  Kokkos::View<const std::uint32_t*, MemorySpace> segment_rows;
  Kokkos::View<const std::uint32_t*, MemorySpace> chunk_segments;
  Kokkos::View<const std::uint16_t*, MemorySpace> indices;  // empty if packed
  Kokkos::View<const Scalar*, MemorySpace> values;          // empty if packed
  Kokkos::View<const std::uint32_t*, MemorySpace> words;    // empty unless packed
  /// Constants of `scaled`: value = `least` + code * `step`.
  float least = 0, step = 0;

  Ordinal num_tiles() const {
    return tile > 0 ? static_cast<Ordinal>((Offset{num_cols} + tile - 1) / tile) : 0;
  }
  Ordinal num_groups() const {
    return group_rows > 0 ? static_cast<Ordinal>((Offset{num_rows} + group_rows - 1) / group_rows)
                          : 0;
  }
  Offset num_blocks() const { return static_cast<Offset>(block_tiles.extent(0)); }
  Offset num_segments() const { return static_cast<Offset>(segment_rows.extent(0)); }
  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Stored entries, including padding.
  Offset num_stored() const {
    return static_cast<Offset>(is_packed ? words.extent(0) : values.extent(0));
  }
  double mean_segment() const {
    return num_segments() > 0 ? static_cast<double>(nonzeros) / static_cast<double>(num_segments())
                              : 0.0;
  }
  std::size_t memory_bytes() const {
    return (tile_blocks.extent(0) + group_offsets.extent(0) + segment_offsets.extent(0) +
            chunk_offsets.extent(0)) *
               sizeof(Offset) +
           (group_blocks.extent(0) + block_tiles.extent(0) + block_groups.extent(0)) *
               sizeof(Ordinal) +
           (segment_rows.extent(0) + chunk_segments.extent(0)) * sizeof(std::uint32_t) +
           static_cast<std::size_t>(num_stored()) * entry_bytes;
  }
};

}  // namespace Tomokkos
