// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseRayTiles.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <cstdio>

namespace Tomokkos {

std::optional<std::string> reason_against_ray_tiles(const DeviceTraits& device,
                                                    const RayTilesCase& matrix,
                                                    std::size_t scalar_bytes) {
  if (!matrix.both_products) return "one product alone is wanted";
  if (!device.gpu) return "on hosts a stored transpose is faster";
  if (matrix.vectors > 1) return "several vectors at once take one pass over other formats";
  if (matrix.rows.nonzeros == 0 || Impl::is_cached(matrix.rows, scalar_bytes))
    return "the last cache holds the matrix";
  if (matrix.mean_segment && *matrix.mean_segment < shortest_mean_segment) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "their segments would have %.4g entries on average, which should be %.0f; "
                  "ordering: squares makes those of pixels long",
                  *matrix.mean_segment, shortest_mean_segment);
    return text;
  }
  return std::nullopt;
}

}  // namespace Tomokkos
