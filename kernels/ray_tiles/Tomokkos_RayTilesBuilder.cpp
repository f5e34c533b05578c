// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RayTilesBuilder.hpp>
#include <Tomokkos_RayTilesLayout.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <cmath>
#include <impl/Tomokkos_RayTilesLayoutKernels.hpp>
#include <impl/Tomokkos_RayTilesSegments.hpp>
#include <impl/Tomokkos_ValueRange.hpp>

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
  require(row_offsets.extent(0) > 0, "ray tiles: a block of rows needs at least one row offset");
  const auto rows = static_cast<Ordinal>(row_offsets.extent(0) - 1);
  require(rows <= num_rows_ - counted_, "ray tiles: more rows were counted than the matrix has");
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
  Impl::fence(exec, "RayTilesLayout: the block of rows may be freed now");
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

/// Joins the segments of all blocks of rows into one list.
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
    Impl::fence(exec, "RayTilesLayout: the part may be freed now");
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
    // Transposes a matrix of rows by tiles whose values are the numbers of the segments: this
    // orders the segments by tile.
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
  Impl::fence(exec, "RayTilesLayout: the workspace may be freed now");
  parts_.clear();
}

namespace Impl {

/// Copies the entries of a block of rows to the positions of their segments.
template <class Scalar, class MemorySpace, StoredPrecision Values>
struct FillSegments {
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> source;
  Kokkos::View<const Offset*, MemorySpace> row_segments, destinations;
  Offset first_row;
  Ordinal tile;
  Kokkos::View<std::uint16_t*, MemorySpace> indices;
  Kokkos::View<Scalar*, MemorySpace> values;
  Kokkos::View<std::uint32_t*, MemorySpace> words;
  float least, step;

  struct Row {
    const FillSegments& all;
    const Offset* destinations;
    KOKKOS_FUNCTION void opens(Ordinal, Ordinal) const {}
    KOKKOS_FUNCTION void closes(Ordinal, Ordinal) const {}
    KOKKOS_FUNCTION void ends(Ordinal) const {}
    KOKKOS_FUNCTION void takes(Offset k, Ordinal t, Ordinal j, Ordinal i) const {
      const auto index = static_cast<unsigned>(all.columns(k) - t * all.tile);
      all.put(destinations[j] + i, index | (i == 0 ? segment_flag : 0U), all.source(k));
    }
  };
  KOKKOS_FUNCTION Row of_row(Offset row) const {
    return {*this, destinations.data() + row_segments(first_row + row)};
  }

