// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Gmres.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Gmres<ExecutionSpace, Scalar>::Gmres(const ExecutionSpace& exec, Ordinal n,
                                     const GmresParams& params)
    : Base(exec, n, validated(params), "Tomokkos::Gmres::solve"),
      params_(params),
      start_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Gmres::start", n)) {
  allocate_cycle(exec, std::max(1, std::min(params.restart, n)));
}

/// Allocates the arrays of cycles of \p restart steps.
template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::allocate_cycle(const ExecutionSpace& exec, int restart) {
  restart_ = restart;
  basis_ = {};  // frees the old arrays first
  small_ = {};
  basis_ = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Gmres::basis",
                                                  (Offset{restart} + 1) * this->n_);
  small_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::Gmres::small",
                                                  Impl::GmresSmall<memory_space>::length(restart));
}

template <class ExecutionSpace, class Scalar>
std::size_t Gmres<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (basis_.extent(0) + start_.extent(0) + hat_.extent(0)) * sizeof(Scalar) +
         small_.extent(0) * sizeof(double) + this->frame_.bytes();
}

template <class ExecutionSpace, class Scalar>
std::size_t Gmres<ExecutionSpace, Scalar>::iteration_bytes(const SystemType& system) const {
  // Vectors moved in a cycle: both passes read the basis twice, and w once per group and once or
  // twice more.
  std::size_t vectors = 0;
  for (int j = 0; j < restart_; ++j) {
    const int own = j + 1, first = j + 2;
    const int groups = (first + Impl::gmres_group - 1) / Impl::gmres_group +
                       (own + Impl::gmres_group - 1) / Impl::gmres_group;
    vectors += static_cast<std::size_t>(first + 3 * own + groups + 4);
    vectors += Frame::has_identity(system) ? 2 : system.needs_apply() ? 5 : 4;
  }
  // End of the cycle: x, and the true residual.
  vectors += static_cast<std::size_t>(restart_) + 6;
  const std::size_t products = static_cast<std::size_t>(restart_) + 1;
  const std::size_t cycle = products * (system.A_in_units().apply_bytes(1) +
                                        (system.needs_apply() ? system.apply_inverse_bytes() : 0)) +
                            vectors * static_cast<std::size_t>(this->n_) * sizeof(Scalar);
  return cycle / static_cast<std::size_t>(restart_);
}

template <class ExecutionSpace, class Scalar>
typename Gmres<ExecutionSpace, Scalar>::VectorType Gmres<ExecutionSpace, Scalar>::basis(
    int j) const {
  return VectorType(basis_.data() + Offset{j} * this->n_, this->n_);
}

template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec, const SystemType& system) {
  // All ranks make the same steps, however few rows one of them has.
  const Ranks* const ranks = this->frame_.hosts();
  const double rows = ranks != nullptr ? ranks->sum_of(this->n_) : this->n_;
  const int restart = static_cast<int>(std::clamp<double>(rows, 1, params_.restart));
  if (restart != restart_) allocate_cycle(exec, restart);
  fill<ExecutionSpace, double>(exec, small_, 0.0);
  if (Frame::has_identity(system) || hat_.extent(0) > 0) return;
  hat_ = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Gmres::hat", this->n_);
}

/// Starts a cycle from x, with its residual.
template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::begin_cycle(const ExecutionSpace& exec,
                                                const SystemType& system, const ConstVectorType& b,
                                                const VectorType& x, int k, bool compares) {
  cycle_ = k;
  from_residual_ = false;
  Kokkos::deep_copy(exec, start_, x);
  this->frame_.compute_residual(
      exec, system, b, x, basis(0),
      Impl::GmresBegin<memory_space>{small(), std::numeric_limits<Scalar>::epsilon(), k + 1,
                                     compares});
}

/// Starts a cycle when the first basis vector already holds the true residual of x.
template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::begin(const ExecutionSpace& exec, const SystemType&,
                                          const VectorType& x, int k) {
  cycle_ = k;
  from_residual_ = true;
  Kokkos::deep_copy(exec, start_, x);
  this->frame_.template reduce<1>(
      exec, "Tomokkos::gmres::begin", Impl::ColumnDotTerm<Scalar, memory_space>{basis(0), basis(0)},
      Impl::GmresBegin<memory_space>{small(), std::numeric_limits<Scalar>::epsilon(), k + 1,
                                     false});
}

/// Computes `h = V^T w` for the basis vectors up to j; in the first pass also w . w.
template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::project(const ExecutionSpace& exec, int j, bool again) {
  const int vectors = again ? j + 1 : j + 2;
  for (int first = 0; first < vectors; first += Impl::gmres_group) {
    const int count = std::min(Impl::gmres_group, vectors - first);
    const VectorType group(basis_.data() + Offset{first} * this->n_, Offset{count} * this->n_);
    this->frame_.template reduce<Impl::gmres_group>(
        exec, "Tomokkos::gmres::project",
        Impl::GmresProject<Scalar, memory_space>{group, basis(j + 1), this->n_, count},
        Impl::GmresKeep<memory_space>{small(), first, count, again});
  }
}

