// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// End of conjugate gradients: reasons from the recursion, confirmed with the true residual.
#pragma once

#include <Tomokkos_Pcg.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos {

namespace Impl {

/// Shortens a history to iterate `last`, or fills it up to there with records that hold nothing.
inline void end_history_at(SolveResult& result, int last) {
  auto& history = result.history;
  history.erase(first_after(history, last), history.end());
  for (int k = history.back().iteration + 1; k <= last; ++k) history.emplace_back().iteration = k;
  result.iterations = last;
}

}  // namespace Impl

/// Sets the reasons of the columns whose recursion has ended by itself, and shortens their
/// histories to that iterate.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::report_faults(const ExecutionSpace& exec,
                                                const SystemType& system, Loop& loop,
                                                typename Loop::Reasons& reasons) {
  using Impl::PcgFault;
  static_assert(static_cast<int>(Impl::PcgScalar::fault) + 1 ==
                    static_cast<int>(Impl::PcgScalar::fault_iteration),
                "one copy brings both");
  const std::size_t columns = reasons.size();
  bool any = false;
  for (std::size_t j = 0; j < columns; ++j)
    any |= loop.continues(j) && !loop.result(j).history.back().preconditioned_residual;
  if (!any) return;  // reading the faults takes as long as several iterations of a small system
  const auto on_host =
      to_host_vector<ExecutionSpace>(exec, Sum(scalar(Impl::PcgScalar::fault).data(), 2 * columns));
  for (std::size_t j = 0; j < columns; ++j) {
    const auto fault = static_cast<PcgFault>(static_cast<int>(on_host[j]));
    if (fault == PcgFault::none || !loop.continues(j)) continue;
    SolveResult& result = loop.result(j);
    const int met = checked_ + static_cast<int>(on_host[columns + j]);
    Impl::end_history_at(result, std::min(result.history.back().iteration, std::max(met - 1, 0)));
    switch (fault) {
      case PcgFault::none:
      case PcgFault::reached:
        break;
      case PcgFault::indefinite:
        // The fault concerns the matrix rounded to float; it says nothing about A.
        reasons[j] = system.is_rounded() ? StopReason::stagnated : StopReason::indefinite;
        break;
      case PcgFault::indefinite_preconditioner:
        reasons[j] = StopReason::indefinite_preconditioner;
        break;
      case PcgFault::non_finite_product:
      case PcgFault::non_finite_preconditioner:
        reasons[j] = StopReason::non_finite;
        result.non_finite_iteration = met;
        result.non_finite_source = fault == PcgFault::non_finite_product
                                       ? NonFiniteSource::product
                                       : NonFiniteSource::preconditioner;
        break;
    }
  }
}

/// Forms `b - A x` in `image_`, and returns its norms.
template <class ExecutionSpace, class Scalar>
std::vector<double> Pcg<ExecutionSpace, Scalar>::true_residuals(const ExecutionSpace& exec,
                                                                const SystemType& system,
                                                                const ConstMultiVectorType& B,
                                                                const MultiVectorType& X) {
  const Sum measured = scalar(Impl::PcgScalar::true_residual_squared);
  compute_residual(exec, system, B, X, image_, false, measured, 1);
  return host_norms(exec, measured);
}

/// True if the precision of the vectors does not stand against the residual that the rules ask for.
template <class ExecutionSpace, class Scalar>
bool Pcg<ExecutionSpace, Scalar>::is_attainable(Loop& loop, std::size_t column) const {
  const double norm = loop.result(column).rhs_norm;
  return residual_limit(stop_, norm, column) >= 1e3 * std::numeric_limits<Scalar>::epsilon() * norm;
}

/// True if the recursion has passed a rule, but x, whose true residual does not pass, has left the
/// solution since, so that restarts from x do not help.
///
/// \param claimed reason that the recursion gives; empty: none
template <class ExecutionSpace, class Scalar>
bool Pcg<ExecutionSpace, Scalar>::has_overshot(Loop& loop, std::size_t column,
                                               const std::optional<StopReason>& claimed,
                                               double residual) const {
  const SolveResult& result = loop.result(column);
  if (careful_[column] != 0 || claimed == StopReason::indefinite_preconditioner ||
      claimed == StopReason::stagnated)
    return false;
  // The two norms differ: the factor serves matrices with rows of very different sizes.
  if (claimed == StopReason::indefinite)
    return smallest_[column].residual <= 100 * residual_limit(stop_, result.rhs_norm, column);
  return !(residual <= result.history.front().residual.value_or(0)) ||
         (!(residual <= 0.5 * restart_residuals_[column]) && is_attainable(loop, column));
}

