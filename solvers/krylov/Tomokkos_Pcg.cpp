// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <cmath>
#include <impl/Tomokkos_PcgAhead_impl.hpp>
#include <impl/Tomokkos_PcgResume_impl.hpp>
#include <impl/Tomokkos_PcgSingle_impl.hpp>
#include <impl/Tomokkos_PcgStop_impl.hpp>
#include <impl/Tomokkos_RankedSystem.hpp>
#include <impl/Tomokkos_SolveUnits.hpp>
#include <limits>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Pcg<ExecutionSpace, Scalar>::Pcg(const ExecutionSpace& exec, Ordinal n, const PcgParams& params,
                                 Ordinal num_columns)
    : Base(exec, params.preconditioner),
      params_(validated(params)),
      n_(require_length("number of rows", n)),
      num_columns_(require_slices(num_columns)),
      residual_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Pcg::residual",
                                                       Offset{n} * num_columns)),
      image_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Pcg::image",
                                                    Offset{n} * num_columns)),
      direction_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Pcg::direction",
                                                        Offset{n} * num_columns)),
      best_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Pcg::best",
                                                   Offset{n} * num_columns)),
      start_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Pcg::start",
                                                    Offset{n} * num_columns)),
      scalars_(allocate<Vector<double, memory_space>>(
          exec, "Tomokkos::Pcg::scalars",
          static_cast<Offset>(Impl::PcgScalar::count) * num_columns)),
      active_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::Pcg::active", num_columns)),
      chosen_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::Pcg::chosen", num_columns)),
      reduction_(exec, num_columns),
      resident_(exec),
      log_(exec, params.iterations, num_columns) {}

template <class ExecutionSpace, class Scalar>
std::size_t Pcg<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (5 * residual_.extent(0) + inverse_.extent(0) + iterate_.extent(0) + shadow_.extent(0)) *
             sizeof(Scalar) +
         (dot_sums_.extent(0) + scalars_.extent(0) + rank_sums_.extent(0) +
          reduction_.partial().extent(0)) *
             sizeof(double) +
         (active_.extent(0) + chosen_.extent(0)) * sizeof(int) + resident_.bytes() + log_.bytes();
}

template <class ExecutionSpace, class Scalar>
std::size_t Pcg<ExecutionSpace, Scalar>::iteration_bytes(const SystemType& system) const {
  const bool diagonal = system.kind() == PreconditionerKind::jacobi && !system.is_scaled();
  const bool has_dot = num_columns_ == 1 && system.iterated().capabilities().dot != nullptr;
  const bool single =
      variant(this->constructor_instance(), system).scheme == PcgScheme::single_reduction;
  const std::size_t vectors = single ? (has_identity(system) ? 11 : 14)
                                     : (system.needs_apply() ? 12 : 8) + (has_dot ? 0 : 2);
  return system.iterated().apply_bytes(num_columns_) +
         (system.needs_apply() ? system.apply_inverse_bytes() : 0) +
         (vectors * residual_.extent(0) +
          (diagonal ? (single ? 1 : 2) * static_cast<std::size_t>(n_) : 0)) *
             sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
typename Pcg<ExecutionSpace, Scalar>::Sum Pcg<ExecutionSpace, Scalar>::scalar(
    Impl::PcgScalar which) const {
  return Sum(scalars_.data() + static_cast<Offset>(which) * num_columns_, num_columns_);
}

template <class ExecutionSpace, class Scalar>
typename Pcg<ExecutionSpace, Scalar>::MultiVectorType Pcg<ExecutionSpace, Scalar>::array(
    const VectorType& values) const {
  return Impl::as_array(values, n_, num_columns_);
}

template <class ExecutionSpace, class Scalar>
std::vector<double> Pcg<ExecutionSpace, Scalar>::host_norms(const ExecutionSpace& exec,
                                                            const Sum& squared) const {
  std::vector<double> norms = to_host_vector<ExecutionSpace>(exec, squared);
  for (auto& norm : norms) norm = std::sqrt(norm);
  return norms;
}

template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec, const SystemType& system) {
  const auto have = [&](Vector<Scalar, memory_space>& values, const char* label) {
    if (values.extent(0) == 0)
      values = allocate<Vector<Scalar, memory_space>>(exec, label, residual_.extent(0));
  };
  if (system.is_scaled()) have(iterate_, "Tomokkos::Pcg::iterate");
  const bool single = is_single();
  if (system.needs_apply() || (single && !has_identity(system)))
    have(inverse_, "Tomokkos::Pcg::inverse");
  if (single) have(shadow_, "Tomokkos::Pcg::shadow");
  const auto* const dot = system.iterated().capabilities().dot;
  const Offset sums = num_columns_ == 1 && !single && dot != nullptr ? dot->num_sums() : 0;
  if (static_cast<Offset>(dot_sums_.extent(0)) != sums)
    dot_sums_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::Pcg::dot_sums", sums);
  system.A_in_units().reserve(exec, num_columns_);
  system.iterated().reserve(exec, num_columns_);
}

