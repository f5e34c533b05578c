// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_LeastSquaresSolver.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <impl/Tomokkos_LeastSquaresKernels.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_SolveUnits.hpp>

namespace Tomokkos {

LeastSquaresParams validated(const LeastSquaresParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop, true);
  require(
      params.damping >= 0 && std::isfinite(params.damping),
      "the damping is " + std::to_string(params.damping) + "; it must be finite and not negative");
  require(params.restart_every >= 0, "restart_every is negative");
  return params;
}

namespace {

/// Entries of the arrays that `keep_best` needs.
Offset kept_entries(const LeastSquaresParams& params, Ordinal num_cols, Ordinal num_slices) {
  return params.keep_best && params.damping == 0 ? Offset{num_cols} * num_slices : 0;
}

/// True if x, which no longer changes much relative to its size, has grown along a null space.
///
/// \param best smallest true residual at a check
template <class Scalar>
bool has_left_the_solution(const SolveResult& result, double best) {
  if (result.reason != StopReason::relative_change) return false;
  const double first = result.history.front().residual.value_or(best);
  const double rounding =
      std::sqrt(static_cast<double>(std::numeric_limits<Scalar>::epsilon())) * result.rhs_norm;
  return !(result.residual <= std::max(1.01 * std::min(best, first), rounding));
}

}  // namespace

template <class ExecutionSpace, class Scalar>
LeastSquaresSolver<ExecutionSpace, Scalar>::LeastSquaresSolver(const ExecutionSpace& exec,
                                                               Ordinal num_rows, Ordinal num_cols,
                                                               const LeastSquaresParams& params,
                                                               Ordinal num_slices)
    : num_rows_(require_length("number of rows", num_rows)),
      num_cols_(require_length("number of columns", num_cols)),
      num_slices_(require_slices(num_slices)),
      residual_(allocate<Vector<Scalar, memory_space>>(
          exec, "Tomokkos::LeastSquaresSolver::residual", Offset{num_rows} * num_slices)),
      image_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::LeastSquaresSolver::image",
                                                    Offset{num_rows} * num_slices)),
      gradient_(allocate<Vector<Scalar, memory_space>>(
          exec, "Tomokkos::LeastSquaresSolver::gradient", Offset{num_cols} * num_slices)),
      active_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::LeastSquaresSolver::active",
                                                  num_slices)),
      chosen_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::LeastSquaresSolver::chosen",
                                                  num_slices)),
      rank_sums_(allocate<Vector<double, memory_space>>(
          exec, "Tomokkos::LeastSquaresSolver::spread_sums", num_slices)),
      reduction_(exec, num_slices),
      log_(exec, validated(params).iterations, num_slices),
      params_(params),
      measured_(allocate<Vector<double, memory_space>>(
          exec, "Tomokkos::LeastSquaresSolver::measured",
          static_cast<Offset>(Measured::count) * num_slices)),
      white_noise_(exec, params.stop.ncp, num_rows, num_slices),
      best_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::LeastSquaresSolver::best",
                                                   kept_entries(params, num_cols, num_slices))),
      start_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::LeastSquaresSolver::start",
                                                    kept_entries(params, num_cols, num_slices))) {}

template <class ExecutionSpace, class Scalar>
std::size_t LeastSquaresSolver<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (2 * residual_.extent(0) + gradient_.extent(0) + best_.extent(0) + start_.extent(0)) *
             sizeof(Scalar) +
         (measured_.extent(0) + rank_sums_.extent(0) + reduction_.partial().extent(0)) *
             sizeof(double) +
         (active_.extent(0) + chosen_.extent(0)) * sizeof(int) + log_.bytes() +
         white_noise_.bytes();
}

template <class ExecutionSpace, class Scalar>
double LeastSquaresSolver<ExecutionSpace, Scalar>::negligible_part() const {
  return params_.keep_best && params_.damping == 0 ? Impl::negligible_part<Scalar> : 0;
}

template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::multiply(const ExecutionSpace& exec,
                                                          const OperatorType& A,
                                                          const ConstVectorType& b,
                                                          const VectorType& v) {
  A.apply(exec, Scalar(1), columns_array(v), Scalar(0), rows_array(image_));
  if (params_.nan_data == NanData::missing)
    Kokkos::parallel_for("Tomokkos::least_squares::clear_missing",
                         Impl::element_range(exec, image_.extent(0)),
                         Impl::ClearMissing<Scalar, memory_space>{b, image_});
}

