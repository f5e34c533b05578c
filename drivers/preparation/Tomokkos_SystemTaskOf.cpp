// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_SystemTaskOf.hpp>

namespace Tomokkos {

SolverNeeds needs_of(const RunConfig& config, Ordinal vectors) {
  SolverNeeds needs = needs_of(config.solver.kind());
  needs.subsets = config.solver.subsets();
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
  task.check = [] { InterruptGuard::check(); };
  return task;
}

SystemTask system_task(const RunConfig& config, const RunInput& input) {
  SystemTask task = system_task(config, input.slices);
  task.rows = input.rows;
  task.masks = input.masks;
  task.view_rows = input.views > 0 ? input.detectors : 1;
  task.check_shape = [&](Ordinal rows, Ordinal columns) {
    require_matrix_shape(config, input, rows, columns);
  };
  return task;
}

}  // namespace Tomokkos