/// True if the recursion claims nothing, but has lost the solution: it has passed a rule between
/// two checks and is far from it again, or a restart from x has taken more iterations than led to
/// it.
template <class ExecutionSpace, class Scalar>
bool Pcg<ExecutionSpace, Scalar>::is_lost(Loop& loop, std::size_t column, int k) const {
  if (careful_[column] != 0 || !is_attainable(loop, column)) return false;
  if (restarted_at_[column] > 0 && k > 2 * restarted_at_[column]) return true;
  const SolveResult& result = loop.result(column);
  const double limit = residual_limit(stop_, result.rhs_norm, column);
  return result.history.back().residual.value_or(0) > 100 * limit &&
         smallest_[column].residual <= limit;
}

/// Applies the rules to the residuals of the recursion, and confirms them with the true ones. If a
/// longer solve would not check here, nothing restarts.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::confirm(const ExecutionSpace& exec, const SystemType& system,
                                          const ConstMultiVectorType& B, const MultiVectorType& X,
                                          Loop& loop, typename Loop::Reasons& reasons, int k) {
  const bool restarts = !loop.is_unscheduled_last(k);
  for (std::size_t j = 0; j < reasons.size(); ++j) {
    if (!loop.continues(j)) continue;
    const auto& history = loop.result(j).history;
    for (auto record = first_after(history, smallest_[j].iteration); record != history.end();
         ++record) {
      // A longer solve would not measure the residual of an unscheduled last iterate.
      resumable_smallest_[j] = smallest_[j];
      resumable_smallest_[j].add(*record, restarts);
      smallest_[j].add(*record, true);
    }
    if (!restarts) continue;
    const IterationRecord& last = loop.result(j).history.back();
    if (last.residual && *last.residual < best_iterates_[j].residual)
      best_iterates_[j] = {*last.residual, last.iteration};
  }
  report_faults(exec, system, loop, reasons);
  // Conjugate gradients reduce an energy; the residual may grow by the square root of the condition
  // number. Without a preconditioner no second norm tells this growth from divergence.
  StopRules growth = stop_;
  if (growth.divergence && system.kind() == PreconditionerKind::none)
    growth.divergence->bound *= growth.divergence->bound;
  const auto ends = [](const std::optional<StopReason>& reason) {
    return reason == StopReason::stagnated || reason == StopReason::indefinite ||
           reason == StopReason::indefinite_preconditioner;
  };
  Slices claims;
  for (std::size_t j = 0; j < reasons.size(); ++j) {
    if (!loop.continues(j)) continue;
    const auto& last = loop.result(j).history.back();
    const bool idle = last.preconditioned_residual && *last.preconditioned_residual == 0;
    const bool claimed = reasons[j] == StopReason::converged ||
                         reasons[j] == StopReason::discrepancy || ends(reasons[j]);
    if (claimed || ((idle || waits_at(last, j)) && !reasons[j]) ||
        (!reasons[j] && restarts && !system.is_rounded() && is_lost(loop, j, k)))
      claims.push_back(j);
    else if (!reasons[j] && has_diverged(growth, loop.result(j).history, loop.result(j).rhs_norm))
      reasons[j] = StopReason::diverged;
  }
  if (claims.empty()) return;
  if (launched_ > k) {
    // Nothing has changed since iterate k.
    log_.clear(exec, launched_);
    launched_ = k;
  }
  publish(exec, system, X, k);
  std::vector<double> residuals = true_residuals(exec, system, B, X);
  std::vector<int> again(reasons.size(), 0);
  Slices back;  // columns that begin again from the start
  for (const std::size_t j : claims) {
    SolveResult& result = loop.result(j);
    IterationRecord honest;
    honest.iteration = result.iterations;
    honest.residual = residuals[j];
    honest.relative_residual =
        Impl::IterationLog<ExecutionSpace>::relative(residuals[j], result.rhs_norm);
    // At rounding level p . A p may have any sign, although x may satisfy the rule.
    const StopReason claimed = reasons[j].value_or(StopReason::converged);
    const bool has_ended = ends(claimed);
    const bool is_hopeless = !reasons[j] && is_lost(loop, j, k);
    reasons[j] = evaluate(stop_, honest, j);
    if (reasons[j]) continue;
    if (!system.is_rounded() && (is_hopeless || has_overshot(loop, j, claimed, residuals[j]))) {
      if (restarts) back.push_back(j);
    } else if (!std::isfinite(residuals[j])) {
      // Neither r nor p shows that x has overflowed.
      reasons[j] = StopReason::non_finite;
      result.non_finite_iteration = result.iterations;
    } else if (residuals[j] == 0) {
      reasons[j] = StopReason::converged;
    } else if (has_ended || !(residuals[j] <= 0.5 * restart_residuals_[j])) {
      // No further progress is possible. A rule may be satisfied, even before the minimum number of
      // iterations.
      StopRules at_once = stop_;
      at_once.minimum_iterations = 0;
      reasons[j] =
          evaluate(at_once, honest, j).value_or(has_ended ? claimed : StopReason::stagnated);
    } else if (restarts) {
      restart_residuals_[j] = residuals[j];
      if (restarted_at_[j] == 0) restarted_at_[j] = k;
      best_iterates_[j] = {residuals[j], result.iterations};
      again[j] = 1;
    }
    if (!reasons[j]) Impl::end_history_at(result, k);
  }
  std::vector<double> best(reasons.size());  // of columns that restart from x: none
  for (auto& residual : best) residual = std::numeric_limits<double>::infinity();
  if (!back.empty()) {
    go_back(exec, system, B, X, loop, back, k, residuals);
    for (const std::size_t j : back) {
      again[j] = 1;
      best[j] = best_iterates_[j].residual * best_iterates_[j].residual;
    }
  }
  if (std::count(again.begin(), again.end(), 1) > 0) restart(exec, system, X, again, best, k);
}

