// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays besides x that conjugate gradients keep between checks, and the resumption of a solve from
// them.
#pragma once

#include <Tomokkos_Pcg.hpp>
#include <impl/Tomokkos_PcgSingle_impl.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
typename Pcg<ExecutionSpace, Scalar>::Held Pcg<ExecutionSpace, Scalar>::held(
    const SystemType& system) const {
  Held arrays;
  arrays.push_back(HeldArray::of_vector("residual", residual_));
  arrays.push_back(HeldArray::of_vector("direction", direction_));
  arrays.push_back(HeldArray::of_vector("best", best_));
  arrays.push_back(HeldArray::of_vector("first", start_));
  if (system.is_scaled()) arrays.push_back(HeldArray::of_vector("iterate", iterate_));
  if (is_single()) {
    arrays.push_back(HeldArray::of_vector("shadow", shadow_));
    if (!has_identity(system)) arrays.push_back(HeldArray::of_vector("inverse", inverse_));
  }
  arrays.push_back(HeldArray::of_scalars("scalars", scalars_));
  return arrays;
}

/// Saves the state.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::save(const ExecutionSpace& exec, const SystemType& system,
                                       SolveProgress& progress) const {
  if (in_units_) {
    Impl::mark_units(progress);
    return;
  }
  Held arrays = held(system);
  if (is_single() && image_is_product_) arrays.push_back(HeldArray::of_vector("image", image_));
  Impl::save<ExecutionSpace, Scalar>(exec, arrays, progress);
  progress.held["restart_residuals"] = restart_residuals_;
  progress.held["careful"] = {careful_.begin(), careful_.end()};
  progress.held["restarted_at"] = {restarted_at_.begin(), restarted_at_.end()};
  for (const BestIterate& seen : best_iterates_) {
    progress.held["best_residuals"].push_back(seen.residual);
    progress.held["best_iterations"].push_back(seen.iteration);
  }
  for (const SmallestResidual& seen : resumable_smallest_) {
    progress.held["smallest_residuals"].push_back(seen.residual);
    progress.held["smallest_ratios"].push_back(seen.ratio);
  }
}

template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::restore_progress(const ExecutionSpace& exec,
                                                   const SystemType& system,
                                                   const ConstMultiVectorType& B,
                                                   const MultiVectorType& X, Loop& loop) {
  const SolveProgress& progress = *this->resumed_;
  Impl::require_given_units(progress);
  Held arrays = held(system);
  image_is_product_ = is_single() && progress.held.contains("image");
  if (image_is_product_) arrays.push_back(HeldArray::of_vector("image", image_));
  Impl::restore<ExecutionSpace, Scalar>(exec, arrays, progress);
  const std::size_t columns = B.extent(1);
  restart_residuals_ = Impl::held_numbers(progress, "restart_residuals", columns);
  const auto& residuals = Impl::held_numbers(progress, "best_residuals", columns);
  const auto& iterations = Impl::held_numbers(progress, "best_iterations", columns);
  const auto& careful = Impl::held_numbers(progress, "careful", columns);
  const auto& restarted_at = Impl::held_numbers(progress, "restarted_at", columns);
  const auto& smallest = Impl::held_numbers(progress, "smallest_residuals", columns);
  const auto& ratios = Impl::held_numbers(progress, "smallest_ratios", columns);
  for (std::size_t j = 0; j < columns; ++j) {
    best_iterates_[j] = {residuals[j], static_cast<int>(iterations[j])};
    careful_[j] = careful[j] != 0 ? 1 : 0;
    restarted_at_[j] = static_cast<int>(restarted_at[j]);
    smallest_[j] = {smallest[j], ratios[j], progress.iteration};
  }
  if (loop.begins_between_checks()) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (!loop.continues(j)) continue;
      IterationRecord& last = loop.result(j).history.back();
      last.change.reset();
      last.relative_change.reset();
      // A careful column records the residual at which it waits, at a check or not.
      if (careful_[j] != 0 && last.iteration >= stop_.minimum_iterations &&
          last.residual.value_or(std::numeric_limits<double>::infinity()) <=
              residual_limit(stop_, loop.result(j).rhs_norm, j))
        continue;
      last.residual.reset();
      last.relative_residual.reset();
    }
  }
  measure_stopped(exec, system, B, X, loop, loop.unmeasured(), loop.first());
}

}  // namespace Tomokkos
