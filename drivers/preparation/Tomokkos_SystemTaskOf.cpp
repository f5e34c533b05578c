// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <algorithm>

namespace Tomokkos {

SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs) {
  SystemTask task;
  task.needs = needs;
  task.wish = wish;
  task.check = [] { InterruptGuard::check(); };
  return task;
}

namespace {

/// Views that `sart` visits: of a block-circulant matrix, its blocks.
Ordinal number_of_views(const OperatorWish& wish, const RunInput& input) {
  if (!wish.block_circulant()) return input.views;
  return input.blocks > 0 ? input.blocks : wish.circulant.blocks;
}

/// Default number of rows of a block for a matrix without views.
constexpr Ordinal usual_block_rows = 64;

}  // namespace

SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs, const RunInput& input) {
  SystemTask task = system_task(wish, needs);
  task.needs.vectors = input.slices;
  if (needs.views) task.needs.set_views(number_of_views(wish, input));
  task.rows = input.rows;
  task.rows_are_rays = input.rows_are_rays;
  task.masks = input.masks;
  task.data = input.facts;
  task.data.has_gaps = input.missing_values > 0;
  if (task.data.has_gaps) task.data.gap_patterns = count_gap_patterns(input.data, input.slices);
  task.view_rows = input.views > 0 ? input.detectors : 1;
  task.check_shape = [&](Ordinal rows, Ordinal columns) {
    require_matrix_shape(input, rows, columns);
  };
  return task;
}

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
