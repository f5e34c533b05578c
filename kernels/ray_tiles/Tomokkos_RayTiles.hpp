// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Half.hpp>
#include <Tomokkos_Views.hpp>
#include <cstdint>
#include <type_traits>

namespace Tomokkos {

/// \brief How a matrix in ray tiles holds its values.
enum class StoredPrecision {
  plain,  ///< as they are: 6 bytes an entry in float, 10 in double
  half,   ///< rounded to binary16: 4 bytes; relative error 2^-11 from 6.1e-5 on, 3e-8 below
  scaled  ///< in 65535 equal steps from the least to the largest: 4 bytes; error half a step
};

template <>
struct EnumNames<StoredPrecision> {
  static constexpr std::array<std::pair<StoredPrecision, std::string_view>, 3> names{
      {{StoredPrecision::plain, "plain"},
       {StoredPrecision::half, "half"},
       {StoredPrecision::scaled, "scaled"}}};
};

/// \brief Most columns of a tile: those of 64 x 64 pixels.
inline constexpr Ordinal largest_tile = 4096;

/// \brief Most segments of a block: what a team keeps of them fits beside its tile.
inline constexpr int most_tile_segments = 1280;

/// \brief Entries of a pack: four indices are one 8-byte load, four values 16 bytes or two of them.
inline constexpr int tile_pack = 4;

/// \brief Packs of a chunk, one for each lane of a warp.
inline constexpr int tile_chunk = 32;

/// \brief Bit of the first index of a pack that begins a segment.
inline constexpr unsigned segment_flag = 0x8000U;

/// \brief A matrix in ray tiles: tiles of `tile` successive columns, groups of `group_rows`
/// successive rows; what a row has in a tile is a *segment*. Segments of one group in one tile, up
/// to 1280, are a *block*. One copy serves A x, for which a tile of x fits the fast memory of a
/// team, and A^T y, for which a tile of the result does.
///
/// Worth its bytes where segments are long (some 64 entries): columns are numbered so that a tile
/// is a square of pixels (`tiled_order` with 64 x 64), or a cube of voxels, that rays cross.
///
/// Contract:
///  - 1 <= tile <= `largest_tile`; group_rows >= 1;
///  - blocks stand tile by tile, then group by group; those of tile t are `tile_blocks(t)` to
///    `tile_blocks(t + 1)`, those of group g are listed, ascending, by `group_blocks` from
///    `group_offsets(g)` on;
///  - the segments of a block stand by rows, at most one a row; `segment_rows` from
///    `segment_offsets(block)` on tells their rows, counted from the first of the group;
///  - entries are an index, that of the column within the tile, and a value. A segment fills packs
///    of four entries, columns ascending; its first index carries `segment_flag`. A block fills
///    chunks of 32 packs from `chunk_offsets(block)` on, and `chunk_segments` tells how many of its
///    segments begin before each chunk;
///  - what fills up packs and chunks has the index `tile`, which no column has.
///
/// Padding is never met by an entry of x or of y. Memory: `entry_bytes` an entry, 4 bytes a segment
/// and a chunk, about 40 a block.
template <class Scalar, class MemorySpace, StoredPrecision Values = StoredPrecision::plain>
struct RayTilesMatrix {
  static_assert(Values == StoredPrecision::plain || std::is_same_v<Scalar, float>,
                "16 bits of values are for vectors in float");
  using scalar_type = Scalar;
  using memory_space = MemorySpace;
  static constexpr StoredPrecision stored_precision = Values;
  static constexpr bool is_packed = Values != StoredPrecision::plain;
  /// Index and value of an entry are 16 bits each of one word, the index the lower ones; or they
  /// are in two arrays.
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
  Kokkos::View<const std::uint16_t*, MemorySpace> indices;  // not of packed ones
  Kokkos::View<const Scalar*, MemorySpace> values;          // not of packed ones
  Kokkos::View<const std::uint32_t*, MemorySpace> words;    // of packed ones
  /// Of `scaled`: value = `least` + code `step`.
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
  /// \brief Entries in memory, padding included.
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
