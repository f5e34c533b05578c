// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Shortest mean length of a segment, in entries, for which ray tiles are worth their
/// conversion. With shorter segments CSR is as good.
inline constexpr double shortest_mean_segment = 32;

/// \brief Properties of a matrix and its use that decide whether ray tiles are chosen.
struct RayTilesCriteria {
  RowStatistics rows;
  bool both_products = false;          ///< A x and A^T y are both wanted
  int vectors = 1;                     ///< vectors per product
  std::optional<double> mean_segment;  ///< entries; empty: not counted yet, assumed to be long
                                       ///< enough
};

/// \brief Returns why ray tiles should not be chosen for both products, or an empty optional if
/// they should.
///
/// Pure function. Ray tiles suit a GPU and a matrix that is read from GPU memory: A x and A^T y
/// reach 0.90 and 0.95 of the copy bandwidth at 6 bytes an entry (H200, scan of 1024 x 1024
/// pixels), whereas CSR and its transpose read 8 bytes each. On hosts a stored transpose in SELL is
/// twice as fast as any method without one.
///
/// \param scalar_bytes size of a vector entry in bytes
/// \return the reason, worded as the end of a sentence
std::optional<std::string> reason_against_ray_tiles(const DeviceTraits& device,
                                                    const RayTilesCriteria& matrix,
                                                    std::size_t scalar_bytes);

}  // namespace Tomokkos
