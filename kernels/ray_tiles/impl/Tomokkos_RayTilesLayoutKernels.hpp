// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps from the segments of rows to blocks, chunks and positions of entries.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_RayTilesLayout.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Counts the segments of each row.
template <class MemorySpace>
struct CountSegments {
  Kokkos::View<Offset*, MemorySpace> counts;

  struct Row {
    Offset* count;
    KOKKOS_FUNCTION void opens(Ordinal, Ordinal) const {}
    KOKKOS_FUNCTION void closes(Ordinal, Ordinal) const {}
    KOKKOS_FUNCTION void takes(Offset, Ordinal, Ordinal, Ordinal) const {}
    KOKKOS_FUNCTION void ends(Ordinal found) const { *count = found; }
  };
  KOKKOS_FUNCTION Row of_row(Offset row) const { return {&counts(row)}; }
};

/// Lists the tile and the length of each segment.
template <class MemorySpace>
struct ListSegments {
  Kokkos::View<const Offset*, MemorySpace> begins;  // first segment of each row
  Kokkos::View<Ordinal*, MemorySpace> tiles, lengths;

  struct Row {
    Ordinal *tiles, *lengths;
    KOKKOS_FUNCTION void opens(Ordinal j, Ordinal tile) const { tiles[j] = tile; }
    KOKKOS_FUNCTION void closes(Ordinal j, Ordinal length) const { lengths[j] = length; }
    KOKKOS_FUNCTION void takes(Offset, Ordinal, Ordinal, Ordinal) const {}
    KOKKOS_FUNCTION void ends(Ordinal) const {}
  };
  KOKKOS_FUNCTION Row of_row(Offset row) const {
    return {tiles.data() + begins(row), lengths.data() + begins(row)};
  }
};

/// `to(first + i) = base + from(i)`
template <class MemorySpace>
struct PlaceOffsets {
  Kokkos::View<const Offset*, MemorySpace> from;
  Kokkos::View<Offset*, MemorySpace> to;
  Offset first, base;
  KOKKOS_FUNCTION void operator()(const Offset i) const { to(first + i) = base + from(i); }
};

template <class MemorySpace>
struct CountPacks {
  Kokkos::View<const Ordinal*, MemorySpace> lengths;
  KOKKOS_FUNCTION void operator()(const Offset i, Offset& packs) const {
    packs += (lengths(i) + tile_pack - 1) / tile_pack;
  }
};

/// Whole numbers that a double holds exactly: `values(i) = i`.
template <class MemorySpace>
struct CountUp {
  Kokkos::View<double*, MemorySpace> values;
  KOKKOS_FUNCTION void operator()(const Offset i) const { values(i) = static_cast<double>(i); }
};

/// Segments ordered by tile; `numbers` holds their positions in the order of rows.
template <class MemorySpace>
struct SegmentList {
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<const double*, MemorySpace> numbers;
  Kokkos::View<const Ordinal*, MemorySpace> tiles, lengths;  // in the order of rows
  Ordinal group_rows;

  KOKKOS_FUNCTION Offset number(Offset at) const { return static_cast<Offset>(numbers(at)); }
  KOKKOS_FUNCTION Ordinal tile_of(Offset at) const { return tiles(number(at)); }
  KOKKOS_FUNCTION Ordinal group_of(Offset at) const { return rows(at) / group_rows; }
  KOKKOS_FUNCTION Offset packs_of(Offset at) const {
    return (lengths(number(at)) + tile_pack - 1) / tile_pack;
  }
  KOKKOS_FUNCTION bool begins_run(Offset at) const {
    return at == 0 || group_of(at) != group_of(at - 1) || tile_of(at) != tile_of(at - 1);
  }
};

/// Computes the packs of each segment, and a 1 for each segment that begins a run. A run is the
/// segments of one group in one tile.
template <class MemorySpace>
struct MeasureSegments {
  SegmentList<MemorySpace> list;
  Kokkos::View<Offset*, MemorySpace> packs, runs;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    packs(at) = list.packs_of(at);
    runs(at) = list.begins_run(at) ? 1 : 0;
  }
};

