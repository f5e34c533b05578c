// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// End of conjugate gradients: reasons from the recursion, confirmed with the true residual.
#pragma once

#include <Tomokkos_Pcg.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {

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
    if (fault == PcgFault::none || fault == PcgFault::reached || !loop.continues(j)) continue;
    SolveResult& result = loop.result(j);
    const int met = checked_ + static_cast<int>(on_host[columns + j]);
    result.iterations = met > 0 ? met - 1 : 0;
    result.history.resize(std::min(result.history.size(), std::size_t(result.iterations) + 1));
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

/// Applies the rules to the residuals of the recursion, and confirms them with the true ones. If a
/// longer solve would not check here, nothing restarts.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::confirm(const ExecutionSpace& exec, const SystemType& system,
                                          const ConstMultiVectorType& B, const MultiVectorType& X,
                                          Loop& loop, typename Loop::Reasons& reasons, int k) {
  best_seen_before_ = best_iterates_;
  for (std::size_t j = 0; j < reasons.size(); ++j) {
    if (!loop.continues(j)) continue;
    const IterationRecord& last = loop.result(j).history.back();
    if (last.residual && *last.residual < best_iterates_[j].residual)
      best_iterates_[j] = {*last.residual, last.iteration};
  }
  report_faults(exec, system, loop, reasons);
  const auto ends = [](const std::optional<StopReason>& reason) {
    return reason == StopReason::stagnated || reason == StopReason::indefinite ||
           reason == StopReason::indefinite_preconditioner;
  };
  std::vector<std::size_t> claims;
  for (std::size_t j = 0; j < reasons.size(); ++j) {
    if (!loop.continues(j)) continue;
    const auto& last = loop.result(j).history.back();
    const bool idle = last.preconditioned_residual && *last.preconditioned_residual == 0;
    const bool claimed = reasons[j] == StopReason::converged ||
                         reasons[j] == StopReason::discrepancy || ends(reasons[j]);
    if (claimed || ((idle || waits_at(last)) && !reasons[j])) claims.push_back(j);
  }
  if (claims.empty()) return;
  if (launched_ > k) {
    // Nothing has changed since iterate k.
    log_.clear(exec, launched_);
    launched_ = k;
  }
  publish(exec, system, X, k);
  const Sum measured = scalar(Impl::PcgScalar::true_residual_squared);
  compute_residual(exec, system, B, X, image_, false, measured, 1);
  const std::vector<double> residuals = host_norms(exec, measured);
  std::vector<int> again(reasons.size(), 0);
  for (const std::size_t j : claims) {
    const SolveResult& result = loop.result(j);
    IterationRecord honest;
    honest.iteration = result.iterations;
    honest.residual = residuals[j];
    honest.relative_residual =
        Impl::IterationLog<ExecutionSpace>::relative(residuals[j], result.rhs_norm);
    // At rounding level p . A p may have any sign, although x may satisfy the rule.
    const std::optional<StopReason> ended =
        ends(reasons[j]) ? reasons[j] : std::optional<StopReason>();
    reasons[j] = evaluate(stop_, honest, j);
    if (reasons[j]) continue;
    if (!std::isfinite(residuals[j])) {
      // Neither r nor p shows that x has overflowed.
      reasons[j] = StopReason::non_finite;
      loop.result(j).non_finite_iteration = result.iterations;
    } else if (residuals[j] == 0) {
      reasons[j] = StopReason::converged;
    } else if (ended || !(residuals[j] <= 0.5 * restart_residuals_[j])) {
      // No further progress is possible. A rule may be satisfied, even before the minimum number of
      // iterations.
      StopRules at_once = stop_;
      at_once.minimum_iterations = 0;
      reasons[j] = evaluate(at_once, honest, j).value_or(ended.value_or(StopReason::stagnated));
    } else if (!loop.is_unscheduled_last(k)) {
      restart_residuals_[j] = residuals[j];
      best_iterates_[j] = {residuals[j], result.iterations};
      again[j] = 1;
    }
  }
  if (std::count(again.begin(), again.end(), 1) > 0) restart(exec, system, X, again, k);
}

