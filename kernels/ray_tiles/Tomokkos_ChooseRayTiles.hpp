// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Entries of a segment on average from which on ray tiles are worth their conversion:
/// below, CSR is as good.
inline constexpr double shortest_mean_segment = 32;

/// \brief What decides about ray tiles.
struct RayTilesCase {
  RowStatistics rows;
  bool both_products = false;          ///< A x and A^T y are wanted
  int vectors = 1;                     ///< that a product takes at once
  std::optional<double> mean_segment;  ///< nothing: not counted yet, and taken for long enough
};

/// \brief Nothing where ray tiles are what both products should be formed of, else why not, as the
/// end of a sentence.
///
/// A pure function. They are for a GPU and a matrix that comes from its memory: A x and A^T y reach
/// 0.90 and 0.95 of copy on 6 bytes an entry (an H200, a scan of 1024 x 1024 pixels), where CSR and
/// its transpose read 8 each. On hosts a stored transpose in SELL is twice as fast as any way
/// without one.
std::optional<std::string> reason_against_ray_tiles(const DeviceTraits& device,
                                                    const RayTilesCase& matrix,
                                                    std::size_t scalar_bytes);

}  // namespace Tomokkos
