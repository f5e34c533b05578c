// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveProgress.hpp>
#include <Tomokkos_Views.hpp>
#include <functional>
#include <vector>

namespace Tomokkos {

/// \brief Reply of a monitor to the solver.
enum class MonitorAction {
  proceed,
  /// Stop now, with `StopReason::user_stop`.
  stop,
  /// Stop now, with `StopReason::interrupted`.
  interrupt
};

/// \brief State of a solve that a monitor receives: one slice, or all slices of a stack.
template <class ExecutionSpace, class Scalar>
struct MonitorState {
  /// Index k of the checked iterate. If a slice has become non-finite since the last check, its
  /// record belongs to the iterate before that.
  int iteration;
  /// Last record of each slice: of `x_k`, or of the iterate at which the slice has stopped.
  const std::vector<IterationRecord>& records;
  /// Flags of the slices that continue after this check.
  const std::vector<bool>& active;
  /// Iterates, `num_cols x s`. They are complete: the solver has waited for them. The column of a
  /// stopped slice no longer changes.
  MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> x;
  /// True in the last call: no slice continues.
  bool last = false;
  /// Returns the state from which a later solve can continue, together with x (`Solver::resume`).
  /// Copies the histories.
  std::function<SolveProgress()> progress;

  /// Returns the record of the first slice; for solves of a single vector.
  const IterationRecord& record() const { return records.front(); }
};

/// \brief Callback of a solver for progress and early stops.
///
/// The solver calls it for the start, for every iterate whose number is a multiple of
/// `check_every`, and for the iterate that is returned. It is not called if no slice is finite, or
/// if there is nothing to iterate (`zero_rhs`, a fault of the matrix). `stop` and `interrupt` end
/// all slices that are still active. Work launched on \p exec runs before the next iteration.
/// Exceptions pass through the solver. Empty: no monitor.
template <class ExecutionSpace, class Scalar>
using Monitor = std::function<MonitorAction(const ExecutionSpace& exec,
                                            const MonitorState<ExecutionSpace, Scalar>& state)>;

}  // namespace Tomokkos