/// Replaces iterate k, in columns whose recursion has passed the solution, by the start, keeps the
/// best iterate, judged by its true residual, and makes the columns careful. \p residuals: the true
/// ones of x, before and after; `image_` then holds the residual vectors.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::go_back(const ExecutionSpace& exec, const SystemType& system,
                                          const ConstMultiVectorType& B, const MultiVectorType& X,
                                          Loop& loop, const Slices& slices, int k,
                                          std::vector<double>& residuals) {
  take_best(exec, system, B, X, loop, slices, k, residuals);
  std::vector<int> chosen(residuals.size(), 0);
  for (const std::size_t j : slices) {
    best_iterates_[j] = {residuals[j], loop.result(j).iterations};
    chosen[j] = 1;
    residuals[j] = std::numeric_limits<double>::infinity();  // so that any start is better
  }
  set_chosen(exec, chosen);
  Kokkos::parallel_for("Tomokkos::pcg::take_best", Impl::element_range(exec, n_),
                       Impl::TakeResidual<Scalar, memory_space>{
                           array(own_iterate(system, X)), array(best_), {}, chosen_, false});
  take_start(exec, system, X, loop, slices, residuals);
  for (const std::size_t j : slices) {
    SolveResult& result = loop.result(j);
    careful_[j] = 1;
    limits_[j] = residual_limit(stop_, result.rhs_norm, j);
    restart_residuals_[j] = residuals[j];
    Impl::end_history_at(result, k);
    result.history.back().residual = residuals[j];
    result.history.back().relative_residual =
        Impl::IterationLog<ExecutionSpace>::relative(residuals[j], result.rhs_norm);
  }
  true_residuals(exec, system, B, X);
}

template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::set_chosen(const ExecutionSpace& exec,
                                             const std::vector<int>& chosen) const {
  Kokkos::deep_copy(exec, chosen_,
                    VectorView<const int, Kokkos::HostSpace>(chosen.data(), chosen.size()));
  Impl::fence(exec, "Pcg: the flags of the columns must have left");
}

/// Restarts the chosen columns with the true residual of a check in `image_`. \p best: squared
/// residuals of the best iterates so far.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::restart(const ExecutionSpace& exec, const SystemType& system,
                                          const MultiVectorType& X, const std::vector<int>& chosen,
                                          const std::vector<double>& best, int k) {
  std::vector<double> all = to_host_vector<ExecutionSpace>(exec, scalar(Impl::PcgScalar::best));
  for (std::size_t j = 0; j < chosen.size(); ++j)
    if (chosen[j] != 0) all[j] = best[j];
  Kokkos::deep_copy(exec, scalar(Impl::PcgScalar::best),
                    VectorView<const double, Kokkos::HostSpace>(all.data(), all.size()));
  set_chosen(exec, chosen);
  Kokkos::parallel_for(
      "Tomokkos::pcg::take_residual", Impl::element_range(exec, n_),
      Impl::TakeResidual<Scalar, memory_space>{array(image_), array(residual_), system.diagonal(),
                                               chosen_, system.is_scaled()});
  begin(exec, system, own_iterate(system, X), k);
}

