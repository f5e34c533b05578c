// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RayTiles.hpp>

namespace Tomokkos {

/// \brief How ray tiles are cut.
struct RayTilesOptions {
  /// Columns of a tile.
  Ordinal tile = largest_tile;
  /// Rows of a group; 0: as many as give a block 100 000 entries, fewer where that leaves less than
  /// 2048 blocks.
  Ordinal group_rows = 0;
};

/// \brief A, its rows sorted, in ray tiles: the same entries, those of `half` and `scaled` rounded.
///
/// Complete on return. Cost: three passes over A, a transposition of the segments, three fences;
/// some 24 bytes a segment of workspace beside the result. Throws `Error` for options out of range,
/// for values that are not finite, and for `half` for values beyond 65504; `MemoryError` with the
/// bytes.
template <class ExecutionSpace, class Scalar, TileValues Values = TileValues::plain>
RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values> ray_tiles_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RayTilesOptions& options = {});

/// \brief A in CSR, rows sorted, with the values as ray tiles hold them.
template <class ExecutionSpace, class Scalar, TileValues Values>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_from_ray_tiles(
    const ExecutionSpace& exec,
    const RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A);

/// \brief What ray tiles of a matrix would be, from its pattern alone.
struct RayTilesSize {
  Offset segments = 0;
  Offset packs = 0;
  double mean_segment = 0;  ///< entries; short ones gain nothing: below 32 CSR is as good
};

/// \brief One pass over A, one fence.
template <class ExecutionSpace, class Scalar>
RayTilesSize ray_tiles_size(const ExecutionSpace& exec,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            Ordinal tile = largest_tile);

}  // namespace Tomokkos
