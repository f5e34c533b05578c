// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_RayTilesStreams.hpp>
#include <string>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// Segments of each row, and its packs.
template <class MemorySpace>
struct CountSegments {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Ordinal tile;
  Kokkos::View<Offset*, MemorySpace> segments;  // of each row; may be empty

  KOKKOS_FUNCTION void operator()(const Offset row, Offset& all_packs) const {
    Offset count = 0, length = 0, packs = 0;
    Ordinal current = -1;
    for (Offset k = row_offsets(row); k < row_offsets(row + 1); ++k) {
      const Ordinal t = columns(k) / tile;
      if (t != current) {
        packs += (length + tile_pack - 1) / tile_pack;
        length = 0;
        current = t;
        ++count;
      }
      ++length;
    }
    packs += (length + tile_pack - 1) / tile_pack;
    if (segments.extent(0) > 0) segments(row) = count;
    all_packs += packs;
  }
};

/// The segments as a matrix of rows and tiles whose values are where they begin in A: whole numbers
/// that a double holds exactly.
template <class MemorySpace>
struct ListSegments {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Ordinal tile;
  Kokkos::View<const Offset*, MemorySpace> segment_offsets;
  Kokkos::View<Ordinal*, MemorySpace> tiles;
  Kokkos::View<double*, MemorySpace> begins;

  KOKKOS_FUNCTION void operator()(const Offset row) const {
    Offset at = segment_offsets(row);
    Ordinal current = -1;
    for (Offset k = row_offsets(row); k < row_offsets(row + 1); ++k) {
      const Ordinal t = columns(k) / tile;
      if (t == current) continue;
      current = t;
      tiles(at) = t;
      begins(at) = static_cast<double>(k);
      ++at;
    }
  }
};

/// A segment of A, whose position in the list of all is `at`.
template <class MemorySpace>
struct SegmentList {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;  // of A
  Kokkos::View<const Ordinal*, MemorySpace> columns;     // of A
  Kokkos::View<const Ordinal*, MemorySpace> rows;        // of the segments, tile by tile
  Kokkos::View<const double*, MemorySpace> begins;
  Ordinal tile, group_rows;

  KOKKOS_FUNCTION Offset begin(Offset at) const { return static_cast<Offset>(begins(at)); }
  KOKKOS_FUNCTION Ordinal tile_of(Offset at) const { return columns(begin(at)) / tile; }
  KOKKOS_FUNCTION Ordinal group_of(Offset at) const { return rows(at) / group_rows; }
  /// By halving: the columns of the row ascend.
  KOKKOS_FUNCTION Offset end(Offset at) const {
    Offset low = begin(at) + 1, high = row_offsets(rows(at) + 1);
    const Offset beyond = (Offset{tile_of(at)} + 1) * tile;
    if (high - low > tile) high = low + tile;
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (columns(middle) < beyond)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  KOKKOS_FUNCTION bool begins_run(Offset at) const {
    return at == 0 || tile_of(at) != tile_of(at - 1) || group_of(at) != group_of(at - 1);
  }
};

/// Packs of each segment, and a 1 for those that begin a run: the segments of one group in one
/// tile.
template <class MemorySpace>
struct MeasureSegments {
  SegmentList<MemorySpace> list;
  Kokkos::View<Offset*, MemorySpace> packs, runs;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    packs(at) = (list.end(at) - list.begin(at) + tile_pack - 1) / tile_pack;
    runs(at) = list.begins_run(at) ? 1 : 0;
  }
};