template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::square_columns(const ExecutionSpace& exec,
                                                                const ConstVectorType& v,
                                                                const Sum& squared) {
  const ConstMultiVectorType V(v.data(), num_cols_, num_slices_);
  dot_columns<ExecutionSpace, Scalar>(exec, reduction_, V, V, squared);
  Impl::add_up<ExecutionSpace>(exec, ranks_.columns, squared);
}

/// Norms of vectors over the rows, from local sums of squares.
template <class ExecutionSpace, class Scalar>
std::vector<double> LeastSquaresSolver<ExecutionSpace, Scalar>::row_norms(
    const ExecutionSpace& exec, const Sum& squared) const {
  std::vector<double> norms = to_host_vector<ExecutionSpace>(exec, squared);
  Impl::add_up(ranks_.rows, norms);
  for (auto& norm : norms) norm = std::sqrt(norm);
  return norms;
}

/// Norms of vectors over the columns, from sums of squares over all columns.
template <class ExecutionSpace, class Scalar>
std::vector<double> LeastSquaresSolver<ExecutionSpace, Scalar>::column_norms(
    const ExecutionSpace& exec, const Sum& squared) const {
  std::vector<double> norms = to_host_vector<ExecutionSpace>(exec, squared);
  Impl::broadcast_first(ranks_.rows, norms);
  for (auto& norm : norms) norm = std::sqrt(norm);
  return norms;
}

/// The sums of squares are written to `true_residual`.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::compute_residual(const ExecutionSpace& exec,
                                                                  const OperatorType& A,
                                                                  const ConstMultiVectorType& B,
                                                                  const ConstMultiVectorType& X,
                                                                  const VectorType& residual) {
  A.apply(exec, Scalar(1), X, Scalar(0), rows_array(image_));
  reduce_columns_to_device<1>(
      exec, "Tomokkos::least_squares::residual", num_rows_, num_slices_,
      Impl::FirstResidual<Scalar, memory_space>{as_vector(B), image_, residual}, reduction_,
      measured(Measured::true_residual), 1);
}

/// The sums of squares are written to `true_gradient`.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::compute_gradient(const ExecutionSpace& exec,
                                                                  const OperatorType& A,
                                                                  const VectorType& residual,
                                                                  const ConstVectorType& x) {
  A.apply_transpose(exec, Scalar(1), rows_array(residual), Scalar(0), columns_array(gradient_));
  Impl::reduce_over_ranks<1>(
      exec, Impl::several_ranks(ranks_.columns), "Tomokkos::least_squares::gradient", num_cols_,
      num_slices_, Impl::DampedGradient<Scalar, memory_space>{x, gradient_, damping_ * damping_},
      reduction_, rank_sums_, measured(Measured::true_gradient), 1);
}

template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::begin_all(const ExecutionSpace& exec,
                                                           const ConstVectorType& x) {
  Kokkos::deep_copy(exec, chosen_, 1);
  begin(exec, x);
}

/// Restarts the chosen slices from the true residual (in `image_`) and gradient of a check.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::restart(const ExecutionSpace& exec,
                                                         const ConstVectorType& x,
                                                         const std::vector<int>& chosen) {
  copy_chosen(exec, chosen, rows_array(image_), rows_array(residual_));
  begin(exec, x);
}

/// Copies the chosen slices, and leaves their flags in `chosen_`.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::copy_chosen(const ExecutionSpace& exec,
                                                             const std::vector<int>& chosen,
                                                             const MultiVectorType& from,
                                                             const MultiVectorType& to) {
  Kokkos::deep_copy(exec, chosen_,
                    VectorView<const int, Kokkos::HostSpace>(chosen.data(), chosen.size()));
  Impl::fence(exec, "LeastSquaresSolver: the flags of the slices must have left");
  Kokkos::parallel_for("Tomokkos::least_squares::copy_chosen",
                       Impl::element_range(exec, from.extent(0)),
                       Impl::CopyChosen<Scalar, memory_space>{from, to, chosen_});
}