template <class ExecutionSpace, class Scalar>
Impl::GivenResidual<Scalar, typename ExecutionSpace::memory_space>
Pcg<ExecutionSpace, Scalar>::given(const SystemType& system) const {
  return {system.diagonal(), system.is_scaled()};
}

/// Calls `action` with a functor that computes an entry of z from an entry of r.
template <class ExecutionSpace, class Scalar>
template <class Action>
void Pcg<ExecutionSpace, Scalar>::with_inverse(const SystemType& system,
                                               const Action& action) const {
  if (system.needs_apply())
    action(Impl::StoredInverse<Scalar, memory_space>{inverse_});
  else if (system.kind() == PreconditionerKind::jacobi && !system.is_scaled())
    action(Impl::DiagonalInverse<Scalar, memory_space>{system.diagonal()});
  else
    action(Impl::IdentityInverse<Scalar, memory_space>());
}

template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::apply_inverse(const ExecutionSpace& exec,
                                                const SystemType& system) const {
  if (system.needs_apply()) system.apply_inverse(exec, array(residual_), array(inverse_));
}

/// Computes `residual = s (b - A x)`, with s = 1 unless `scaled`, and the squared norm of
/// `b - A x`.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::compute_residual(const ExecutionSpace& exec,
                                                   const SystemType& system,
                                                   const ConstMultiVectorType& B,
                                                   const ConstMultiVectorType& X,
                                                   const VectorType& residual, bool scaled,
                                                   const Sum& squared, Offset stride) {
  image_is_product_ = false;
  system.A_in_units().apply(exec, Scalar(1), X, Scalar(0), array(image_));
  Impl::reduce_over_ranks<1>(exec, ranks_, "Tomokkos::pcg::residual", n_, num_columns_,
                             Impl::PcgFirstResidual<Scalar, memory_space>{
                                 as_vector(B), image_, residual, system.diagonal(), scaled},
                             reduction_, rank_sums_, squared, stride);
}

/// Computes rho and the first direction from the residuals of the chosen columns.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::begin(const ExecutionSpace& exec, const SystemType& system,
                                        const VectorType& x, int k) {
  if (is_single()) {
    begin_single(exec, system, k);
    keep_best(exec, x);
    return;
  }
  apply_inverse(exec, system);
  with_inverse(system, [&](const auto& inverse) {
    using Inverse = std::decay_t<decltype(inverse)>;
    Impl::reduce_over_ranks_and_finish<3>(
        exec, ranks_, "Tomokkos::pcg::begin", n_, num_columns_,
        Impl::PcgMeasure<Scalar, memory_space, Inverse>{residual_, inverse, given(system)},
        reduction_, rank_sums_, Impl::PcgRestart<memory_space>{scalars(), chosen_, 1});
    Kokkos::parallel_for(
        "Tomokkos::pcg::first_direction", Impl::element_range(exec, residual_.extent(0)),
        Impl::PcgBegin<Scalar, memory_space, Inverse>{residual_, chosen_, inverse, direction_});
  });
  keep_best(exec, x);
}

/// Keeps x where it is the best iterate measured so far, in case the recursion fails later.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::keep_best(const ExecutionSpace& exec,
                                            const ConstVectorType& x) const {
  Kokkos::parallel_for(
      "Tomokkos::pcg::keep_best", Impl::element_range(exec, x.extent(0)),
      Impl::PcgKeepBest<Scalar, memory_space>{scalar(Impl::PcgScalar::improves), x, best_});
}