/// Measures the true residuals of columns that have stopped at iterate k. Columns that have failed
/// return the best iterate.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::measure_stopped(const ExecutionSpace& exec,
                                                  const SystemType& system,
                                                  const ConstMultiVectorType& B,
                                                  const MultiVectorType& X, Loop& loop,
                                                  const Slices& slices, int k) {
  if (slices.empty()) return;
  publish(exec, system, X, k);
  std::vector<double> residuals = true_residuals(exec, system, B, X);
  Slices failed;
  for (const std::size_t j : slices) {
    SolveResult& result = loop.result(j);
    if (!std::isnan(result.residual)) result.recursive_residual = result.residual;
    if (k > 0 && returns_best_iterate(result.reason, stop_)) failed.push_back(j);
  }
  take_best(exec, system, B, X, loop, failed, k, residuals);
  for (const std::size_t j : slices) {
    SolveResult& result = loop.result(j);
    result.residual = residuals[j];
    result.relative_residual =
        Impl::IterationLog<ExecutionSpace>::relative(residuals[j], result.rhs_norm);
  }
}

/// Exchanges x and the best iterate in the \p chosen columns.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::exchange(const ExecutionSpace& exec, const SystemType& system,
                                           const MultiVectorType& X, const std::vector<int>& chosen,
                                           int k) {
  set_chosen(exec, chosen);
  Kokkos::parallel_for(
      "Tomokkos::pcg::exchange", Impl::element_range(exec, best_.extent(0)),
      Impl::PcgExchange<Scalar, memory_space>{chosen_, own_iterate(system, X), best_});
  publish(exec, system, X, k);
}

/// Replaces x in the columns \p slices by the iterate with the smallest true residual among x, the
/// best checked one and the start, and sets `SolveResult::iterations` to its number. Costs two
/// products at most, none where x is the best checked iterate.
///
/// \param residuals true residuals of x, before and after
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::take_best(const ExecutionSpace& exec, const SystemType& system,
                                            const ConstMultiVectorType& B, const MultiVectorType& X,
                                            Loop& loop, const Slices& slices, int k,
                                            std::vector<double>& residuals) {
  std::vector<int> chosen(B.extent(1), 0), worse(chosen);
  for (const std::size_t j : slices) {
    const int best = best_iterates_[j].iteration;
    // The start, iterate 0, is kept elsewhere.
    chosen[j] = best > 0 && best != loop.result(j).iterations ? 1 : 0;
  }
  if (std::count(chosen.begin(), chosen.end(), 1) > 0) {
    exchange(exec, system, X, chosen, k);
    const std::vector<double> of_best = true_residuals(exec, system, B, X);
    for (const std::size_t j : slices) {
      if (chosen[j] == 0) continue;
      worse[j] = residuals[j] <= of_best[j] ? 1 : 0;
      if (worse[j] != 0) continue;
      residuals[j] = of_best[j];
      loop.result(j).iterations = best_iterates_[j].iteration;
    }
    if (std::count(worse.begin(), worse.end(), 1) > 0) exchange(exec, system, X, worse, k);
  }
  take_start(exec, system, X, loop, slices, residuals);
}

/// Replaces x in the columns in which the start has a smaller residual than \p residuals.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::take_start(const ExecutionSpace& exec, const SystemType& system,
                                             const MultiVectorType& X, Loop& loop,
                                             const Slices& slices, std::vector<double>& residuals) {
  std::vector<int> chosen(residuals.size(), 0);
  for (const std::size_t j : slices) {
    SolveResult& result = loop.result(j);
    const double first = result.history.front().residual.value_or(std::nan(""));
    if (residuals[j] <= first || (std::isfinite(residuals[j]) && !std::isfinite(first))) continue;
    chosen[j] = 1;
    residuals[j] = first;
    result.iterations = 0;
  }
  if (std::count(chosen.begin(), chosen.end(), 1) == 0) return;
  set_chosen(exec, chosen);
  const MultiVectorType iterate = system.is_scaled() ? array(iterate_) : X;
  Kokkos::parallel_for(
      "Tomokkos::pcg::take_start", Impl::element_range(exec, n_),
      Impl::PcgTakeStart<Scalar, memory_space>{array(start_), chosen_, system.diagonal(),
                                               system.is_scaled(), X, iterate});
  for (const std::size_t j : slices) {
    if (chosen[j] == 0 || std::isfinite(residuals[j])) continue;
    // Not even the residual of the start is a number; that of 0 is.
    for (const auto& x : {X, iterate})
      Kokkos::parallel_for("Tomokkos::pcg::clear", Impl::element_range(exec, x.extent(0)),
                           Impl::ClearColumn<Scalar, memory_space>{x, static_cast<Offset>(j)});
    residuals[j] = loop.result(j).rhs_norm;
  }
}

}  // namespace Tomokkos
