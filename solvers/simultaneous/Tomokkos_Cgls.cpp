// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <impl/Tomokkos_CglsKernels.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_SolveUnits.hpp>
#include <impl/Tomokkos_SpreadReduce.hpp>

namespace Tomokkos {

CglsParams validated(const CglsParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop, {true, false});
  require(
      params.damping >= 0 && std::isfinite(params.damping),
      "the damping is " + std::to_string(params.damping) + "; it must be finite and not negative");
  require(params.restart_every >= 0, "restart_every is negative");
  return params;
}

template <class ExecutionSpace, class Scalar>
Cgls<ExecutionSpace, Scalar>::Cgls(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                   const CglsParams& params, Ordinal num_slices)
    : params_(validated(params)),
      num_rows_(num_rows),
      num_cols_(num_cols),
      num_slices_(require_slices(num_slices)),
      residual_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Cgls::residual",
                                                       Offset{num_rows} * num_slices)),
      image_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Cgls::image",
                                                    Offset{num_rows} * num_slices)),
      gradient_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Cgls::gradient",
                                                       Offset{num_cols} * num_slices)),
      direction_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Cgls::direction",
                                                        Offset{num_cols} * num_slices)),
      scalars_(allocate<Vector<double, memory_space>>(
          exec, "Tomokkos::Cgls::scalars",
          static_cast<Offset>(Impl::CglsScalar::count) * num_slices)),
      active_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::Cgls::active", num_slices)),
      chosen_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::Cgls::chosen", num_slices)),
      spread_sums_(
          allocate<Vector<double, memory_space>>(exec, "Tomokkos::Cgls::spread_sums", num_slices)),
      reduction_(exec, num_slices),
      log_(exec, params.iterations, num_slices),
      white_noise_(exec, params.stop.ncp, num_rows, num_slices) {}

template <class ExecutionSpace, class Scalar>
std::size_t Cgls<ExecutionSpace, Scalar>::workspace_bytes() const {
  return 2 * (residual_.extent(0) + direction_.extent(0)) * sizeof(Scalar) +
         (scalars_.extent(0) + spread_sums_.extent(0) + reduction_.partial().extent(0)) *
             sizeof(double) +
         (active_.extent(0) + chosen_.extent(0)) * sizeof(int) + log_.bytes() +
         white_noise_.bytes();
}

template <class ExecutionSpace, class Scalar>
typename Cgls<ExecutionSpace, Scalar>::Sum Cgls<ExecutionSpace, Scalar>::scalar(
    Impl::CglsScalar which) const {
  return Sum(scalars_.data() + static_cast<Offset>(which) * num_slices_, num_slices_);
}

/// Of vectors over the rows, from the sums of their squares that are here.
template <class ExecutionSpace, class Scalar>
std::vector<double> Cgls<ExecutionSpace, Scalar>::row_norms(const ExecutionSpace& exec,
                                                            const Sum& squared) const {
  std::vector<double> norms = to_host_vector<ExecutionSpace>(exec, squared);
  Impl::add_up(ranks_.rows, norms);
  for (auto& norm : norms) norm = std::sqrt(norm);
  return norms;
}