/// Writes the tile, the group and the first segment of each run, from the scanned counts.
template <class MemorySpace>
struct FillRuns {
  SegmentList<MemorySpace> list;
  Kokkos::View<const Offset*, MemorySpace> runs;  // number of runs before each segment
  Kokkos::View<Ordinal*, MemorySpace> tiles, groups;
  Kokkos::View<Offset*, MemorySpace> begins;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    if (!list.begins_run(at)) return;
    const Offset run = runs(at);
    tiles(run) = list.tile_of(at);
    groups(run) = list.group_of(at);
    begins(run) = at;
  }
};

/// `to(i) = from(at(i))`
template <class MemorySpace>
struct PickOffsets {
  Kokkos::View<const Offset*, MemorySpace> from, at;
  Kokkos::View<Offset*, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Offset i) const { to(i) = from(at(i)); }
};

/// Returns the index of the last of \p count ascending \p begins that is at most \p at.
template <class MemorySpace>
KOKKOS_INLINE_FUNCTION Offset
last_not_behind(const Kokkos::View<const Offset*, MemorySpace>& begins, Offset count, Offset at) {
  Offset low = 0, high = count;
  while (high - low > 1) {
    const Offset middle = low + (high - low) / 2;
    if (begins(middle) <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Computes the position of the entries of each segment, by its number, and its row within the
/// group.
template <class MemorySpace>
struct PlaceSegments {
  SegmentList<MemorySpace> list;
  Kokkos::View<const Offset*, MemorySpace> packs;  // number of packs before each segment
  Kokkos::View<const Offset*, MemorySpace> segment_offsets, chunk_offsets;
  Offset num_blocks;
  Kokkos::View<Offset*, MemorySpace> destinations;
  Kokkos::View<std::uint32_t*, MemorySpace> rows;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    rows(at) = static_cast<std::uint32_t>(list.rows(at) - list.group_of(at) * list.group_rows);
    const Offset block = last_not_behind(segment_offsets, num_blocks, at);
    const Offset pack =
        chunk_offsets(block) * tile_chunk + packs(at) - packs(segment_offsets(block));
    destinations(list.number(at)) = pack * tile_pack;
  }
};

/// Counts the segments of the block that begin before each chunk.
template <class MemorySpace>
struct CountBeforeChunks {
  Kokkos::View<const Offset*, MemorySpace> packs;  // number of packs before each segment
  Kokkos::View<const Offset*, MemorySpace> segment_offsets, chunk_offsets;
  Offset num_blocks;
  Kokkos::View<std::uint32_t*, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(const Offset chunk) const {
    const Offset block = last_not_behind(chunk_offsets, num_blocks, chunk);
    const Offset first = segment_offsets(block);
    const Offset pack = packs(first) + (chunk - chunk_offsets(block)) * tile_chunk;
    Offset low = first, high = segment_offsets(block + 1);
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (packs(middle) < pack)
        low = middle + 1;
      else
        high = middle;
    }
    counts(chunk) = static_cast<std::uint32_t>(low - first);
  }
};

inline RayTilesOptions complete(RayTilesOptions options, Ordinal rows, Ordinal columns,
                                Offset nonzeros) {
  require(options.tile >= 1 && options.tile <= largest_tile,
          Impl::text("ray tiles: a tile has 1 to {} columns, not {}", largest_tile, options.tile));
  require(options.group_rows >= 0, "ray tiles: a group has a negative number of rows");
  if (options.group_rows == 0) {
    const Offset tiles = std::max<Offset>(1, (Offset{columns} + options.tile - 1) / options.tile);
    // Average entries of a block. Longer blocks only if thousands of them remain.
    const Offset longest = std::clamp<Offset>(nonzeros / 4096, 100000, 200000);
    const Offset entries = std::clamp<Offset>(nonzeros / 2048, 4096, longest);
    const Offset groups =
        std::clamp<Offset>(nonzeros / (entries * tiles), 1, std::max<Offset>(1, rows / 32));
    options.group_rows = static_cast<Ordinal>((rows + groups - 1) / groups);
    options.group_rows = std::max<Ordinal>(1, options.group_rows);
  }
  return options;
}

template <class ExecutionSpace, class T, class MemorySpace>
std::vector<T> host_copy(const ExecutionSpace& exec,
                         const Kokkos::View<const T*, MemorySpace>& from) {
  std::vector<T> to(from.extent(0));
  Kokkos::deep_copy(exec,
                    Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        to.data(), to.size()),
                    from);
  fence(exec, "ray tiles: a list must have arrived on the host");
  return to;
}