/// Keeps the slices of x whose true residual, just computed, is the smallest at a check. The
/// recursion does not show where rounding takes x along a null space.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::keep_best(const ExecutionSpace& exec,
                                                           const MultiVectorType& X, Loop& loop) {
  const std::vector<double> residuals = row_norms(exec, measured(Measured::true_residual));
  std::vector<int> better(best_iterates_.size(), 0);
  for (std::size_t j = 0; j < better.size(); ++j) {
    if (!loop.continues(j) || !(residuals[j] < best_iterates_[j].residual)) continue;
    best_iterates_[j] = {residuals[j], loop.result(j).history.back().iteration};
    better[j] = 1;
  }
  if (std::count(better.begin(), better.end(), 1) > 0)
    copy_chosen(exec, better, X, columns_array(best_));
}

/// Replaces x in the slices that have failed by the iterate with the smallest true residual among
/// x, the best checked one and the start.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::take_best(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, const std::vector<std::size_t>& slices, Loop& loop) {
  std::vector<int> best(best_iterates_.size(), 0), start(best);
  for (const std::size_t j : slices)
    // The start, iterate 0, is kept elsewhere.
    best[j] = returns_best_iterate(loop.result(j).reason) && best_iterates_[j].iteration > 0 &&
              best_iterates_[j].iteration != loop.result(j).iterations;
  if (std::count(best.begin(), best.end(), 1) > 0) {
    compute_residual(exec, A, B, columns_array(best_), image_);
    const std::vector<double> residuals = row_norms(exec, measured(Measured::true_residual));
    for (const std::size_t j : slices) {
      SolveResult& result = loop.result(j);
      if (best[j] == 0 || result.residual <= residuals[j]) {
        best[j] = 0;
        continue;
      }
      result.residual = residuals[j];
      result.iterations = best_iterates_[j].iteration;
    }
    copy_chosen(exec, best, columns_array(best_), X);
  }
  for (const std::size_t j : slices) {
    SolveResult& result = loop.result(j);
    const double first = result.history.front().residual.value_or(std::nan(""));
    if (!returns_best_iterate(result.reason) || result.residual <= first || !std::isfinite(first))
      continue;
    start[j] = 1;
    result.residual = first;
    result.iterations = 0;
  }
  if (std::count(start.begin(), start.end(), 1) > 0)
    copy_chosen(exec, start, columns_array(start_), X);
}

/// Confirms stops requested by rules with the true residual. The residual is written to `image_`,
/// so that the recursions of other slices continue undisturbed.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::confirm(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, int k, Loop& loop, typename Loop::Reasons& reasons) {
  const auto unproven = [&](std::size_t j) {
    return reasons[j] == StopReason::converged || reasons[j] == StopReason::discrepancy ||
           reasons[j] == StopReason::stagnated;
  };
  if (keeps_best()) {
    // The start, iterate 0, is kept elsewhere.
    if (k > 0 && !loop.is_unscheduled_last(k)) {
      compute_residual(exec, A, B, X, image_);
      keep_best(exec, X, loop);
    }
    for (std::size_t j = 0; j < reasons.size(); ++j)
      if (loop.continues(j) && !reasons[j] &&
          has_diverged(stop_, loop.result(j).history, loop.result(j).rhs_norm))
        reasons[j] = StopReason::diverged;
  }
  std::vector<std::size_t> claims;
  for (std::size_t j = 0; j < reasons.size(); ++j)
    if (unproven(j)) claims.push_back(j);
  if (claims.empty()) return;
  compute_residual(exec, A, B, X, image_);
  const std::vector<double> residuals = row_norms(exec, measured(Measured::true_residual));
  std::vector<std::size_t> refuted;
  std::vector<char> stagnated(reasons.size(), 0);
  for (const std::size_t j : claims) {
    const SolveResult& result = loop.result(j);
    IterationRecord honest;
    honest.iteration = result.iterations;
    honest.residual = residuals[j];
    honest.relative_residual =
        Impl::IterationLog<ExecutionSpace>::relative(residuals[j], result.rhs_norm);
    stagnated[j] = reasons[j] == StopReason::stagnated;
    reasons[j] = evaluate(stop_, honest, j);
    if (!reasons[j]) refuted.push_back(j);
  }
  if (refuted.empty()) return;
  compute_gradient(exec, A, image_, as_vector(X));
  const std::vector<double> gradients = column_norms(exec, measured(Measured::true_gradient));
  std::vector<int> again(reasons.size(), 0);
  for (const std::size_t j : refuted) {
    const auto& history = loop.result(j).history;
    // The recursion is finished. x is a solution if the true gradient is at rounding level, too.
    const double first = history.front().gradient.value_or(0);
    const double rounding = 100.0 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    // If a rule requires a residual that x does not reach, the solve has stagnated.
    const bool ended = (stagnated[j] && !stop_.any()) || history.back().gradient == 0.0;
    if (ended && gradients[j] <= rounding * first) {
      reasons[j] = StopReason::converged;
    } else if (stagnated[j] || !(residuals[j] < restart_residuals_[j])) {
      reasons[j] = StopReason::stagnated;
    } else if (!loop.is_unscheduled_last(k)) {
      restart_residuals_[j] = residuals[j];
      again[j] = 1;
    }
  }
  if (std::count(again.begin(), again.end(), 1) > 0) restart(exec, as_vector(X), again);
}

