// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of the iterations of conjugate gradients, and the distance by which they run ahead of
// the iterate that the host checks.
#pragma once

#include <Tomokkos_Pcg.hpp>
#include <algorithm>
#include <functional>
#include <impl/Tomokkos_RankedSystem.hpp>
#include <vector>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
PcgVariant Pcg<ExecutionSpace, Scalar>::variant(const ExecutionSpace& exec,
                                                const SystemType& system) const {
  return variant(exec, system, true);
}

template <class ExecutionSpace, class Scalar>
PcgVariant Pcg<ExecutionSpace, Scalar>::variant(const ExecutionSpace& exec,
                                                const SystemType& system, bool is_watched) const {
  PcgSystemTraits at;
  at.entries = static_cast<Offset>(residual_.extent(0));
  // A recording reuses its addresses: records of iterates have the same addresses as in the block
  // before if the host has checked in between.
  at.can_record = Impl::RecordedLaunches<ExecutionSpace>::can_record(exec) &&
                  system.iterated().capabilities().only_launches &&
                  system.kind() != PreconditionerKind::user && is_watched &&
                  params_.check_every < Impl::IterationLog<ExecutionSpace>::max_pending;
  const auto* const csr = stored_csr(system.iterated());
  at.nonzeros = csr != nullptr ? csr->num_nonzeros() : 0;
  at.can_reside = Impl::ResidentTeams<ExecutionSpace>::count(exec) > 0 && num_columns_ == 1 &&
                  csr != nullptr && !system.needs_apply();
  at.needs_change = params_.stop.needs(Measurement::change);
  at.is_distributed = Impl::ranks_of_system(system) != nullptr;
  return choose_pcg_variant({params_.scheme, params_.launches}, at);
}

/// Launches the iterations from iterate `launched_` to a later one, at most to the next check.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::continue_from(const ExecutionSpace& exec,
                                                const SystemType& system, const VectorType& x,
                                                const Loop& loop,
                                                Impl::RecordedLaunches<ExecutionSpace>& launches) {
  using Impl::PcgLook;
  const int block = params_.check_every, k = launched_;
  if (loop.is_check_due(k)) counted_from_ = k;
  const int next_check = k + std::min(block - k % block, params_.iterations - k);
  const bool one_by_one = is_careful();
  if ((one_by_one ? k + 1 : next_check) >= params_.stop.minimum_iterations) set_limits(exec);
  if (variant_.launches == PcgLaunches::resident && !one_by_one) {
    const int steps = std::min({block - k % block, params_.iterations - k, log_.room(k)});
    const PcgLook look = look_at(loop, k + steps);
    run_resident(exec, system, x, k, steps, look);
    if (look == PcgLook::checked) keep_best(exec, x);
    launched_ += steps;
  } else if (variant_.launches == PcgLaunches::recorded && !one_by_one && loop.is_check_due(k) &&
             block <= params_.iterations - k) {
    // Counters and addresses of the kernels are the same in every block.
    if (launches.is_empty())
      launches.record(exec, [&] {
        for (int i = 1; i <= block; ++i)
          step(exec, system, x, k + i, i == block ? PcgLook::checked : PcgLook::none);
        keep_best(exec, x);
      });
    launches.replay(exec);
    launched_ += block;
  } else {
    const PcgLook look = look_at(loop, k + 1);
    step(exec, system, x, k + 1, look);
    if (look == PcgLook::checked) keep_best(exec, x);
    ++launched_;
  }
}

template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::set_limits(const ExecutionSpace& exec) {
  if (device_limits_ == limits_) return;
  device_limits_ = limits_;
  Kokkos::deep_copy(
      exec, scalar(Impl::PcgScalar::limit),
      VectorView<const double, Kokkos::HostSpace>(device_limits_.data(), device_limits_.size()));
  Impl::fence(exec, "Pcg: the limits must have left");
}

