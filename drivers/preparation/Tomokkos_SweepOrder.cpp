// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_SweepOrder.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

/// Default number of rows of a block for a matrix without views.
constexpr Ordinal usual_block_rows = 64;

}  // namespace

Description SweepOrder::report(const SweepConfig& sweep, bool has_blocks) const {
  Description result = Description::map(true);
  result.set("order", sweep.order);
  result.set("within_view", sweep.within_view);
  if (sweep.within_view == WithinView::strided) result.set("stride", stride);
  if (has_blocks) result.set("block_rows", block_rows);
  return result;
}

SweepOrder make_sweep_order(const SweepConfig& sweep, const RunInput& input) {
  const bool has_views = traits_of(input.rows).has_views && input.views > 0;
  SweepOrder result;
  result.block_rows = sweep.block_rows.value_or(has_views ? input.detectors : usual_block_rows);
  if (sweep.is_sequential()) return result;
  if (!has_views)
    throw ConfigError(
        "solver.order: needs views, as does solver.within_view; the views of this matrix are not "
        "known");
  if (const auto* rays = scan_of(input.rows); sweep.within_view == WithinView::strided)
    result.stride =
        sweep.stride ? *sweep.stride
                     : independent_stride(rays->projector,
                                          std::max(rays->volume.pixel, rays->volume.pixel_height()),
                                          least_ray_spacing(rays->volume, rays->scan));
  result.rows = row_visits(input.views, input.detectors, sweep.order, sweep.within_view,
                           result.stride, sweep.seed);
  return result;
}

}  // namespace Tomokkos