/// Measures the true residuals of slices that have stopped.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::measure(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, const std::vector<std::size_t>& slices, Loop& loop) {
  if (slices.empty()) return;
  compute_residual(exec, A, B, X, image_);
  const std::vector<double> residuals = row_norms(exec, measured(Measured::true_residual));
  for (const std::size_t j : slices) {
    SolveResult& result = loop.result(j);
    result.recursive_residual = result.residual;
    result.residual = residuals[j];
    if (keeps_best() && has_left_the_solution<Scalar>(result, best_iterates_[j].residual))
      result.reason = StopReason::stagnated;
  }
  if (keeps_best()) take_best(exec, A, B, X, slices, loop);
  for (const std::size_t j : slices)
    loop.result(j).relative_residual = Impl::IterationLog<ExecutionSpace>::relative(
        loop.result(j).residual, loop.result(j).rhs_norm);
}

template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::save(const ExecutionSpace& exec,
                                                      SolveProgress& progress) const {
  if (in_units_) {
    Impl::mark_units(progress);
    return;
  }
  Held arrays = held();
  arrays.push_back(HeldArray::of_vector("residual", residual_));
  if (keeps_best()) {
    arrays.push_back(HeldArray::of_vector("best", best_));
    arrays.push_back(HeldArray::of_vector("first", start_));
  }
  Impl::save<ExecutionSpace, Scalar>(exec, arrays, progress);
  progress.held["restart_residuals"] = restart_residuals_;
  if (!keeps_best()) return;
  for (const BestIterate& seen : best_iterates_) {
    progress.held["best_residuals"].push_back(seen.residual);
    progress.held["best_iterations"].push_back(seen.iteration);
  }
}

