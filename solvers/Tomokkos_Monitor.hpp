// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveResult.hpp>
#include <Tomokkos_Views.hpp>
#include <functional>

namespace Tomokkos {

/// \brief What a monitor asks of the solver.
enum class MonitorAction {
  proceed,
  /// Stop here, with `StopReason::user_stop`.
  stop,
  /// Stop here, with `StopReason::interrupted`.
  interrupt
};

/// \brief What a monitor is shown.
template <class ExecutionSpace, class Scalar>
struct MonitorState {
  /// The record of x.
  const IterationRecord& record;
  /// The iterate `x_k`, k = `record.iteration`; complete, since the solver has waited for it.
  VectorView<const Scalar, typename ExecutionSpace::memory_space> x;
  /// True when the solver stops here in any case: this is the last call.
  bool last = false;
};

/// \brief Called with every iterate whose number is a multiple of `check_every`, the start
/// included, and with the one that is returned (not after `non_finite`). What it launches on \p
/// exec runs before the next iteration; an exception passes through the solver. Empty: nobody
/// watches.
template <class ExecutionSpace, class Scalar>
using Monitor = std::function<MonitorAction(const ExecutionSpace& exec,
                                            const MonitorState<ExecutionSpace, Scalar>& state)>;

}  // namespace Tomokkos
