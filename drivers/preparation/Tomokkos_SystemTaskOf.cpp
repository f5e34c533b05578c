// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_SystemTaskOf.hpp>

namespace Tomokkos {

SolverNeeds needs_of(const RunConfig& config, Ordinal vectors, std::optional<int> subsets) {
  SolverNeeds needs = needs_of(config.solver.kind(), subsets.value_or(config.solver.subsets()));
  needs.iterations = config.solver.iterations();
  needs.block_rows = config.solver.sweep.block_rows;
  needs.vectors = vectors;
  needs.deterministic = config.run.deterministic;
  return needs;
}

SystemTask system_task(const RunConfig& config, Ordinal vectors) {
  SystemTask task;
  task.rows_are_rays = config.problem.kind == ProblemKind::tomography;
  task.needs = needs_of(config, vectors);
  task.wish = config.matrix_operator;
  task.data.are_measured = config.problem.sinogram || !config.problem.rhs.empty();
  if (const auto& phantom = config.problem.phantom)
    task.data.phantoms = phantom->file.empty() ? 1 : static_cast<int>(vectors);
  const StartConfig& start = config.solver.start;
  task.data.reads_start =
      start.kind == StartKind::fbp || (start.kind == StartKind::given && !start.image.file.empty());
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

SystemTask system_task(const RunConfig& config, const RunInput& input) {
  SystemTask task = system_task(config, input.slices);
  if (task.needs.views)
    task.needs = needs_of(config, input.slices, number_of_views(task.wish, input));
  task.rows = input.rows;
  task.masks = input.masks;
  task.data.has_gaps = input.missing_values > 0;
  if (task.data.has_gaps) task.data.gap_patterns = count_gap_patterns(input.data, input.slices);
  task.view_rows = input.views > 0 ? input.detectors : 1;
  task.check_shape = [&](Ordinal rows, Ordinal columns) {
    require_matrix_shape(config, input, rows, columns);
  };
  return task;
}

}  // namespace Tomokkos