/// Restores the state of the recursion, and the measurement that an uninterrupted solve would have
/// made since: the true residuals of the slices that stopped at the last check.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::restore_progress(const ExecutionSpace& exec,
                                                                  const OperatorType& A,
                                                                  const ConstMultiVectorType& B,
                                                                  const MultiVectorType& X,
                                                                  Loop& loop) {
  Impl::require_given_units(*resumed_);
  Held arrays = held();
  arrays.push_back(HeldArray::of_vector("residual", residual_));
  if (keeps_best()) {
    arrays.push_back(HeldArray::of_vector("best", best_));
    arrays.push_back(HeldArray::of_vector("first", start_));
  }
  Impl::restore<ExecutionSpace, Scalar>(exec, arrays, *resumed_);
  restart_residuals_ = Impl::held_numbers(*resumed_, "restart_residuals", B.extent(1));
  if (keeps_best()) {
    const auto& residuals = Impl::held_numbers(*resumed_, "best_residuals", B.extent(1));
    const auto& iterations = Impl::held_numbers(*resumed_, "best_iterations", B.extent(1));
    for (std::size_t j = 0; j < best_iterates_.size(); ++j)
      best_iterates_[j] = {residuals[j], static_cast<int>(iterations[j])};
  }
  if (loop.begins_between_checks()) {
    std::vector<double> changes;
    for (std::size_t j = 0; j < restart_residuals_.size(); ++j)
      changes.push_back(loop.result(j).history.back().change.value_or(0));
    set_last_changes(exec, changes);
  }
  measure(exec, A, B, X, loop.unmeasured(), loop);
}

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> LeastSquaresSolver<ExecutionSpace, Scalar>::solve(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, const Monitor<ExecutionSpace, Scalar>& monitor) {
  const Impl::ScopedRegion region("Tomokkos::LeastSquaresSolver::solve");
  const Impl::ResetAtEnd forgotten{resumed_};
  in_units_ = false;
  ranks_ = Impl::vector_ranks(A);
  on_all_ranks(Impl::hosts_of(ranks_.any()), [&] {
    require_stack_shapes(A.num_rows(), A.num_cols(), num_rows_, num_cols_, num_slices_, B.extent(0),
                         B.extent(1), X.extent(0), X.extent(1));
    require_apart("the data", B, "x", X);
    require_entries<ExecutionSpace, Scalar>(exec, "the data", as_vector(B),
                                            -std::numeric_limits<double>::infinity(), B.extent(1),
                                            params_.nan_data);
  });
  A.reserve(exec, num_slices_);
  A.reserve_transpose(exec);
  const Sum squares = measured(Measured::other);
  Impl::measured_squares<ExecutionSpace, Scalar>(exec, reduction_, B, squares);
  const std::vector<double> rhs_norms = row_norms(exec, squares);
  stop_ = params_.stop;
  damping_ = params_.damping;
  if (resumed_) return iterate_from(exec, A, B, X, rhs_norms, monitor);
  compute_start(exec, A, B, X);
  if (is_safe(exec, rhs_norms)) return iterate_from(exec, A, B, X, rhs_norms, monitor);
  const Ranks* const row_ranks = Impl::hosts_of(ranks_.rows);
  const double size = Impl::size_by_product<ExecutionSpace, Scalar>(exec, A, row_ranks);
  const int unit = Impl::unit_exponent(std::max(size, params_.damping),
                                       Impl::SafeExponents<Scalar>::normal_matrix);
  const OperatorType in_units =
      unit == 0 ? A : OperatorType(Impl::OperatorInUnits<ExecutionSpace, Scalar>(A, unit));
  in_units.reserve(exec, num_slices_);
  const Impl::SolveUnits<ExecutionSpace, Scalar> units(exec, in_units, unit, B, X, rhs_norms,
                                                       row_ranks, Impl::hosts_of(ranks_.columns));
  if (units.are_given()) return iterate_from(exec, A, B, X, rhs_norms, monitor);
  return units.solve(exec, in_units, B, X, params_.stop, monitor,
                     [&](const ConstMultiVectorType& own_B, const MultiVectorType& own_X,
                         const std::vector<double>& norms, const StopRules& rules,
                         const Monitor<ExecutionSpace, Scalar>& watch) {
                       stop_ = rules;
                       damping_ = std::ldexp(params_.damping, unit);
                       in_units_ = true;
                       compute_start(exec, in_units, own_B, own_X);
                       return iterate_from(exec, in_units, own_B, own_X, norms, watch);
                     });
}

/// Computes the residual and the gradient of the start, and their squared norms.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::compute_start(const ExecutionSpace& exec,
                                                               const OperatorType& A,
                                                               const ConstMultiVectorType& B,
                                                               const ConstMultiVectorType& X) {
  compute_residual(exec, A, B, X, residual_);
  compute_gradient(exec, A, residual_, as_vector(X));
}

/// Returns whether the norms of the data, of the first residual and of the first gradient are all
/// near enough to 1. A gradient of zero counts as unsafe: it may have underflowed.
template <class ExecutionSpace, class Scalar>
bool LeastSquaresSolver<ExecutionSpace, Scalar>::is_safe(
    const ExecutionSpace& exec, const std::vector<double>& rhs_norms) const {
  using Safe = Impl::SafeExponents<Scalar>;
  const auto within = [](double value, int exponent) {
    return value >= std::ldexp(1.0, -exponent) && value <= std::ldexp(1.0, exponent);
  };
  const std::vector<double> residuals = row_norms(exec, measured(Measured::true_residual));
  const std::vector<double> gradients = column_norms(exec, measured(Measured::true_gradient));
  bool safe = params_.damping == 0 || within(params_.damping, Safe::normal_matrix);
  for (std::size_t j = 0; j < rhs_norms.size(); ++j)
    safe = safe && within(rhs_norms[j], Safe::vector) && within(residuals[j], Safe::vector) &&
           within(gradients[j] / residuals[j], Safe::normal_matrix);
  return safe;
}

