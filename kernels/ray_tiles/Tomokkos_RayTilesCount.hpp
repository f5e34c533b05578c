// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large ray tiles would be, before they are made.
#pragma once

#include <Tomokkos_RayTilesConversion.hpp>
#include <cstdint>
#include <span>

namespace Tomokkos {

/// \brief Ray tiles as a conversion cuts them.
struct RayTilesCount {
  Ordinal tile = 0, group_rows = 0;
  Offset tiles = 0, groups = 0;
  Offset nonzeros = 0, segments = 0, blocks = 0, chunks = 0;

  double mean_segment() const {
    return segments > 0 ? static_cast<double>(nonzeros) / static_cast<double>(segments) : 0.0;
  }
  /// \brief `RayTilesMatrix::memory_bytes` with entries of \p entry_bytes each.
  std::uint64_t bytes(std::size_t entry_bytes) const;
};

/// \brief What `ray_tiles_from_csr` would make of a matrix with this pattern, counted on the
/// calling thread.
///
/// \param places of the columns in another order, one for each; none: as they are. Rows may be in
/// any order then.
/// Throws `Error` for options out of range.
RayTilesCount count_ray_tiles(Ordinal num_rows, Ordinal num_cols,
                              const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                              const Kokkos::View<const Ordinal*, Kokkos::HostSpace>& columns,
                              const RayTilesOptions& options = {},
                              std::span<const Ordinal> places = {});

/// \brief The same of a matrix of which only \p size is known: no fewer blocks and chunks than
/// there will be.
RayTilesCount bound_ray_tiles(Ordinal num_rows, Ordinal num_cols, Offset nonzeros,
                              const RayTilesSize& size, const RayTilesOptions& options = {});

/// \brief Bytes that a conversion and a `RayTilesPlan` take beside A, at most: the result, and what
/// they work with.
std::uint64_t ray_tiles_need(Ordinal num_rows, Ordinal num_cols, const RayTilesCount& bound,
                             std::size_t entry_bytes, bool gpu, std::size_t scalar_bytes);

}  // namespace Tomokkos
