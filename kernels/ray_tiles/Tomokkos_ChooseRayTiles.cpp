// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseRayTiles.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <cstdio>

namespace Tomokkos {

std::optional<std::string> reason_against_ray_tiles(const DeviceTraits& device,
                                                    const RayTilesCriteria& matrix,
                                                    std::size_t scalar_bytes) {
  if (!matrix.both_products) return "only one of the two products is wanted";
  if (!device.gpu) return "on hosts a stored transpose is faster";
  if (matrix.vectors > 1) return "other formats multiply several vectors in one pass";
  if (matrix.rows.nonzeros == 0 || Impl::is_cached(matrix.rows, scalar_bytes))
    return "the matrix fits in the last-level cache";
  if (matrix.mean_segment && *matrix.mean_segment < shortest_mean_segment) {
    char text[160];
    std::snprintf(
        text, sizeof text,
        "their segments would have %.4g entries on average, but should have at least %.0f; "
        "with pixels, ordering: squares gives long segments",
        *matrix.mean_segment, shortest_mean_segment);
    return text;
  }
  return std::nullopt;
}

}  // namespace Tomokkos