template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::log_start(const ExecutionSpace& exec,
                                                           Measured from, Impl::RecordField to) {
  Kokkos::parallel_for("Tomokkos::least_squares::log_start", Impl::element_range(exec, num_slices_),
                       Impl::LogStart<memory_space>{measured(from), log_.slot(0, to), log_.stride});
}

/// Stops slices with zero data and a zero start; returns true if no other slice is left.
template <class ExecutionSpace, class Scalar>
bool LeastSquaresSolver<ExecutionSpace, Scalar>::is_solved_at_start(const ExecutionSpace& exec,
                                                                    const MultiVectorType& X,
                                                                    Loop& loop) {
  square_columns(exec, as_vector(X), measured(Measured::other));
  const std::vector<double> start_norms = column_norms(exec, measured(Measured::other));
  std::vector<std::size_t> solved;
  for (std::size_t j = 0; j < start_norms.size(); ++j)
    if (loop.result(j).rhs_norm == 0 && start_norms[j] == 0) solved.push_back(j);
  for (const std::size_t j : solved)
    Kokkos::parallel_for("Tomokkos::least_squares::clear", Impl::element_range(exec, X.extent(0)),
                         Impl::ClearColumn<Scalar, memory_space>{X, static_cast<Offset>(j)});
  return loop.stop_slices(exec, 0, solved, StopReason::zero_rhs);
}

/// The squared gradient already includes all columns when it is recorded.
template <class ExecutionSpace, class Scalar>
void LeastSquaresSolver<ExecutionSpace, Scalar>::set_ranks(Loop& loop) const {
  using Impl::RecordField;
  if (const auto* const ranks = ranks_.any())
    loop.set_ranks(Impl::RecordRanks{&ranks->ranks()}
                       .set_distributed(RecordField::residual_squared, ranks_.rows != nullptr)
                       .set_distributed(RecordField::change_squared, ranks_.columns != nullptr)
                       .set_distributed(RecordField::norm_squared, ranks_.columns != nullptr));
}

/// Iterates from the computed start.
template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> LeastSquaresSolver<ExecutionSpace, Scalar>::iterate_from(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, const std::vector<double>& rhs_norms,
    const Monitor<ExecutionSpace, Scalar>& monitor) {
  const VectorType x = as_vector(X);
  restart_residuals_.assign(B.extent(1), std::numeric_limits<double>::infinity());
  best_iterates_.assign(B.extent(1), {});
  Loop loop(exec, log_, active_, Impl::Objective::gradient_squared, params_.iterations,
            params_.check_every, stop_, monitor, rhs_norms, resumed_);
  set_ranks(loop);
  set_last_changes(exec, {});
  loop.set_save([&](SolveProgress& progress) { save(exec, progress); });
  loop.set_best([this](std::size_t j) { return best_iterates_[j].iteration; });
  if (stop_.ncp)
    loop.set_probe([&](const ExecutionSpace& instance, std::vector<SolveResult>& results,
                       const std::vector<char>& going) {
      white_noise_.measure(instance, A, B, X, results, going);
    });
  if (resumed_) {
    restore_progress(exec, A, B, X, loop);
    if (loop.done()) return loop.results();
  } else {
    log_start(exec, Measured::true_residual, Impl::RecordField::residual_squared);
    if (is_solved_at_start(exec, X, loop)) return loop.results();
    log_start(exec, Measured::true_gradient, Impl::RecordField::objective);
    if (keeps_best()) {
      Kokkos::deep_copy(exec, start_, x);
      Kokkos::deep_copy(exec, best_, x);
    }
    forget_scale(exec);
    begin_all(exec, x);
  }
  for (int k = loop.first();; ++k) {
    const bool done = loop.check_iterate(exec, k, X, [&](typename Loop::Reasons& reasons) {
      confirm(exec, A, B, X, k, loop, reasons);
    });
    measure(exec, A, B, X, loop.stopped(), loop);
    if (done) return loop.results();
    if (params_.restart_every > 0 && k > 0 && k % params_.restart_every == 0) {
      compute_start(exec, A, B, X);
      begin_all(exec, x);
    }
    iterate(exec, A, as_vector(B), x, k + 1);
  }
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class LeastSquaresSolver<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
