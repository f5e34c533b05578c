// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_RayTilesCount.hpp>
#include <algorithm>
#include <impl/Tomokkos_RayTilesLayoutKernels.hpp>
#include <impl/Tomokkos_RayTilesShares.hpp>
#include <vector>

namespace Tomokkos {
namespace {

constexpr Offset parts_of(Offset count, Offset size) { return (count + size - 1) / size; }

RayTilesCount empty_count(Ordinal num_rows, Ordinal num_cols, Offset nonzeros,
                          const RayTilesOptions& options) {
  const RayTilesOptions chosen = Impl::complete(options, num_rows, num_cols, nonzeros);
  RayTilesCount count;
  count.tile = chosen.tile;
  count.group_rows = chosen.group_rows;
  count.tiles = parts_of(num_cols, chosen.tile);
  count.groups = parts_of(num_rows, chosen.group_rows);
  count.nonzeros = nonzeros;
  return count;
}

/// Block that is being filled in a tile.
struct OpenBlock {
  Offset segments = 0, packs = 0;
};

void close(OpenBlock& block, RayTilesCount& count) {
  if (block.segments == 0) return;
  ++count.blocks;
  count.chunks += parts_of(block.packs, tile_chunk);
  block = {};
}

}  // namespace

std::uint64_t RayTilesCount::bytes(std::size_t entry_bytes) const {
  return Impl::MemoryNeed()
      .add(static_cast<std::uint64_t>(tiles + groups + 2 * blocks + 4), sizeof(Offset))
      .add(static_cast<std::uint64_t>(3 * blocks), sizeof(Ordinal))
      .add(static_cast<std::uint64_t>(segments + chunks), sizeof(std::uint32_t))
      .add(static_cast<std::uint64_t>(chunks) * tile_chunk * tile_pack, entry_bytes)
      .bytes();
}

RayTilesCount count_ray_tiles(Ordinal num_rows, Ordinal num_cols,
                              const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                              const Kokkos::View<const Ordinal*, Kokkos::HostSpace>& columns,
                              const RayTilesOptions& options, std::span<const Ordinal> places) {
  RayTilesCount count =
      empty_count(num_rows, num_cols, static_cast<Offset>(columns.extent(0)), options);
  const auto num_tiles = static_cast<std::size_t>(count.tiles);
  std::vector<OpenBlock> blocks(num_tiles);
  std::vector<Offset> lengths(num_tiles, 0);
  std::vector<std::size_t> met_by_row, met_by_group;
  for (Ordinal row = 0; row < num_rows; ++row) {
    for (Offset k = row_offsets(row); k < row_offsets(row + 1); ++k) {
      const Ordinal place =
          places.empty() ? columns(k) : places[static_cast<std::size_t>(columns(k))];
      const auto t = static_cast<std::size_t>(place / count.tile);
      if (lengths[t]++ == 0) met_by_row.push_back(t);
    }
    for (const std::size_t t : met_by_row) {
      OpenBlock& block = blocks[t];
      if (block.segments == most_tile_segments) close(block, count);
      if (block.segments++ == 0) met_by_group.push_back(t);
      block.packs += parts_of(lengths[t], tile_pack);
      lengths[t] = 0;
    }
    count.segments += static_cast<Offset>(met_by_row.size());
    met_by_row.clear();
    if ((row + 1) % count.group_rows != 0 && row + 1 < num_rows) continue;
    for (const std::size_t t : met_by_group) close(blocks[t], count);
    met_by_group.clear();
  }
  return count;
}

RayTilesCount bound_ray_tiles(Ordinal num_rows, Ordinal num_cols, Offset nonzeros,
                              const RayTilesSize& size, const RayTilesOptions& options) {
  RayTilesCount count = empty_count(num_rows, num_cols, nonzeros, options);
  count.segments = size.segments;
  const Offset runs = count.groups > 0 && count.tiles > size.segments / count.groups
                          ? size.segments
                          : count.tiles * count.groups;
  count.blocks = std::min(size.segments, runs + size.segments / most_tile_segments);
  // The last chunk of a block is padded.
  count.chunks = std::min(size.packs, size.packs / tile_chunk + count.blocks);
  return count;
}

std::uint64_t ray_tiles_need(Ordinal num_rows, Ordinal num_cols, const RayTilesCount& bound,
                             std::size_t entry_bytes, bool gpu, std::size_t scalar_bytes) {
  // Bytes of a segment while the list is transposed: its tile and place, twice, and its number.
  constexpr std::uint64_t segment_workspace = 32;
  Impl::MemoryNeed need;
  need.add(bound.bytes(entry_bytes), 1)
      .add(static_cast<std::uint64_t>(bound.segments), segment_workspace)
      .add(static_cast<std::uint64_t>(num_rows), sizeof(Offset));
  if (gpu)
    need.add(static_cast<std::uint64_t>(num_rows), sizeof(long long) + 1)
        .add(static_cast<std::uint64_t>(num_cols), sizeof(long long) + scalar_bytes + 1)
        .add(static_cast<std::uint64_t>(std::max(num_rows, num_cols)), scalar_bytes)
        .add(static_cast<std::uint64_t>(bound.blocks), sizeof(Ordinal));
  else
    need.add(static_cast<std::uint64_t>(
                 Impl::most_shares(bound.tiles, bound.tile, bound.blocks, bound.chunks)) *
                 static_cast<std::uint64_t>(bound.tile),
             sizeof(double));
  return need.bytes();
}

}  // namespace Tomokkos
