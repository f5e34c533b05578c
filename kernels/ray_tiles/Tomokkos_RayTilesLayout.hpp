// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTiles.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Sizes of the tiles and groups of a matrix in ray tiles.
struct RayTilesOptions {
  /// Columns of a tile.
  Ordinal tile = largest_tile;
  /// Rows of a group. 0: a group gets 200 000 entries per tile on average; fewer if that leaves
  /// less than 4096 blocks, but at least 100 000 if that still leaves 2048.
  Ordinal group_rows = 0;
};

/// \brief Size of a matrix in ray tiles, derived from its pattern alone.
struct RayTilesSize {
  Offset segments = 0;
  Offset packs = 0;
  double mean_segment = 0;  ///< entries; below 32 CSR is as good
};

/// \brief Finds the positions of the entries of a matrix in ray tiles from blocks of successive
/// rows. Only one block has to exist at a time.
///
/// Cost: two passes over the columns of each block, and a transposition of the segments. Memory: 10
/// bytes a segment and 8 a row, plus about 40 a segment temporarily.
template <class ExecutionSpace>
class RayTilesLayout {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Offsets = Kokkos::View<const Offset*, memory_space>;
  using Ordinals = Kokkos::View<const Ordinal*, memory_space>;

  /// \brief Prepares the layout of a matrix of this shape.
  ///
  /// \param nonzeros expected number of entries; an estimate will do. It determines `group_rows` if
  ///   the options leave that 0.
  /// \throws Error for options out of range
  RayTilesLayout(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols, Offset nonzeros,
                 const RayTilesOptions& options);

  /// \brief Counts the next rows: \p row_offsets into \p columns, which ascend within each row.
  void count(const ExecutionSpace& exec, const Offsets& row_offsets, const Ordinals& columns);

  /// \brief Returns the counts of the rows so far.
  RayTilesSize size(const ExecutionSpace& exec) const;

  /// \brief Segments ordered by tile, then by row, and cut into blocks of one group of rows each.
  struct ByTiles {
    Ordinals rows;                                      ///< row of each segment
    Kokkos::View<const double*, memory_space> numbers;  ///< number of each segment in the order of
                                                        ///< rows; whole numbers
    Ordinals tiles, lengths;                            ///< of each segment, in the order of rows
    std::vector<Ordinal> block_tiles, block_groups;
    std::vector<Offset> segment_offsets;  ///< first segment of each block, and the end
    Offsets packs_before;                 ///< packs before each segment, and in total
  };
  /// \brief Orders the segments by tile, after all rows have been counted.
  ///
  /// \throws Error if rows are missing
  ByTiles by_tiles(const ExecutionSpace& exec);

  /// \brief Fixes the layout, after all rows have been counted, and writes everything except the
  /// entries into \p A.
  ///
  /// \throws Error if rows are missing
  template <class Matrix>
  void arrange(const ExecutionSpace& exec, Matrix& A);

  Ordinal num_rows() const { return num_rows_; }
  Ordinal num_cols() const { return num_cols_; }
  Ordinal counted_rows() const { return counted_; }
  Ordinal tile() const { return options_.tile; }
  Ordinal group_rows() const { return options_.group_rows; }
  Offset nonzeros() const { return nonzeros_; }
  /// \brief Entries including padding. Valid after `arrange`.
  Offset num_stored() const { return stored_; }
  /// \brief Number of the first segment of each row, in the order of rows.
  const Offsets& row_segments() const { return row_segments_; }
  /// \brief Returns the stored position of the first entry of each segment, with the segments in
  /// the order of rows. Valid after `arrange`.
  const Offsets& destinations() const { return destinations_; }

 private:
  /// Segments of some rows, in the order of the rows.
  struct Part {
    Ordinals tiles, lengths;
  };
  void join_parts(const ExecutionSpace& exec);

  Ordinal num_rows_, num_cols_;
  RayTilesOptions options_;
  Ordinal counted_ = 0;
  Offset nonzeros_ = 0, segments_ = 0, stored_ = 0;
  Kokkos::View<Offset*, memory_space> all_row_segments_;
  Offsets row_segments_, destinations_;
  std::vector<Part> parts_;
};

}  // namespace Tomokkos