/// Restarts the chosen columns with the true residual of a check in `image_`.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::restart(const ExecutionSpace& exec, const SystemType& system,
                                          const MultiVectorType& X, const std::vector<int>& chosen,
                                          int k) {
  Kokkos::deep_copy(exec, chosen_,
                    VectorView<const int, Kokkos::HostSpace>(chosen.data(), chosen.size()));
  Impl::fence(exec, "Pcg: the flags of the columns must have left");
  Kokkos::parallel_for(
      "Tomokkos::pcg::take_residual", Impl::element_range(exec, n_),
      Impl::TakeResidual<Scalar, memory_space>{array(image_), array(residual_), system.diagonal(),
                                               chosen_, system.is_scaled()});
  begin(exec, system, own_iterate(system, X), k);
}

/// Measures the true residuals of columns that have stopped at iterate k.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::measure_stopped(const ExecutionSpace& exec,
                                                  const SystemType& system,
                                                  const ConstMultiVectorType& B,
                                                  const MultiVectorType& X, Loop& loop,
                                                  const Slices& slices, int k) {
  if (slices.empty()) return;
  publish(exec, system, X, k);
  const Sum measured = scalar(Impl::PcgScalar::true_residual_squared);
  compute_residual(exec, system, B, X, image_, false, measured, 1);
  const std::vector<double> residuals = host_norms(exec, measured);
  for (const std::size_t j : slices) {
    SolveResult& result = loop.result(j);
    if (!std::isnan(result.residual)) result.recursive_residual = result.residual;
    result.residual = residuals[j];
    result.relative_residual =
        Impl::IterationLog<ExecutionSpace>::relative(residuals[j], result.rhs_norm);
  }
  if (k > 0) return_best(exec, system, B, X, loop, slices, k);
}

/// Exchanges x and the best iterate in the \p chosen columns.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::exchange(const ExecutionSpace& exec, const SystemType& system,
                                           const MultiVectorType& X, const std::vector<int>& chosen,
                                           int k) {
  Kokkos::deep_copy(exec, chosen_,
                    VectorView<const int, Kokkos::HostSpace>(chosen.data(), chosen.size()));
  Impl::fence(exec, "Pcg: the flags of the columns must have left");
  Kokkos::parallel_for(
      "Tomokkos::pcg::exchange", Impl::element_range(exec, best_.extent(0)),
      Impl::PcgExchange<Scalar, memory_space>{chosen_, own_iterate(system, X), best_});
  publish(exec, system, X, k);
}

/// For recursions that have just failed: replaces the last iterate by the best one if its true
/// residual is smaller.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::return_best(const ExecutionSpace& exec, const SystemType& system,
                                              const ConstMultiVectorType& B,
                                              const MultiVectorType& X, Loop& loop,
                                              const Slices& slices, int k) {
  std::vector<int> chosen(B.extent(1), 0), back(chosen);
  bool any = false;
  for (const std::size_t j : slices) {
    const SolveResult& result = loop.result(j);
    const bool failed = result.reason == StopReason::indefinite ||
                        result.reason == StopReason::indefinite_preconditioner ||
                        result.reason == StopReason::non_finite;
    if (!failed) continue;
    chosen[j] = 1;
    any = true;
  }
  if (!any) return;
  exchange(exec, system, X, chosen, k);
  const Sum measured = scalar(Impl::PcgScalar::true_residual_squared);
  compute_residual(exec, system, B, X, image_, false, measured, 1);
  const std::vector<double> residuals = host_norms(exec, measured);
  any = false;
  for (const std::size_t j : slices) {
    SolveResult& result = loop.result(j);
    if (chosen[j] == 0) continue;
    if (result.residual <= residuals[j]) {
      back[j] = 1;
      any = true;
      continue;
    }
    result.iterations = best_iterates_[j].iteration;
    result.residual = residuals[j];
    if (!std::isfinite(residuals[j])) {
      // A recursion does not notice that x has overflowed.
      Kokkos::parallel_for("Tomokkos::pcg::clear", Impl::element_range(exec, X.extent(0)),
                           Impl::ClearColumn<Scalar, memory_space>{array(own_iterate(system, X)),
                                                                   static_cast<Offset>(j)});
      publish(exec, system, X, k);
      result.residual = result.rhs_norm;
    }
    result.relative_residual =
        Impl::IterationLog<ExecutionSpace>::relative(result.residual, result.rhs_norm);
  }
  if (any) exchange(exec, system, X, back, k);
}

}  // namespace Tomokkos
