// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTilesLayout.hpp>
#include <Tomokkos_Text.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <impl/Tomokkos_RayTilesLayoutKernels.hpp>
#include <impl/Tomokkos_RayTilesSegments.hpp>
#include <string>

namespace Tomokkos {
template <class ExecutionSpace>
RayTilesLayout<ExecutionSpace>::RayTilesLayout(const ExecutionSpace& exec, Ordinal num_rows,
                                               Ordinal num_cols, Offset nonzeros,
                                               const RayTilesOptions& options)
    : num_rows_(num_rows),
      num_cols_(num_cols),
      options_(Impl::complete(options, num_rows, num_cols, nonzeros)),
      all_row_segments_(allocate<Kokkos::View<Offset*, memory_space>>(
          exec, "Tomokkos::RayTilesLayout::row_segments", Offset{num_rows} + 1)),
      row_segments_(all_row_segments_) {
  Kokkos::deep_copy(exec, all_row_segments_, Offset{0});
}

template <class ExecutionSpace>
void RayTilesLayout<ExecutionSpace>::count(const ExecutionSpace& exec, const Offsets& row_offsets,
                                           const Ordinals& columns) {
  require(row_offsets.extent(0) > 0, "ray tiles: a block of rows has at least one row offset");
  const auto rows = static_cast<Ordinal>(row_offsets.extent(0) - 1);
  require(rows <= num_rows_ - counted_, "ray tiles: more rows were counted than there are");
  if (rows == 0) return;
  const auto counts = allocate<Kokkos::View<Offset*, memory_space>>(
      exec, "Tomokkos::RayTilesLayout::counts", Offset{rows} + 1);
  Kokkos::deep_copy(exec, counts, Offset{0});
  Impl::visit_segments(exec, "Tomokkos::ray_tiles::count", row_offsets, columns, options_.tile,
                       Impl::CountSegments<memory_space>{counts});
  Impl::exclusive_scan(exec, "Tomokkos::ray_tiles::scan", counts);
  const auto last = static_cast<std::size_t>(rows);
  const Offset found = Impl::read_entry(exec, counts, last, "RayTilesLayout: number of segments");
  const Offset entries =
      Impl::read_entry(exec, row_offsets, last, "RayTilesLayout: the last row offset") -
      Impl::read_entry(exec, row_offsets, 0, "RayTilesLayout: the first row offset");
  const auto tiles = allocate<Kokkos::View<Ordinal*, memory_space>>(
      exec, "Tomokkos::RayTilesLayout::tiles", found);
  const auto lengths = allocate<Kokkos::View<Ordinal*, memory_space>>(
      exec, "Tomokkos::RayTilesLayout::lengths", found);
  Impl::visit_segments(exec, "Tomokkos::ray_tiles::list", row_offsets, columns, options_.tile,
                       Impl::ListSegments<memory_space>{counts, tiles, lengths});
  Kokkos::parallel_for(
      "Tomokkos::ray_tiles::place_rows", Impl::element_range(exec, counts.extent(0)),
      Impl::PlaceOffsets<memory_space>{counts, all_row_segments_, counted_, segments_});
  Impl::fence(exec, "RayTilesLayout: the block of rows may go now");
  parts_.push_back({tiles, lengths});
  counted_ += rows;
  segments_ += found;
  nonzeros_ += entries;
}

template <class ExecutionSpace>
RayTilesSize RayTilesLayout<ExecutionSpace>::size(const ExecutionSpace& exec) const {
  RayTilesSize size;
  size.segments = segments_;
  for (const Part& part : parts_) {
    Offset packs = 0;
    Kokkos::parallel_reduce("Tomokkos::ray_tiles::packs",
                            Impl::element_range(exec, part.lengths.extent(0)),
                            Impl::CountPacks<memory_space>{part.lengths}, packs);
    size.packs += packs;
  }
  if (segments_ > 0)
    size.mean_segment = static_cast<double>(nonzeros_) / static_cast<double>(segments_);
  return size;
}

/// One list of all segments.
template <class ExecutionSpace>
void RayTilesLayout<ExecutionSpace>::join_parts(const ExecutionSpace& exec) {
  if (parts_.size() == 1) return;
  const auto tiles = allocate<Kokkos::View<Ordinal*, memory_space>>(
      exec, "Tomokkos::RayTilesLayout::tiles", segments_);
  const auto lengths = allocate<Kokkos::View<Ordinal*, memory_space>>(
      exec, "Tomokkos::RayTilesLayout::lengths", segments_);
  std::size_t at = 0;
  for (Part& part : parts_) {
    const auto range = std::make_pair(at, at + part.tiles.extent(0));
    Kokkos::deep_copy(exec, Kokkos::subview(tiles, range), part.tiles);
    Kokkos::deep_copy(exec, Kokkos::subview(lengths, range), part.lengths);
    Impl::fence(exec, "RayTilesLayout: the part may go now");
    at = range.second;
    part = {};
  }
  parts_ = {{tiles, lengths}};
}

template <class ExecutionSpace>
typename RayTilesLayout<ExecutionSpace>::ByTiles RayTilesLayout<ExecutionSpace>::by_tiles(
    const ExecutionSpace& exec) {
  using MutableOffsets = Kokkos::View<Offset*, memory_space>;
  using MutableOrdinals = Kokkos::View<Ordinal*, memory_space>;
  require(counted_ == num_rows_,
          Impl::text("ray tiles: of {} rows only {} were counted", num_rows_, counted_));
  join_parts(exec);
  ByTiles result;
  result.tiles = parts_[0].tiles;
  result.lengths = parts_[0].lengths;
  {
    // A matrix of rows and tiles, whose values are the numbers of the segments; transposed they
    // stand tile by tile.
    const auto numbers = allocate<Kokkos::View<double*, memory_space>>(
        exec, "Tomokkos::RayTilesLayout::numbers", segments_);
    Kokkos::parallel_for("Tomokkos::ray_tiles::number", Impl::element_range(exec, segments_),
                         Impl::CountUp<memory_space>{numbers});
    CsrMatrix<double, memory_space> listed;
    listed.num_rows = num_rows_;
    listed.num_cols = static_cast<Ordinal>((Offset{num_cols_} + tile() - 1) / tile());
    listed.row_offsets = row_segments_;
    listed.columns = result.tiles;
    listed.values = numbers;
    listed = transpose<ExecutionSpace, double>(exec, listed);
    result.rows = listed.columns;
    result.numbers = listed.values;
  }
  const Impl::SegmentList<memory_space> list{result.rows, result.numbers, result.tiles,
                                             result.lengths, group_rows()};
  const auto packs =
      allocate<MutableOffsets>(exec, "Tomokkos::RayTilesLayout::packs", segments_ + 1);
  const auto runs = allocate<MutableOffsets>(exec, "Tomokkos::RayTilesLayout::runs", segments_ + 1);
  Kokkos::deep_copy(exec, packs, Offset{0});
  Kokkos::deep_copy(exec, runs, Offset{0});
  Kokkos::parallel_for("Tomokkos::ray_tiles::measure", Impl::element_range(exec, segments_),
                       Impl::MeasureSegments<memory_space>{list, packs, runs});
  Impl::exclusive_scan(exec, "Tomokkos::ray_tiles::scan", packs);
  Impl::exclusive_scan(exec, "Tomokkos::ray_tiles::scan", runs);
  const Offset num_runs = Impl::read_entry(exec, runs, static_cast<std::size_t>(segments_),
                                           "RayTilesLayout: the number of runs");
  const auto tiles =
      allocate<MutableOrdinals>(exec, "Tomokkos::RayTilesLayout::run_tiles", num_runs);
  const auto groups =
      allocate<MutableOrdinals>(exec, "Tomokkos::RayTilesLayout::run_groups", num_runs);
  const auto begins =
      allocate<MutableOffsets>(exec, "Tomokkos::RayTilesLayout::run_begins", num_runs + 1);
  Kokkos::deep_copy(exec, begins, segments_);
  Kokkos::parallel_for("Tomokkos::ray_tiles::runs", Impl::element_range(exec, segments_),
                       Impl::FillRuns<memory_space>{list, runs, tiles, groups, begins});
  Impl::cut_runs(Impl::host_copy(exec, Ordinals(tiles)), Impl::host_copy(exec, Ordinals(groups)),
                 Impl::host_copy(exec, Offsets(begins)), result);
  result.packs_before = packs;
  return result;
}

template <class ExecutionSpace>
template <class Matrix>
void RayTilesLayout<ExecutionSpace>::arrange(const ExecutionSpace& exec, Matrix& A) {
  A.num_rows = num_rows_;
  A.num_cols = num_cols_;
  A.nonzeros = nonzeros_;
  A.tile = tile();
  A.group_rows = group_rows();
  const ByTiles segments = by_tiles(exec);
  Impl::list_blocks(exec, segments, A);
  const auto chunks = Impl::chunks_of_blocks<ExecutionSpace, memory_space>(
      exec, segments.packs_before, A.segment_offsets);
  A.chunk_offsets =
      Impl::device_copy<memory_space>(exec, "Tomokkos::RayTiles::chunk_offsets", chunks);
  stored_ = chunks.back() * tile_chunk * tile_pack;
  const auto chunk_segments = allocate<Kokkos::View<std::uint32_t*, memory_space>>(
      exec, "Tomokkos::RayTiles::chunk_segments", chunks.back());
  Kokkos::parallel_for(
      "Tomokkos::ray_tiles::chunks", Impl::element_range(exec, chunks.back()),
      Impl::CountBeforeChunks<memory_space>{segments.packs_before, A.segment_offsets,
                                            A.chunk_offsets, A.num_blocks(), chunk_segments});
  A.chunk_segments = chunk_segments;
  const auto rows = allocate<Kokkos::View<std::uint32_t*, memory_space>>(
      exec, "Tomokkos::RayTiles::segment_rows", segments_);
  const auto destinations = allocate<Kokkos::View<Offset*, memory_space>>(
      exec, "Tomokkos::RayTilesLayout::destinations", segments_);
  Kokkos::parallel_for(
      "Tomokkos::ray_tiles::place", Impl::element_range(exec, segments_),
      Impl::PlaceSegments<memory_space>{
          {segments.rows, segments.numbers, segments.tiles, segments.lengths, group_rows()},
          segments.packs_before,
          A.segment_offsets,
          A.chunk_offsets,
          A.num_blocks(),
          destinations,
          rows});
  A.segment_rows = rows;
  destinations_ = destinations;
  Impl::fence(exec, "RayTilesLayout: what it worked with may go now");
  parts_.clear();
}

}  // namespace Tomokkos