/// With these added up: what runs are.
template <class MemorySpace>
struct FillRuns {
  SegmentList<MemorySpace> list;
  Kokkos::View<const Offset*, MemorySpace> runs;  // before each segment
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

/// The least and the largest value.
template <class Scalar, class MemorySpace>
struct ValueRange {
  Kokkos::View<const Scalar*, MemorySpace> values;
  KOKKOS_FUNCTION void operator()(const Offset k, double& least, double& largest) const {
    const double value = static_cast<double>(values(k));
    // What is not finite becomes infinite, which no range hides.
    const double low = value - value == 0 ? value : -HUGE_VAL;
    const double high = value - value == 0 ? value : HUGE_VAL;
    if (low < least) least = low;
    if (high > largest) largest = high;
  }
};

/// The last of the ascending \p begins, of which there are \p count, that does not lie behind \p
/// at.
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

/// The entries of a segment.
template <class Scalar, class MemorySpace, TileValues Values>
struct FillSegments {
  SegmentList<MemorySpace> list;
  Kokkos::View<const Scalar*, MemorySpace> source;
  Kokkos::View<const Offset*, MemorySpace> packs;  // before each segment
  Kokkos::View<const Offset*, MemorySpace> segment_offsets, chunk_offsets;
  Offset num_blocks;
  Kokkos::View<std::uint32_t*, MemorySpace> rows;
  Kokkos::View<std::uint16_t*, MemorySpace> indices;
  Kokkos::View<Scalar*, MemorySpace> values;
  Kokkos::View<std::uint32_t*, MemorySpace> words;
  float least, step;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    rows(at) = static_cast<std::uint32_t>(list.rows(at) - list.group_of(at) * list.group_rows);
    const Offset block = last_not_behind(segment_offsets, num_blocks, at);
    const Offset pack =
        chunk_offsets(block) * tile_chunk + packs(at) - packs(segment_offsets(block));
    const Offset begin = list.begin(at), end = list.end(at);
    const Ordinal first = list.tile_of(at) * list.tile;
    unsigned flag = segment_flag;
    Offset to = pack * tile_pack;
    for (Offset k = begin; k < end; ++k, ++to, flag = 0)
      put(to, static_cast<unsigned>(list.columns(k) - first) | flag, source(k));
  }

 private:
  KOKKOS_FUNCTION void put(Offset to, unsigned index, Scalar value) const {
    if constexpr (Values == TileValues::plain) {
      indices(to) = static_cast<std::uint16_t>(index);
      values(to) = value;
    } else {
      std::uint32_t code = 0;
      if constexpr (Values == TileValues::half)
        code = half_from_float(value);
      else if (step > 0)
        code = static_cast<std::uint32_t>((value - least) / step + 0.5F);
      words(to) = index | (code < 65535 ? code : 65535U) << 16;
    }
  }
};

/// How many segments of its block begin before a chunk.
template <class MemorySpace>
struct CountBeforeChunks {
  Kokkos::View<const Offset*, MemorySpace> packs;  // before each segment
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
          "ray tiles: a tile has 1 to " + std::to_string(largest_tile) + " columns, not " +
              std::to_string(options.tile));
  require(options.group_rows >= 0, "ray tiles: a group has no negative number of rows");
  if (options.group_rows == 0) {
    const Offset tiles = std::max<Offset>(1, (Offset{columns} + options.tile - 1) / options.tile);
    const Offset entries = std::clamp<Offset>(nonzeros / 2048, 4096, 100000);
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

/// Runs cut into blocks: on the host, they are few.
struct TileBlockList {
  std::vector<Ordinal> tiles, groups;
  std::vector<Offset> segment_offsets;

  TileBlockList(const std::vector<Ordinal>& run_tiles, const std::vector<Ordinal>& run_groups,
                const std::vector<Offset>& run_begins) {
    for (std::size_t run = 0; run < run_tiles.size(); ++run)
      for (Offset at = run_begins[run]; at < run_begins[run + 1]; at += most_tile_segments) {
        tiles.push_back(run_tiles[run]);
        groups.push_back(run_groups[run]);
        segment_offsets.push_back(at);
      }
    segment_offsets.push_back(run_begins.back());
  }
};

/// What lists the blocks of each tile and of each group.
template <class Matrix, class ExecutionSpace>
void list_blocks(const ExecutionSpace& exec, const TileBlockList& list, Matrix& A) {
  using MemorySpace = typename Matrix::memory_space;
  std::vector<Offset> tile_blocks(static_cast<std::size_t>(A.num_tiles()) + 1, 0);
  std::vector<Offset> group_offsets(static_cast<std::size_t>(A.num_groups()) + 1, 0);
  std::vector<Ordinal> group_blocks(list.tiles.size());
  for (const Ordinal t : list.tiles) ++tile_blocks[static_cast<std::size_t>(t) + 1];
  for (const Ordinal g : list.groups) ++group_offsets[static_cast<std::size_t>(g) + 1];
  for (std::size_t t = 1; t < tile_blocks.size(); ++t) tile_blocks[t] += tile_blocks[t - 1];
  for (std::size_t g = 1; g < group_offsets.size(); ++g) group_offsets[g] += group_offsets[g - 1];
  std::vector<Offset> next(group_offsets.begin(), group_offsets.end() - 1);
  for (std::size_t b = 0; b < list.groups.size(); ++b)
    group_blocks[static_cast<std::size_t>(next[static_cast<std::size_t>(list.groups[b])]++)] =
        static_cast<Ordinal>(b);
  A.tile_blocks = device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::tile_blocks", tile_blocks);
  A.group_offsets =
      device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::group_offsets", group_offsets);
  A.group_blocks = device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::group_blocks", group_blocks);
  A.block_tiles = device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::block_tiles", list.tiles);
  A.block_groups = device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::block_groups", list.groups);
  A.segment_offsets =
      device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::segment_offsets", list.segment_offsets);
}

/// Where the chunks of each block begin.
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

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
RayTilesSize ray_tiles_size(const ExecutionSpace& exec,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            Ordinal tile) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Impl::complete({tile, 0}, A.num_rows, A.num_cols, A.num_nonzeros());
  const auto counts = allocate<Kokkos::View<Offset*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::counts", Offset{A.num_rows} + 1);
  Kokkos::deep_copy(exec, counts, Offset{0});
  RayTilesSize size;
  Kokkos::parallel_reduce("Tomokkos::ray_tiles::count", Impl::element_range(exec, A.num_rows),
                          Impl::CountSegments<MemorySpace>{A.row_offsets, A.columns, tile, counts},
                          size.packs);
  Impl::exclusive_scan(exec, "Tomokkos::ray_tiles::scan", counts);
  size.segments = Impl::read_entry(exec, counts, static_cast<std::size_t>(A.num_rows),
                                   "ray_tiles_size: the number of segments");
  size.mean_segment =
      size.segments > 0 ? static_cast<double>(A.num_nonzeros()) / static_cast<double>(size.segments)
                        : 0.0;
  return size;
}