/// Computes `r -= alpha q`, `z = M^-1 r`, beta, and the records of iterate k.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::update(const ExecutionSpace& exec, const SystemType& system,
                                         int k, Impl::PcgLook look) {
  const Sum alpha = scalar(Impl::PcgScalar::alpha);
  Impl::PcgUpdate<memory_space> finish{scalars(),
                                       log_.slot(k, Impl::RecordField::objective),
                                       log_.slot(k, Impl::RecordField::residual_squared),
                                       log_.stride,
                                       k - counted_from_,
                                       look,
                                       Impl::least_rho<Scalar>()};
  if (system.needs_apply()) {
    Kokkos::parallel_for(
        "Tomokkos::pcg::move_residual", Impl::element_range(exec, n_),
        Impl::PcgMoveResidual<Scalar, memory_space>{alpha, array(image_), array(residual_)});
    apply_inverse(exec, system);
    using Inverse = Impl::StoredInverse<Scalar, memory_space>;
    Impl::reduce_over_ranks_and_finish<3>(
        exec, ranks_, "Tomokkos::pcg::update", n_, num_columns_,
        Impl::PcgMeasure<Scalar, memory_space, Inverse>{residual_, {inverse_}, given(system)},
        reduction_, rank_sums_, finish);
    return;
  }
  const auto reduce = [&]<bool measures>(const auto& inverse, std::bool_constant<measures>) {
    using Inverse = std::decay_t<decltype(inverse)>;
    Impl::reduce_over_ranks_and_finish<measures ? 2 : 1>(
        exec, ranks_, "Tomokkos::pcg::update", n_, num_columns_,
        Impl::PcgReduceResidual<Scalar, memory_space, Inverse, measures>{alpha, image_, residual_,
                                                                         inverse, given(system)},
        reduction_, rank_sums_, finish);
  };
  with_inverse(system, [&](const auto& inverse) {
    if (look != Impl::PcgLook::none)
      reduce(inverse, std::true_type());
    else
      reduce(inverse, std::false_type());
  });
}

/// Computes `q = A p` and alpha.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::multiply(const ExecutionSpace& exec, const SystemType& system,
                                           int k) {
  const Impl::PcgStepLength<memory_space> finish{scalars(), k - counted_from_};
  if (dot_sums_.extent(0) > 0) {
    system.iterated().capabilities().dot->apply(exec, direction_, image_, dot_sums_);
    Impl::reduce_over_ranks_and_finish<1>(
        exec, ranks_, "Tomokkos::pcg::curvature", static_cast<Offset>(dot_sums_.extent(0)), 1,
        Impl::AddEntries<memory_space>{dot_sums_}, reduction_, rank_sums_, finish);
    return;
  }
  system.iterated().apply(exec, Scalar(1), array(direction_), Scalar(0), array(image_));
  Impl::reduce_over_ranks_and_finish<1>(
      exec, ranks_, "Tomokkos::pcg::curvature", n_, num_columns_,
      Impl::ColumnDotTerm<Scalar, memory_space>{direction_, image_}, reduction_, rank_sums_,
      finish);
}