/// Runs step j of a cycle, which leads to iterate k.
template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::step(const ExecutionSpace& exec, const SystemType& system,
                                         int j, int k) {
  const bool by_entry = system.kind() == PreconditionerKind::jacobi;
  const VectorType v = basis(j), w = basis(j + 1);
  const Impl::GmresSmall<memory_space> at = small();
  Kokkos::parallel_for(
      "Tomokkos::gmres::normalise", Impl::element_range(exec, this->n_),
      Impl::GmresNormalise<Scalar, memory_space>{at, Frame::entry_inverse(system), v,
                                                 by_entry ? VectorType(hat_) : VectorType()});
  if (system.needs_apply()) {
    this->frame_.apply_inverse(exec, system, v, hat_);
    this->frame_.squared_norm(
        exec, hat_,
        Kokkos::subview(small_,
                        std::pair<int, int>(static_cast<int>(Impl::GmresScalar::hat_squared),
                                            static_cast<int>(Impl::GmresScalar::fault))));
  }
  const VectorType hat = Frame::has_identity(system) ? v : VectorType(hat_);
  system.A_in_units().apply(exec, Scalar(1), as_multivector(hat), Scalar(0), as_multivector(w));
  const Impl::GmresSubtract<Scalar, memory_space> subtract{at, basis_, w, j + 1};
  project(exec, j, false);
  Kokkos::parallel_for("Tomokkos::gmres::subtract", Impl::element_range(exec, this->n_), subtract);
  project(exec, j, true);
  this->frame_.template reduce<1>(
      exec, "Tomokkos::gmres::rotate", subtract,
      Impl::GmresRotate<memory_space>{
          at, this->frame_.log().slot(k, Impl::RecordField::residual_squared),
          std::numeric_limits<Scalar>::epsilon(), j, k, system.needs_apply()});
}

/// Computes x from the steps of this cycle.
template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::combine(const ExecutionSpace& exec, const SystemType& system,
                                            const VectorType& x) {
  const Impl::GmresSmall<memory_space> at = small();
  Kokkos::parallel_for("Tomokkos::gmres::substitute", Impl::element_range(exec, 1),
                       Impl::GmresSubstitute<memory_space>{at});
  const bool applied = system.needs_apply();
  Kokkos::parallel_for("Tomokkos::gmres::combine", Impl::element_range(exec, this->n_),
                       Impl::GmresCombine<Scalar, memory_space>{at, Frame::entry_inverse(system),
                                                                basis_, start_, x, applied});
  if (!applied) return;
  this->frame_.apply_inverse(exec, system, x, hat_);
  Kokkos::parallel_for("Tomokkos::gmres::add", Impl::element_range(exec, this->n_),
                       Impl::GmresAdd<Scalar, memory_space>{at, start_, hat_, x});
}

template <class ExecutionSpace, class Scalar>
Impl::DetectedFault Gmres<ExecutionSpace, Scalar>::detected_fault(
    const ExecutionSpace& exec) const {
  using Impl::GmresScalar;
  const std::vector<double> on_host = to_host_vector<ExecutionSpace>(
      exec, VectorView<double, memory_space>(small_.data(),
                                             static_cast<std::size_t>(GmresScalar::count)));
  return {static_cast<Impl::KrylovFault>(
              static_cast<int>(on_host[static_cast<std::size_t>(GmresScalar::fault)])),
          static_cast<int>(on_host[static_cast<std::size_t>(GmresScalar::fault_iteration)])};
}

/// x is needed for a check and for a restart only.
template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::compute_iterate(const ExecutionSpace& exec,
                                                    const SystemType& system, const VectorType& x,
                                                    int k, bool is_checked) {
  const int j = k - cycle_;
  if (j > 0 && (is_checked || j == restart_)) combine(exec, system, x);
}

template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::advance(const ExecutionSpace& exec, const SystemType& system,
                                            const ConstVectorType& b, const VectorType& x, int k) {
  if (k - cycle_ == restart_) begin_cycle(exec, system, b, x, k, true);
  step(exec, system, k - cycle_, k + 1);
}

template <class ExecutionSpace, class Scalar>
typename Gmres<ExecutionSpace, Scalar>::Held Gmres<ExecutionSpace, Scalar>::held() const {
  return {Frame::Array::of_vector("start", start_)};
}

template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::save(SolveProgress& progress) const {
  progress.held["cycle"] = {static_cast<double>(cycle_), from_residual_ ? 1.0 : 0.0};
}

/// Repeats the cycle. It is known to be no worse than the cycle before.
template <class ExecutionSpace, class Scalar>
void Gmres<ExecutionSpace, Scalar>::restore_progress(const ExecutionSpace& exec,
                                                     const SystemType& system,
                                                     const ConstVectorType& b,
                                                     const SolveProgress& progress) {
  const std::vector<double>& cycle = Impl::held_numbers(progress, "cycle", 2);
  const int first = static_cast<int>(cycle[0]);
  require(first >= 0 && first <= progress.iteration && progress.iteration - first <= restart_,
          "the cycle of the progress to resume does not reach its iterate");
  this->frame_.log().begin(exec, first);
  if (cycle[1] != 0) {
    this->frame_.measure(exec, system, b, start_, basis(0));
    begin(exec, system, start_, first);
  } else {
    begin_cycle(exec, system, b, start_, first, false);
  }
  for (int k = first; k < progress.iteration; ++k) step(exec, system, k - first, k + 1);
}

GmresParams validated(const GmresParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop);
  require(params.restart >= 1, "restart must be at least 1");
  require(!params.stop.needs(Measurement::change),
          "the rule " + params.stop.rule_needing(Measurement::change) +
              " does not apply to GMRES, which computes x only at checks");
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)         \
  template class ColumnKrylovSolver<ExecutionSpace, Scalar>; \
  template class Gmres<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