template <class ExecutionSpace, class Scalar, TileValues Values>
RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values> ray_tiles_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RayTilesOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Offsets = Kokkos::View<Offset*, MemorySpace>;
  using Ordinals = Kokkos::View<Ordinal*, MemorySpace>;
  const RayTilesOptions chosen = Impl::complete(options, A.num_rows, A.num_cols, A.num_nonzeros());
  RayTilesMatrix<Scalar, MemorySpace, Values> result;
  result.num_rows = A.num_rows;
  result.num_cols = A.num_cols;
  result.nonzeros = A.num_nonzeros();
  result.tile = chosen.tile;
  result.group_rows = chosen.group_rows;

  double least = 0, largest = 0;
  if (A.num_nonzeros() > 0)
    Kokkos::parallel_reduce("Tomokkos::ray_tiles::value_range",
                            Impl::element_range(exec, A.num_nonzeros()),
                            Impl::ValueRange<Scalar, MemorySpace>{A.values},
                            Kokkos::Min<double>(least), Kokkos::Max<double>(largest));
  require(std::isfinite(least) && std::isfinite(largest),
          "ray tiles cannot hold values that are not finite");
  if (Values == TileValues::half)
    require(least > -65520 && largest < 65520,
            "ray tiles with values of 16 bits hold none beyond 65504; scale the matrix, or use "
            "`scaled`");
  if (Values == TileValues::scaled) {
    result.least = static_cast<float>(least);
    result.step = static_cast<float>((largest - least) / 65535);
  }

  // The segments, row by row, and then, as the transposed list, tile by tile.
  CsrMatrix<double, MemorySpace> listed;
  listed.num_rows = A.num_rows;
  listed.num_cols = result.num_tiles();
  Offset num_packs = 0;
  {
    const auto offsets =
        allocate<Offsets>(exec, "Tomokkos::RayTiles::segments_of_rows", Offset{A.num_rows} + 1);
    Kokkos::deep_copy(exec, offsets, Offset{0});
    Kokkos::parallel_reduce(
        "Tomokkos::ray_tiles::count", Impl::element_range(exec, A.num_rows),
        Impl::CountSegments<MemorySpace>{A.row_offsets, A.columns, chosen.tile, offsets},
        num_packs);
    Impl::exclusive_scan(exec, "Tomokkos::ray_tiles::scan", offsets);
    const Offset count = Impl::read_entry(exec, offsets, static_cast<std::size_t>(A.num_rows),
                                          "ray_tiles_from_csr: the number of segments");
    const auto tiles = allocate<Ordinals>(exec, "Tomokkos::RayTiles::tiles_of_segments", count);
    const auto begins =
        allocate<Kokkos::View<double*, MemorySpace>>(exec, "Tomokkos::RayTiles::begins", count);
    Kokkos::parallel_for("Tomokkos::ray_tiles::list", Impl::element_range(exec, A.num_rows),
                         Impl::ListSegments<MemorySpace>{A.row_offsets, A.columns, chosen.tile,
                                                         offsets, tiles, begins});
    listed.row_offsets = offsets;
    listed.columns = tiles;
    listed.values = begins;
  }
  listed = transpose<ExecutionSpace, double>(exec, listed);
  const Offset count = listed.num_nonzeros();
  const Impl::SegmentList<MemorySpace> list{A.row_offsets, A.columns,   listed.columns,
                                            listed.values, chosen.tile, chosen.group_rows};

  const auto packs = allocate<Offsets>(exec, "Tomokkos::RayTiles::packs_before", count + 1);
  const auto runs = allocate<Offsets>(exec, "Tomokkos::RayTiles::runs_before", count + 1);
  Kokkos::deep_copy(exec, packs, Offset{0});
  Kokkos::deep_copy(exec, runs, Offset{0});
  Kokkos::parallel_for("Tomokkos::ray_tiles::measure", Impl::element_range(exec, count),
                       Impl::MeasureSegments<MemorySpace>{list, packs, runs});
  Impl::exclusive_scan(exec, "Tomokkos::ray_tiles::scan", packs);
  Impl::exclusive_scan(exec, "Tomokkos::ray_tiles::scan", runs);
  const Offset num_runs = Impl::read_entry(exec, runs, static_cast<std::size_t>(count),
                                           "ray_tiles_from_csr: the number of runs");
  {
    const auto tiles = allocate<Ordinals>(exec, "Tomokkos::RayTiles::run_tiles", num_runs);
    const auto groups = allocate<Ordinals>(exec, "Tomokkos::RayTiles::run_groups", num_runs);
    const auto begins = allocate<Offsets>(exec, "Tomokkos::RayTiles::run_begins", num_runs + 1);
    Kokkos::deep_copy(exec, begins, count);
    Kokkos::parallel_for("Tomokkos::ray_tiles::runs", Impl::element_range(exec, count),
                         Impl::FillRuns<MemorySpace>{list, runs, tiles, groups, begins});
    using ConstOrdinals = Kokkos::View<const Ordinal*, MemorySpace>;
    const Impl::TileBlockList blocks(
        Impl::host_copy(exec, ConstOrdinals(tiles)), Impl::host_copy(exec, ConstOrdinals(groups)),
        Impl::host_copy(exec, Kokkos::View<const Offset*, MemorySpace>(begins)));
    Impl::list_blocks(exec, blocks, result);
  }
  const auto chunks =
      Impl::chunks_of_blocks<ExecutionSpace, MemorySpace>(exec, packs, result.segment_offsets);
  result.chunk_offsets =
      Impl::device_copy<MemorySpace>(exec, "Tomokkos::RayTiles::chunk_offsets", chunks);
  const auto chunk_segments = allocate<Kokkos::View<std::uint32_t*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::chunk_segments", chunks.back());
  Kokkos::parallel_for(
      "Tomokkos::ray_tiles::chunks", Impl::element_range(exec, chunks.back()),
      Impl::CountBeforeChunks<MemorySpace>{packs, result.segment_offsets, result.chunk_offsets,
                                           result.num_blocks(), chunk_segments});

  constexpr bool packed = RayTilesMatrix<Scalar, MemorySpace, Values>::is_packed;
  const Offset stored = chunks.back() * tile_chunk * tile_pack;
  const auto rows = allocate<Kokkos::View<std::uint32_t*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::segment_rows", count);
  const auto indices = allocate<Kokkos::View<std::uint16_t*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::indices", packed ? 0 : stored);
  const auto values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::values", packed ? 0 : stored);
  const auto words = allocate<Kokkos::View<std::uint32_t*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::words", packed ? stored : 0);
  Kokkos::deep_copy(exec, indices, static_cast<std::uint16_t>(chosen.tile));
  Kokkos::deep_copy(exec, values, Scalar(0));
  Kokkos::deep_copy(exec, words, static_cast<std::uint32_t>(chosen.tile));
  Kokkos::parallel_for(
      "Tomokkos::ray_tiles::fill", Impl::element_range(exec, count),
      Impl::FillSegments<Scalar, MemorySpace, Values>{
          list, A.values, packs, result.segment_offsets, result.chunk_offsets, result.num_blocks(),
          rows, indices, values, words, result.least, result.step});
  result.segment_rows = rows;
  result.chunk_segments = chunk_segments;
  result.indices = indices;
  result.values = values;
  result.words = words;
  Impl::fence(exec, "ray_tiles_from_csr: any instance may read it from now on");
  return result;
}