/// Advances from iterate k - 1 to iterate k.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::step(const ExecutionSpace& exec, const SystemType& system,
                                       const VectorType& x, int k, Impl::PcgLook look) {
  using Impl::PcgLook;
  using Impl::PcgScalar;
  if (is_single()) {
    step_single(exec, system, x, k, look);
    return;
  }
  multiply(exec, system, k);
  update(exec, system, k, look);
  with_inverse(system, [&](const auto& inverse) {
    using Inverse = std::decay_t<decltype(inverse)>;
    const Impl::PcgAdvance<Scalar, memory_space, Inverse> advance{scalar(PcgScalar::alpha),
                                                                  scalar(PcgScalar::beta),
                                                                  residual_,
                                                                  active_,
                                                                  inverse,
                                                                  direction_,
                                                                  x};
    if ((look == PcgLook::last || look == PcgLook::checked) && stop_.needs(Measurement::change))
      Impl::reduce_over_ranks<2>(exec, ranks_, "Tomokkos::pcg::advance", n_, num_columns_, advance,
                                 reduction_, rank_sums_,
                                 log_.slot(k, Impl::RecordField::change_squared), log_.stride);
    else
      Kokkos::parallel_for("Tomokkos::pcg::advance", Impl::element_range(exec, residual_.extent(0)),
                           advance);
  });
}

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> Pcg<ExecutionSpace, Scalar>::solve(
    const ExecutionSpace& exec, const SystemType& system, const ConstMultiVectorType& B,
    const MultiVectorType& X, const Monitor<ExecutionSpace, Scalar>& monitor) {
  const Impl::ScopedRegion region("Tomokkos::Pcg::solve");
  const Impl::ResetAtEnd forgotten{this->resumed_};
  ranks_ = Impl::ranks_of_system(system);
  Impl::check_ranked_system<ExecutionSpace, Scalar>(
      exec, system, B, X, n_, num_columns_, this->resumed_.has_value(), static_cast<bool>(monitor));
  if (ranks_ != nullptr && rank_sums_.extent(0) == 0)
    rank_sums_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::Pcg::spread_sums",
                                                        4 * Offset{num_columns_});
  system.A_in_units().reserve(exec, num_columns_);
  const Sum measured = scalar(Impl::PcgScalar::true_residual_squared);
  dot_columns<ExecutionSpace, Scalar>(exec, reduction_, B, B, measured);
  if (ranks_ != nullptr) ranks_->sum(exec, measured);
  const std::vector<double> rhs_norms = host_norms(exec, measured);
  in_units_ = false;
  stop_ = params_.stop;
  if (this->resumed_) return iterate(exec, system, B, X, rhs_norms, monitor);
  const Ranks* const hosts = Impl::hosts_of(ranks_);
  const Impl::SolveUnits<ExecutionSpace, Scalar> units(exec, system.A_in_units(), system.unit(), B,
                                                       X, rhs_norms, hosts, hosts);
  const auto in_units = [&](const ConstMultiVectorType& own_B, const MultiVectorType& own_X,
                            const std::vector<double>& norms, const StopRules& rules,
                            const Monitor<ExecutionSpace, Scalar>& watch) {
    stop_ = rules;
    return iterate(exec, system, own_B, own_X, norms, watch);
  };
  if (units.are_given()) return iterate(exec, system, B, X, rhs_norms, monitor);
  in_units_ = true;
  return units.solve(exec, system.A_in_units(), B, X, params_.stop, monitor, in_units);
}

