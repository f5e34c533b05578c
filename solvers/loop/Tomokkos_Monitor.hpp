// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveProgress.hpp>
#include <Tomokkos_Views.hpp>
#include <functional>
#include <vector>

namespace Tomokkos {

/// \brief What a monitor asks of the solver.
enum class MonitorAction {
  proceed,
  /// Stop here, with `StopReason::user_stop`.
  stop,
  /// Stop here, with `StopReason::interrupted`.
  interrupt
};

/// \brief What a monitor is shown: one slice, or the slices of a stack.
template <class ExecutionSpace, class Scalar>
struct MonitorState {
  /// k, at which is looked; the record of a slice that has met a fault since the last look is of
  /// the iterate before it.
  int iteration;
  /// The last record of each slice: of `x_k`, or of the iterate that the slice has stopped at.
  const std::vector<IterationRecord>& records;
  /// Which slices go on after this look.
  const std::vector<bool>& active;
  /// The iterates, `num_cols x s`, complete, since the solver has waited for them; a slice that has
  /// stopped keeps its column.
  MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> x;
  /// True when no slice goes on: this is the last call.
  bool last = false;
  /// What this solve can be taken up from later, beside x (`Solver::resume`). Copies the histories.
  std::function<SolveProgress()> progress;

  /// The record of the first slice, for those who solve one.
  const IterationRecord& record() const { return records.front(); }
};

/// \brief Called with every iterate whose number is a multiple of `check_every`, the start
/// included, and with the one that is returned; not where no slice is finite, and not where there
/// is nothing to iterate (`zero_rhs`, a fault of the matrix). `stop` and `interrupt` end all slices
/// that are still active. What it launches on \p exec runs before the next iteration; an exception
/// passes through the solver. Empty: nobody watches.
template <class ExecutionSpace, class Scalar>
using Monitor = std::function<MonitorAction(const ExecutionSpace& exec,
                                            const MonitorState<ExecutionSpace, Scalar>& state)>;

}  // namespace Tomokkos
