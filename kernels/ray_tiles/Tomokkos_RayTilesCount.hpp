// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Size of a matrix in ray tiles, computed before the conversion.
#pragma once

#include <Tomokkos_RayTilesConversion.hpp>
#include <cstdint>
#include <span>

namespace Tomokkos {

/// \brief Numbers of tiles, groups, segments, blocks and chunks of a matrix in ray tiles.
struct RayTilesCount {
  Ordinal tile = 0, group_rows = 0;
  Offset tiles = 0, groups = 0;
  Offset nonzeros = 0, segments = 0, blocks = 0, chunks = 0;

  double mean_segment() const {
    return segments > 0 ? static_cast<double>(nonzeros) / static_cast<double>(segments) : 0.0;
  }
  /// \brief Returns `RayTilesMatrix::memory_bytes` for entries of \p entry_bytes bytes each.
  std::uint64_t bytes(std::size_t entry_bytes) const;
};

/// \brief Counts the tiles, segments, blocks and chunks that `ray_tiles_from_csr` would build from
/// a matrix with this pattern. Runs on the calling thread.
///
/// \param places new position of each column; empty: columns keep their positions. Columns may be
///   in any order within a row.
/// \throws Error for options out of range
RayTilesCount count_ray_tiles(Ordinal num_rows, Ordinal num_cols,
                              const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                              const Kokkos::View<const Ordinal*, Kokkos::HostSpace>& columns,
                              const RayTilesOptions& options = {},
                              std::span<const Ordinal> places = {});

/// \brief Bounds the size of a matrix in ray tiles if only \p size is known. Blocks and chunks are
/// upper bounds.
RayTilesCount bound_ray_tiles(Ordinal num_rows, Ordinal num_cols, Offset nonzeros,
                              const RayTilesSize& size, const RayTilesOptions& options = {});

/// \brief Returns an upper bound of the bytes that a conversion and a `RayTilesPlan` use in
/// addition to A: the result and the workspace.
std::uint64_t ray_tiles_need(Ordinal num_rows, Ordinal num_cols, const RayTilesCount& bound,
                             std::size_t entry_bytes, bool gpu, std::size_t scalar_bytes);

}  // namespace Tomokkos