/// Starts the recursions; returns true if there is nothing to iterate.
template <class ExecutionSpace, class Scalar>
bool Pcg<ExecutionSpace, Scalar>::start(const ExecutionSpace& exec, const SystemType& system,
                                        const ConstMultiVectorType& B, const MultiVectorType& X,
                                        Loop& loop) {
  using Impl::RecordField;
  Slices zero_columns, other_columns;
  for (std::size_t j = 0; j < B.extent(1); ++j)
    (loop.result(j).rhs_norm == 0 ? zero_columns : other_columns).push_back(j);
  for (const std::size_t j : zero_columns)
    Kokkos::parallel_for("Tomokkos::pcg::clear", Impl::element_range(exec, X.extent(0)),
                         Impl::ClearColumn<Scalar, memory_space>{X, static_cast<Offset>(j)});
  const auto fault = system.fault();  // a faulty system is not scaled
  if (!fault) reserve(exec, system);
  compute_residual(exec, system, B, X, residual_, system.is_scaled(),
                   log_.slot(0, RecordField::residual_squared), log_.stride);
  if (loop.stop_slices(exec, 0, zero_columns, StopReason::zero_rhs)) return true;
  if (fault) {
    loop.stop_slices(exec, 0, other_columns, fault->reason);
    for (const std::size_t j : other_columns) {
      loop.result(j).row = fault->row;
      if (fault->reason == StopReason::non_finite) {
        loop.result(j).non_finite_iteration = 0;
        loop.result(j).non_finite_source = NonFiniteSource::diagonal;
      }
    }
    return true;
  }
  if (system.is_scaled())
    Kokkos::parallel_for(
        "Tomokkos::pcg::scale_start", Impl::element_range(exec, n_),
        Impl::ScaleIterate<Scalar, memory_space, true>{system.diagonal(), X, array(iterate_)});
  Kokkos::deep_copy(exec, start_, as_vector(X));
  Kokkos::deep_copy(exec, chosen_, 1);
  Kokkos::deep_copy(exec, scalar(Impl::PcgScalar::best), std::numeric_limits<double>::infinity());
  begin(exec, system, own_iterate(system, X), 0);
  Kokkos::parallel_for(
      "Tomokkos::pcg::log_start", Impl::element_range(exec, num_columns_),
      Impl::LogRho<memory_space>{scalars(), log_.slot(0, RecordField::objective), log_.stride});
  return false;
}

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> Pcg<ExecutionSpace, Scalar>::iterate(
    const ExecutionSpace& exec, const SystemType& system, const ConstMultiVectorType& B,
    const MultiVectorType& X, const std::vector<double>& rhs_norms,
    const Monitor<ExecutionSpace, Scalar>& monitor) {
  using Impl::PcgScalar;
  requested_action_ = MonitorAction::proceed;
  const std::size_t columns = B.extent(1);
  fill<ExecutionSpace, double>(exec, scalars_, 0.0);
  restart_residuals_.assign(columns, std::numeric_limits<double>::infinity());
  best_iterates_.assign(columns, {});
  careful_.assign(columns, 0);
  restarted_at_.assign(columns, 0);
  smallest_.assign(columns, {});
  resumable_smallest_.assign(columns, {});
  const auto watch = params_.monitor_sees_x ? monitor : delayed_monitor(monitor);
  Loop loop(exec, log_, active_, Impl::Objective::preconditioned_squared, params_.iterations,
            params_.check_every, stop_, watch, rhs_norms, this->resumed_);
  loop.set_save([&](SolveProgress& progress) { save(exec, system, progress); });
  loop.set_best([this](std::size_t j) { return best_iterates_[j].iteration; });
  launched_ = counted_from_ = checked_ = loop.first();
  renews_image_ = false;
  // Faults found before the interruption count from the check before it.
  if (loop.begins_between_checks()) counted_from_ = checked_ -= checked_ % params_.check_every;
  variant_ = variant(exec, system, loop.is_watched());
  if (this->resumed_) {
    reserve(exec, system);
    restore_progress(exec, system, B, X, loop);
    if (loop.done()) return loop.results();
  } else if (start(exec, system, B, X, loop)) {
    return loop.results();
  }
  const VectorType x = own_iterate(system, X);
  // The device evaluates only bounds of the residual. With several columns, the others would have
  // to wait for a column that has reached its limit.
  const bool sees_x = monitor && params_.monitor_sees_x;
  const bool may_run_ahead = variant_.launches != PcgLaunches::direct && loop.is_watched() &&
                             columns == 1 && !sees_x && !stop_.needs(Measurement::change) &&
                             !stop_.needs(Measurement::residuals);
  limits_.assign(columns, may_run_ahead ? residual_limit(stop_, rhs_norms[0]) : -1.0);
  for (std::size_t j = 0; j < columns; ++j)
    if (careful_[j] != 0) limits_[j] = residual_limit(stop_, rhs_norms[j], j);
  device_limits_.assign(columns, -1.0);
  Kokkos::deep_copy(exec, scalar(PcgScalar::limit), -1.0);
  Impl::RecordedLaunches<ExecutionSpace> launches;
  for (int k = loop.first();; k = launched_) {
    if (runs_ahead(loop, k)) {
      log_.send(exec, k);
      continue_from(exec, system, x, loop, launches);
    }
    const bool checks = loop.is_check_due(k);
    if (checks && sees_x) publish(exec, system, X, k);
    const bool done = loop.check_iterate(exec, k, X, [&](typename Loop::Reasons& reasons) {
      confirm(exec, system, B, X, loop, reasons, k);
    });
    measure_stopped(exec, system, B, X, loop, loop.stopped(), k);
    if (done) return loop.results();
    if (checks) checked_ = k;
    if (launched_ > k) continue;
    // A check of true residuals has overwritten `A u`, which the next step needs.
    if (is_single() && !image_is_product_) {
      // An uninterrupted solve would not check here. Its resident teams would have formed `A u`,
      // and they sum a row in another order than `apply` does.
      renews_image_ = variant_.launches == PcgLaunches::resident && !is_careful() &&
                      k == loop.first() && loop.begins_between_checks();
      if (!renews_image_)
        system.iterated().apply(exec, Scalar(1), array(preconditioned(system)), Scalar(0),
                                array(image_));
      image_is_product_ = true;
    }
    continue_from(exec, system, x, loop, launches);
  }
}

PcgParams validated(const PcgParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop);
  const std::string rule = params.stop.rule_needing(Measurement::change);
  require(rule.empty() || params.scheme != PcgScheme::single_reduction,
          "the rule " + rule +
              " needs the scheme standard; single_reduction does not measure the change");
  require(params.launches != PcgLaunches::resident || params.scheme != PcgScheme::standard,
          "resident launches need the scheme single_reduction");
  require(params.launches != PcgLaunches::resident || rule.empty(),
          "the rule " + rule + " needs the scheme standard, which has no resident launches");
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Pcg<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