template <class MemorySpace, class ExecutionSpace, class T>
Kokkos::View<T*, MemorySpace> device_copy(const ExecutionSpace& exec, const std::string& label,
                                          const std::vector<T>& from) {
  auto to = allocate<Kokkos::View<T*, MemorySpace>>(exec, label, from.size());
  Kokkos::deep_copy(
      exec, to,
      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          from.data(), from.size()));
  fence(exec, "ray tiles: a list must have left the host");
  return to;
}

/// Cuts runs into blocks. This runs on the host, since runs are few.
template <class ByTiles>
void cut_runs(const std::vector<Ordinal>& tiles, const std::vector<Ordinal>& groups,
              const std::vector<Offset>& begins, ByTiles& result) {
  for (std::size_t run = 0; run < tiles.size(); ++run)
    for (Offset at = begins[run]; at < begins[run + 1]; at += most_tile_segments) {
      result.block_tiles.push_back(tiles[run]);
      result.block_groups.push_back(groups[run]);
      result.segment_offsets.push_back(at);
    }
  result.segment_offsets.push_back(begins.back());
}

/// Writes the lists of the blocks of each tile and of each group.
template <class Matrix, class ExecutionSpace, class ByTiles>
void list_blocks(const ExecutionSpace& exec, const ByTiles& list, Matrix& A) {
  using MemorySpace = typename Matrix::memory_space;
  std::vector<Offset> tile_blocks(static_cast<std::size_t>(A.num_tiles()) + 1, 0);
  std::vector<Offset> group_offsets(static_cast<std::size_t>(A.num_groups()) + 1, 0);
  std::vector<Ordinal> group_blocks(list.block_tiles.size());
  for (const Ordinal t : list.block_tiles) ++tile_blocks[static_cast<std::size_t>(t) + 1];
  for (const Ordinal g : list.block_groups) ++group_offsets[static_cast<std::size_t>(g) + 1];
  for (std::size_t t = 1; t < tile_blocks.size(); ++t) tile_blocks[t] += tile_blocks[t - 1];
  for (std::size_t g = 1; g < group_offsets.size(); ++g) group_offsets[g] += group_offsets[g - 1];
  std::vector<Offset> next(group_offsets.begin(), group_offsets.end() - 1);
  for (std::size_t b = 0; b < list.block_groups.size(); ++b)
    group_blocks[static_cast<std::size_t>(next[static_cast<std::size_t>(list.block_groups[b])]++)] =
        static_cast<Ordinal>(b);
  A.tile_blocks = device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::tile_blocks", tile_blocks);
  A.group_offsets =
      device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::group_offsets", group_offsets);
  A.group_blocks = device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::group_blocks", group_blocks);
  A.block_tiles =
      device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::block_tiles", list.block_tiles);
  A.block_groups =
      device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::block_groups", list.block_groups);
  A.segment_offsets =
      device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::segment_offsets", list.segment_offsets);
}

/// Computes the first chunk of each block.
template <class ExecutionSpace, class MemorySpace>
std::vector<Offset> chunks_of_blocks(const ExecutionSpace& exec,
                                     const Kokkos::View<const Offset*, MemorySpace>& packs,
                                     const Kokkos::View<const Offset*, MemorySpace>& begins) {
  const auto picked = allocate<Kokkos::View<Offset*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::packs_of_blocks", begins.extent(0));
  Kokkos::parallel_for("Tomokkos::ray_tiles::pick", element_range(exec, begins.extent(0)),
                       PickOffsets<MemorySpace>{packs, begins, picked});
  const auto at = host_copy(exec, Kokkos::View<const Offset*, MemorySpace>(picked));
  std::vector<Offset> chunks{0};
  for (std::size_t b = 1; b < at.size(); ++b)
    chunks.push_back(chunks.back() + (at[b] - at[b - 1] + tile_chunk - 1) / tile_chunk);
  return chunks;
}

}  // namespace Tomokkos::Impl
