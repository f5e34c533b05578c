// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTiles.hpp>
#include <vector>

namespace Tomokkos {

/// \brief How ray tiles are cut.
struct RayTilesOptions {
  /// Columns of a tile.
  Ordinal tile = largest_tile;
  /// Rows of a group; 0: as many as give a group 200 000 entries of a tile on average, fewer where
  /// that leaves less than 4096 blocks, but no fewer than 100 000 where that leaves 2048.
  Ordinal group_rows = 0;
};

/// \brief What ray tiles of a matrix would be, from its pattern alone.
struct RayTilesSize {
  Offset segments = 0;
  Offset packs = 0;
  double mean_segment = 0;  ///< entries; short ones gain nothing: below 32 CSR is as good
};

/// \brief Where the entries of a matrix go in ray tiles, found from blocks of successive rows that
/// need not be there at the same time.
///
/// Cost: a pass over the columns of each block twice, and a transposition of the segments; 10 bytes
/// a segment and 8 a row are kept, some 40 a segment taken in between.
template <class ExecutionSpace>
class RayTilesLayout {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Offsets = Kokkos::View<const Offset*, memory_space>;
  using Ordinals = Kokkos::View<const Ordinal*, memory_space>;

  /// \brief \p nonzeros, which may be an estimate, decides `group_rows` where that is 0. Throws
  /// `Error` for options out of range.
  RayTilesLayout(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols, Offset nonzeros,
                 const RayTilesOptions& options);

  /// \brief The next rows: offsets into \p columns, which ascend within a row.
  void count(const ExecutionSpace& exec, const Offsets& row_offsets, const Ordinals& columns);

  /// \brief What has been counted.
  RayTilesSize size(const ExecutionSpace& exec) const;

  /// \brief Segments tile by tile, in a tile by rows, cut into blocks of one group of rows each.
  struct ByTiles {
    Ordinals rows;                                      ///< of each
    Kokkos::View<const double*, memory_space> numbers;  ///< what each is by rows: whole numbers
    Ordinals tiles, lengths;                            ///< by rows
    std::vector<Ordinal> block_tiles, block_groups;
    std::vector<Offset> segment_offsets;  ///< of the blocks
    Offsets packs_before;                 ///< each, and behind the last
  };
  /// \brief When all rows have been counted; throws `Error` where some are missing.
  ByTiles by_tiles(const ExecutionSpace& exec);

  /// \brief Decides, when all rows have been counted, and writes all but the entries into \p A.
  /// Throws `Error` where rows are missing.
  template <class Matrix>
  void arrange(const ExecutionSpace& exec, Matrix& A);

  Ordinal num_rows() const { return num_rows_; }
  Ordinal num_cols() const { return num_cols_; }
  Ordinal counted_rows() const { return counted_; }
  Ordinal tile() const { return options_.tile; }
  Ordinal group_rows() const { return options_.group_rows; }
  Offset nonzeros() const { return nonzeros_; }
  /// \brief Entries with padding; of an arranged layout.
  Offset num_stored() const { return stored_; }
  /// \brief Number of the first segment of each row, rows in their order.
  const Offsets& row_segments() const { return row_segments_; }
  /// \brief Where the entries of each segment begin; of an arranged layout.
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
