// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Monitor.hpp>
#include <Tomokkos_StopRules.hpp>
#include <impl/Tomokkos_IterationLog.hpp>
#include <utility>

namespace Tomokkos::Impl {

/// When the host looks, what it concludes and whom it tells: the part of a solver that is the same
/// for all of them. Lives for one solve.
template <class ExecutionSpace, class Scalar>
class SolveLoop {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  SolveLoop(const ExecutionSpace& exec, IterationLog<ExecutionSpace>& log, Objective objective,
            int iterations, int check_every, const StopRules& rules,
            const Monitor<ExecutionSpace, Scalar>& monitor, double rhs_norm)
      : log_(log),
        objective_(objective),
        iterations_(iterations),
        check_every_(check_every),
        rules_(rules),
        monitor_(monitor) {
    result_.rhs_norm = rhs_norm;
    result_.history.reserve(static_cast<std::size_t>(
        std::min(iterations, IterationLog<ExecutionSpace>::max_pending - 1) + 1));
    log_.begin(exec);
  }

  /// True when the host will look at iterate k.
  bool due(int k) const {
    const bool watched = rules_.any() || monitor_;
    return k == iterations_ || (watched && k % check_every_ == 0);
  }

  /// Looks at iterate k when it is time; returns the reason to stop, if there is one.
  /// `confirm(reason, record)` may overrule what the rules say.
  template <class Confirm>
  std::optional<StopReason> look(const ExecutionSpace& exec, int k,
                                 const VectorView<const Scalar, MemorySpace>& x,
                                 const Confirm& confirm) {
    if (!due(k) && !log_.full(k)) return std::nullopt;
    if (collect(exec, k)) return StopReason::non_finite;
    if (!due(k)) return std::nullopt;
    const IterationRecord& record = result_.history.back();
    std::optional<StopReason> reason = evaluate(rules_, record);
    if (reason) reason = confirm(*reason, record);
    if (!reason && k == iterations_) reason = StopReason::max_iterations;
    if (monitor_) {
      const MonitorAction action = monitor_(exec, {record, x, reason.has_value()});
      if (!reason && action == MonitorAction::stop) reason = StopReason::user_stop;
      if (!reason && action == MonitorAction::interrupt) reason = StopReason::interrupted;
    }
    return reason;
  }

  std::optional<StopReason> look(const ExecutionSpace& exec, int k,
                                 const VectorView<const Scalar, MemorySpace>& x) {
    return look(exec, k, x,
                [](StopReason reason, const IterationRecord&) { return std::optional(reason); });
  }

  /// Fetches the records up to iterate k; true when one of them is not finite.
  bool collect(const ExecutionSpace& exec, int k) {
    const std::size_t known = result_.history.size();
    log_.collect(exec, k, objective_, result_.rhs_norm, result_.history);
    result_.iterations = k;
    for (std::size_t i = known; i < result_.history.size(); ++i) {
      const IterationRecord& record = result_.history[i];
      if (std::isfinite(record.residual.value_or(0)) && std::isfinite(record.change.value_or(0)) &&
          std::isfinite(record.gradient.value_or(0)) &&
          !std::isnan(record.log_likelihood.value_or(0)))
        continue;
      result_.non_finite_iteration = record.iteration;
      return true;
    }
    return false;
  }

  /// The result when the last record speaks of the returned x.
  SolveResult finish(StopReason reason) {
    const IterationRecord& last = result_.history.back();
    result_.reason = reason;
    result_.residual = last.residual.value_or(std::nan(""));
    result_.relative_residual = last.relative_residual.value_or(std::nan(""));
    result_.log_likelihood = last.log_likelihood;
    return std::move(result_);
  }

  SolveResult& result() { return result_; }

 private:
  IterationLog<ExecutionSpace>& log_;
  Objective objective_;
  int iterations_, check_every_;
  const StopRules& rules_;
  const Monitor<ExecutionSpace, Scalar>& monitor_;
  SolveResult result_;
};

}  // namespace Tomokkos::Impl