  KOKKOS_FUNCTION void put(Offset to, unsigned index, Scalar value) const {
    if constexpr (Values == StoredPrecision::plain) {
      indices(to) = static_cast<std::uint16_t>(index);
      values(to) = value;
    } else {
      std::uint32_t code = 0;
      if constexpr (Values == StoredPrecision::half)
        code = half_from_float(value);
      else if (step > 0)
        code = static_cast<std::uint32_t>((value - least) / step + 0.5F);
      words(to) = index | (code < 65535 ? code : 65535U) << 16;
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
RayTilesBuilder<ExecutionSpace, Scalar, Values>::RayTilesBuilder(const ExecutionSpace& exec,
                                                                 Ordinal num_rows, Ordinal num_cols,
                                                                 Offset nonzeros,
                                                                 const RayTilesOptions& options)
    : layout_(exec, num_rows, num_cols, nonzeros, options) {}

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void RayTilesBuilder<ExecutionSpace, Scalar, Values>::count(const ExecutionSpace& exec,
                                                            const Block& block) {
  require(!fills_, "ray tiles: count all rows before filling any");
  require_equal("columns of a block of rows", block.num_cols, "columns of the matrix",
                layout_.num_cols());
  if (block.num_nonzeros() > 0) {
    double least = 0, largest = 0;
    Kokkos::parallel_reduce("Tomokkos::ray_tiles::value_range",
                            Impl::element_range(exec, block.num_nonzeros()),
                            Impl::ValueRange<Scalar, memory_space>{block.values},
                            Kokkos::Min<double>(least), Kokkos::Max<double>(largest));
    require(std::isfinite(least) && std::isfinite(largest),
            "ray tiles cannot hold values that are not finite");
    if (Values == StoredPrecision::half)
      require(least > -65520 && largest < 65520,
              "values of 16 bits in ray tiles cannot exceed 65504; scale the matrix, or use "
              "`scaled`");
    const bool first = layout_.nonzeros() == 0;
    least_ = first ? least : std::min(least, least_);
    largest_ = first ? largest : std::max(largest, largest_);
  }
  layout_.count(exec, block.row_offsets, block.columns);
}

/// Writes the descriptors, after all rows have been counted, and initialises all entries as
/// padding.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void RayTilesBuilder<ExecutionSpace, Scalar, Values>::begin_filling(const ExecutionSpace& exec) {
  layout_.arrange(exec, result_);
  fills_ = true;
  if (Values == StoredPrecision::scaled) {
    result_.least = static_cast<float>(least_);
    result_.step = static_cast<float>((largest_ - least_) / 65535);
  }
  const Offset stored = layout_.num_stored(), words = Matrix::is_packed ? stored : 0;
  indices_ = allocate<Kokkos::View<std::uint16_t*, memory_space>>(
      exec, "Tomokkos::RayTiles::indices", stored - words);
  values_ = allocate<Kokkos::View<Scalar*, memory_space>>(exec, "Tomokkos::RayTiles::values",
                                                          stored - words);
  words_ = allocate<Kokkos::View<std::uint32_t*, memory_space>>(exec, "Tomokkos::RayTiles::words",
                                                                words);
  Kokkos::deep_copy(exec, indices_, static_cast<std::uint16_t>(layout_.tile()));
  Kokkos::deep_copy(exec, values_, Scalar(0));
  Kokkos::deep_copy(exec, words_, static_cast<std::uint32_t>(layout_.tile()));
}

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void RayTilesBuilder<ExecutionSpace, Scalar, Values>::fill(const ExecutionSpace& exec,
                                                           const Block& block) {
  if (!fills_) begin_filling(exec);
  require(block.num_rows <= layout_.num_rows() - filled_ &&
              block.num_nonzeros() <= layout_.nonzeros() - filled_entries_,
          "ray tiles: the rows filled in differ from the rows counted");
  Impl::visit_segments(
      exec, "Tomokkos::ray_tiles::fill", block.row_offsets, block.columns, layout_.tile(),
      Impl::FillSegments<Scalar, memory_space, Values>{
          block.columns, block.values, layout_.row_segments(), layout_.destinations(), filled_,
          layout_.tile(), indices_, values_, words_, result_.least, result_.step});
  filled_ += block.num_rows;
  filled_entries_ += block.num_nonzeros();
  Impl::fence(exec, "RayTilesBuilder: the block of rows may be freed now");
}

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>
RayTilesBuilder<ExecutionSpace, Scalar, Values>::finish(const ExecutionSpace& exec) {
  if (!fills_) begin_filling(exec);
  require(filled_ == layout_.num_rows() && filled_entries_ == layout_.nonzeros(),
          Impl::text("ray tiles: of {} rows only {} were filled in", layout_.num_rows(), filled_));
  result_.indices = indices_;
  result_.values = values_;
  result_.words = words_;
  Impl::fence(exec, "RayTilesBuilder: any instance may read it from now on");
  return result_;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template class RayTilesBuilder<SPACE, SCALAR, StoredPrecision::plain>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                    \
  template class RayTilesLayout<SPACE>;                                \
  template class RayTilesBuilder<SPACE, float, StoredPrecision::half>; \
  template class RayTilesBuilder<SPACE, float, StoredPrecision::scaled>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