/// True if a column has gone back. Every iterate is then measured, and iterations are launched one
/// by one.
template <class ExecutionSpace, class Scalar>
bool Pcg<ExecutionSpace, Scalar>::is_careful() const {
  return std::find(careful_.begin(), careful_.end(), 1) != careful_.end();
}

/// Use of the residual of iterate k.
template <class ExecutionSpace, class Scalar>
Impl::PcgLook Pcg<ExecutionSpace, Scalar>::look_at(const Loop& loop, int k) const {
  if (loop.is_unscheduled_last(k)) return Impl::PcgLook::last;
  if (loop.is_check_due(k)) return Impl::PcgLook::checked;
  return is_careful() ? Impl::PcgLook::watched : Impl::PcgLook::none;
}

/// True if the device has left x and r unchanged from the iterate of \p record on.
template <class ExecutionSpace, class Scalar>
bool Pcg<ExecutionSpace, Scalar>::waits_at(const IterationRecord& record,
                                           std::size_t column) const {
  return record.residual && *record.residual <= limits_[column] &&
         record.iteration >= params_.stop.minimum_iterations;
}

/// True if the block after iterate k is to be launched before the host checks k. If the measurement
/// may be a reason to stop, the device waits at k and the block does nothing.
template <class ExecutionSpace, class Scalar>
bool Pcg<ExecutionSpace, Scalar>::runs_ahead(Loop& loop, int k) const {
  if (limits_[0] < 0 || is_careful() || k == loop.first() || !loop.is_check_due(k) ||
      k == params_.iterations || requested_action_ != MonitorAction::proceed)
    return false;
  const int block = params_.check_every;
  if (variant_.launches == PcgLaunches::recorded && block > params_.iterations - k) return false;
  // Resident teams return from such a block at once. A graph costs its full launch time; it is not
  // launched if the residual, extrapolated from the last checks, satisfies the rule.
  const auto& history = loop.result(0).history;
  const int last_check = history.back().iteration - block;
  if (variant_.launches == PcgLaunches::resident || last_check < 0) return true;
  const auto seen = first_after(history, last_check) - 1;
  const auto now = history.back().residual;
  const auto before = seen->residual;
  return !now || !before || seen->iteration != last_check || *now * *now > limits_[0] * *before;
}

/// Wraps the monitor for a device that runs ahead: the monitor gets no x, and its requests wait
/// until the next check.
template <class ExecutionSpace, class Scalar>
Monitor<ExecutionSpace, Scalar> Pcg<ExecutionSpace, Scalar>::delayed_monitor(
    const Monitor<ExecutionSpace, Scalar>& monitor) {
  if (!monitor) return {};
  return [this, &monitor](const ExecutionSpace& exec,
                          const MonitorState<ExecutionSpace, Scalar>& state) {
    const bool here = launched_ == state.iteration;
    const bool last = state.last || (here && requested_action_ != MonitorAction::proceed);
    const std::vector<bool> none(state.active.size(), false);
    MonitorAction action = MonitorAction::proceed;
    try {
      action = monitor(exec, {state.iteration,
                              state.records,
                              last ? none : state.active,
                              {},
                              last,
                              here ? state.progress : std::function<SolveProgress()>()});
    } catch (...) {
      Impl::fence(exec, "Pcg: the block that was launched ahead must be done");
      throw;
    }
    if (requested_action_ == MonitorAction::proceed) requested_action_ = action;
    return here ? requested_action_ : MonitorAction::proceed;
  };
}

/// Writes iterate k of a scaled system in the given units; the start is already in place.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::publish(const ExecutionSpace& exec, const SystemType& system,
                                          const MultiVectorType& X, int k) const {
  if (!system.is_scaled() || k == 0) return;
  Kokkos::parallel_for(
      "Tomokkos::pcg::scale_iterate", Impl::element_range(exec, n_),
      Impl::ScaleIterate<Scalar, memory_space, false>{system.diagonal(), array(iterate_), X});
}

}  // namespace Tomokkos