namespace Impl {

/// Entries of each row: what is not padding.
template <class Scalar, class MemorySpace, TileValues Values>
struct CountTileEntries {
  RayTilesStreams<Scalar, Values> A;
  Kokkos::View<const Offset*, MemorySpace> group_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> group_blocks;
  Kokkos::View<Offset*, MemorySpace> counts;  // of each row; once scanned, where it begins
  bool fills;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  /// A group is one thread's: not fast, but the order of tiles is that of columns.
  KOKKOS_FUNCTION void operator()(const Offset group) const {
    for (Offset b = group_offsets(group); b < group_offsets(group + 1); ++b) {
      const auto block = A.block(group_blocks(b));
      unsigned segment = 0;
      for (unsigned p = 0; p < block.num_chunks * tile_chunk; ++p) {
        const auto pack = block.pack(p);
        if (pack.begins_segment()) ++segment;
        for (int c = 0; c < tile_pack; ++c) {
          if (pack.index(c) >= static_cast<unsigned>(A.tile)) continue;
          const Offset at = counts(block.first_row + block.rows[segment - 1])++;
          if (!fills) continue;
          columns(at) = static_cast<Ordinal>(block.first_column + pack.index(c));
          values(at) = block.value(pack, c);
        }
      }
    }
  }
};

/// Filling has moved each beginning to the end of its row, which is where the next one begins.
template <class MemorySpace>
struct ShiftOffsets {
  Kokkos::View<const Offset*, MemorySpace> moved;
  Kokkos::View<Offset*, MemorySpace> offsets;
  KOKKOS_FUNCTION void operator()(const Offset i) const { offsets(i) = i > 0 ? moved(i - 1) : 0; }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, TileValues Values>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_from_ray_tiles(
    const ExecutionSpace& exec,
    const RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Offsets = Kokkos::View<Offset*, MemorySpace>;
  const auto counts =
      allocate<Offsets>(exec, "Tomokkos::RayTiles::row_counts", Offset{A.num_rows} + 1);
  const auto offsets =
      allocate<Offsets>(exec, "Tomokkos::RayTiles::row_offsets", Offset{A.num_rows} + 1);
  const auto columns = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::columns", A.num_nonzeros());
  const auto values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::csr_values", A.num_nonzeros());
  Kokkos::deep_copy(exec, counts, Offset{0});
  Impl::CountTileEntries<Scalar, MemorySpace, Values> work{Impl::RayTilesStreams<Scalar, Values>(A),
                                                           A.group_offsets,
                                                           A.group_blocks,
                                                           counts,
                                                           false,
                                                           columns,
                                                           values};
  Kokkos::parallel_for("Tomokkos::ray_tiles::count_entries",
                       Impl::element_range(exec, A.num_groups()), work);
  Impl::exclusive_scan(exec, "Tomokkos::ray_tiles::scan", counts);
  work.fills = true;
  Kokkos::parallel_for("Tomokkos::ray_tiles::to_csr", Impl::element_range(exec, A.num_groups()),
                       work);
  Kokkos::parallel_for("Tomokkos::ray_tiles::offsets",
                       Impl::element_range(exec, Offset{A.num_rows} + 1),
                       Impl::ShiftOffsets<MemorySpace>{counts, offsets});
  CsrMatrix<Scalar, MemorySpace> result;
  result.num_rows = A.num_rows;
  result.num_cols = A.num_cols;
  result.row_offsets = offsets;
  result.columns = columns;
  result.values = values;
  Impl::fence(exec, "csr_from_ray_tiles: any instance may read it from now on");
  return result;
}

}  // namespace Tomokkos