/// Of vectors over the columns, from the sums of their squares over all of these.
template <class ExecutionSpace, class Scalar>
std::vector<double> Cgls<ExecutionSpace, Scalar>::column_norms(const ExecutionSpace& exec,
                                                               const Sum& squared) const {
  std::vector<double> norms = to_host_vector<ExecutionSpace>(exec, squared);
  Impl::take_first(ranks_.rows, norms);
  for (auto& norm : norms) norm = std::sqrt(norm);
  return norms;
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::form_residual(const ExecutionSpace& exec, const OperatorType& A,
                                                 const ConstMultiVectorType& B,
                                                 const ConstMultiVectorType& X,
                                                 const VectorType& residual, const Sum& squared,
                                                 Offset stride) {
  A.apply(exec, Scalar(1), X, Scalar(0), Impl::as_array(image_, B.extent(0), B.extent(1)));
  reduce_columns_to_device<1>(
      exec, "Tomokkos::cgls::first_residual", num_rows_, num_slices_,
      Impl::CglsFirstResidual<Scalar, memory_space>{as_vector(B), image_, residual}, reduction_,
      squared, stride);
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::measure_gradient(const ExecutionSpace& exec,
                                                    const ConstVectorType& x, const Sum& alpha,
                                                    const Sum& squared, Offset stride) {
  Impl::reduce_spread<1>(exec, Impl::several_ranks(ranks_.columns), "Tomokkos::cgls::gradient",
                         num_cols_, num_slices_,
                         Impl::CglsGradient<Scalar, memory_space>{alpha, direction_, x, gradient_,
                                                                  damping_ * damping_},
                         reduction_, spread_sums_, squared, stride);
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::form_gradient(const ExecutionSpace& exec, const OperatorType& A,
                                                 const VectorType& residual,
                                                 const ConstVectorType& x, const Sum& squared,
                                                 Offset stride) {
  A.apply_transpose(exec, Scalar(1), Impl::as_array(residual, num_rows_, num_slices_), Scalar(0),
                    Impl::as_array(gradient_, num_cols_, num_slices_));
  measure_gradient(exec, x, scalar(Impl::CglsScalar::zero), squared, stride);
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::begin_directions(const ExecutionSpace& exec,
                                                    const Sum& gradient_squared, Offset stride) {
  Kokkos::deep_copy(exec, chosen_, 1);
  Kokkos::deep_copy(exec, direction_, gradient_);
  Kokkos::parallel_for(
      "Tomokkos::cgls::begin", Impl::element_range(exec, num_slices_),
      Impl::CglsBegin<memory_space>{{scalars_, num_slices_}, {gradient_squared, stride}, chosen_});
}

/// With the true residual (in `image_`) and gradient of a check, in the chosen slices.
template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::start_again(const ExecutionSpace& exec,
                                               const std::vector<int>& chosen) {
  Kokkos::deep_copy(exec, chosen_,
                    VectorView<const int, Kokkos::HostSpace>(chosen.data(), chosen.size()));
  Impl::fence(exec, "Cgls: the flags of the slices must have left");
  const auto array = [&](const VectorType& values, Ordinal rows) {
    return Impl::as_array(values, rows, num_slices_);
  };
  using Copy = Impl::CopyChosen<Scalar, memory_space>;
  Kokkos::parallel_for("Tomokkos::cgls::take_residual", Impl::element_range(exec, num_rows_),
                       Copy{array(image_, num_rows_), array(residual_, num_rows_), chosen_});
  Kokkos::parallel_for("Tomokkos::cgls::take_direction", Impl::element_range(exec, num_cols_),
                       Copy{array(gradient_, num_cols_), array(direction_, num_cols_), chosen_});
  Kokkos::parallel_for(
      "Tomokkos::cgls::begin", Impl::element_range(exec, num_slices_),
      Impl::CglsBegin<memory_space>{
          {scalars_, num_slices_}, {scalar(Impl::CglsScalar::true_gradient_squared), 1}, chosen_});
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::take_step_length(const ExecutionSpace& exec) {
  using Impl::CglsScalar;
  const auto image = Impl::as_array(image_, num_rows_, num_slices_);
  dot_columns<ExecutionSpace, Scalar>(exec, reduction_, image, image,
                                      scalar(CglsScalar::image_squared));
  Impl::add_up<ExecutionSpace>(exec, ranks_.rows, scalar(CglsScalar::image_squared));
  Kokkos::parallel_for(
      "Tomokkos::cgls::step_length", Impl::element_range(exec, num_slices_),
      Impl::CglsStepLength<memory_space>{{scalars_, num_slices_}, damping_ * damping_});
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::reduce_residual(const ExecutionSpace& exec, int k) {
  reduce_columns_to_device<1>(exec, "Tomokkos::cgls::residual", num_rows_, num_slices_,
                              Impl::CglsReduceResidual<Scalar, memory_space>{
                                  scalar(Impl::CglsScalar::alpha), image_, residual_},
                              reduction_, log_.slot(k, Impl::RecordField::residual_squared),
                              log_.stride);
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::turn_direction(const ExecutionSpace& exec, const VectorType& x,
                                                  int k) {
  using Impl::CglsScalar;
  const auto alpha = scalar(CglsScalar::alpha);
  const auto new_gamma = log_.slot(k, Impl::RecordField::objective);
  measure_gradient(exec, x, alpha, new_gamma, log_.stride);
  Kokkos::parallel_for(
      "Tomokkos::cgls::turn", Impl::element_range(exec, num_slices_),
      Impl::CglsTurn<memory_space>{{scalars_, num_slices_}, {new_gamma, log_.stride}});
  reduce_columns_to_device<2>(
      exec, "Tomokkos::cgls::advance", num_cols_, num_slices_,
      Impl::CglsAdvance<Scalar, memory_space>{alpha, scalar(CglsScalar::beta), gradient_, active_,
                                              direction_, x},
      reduction_, log_.slot(k, Impl::RecordField::change_squared), log_.stride);
  if (damping_ > 0) {
    const auto direction = Impl::as_array(direction_, num_cols_, num_slices_);
    dot_columns<ExecutionSpace, Scalar>(exec, reduction_, direction, direction,
                                        scalar(CglsScalar::direction_squared));
    Impl::add_up<ExecutionSpace>(exec, ranks_.columns, scalar(CglsScalar::direction_squared));
  }
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::iterate(const ExecutionSpace& exec, const OperatorType& A,
                                           const ConstVectorType& b, const VectorType& x, int k) {
  // A and A^T once; for each slice: |q|^2: m values read; r -= alpha q: 2 m read, m written; |s|^2:
  // n read; x and p: 3 n read, 2 n written. Damping reads x and p and writes s with |s|^2, and
  // reads p for |p|^2. Where rays may be missing, b is read: m values.
  const auto array = [&](const VectorType& values, Ordinal rows) {
    return Impl::as_array(values, rows, num_slices_);
  };
  A.apply(exec, Scalar(1), array(direction_, num_cols_), Scalar(0), array(image_, num_rows_));
  if (params_.nan_data == NanData::missing)
    Kokkos::parallel_for("Tomokkos::cgls::clear_missing",
                         Impl::element_range(exec, image_.extent(0)),
                         Impl::ClearMissing<Scalar, memory_space>{b, image_});
  take_step_length(exec);
  reduce_residual(exec, k);
  A.apply_transpose(exec, Scalar(1), array(residual_, num_rows_), Scalar(0),
                    array(gradient_, num_cols_));
  turn_direction(exec, x, k);
}

/// Whether the slices that a rule wants to stop may do so: by the true residual, which `image_`
/// takes, so that the recursions of the others go on undisturbed.
template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::confirm(const ExecutionSpace& exec, const OperatorType& A,
                                           const ConstMultiVectorType& B, const MultiVectorType& X,
                                           Loop& loop, typename Loop::Reasons& reasons) {
  using Impl::CglsScalar;
  const auto unproven = [&](std::size_t j) {
    return reasons[j] && *reasons[j] != StopReason::relative_change &&
           *reasons[j] != StopReason::white_residual;
  };
  std::vector<std::size_t> claims;
  for (std::size_t j = 0; j < reasons.size(); ++j)
    if (unproven(j)) claims.push_back(j);
  if (claims.empty()) return;
  const Sum residual_squared = scalar(CglsScalar::true_residual_squared);
  const Sum gradient_squared = scalar(CglsScalar::true_gradient_squared);
  form_residual(exec, A, B, X, image_, residual_squared);
  const std::vector<double> residuals = row_norms(exec, residual_squared);
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
  form_gradient(exec, A, image_, as_vector(X), gradient_squared);
  const std::vector<double> gradients = column_norms(exec, gradient_squared);
  std::vector<int> again(reasons.size(), 0);
  for (const std::size_t j : refuted) {
    const auto& history = loop.result(j).history;
    // A recursion that has nothing left to do: a solution if the true gradient is rounding, too.
    const double first = history.front().gradient.value_or(0);
    const double rounding = 100.0 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    // Where a residual is asked for that x does not have, it has stagnated.
    const bool ended = (stagnated[j] && !stop_.any()) || history.back().gradient == 0.0;
    if (ended && gradients[j] <= rounding * first) {
      reasons[j] = StopReason::converged;
    } else if (stagnated[j] || !(residuals[j] < restart_residuals_[j])) {
      reasons[j] = StopReason::stagnated;
    } else {
      restart_residuals_[j] = residuals[j];
      again[j] = 1;
    }
  }
  if (std::count(again.begin(), again.end(), 1) > 0) start_again(exec, again);
}

/// The true residuals of the slices that have just stopped.
template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::measure_stopped(const ExecutionSpace& exec,
                                                   const OperatorType& A,
                                                   const ConstMultiVectorType& B,
                                                   const MultiVectorType& X, Loop& loop) {
  if (loop.stopped().empty()) return;
  const Sum measured = scalar(Impl::CglsScalar::true_residual_squared);
  form_residual(exec, A, B, X, image_, measured);
  const std::vector<double> residuals = row_norms(exec, measured);
  for (const std::size_t j : loop.stopped()) {
    SolveResult& result = loop.result(j);
    result.recursive_residual = result.residual;
    result.residual = residuals[j];
    result.relative_residual =
        Impl::IterationLog<ExecutionSpace>::relative(residuals[j], result.rhs_norm);
  }
}

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> Cgls<ExecutionSpace, Scalar>::solve(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, const Monitor<ExecutionSpace, Scalar>& monitor) {
  using Impl::CglsScalar;
  const Impl::ScopedRegion region("Tomokkos::Cgls::solve");
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
  fill<ExecutionSpace, double>(exec, scalars_, 0.0);
  const Sum measured = scalar(CglsScalar::true_residual_squared);
  Impl::measured_squares<ExecutionSpace, Scalar>(exec, reduction_, B, measured);
  const std::vector<double> rhs_norms = row_norms(exec, measured);
  stop_ = params_.stop;
  damping_ = params_.damping;
  form_start(exec, A, B, X);
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
                       form_start(exec, in_units, own_B, own_X);
                       return iterate_from(exec, in_units, own_B, own_X, norms, watch);
                     });
}

/// The residual and the gradient of the start, and their squared norms.
template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::form_start(const ExecutionSpace& exec, const OperatorType& A,
                                              const ConstMultiVectorType& B,
                                              const ConstMultiVectorType& X) {
  form_residual(exec, A, B, X, residual_, scalar(Impl::CglsScalar::true_residual_squared));
  form_gradient(exec, A, residual_, as_vector(X), scalar(Impl::CglsScalar::true_gradient_squared));
}

/// Whether the norms of the data, of the first residual and of the first gradient are all near
/// enough to 1. A gradient of zero is suspicious: it may be one that numbers do not hold.
template <class ExecutionSpace, class Scalar>
bool Cgls<ExecutionSpace, Scalar>::is_safe(const ExecutionSpace& exec,
                                           const std::vector<double>& rhs_norms) const {
  using Safe = Impl::SafeExponents<Scalar>;
  const auto within = [](double value, int exponent) {
    return value >= std::ldexp(1.0, -exponent) && value <= std::ldexp(1.0, exponent);
  };
  const std::vector<double> residuals =
      row_norms(exec, scalar(Impl::CglsScalar::true_residual_squared));
  const std::vector<double> gradients =
      column_norms(exec, scalar(Impl::CglsScalar::true_gradient_squared));
  bool safe = params_.damping == 0 || within(params_.damping, Safe::normal_matrix);
  for (std::size_t j = 0; j < rhs_norms.size(); ++j)
    safe = safe && within(rhs_norms[j], Safe::vector) && within(residuals[j], Safe::vector) &&
           within(gradients[j] / residuals[j], Safe::normal_matrix);
  return safe;
}

/// From the start that was formed.
template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> Cgls<ExecutionSpace, Scalar>::iterate_from(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, const std::vector<double>& rhs_norms,
    const Monitor<ExecutionSpace, Scalar>& monitor) {
  using Impl::CglsScalar;
  using Impl::RecordField;
  const VectorType x = as_vector(X);
  const Sum measured = scalar(CglsScalar::beta);
  restart_residuals_.assign(B.extent(1), std::numeric_limits<double>::infinity());
  dot_columns<ExecutionSpace, Scalar>(exec, reduction_, X, X, measured);
  Impl::add_up<ExecutionSpace>(exec, ranks_.columns, measured);
  const std::vector<double> start_norms = column_norms(exec, measured);
  std::vector<std::size_t> solved;  // slices with nothing to do
  for (std::size_t j = 0; j < rhs_norms.size(); ++j)
    if (rhs_norms[j] == 0 && start_norms[j] == 0) solved.push_back(j);
  Loop loop(exec, log_, active_, Impl::Objective::gradient_squared, params_.iterations,
            params_.check_every, stop_, monitor, rhs_norms);
  // Squares of the gradient are those of all columns when they are logged.
  if (const auto* const ranks = ranks_.any())
    loop.set_ranks(Impl::RecordRanks{&ranks->ranks()}
                       .spreads(RecordField::residual_squared, ranks_.rows != nullptr)
                       .spreads(RecordField::change_squared, ranks_.columns != nullptr)
                       .spreads(RecordField::norm_squared, ranks_.columns != nullptr));
  if (stop_.ncp)
    loop.set_probe([&](const ExecutionSpace& instance, std::vector<SolveResult>& results,
                       const std::vector<char>& going) {
      white_noise_.measure(instance, A, B, X, results, going);
    });

  const auto log_start = [&](CglsScalar from, RecordField to) {
    Kokkos::parallel_for(
        "Tomokkos::cgls::log_start", Impl::element_range(exec, num_slices_),
        Impl::CglsLogStart<memory_space>{scalar(from), log_.slot(0, to), log_.stride});
  };
  log_start(CglsScalar::true_residual_squared, RecordField::residual_squared);
  for (const std::size_t j : solved)
    Kokkos::parallel_for("Tomokkos::cgls::clear", Impl::element_range(exec, X.extent(0)),
                         Impl::ClearColumn<Scalar, memory_space>{X, static_cast<Offset>(j)});
  if (loop.stop_at_once(exec, 0, solved, StopReason::zero_rhs)) return loop.results();
  log_start(CglsScalar::true_gradient_squared, RecordField::objective);
  begin_directions(exec, scalar(CglsScalar::true_gradient_squared));
  for (int k = 0;; ++k) {
    const bool done = loop.look(exec, k, X, [&](typename Loop::Reasons& reasons) {
      confirm(exec, A, B, X, loop, reasons);
    });
    measure_stopped(exec, A, B, X, loop);
    if (done) return loop.results();
    if (params_.restart_every > 0 && k > 0 && k % params_.restart_every == 0) {
      const Sum gradient_squared = scalar(CglsScalar::true_gradient_squared);
      form_residual(exec, A, B, X, residual_, scalar(CglsScalar::true_residual_squared));
      form_gradient(exec, A, residual_, x, gradient_squared);
      begin_directions(exec, gradient_squared);
    }
    iterate(exec, A, as_vector(B), x, k + 1);
  }
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Cgls<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
