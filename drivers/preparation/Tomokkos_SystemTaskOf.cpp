// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_SystemTaskOf.hpp>

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

}  // namespace Tomokkos
