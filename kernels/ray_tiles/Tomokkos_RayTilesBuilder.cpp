// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RayTilesBuilder.hpp>
#include <Tomokkos_Text.hpp>
#include <cmath>
#include <impl/Tomokkos_RayTilesLayout_impl.hpp>
#include <impl/Tomokkos_ValueRange.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Entries to where their segments go.
template <class Scalar, class MemorySpace, TileValues Values>
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

}  // namespace Impl

template <class ExecutionSpace, class Scalar, TileValues Values>
RayTilesBuilder<ExecutionSpace, Scalar, Values>::RayTilesBuilder(const ExecutionSpace& exec,
                                                                 Ordinal num_rows, Ordinal num_cols,
                                                                 Offset nonzeros,
                                                                 const RayTilesOptions& options)
    : layout_(exec, num_rows, num_cols, nonzeros, options) {}

template <class ExecutionSpace, class Scalar, TileValues Values>
void RayTilesBuilder<ExecutionSpace, Scalar, Values>::count(const ExecutionSpace& exec,
                                                            const Block& block) {
  require(!fills_, "ray tiles: all rows are counted before any is filled in");
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
    if (Values == TileValues::half)
      require(least > -65520 && largest < 65520,
              "ray tiles with values of 16 bits hold none beyond 65504; scale the matrix, or use "
              "`scaled`");
    const bool first = layout_.nonzeros() == 0;
    least_ = first ? least : std::min(least, least_);
    largest_ = first ? largest : std::max(largest, largest_);
  }
  layout_.count(exec, block.row_offsets, block.columns);
}

/// With all rows counted: the descriptors, and entries that are padding as yet.
template <class ExecutionSpace, class Scalar, TileValues Values>
void RayTilesBuilder<ExecutionSpace, Scalar, Values>::begin_filling(const ExecutionSpace& exec) {
  layout_.arrange(exec, result_);
  fills_ = true;
  if (Values == TileValues::scaled) {
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

template <class ExecutionSpace, class Scalar, TileValues Values>
void RayTilesBuilder<ExecutionSpace, Scalar, Values>::fill(const ExecutionSpace& exec,
                                                           const Block& block) {
  if (!fills_) begin_filling(exec);
  require(block.num_rows <= layout_.num_rows() - filled_ &&
              block.num_nonzeros() <= layout_.nonzeros() - filled_entries_,
          "ray tiles: rows that are filled in are not those that were counted");
  Impl::visit_segments(
      exec, "Tomokkos::ray_tiles::fill", block.row_offsets, block.columns, layout_.tile(),
      Impl::FillSegments<Scalar, memory_space, Values>{
          block.columns, block.values, layout_.row_segments(), layout_.destinations(), filled_,
          layout_.tile(), indices_, values_, words_, result_.least, result_.step});
  filled_ += block.num_rows;
  filled_entries_ += block.num_nonzeros();
  Impl::fence(exec, "RayTilesBuilder: the block of rows may go now");
}

template <class ExecutionSpace, class Scalar, TileValues Values>
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
  template class RayTilesBuilder<SPACE, SCALAR, TileValues::plain>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                               \
  template class RayTilesLayout<SPACE>;                           \
  template class RayTilesBuilder<SPACE, float, TileValues::half>; \
  template class RayTilesBuilder<SPACE, float, TileValues::scaled>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
