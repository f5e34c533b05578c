// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <impl/Tomokkos_SpreadSums.hpp>
#include <limits>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
BiCgStab<ExecutionSpace, Scalar>::BiCgStab(const ExecutionSpace& exec, Ordinal n,
                                           const BiCgStabParams& params)
    : Base(exec, params.preconditioner),
      params_(validated(params)),
      n_(n),
      residual_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::residual", n)),
      shadow_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::shadow", n)),
      direction_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::direction", n)),
      image_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::image", n)),
      residual_image_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::residual_image", n)),
      scalars_(allocate<Vector<double, memory_space>>(
          exec, "Tomokkos::BiCgStab::scalars", static_cast<Offset>(Impl::BiCgStabScalar::count))),
      frame_(exec, n, params.iterations) {}

template <class ExecutionSpace, class Scalar>
std::size_t BiCgStab<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (5 * residual_.extent(0) + direction_hat_.extent(0) + residual_hat_.extent(0)) *
             sizeof(Scalar) +
         scalars_.extent(0) * sizeof(double) + frame_.bytes();
}

template <class ExecutionSpace, class Scalar>
std::size_t BiCgStab<ExecutionSpace, Scalar>::iteration_bytes(const SystemType& system) const {
  const std::size_t vectors = Frame::has_identity(system) ? 18 : system.needs_apply() ? 25 : 23;
  return 2 * system.A_in_units().apply_bytes(1) +
         (system.needs_apply() ? 2 * system.apply_inverse_bytes() : 0) +
         vectors * residual_.extent(0) * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                               const SystemType& system) {
  if (Frame::has_identity(system) || direction_hat_.extent(0) > 0) return;
  direction_hat_ =
      allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::direction_hat", n_);
  residual_hat_ =
      allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::residual_hat", n_);
}

template <class ExecutionSpace, class Scalar>
typename BiCgStab<ExecutionSpace, Scalar>::VectorType
BiCgStab<ExecutionSpace, Scalar>::formed_by_entry(const SystemType& system,
                                                  const VectorType& hat) const {
  return system.kind() == PreconditionerKind::jacobi ? hat : VectorType();
}

/// p, and `M^-1 p`.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::turn_direction(const ExecutionSpace& exec,
                                                      const SystemType& system, bool begins) {
  Kokkos::parallel_for(
      "Tomokkos::bicgstab::direction", Impl::element_range(exec, n_),
      Impl::BiCgStabDirection<Scalar, memory_space>{
          scalars(), Frame::entry_inverse(system), residual_, image_, residual_image_, shadow_,
          direction_, formed_by_entry(system, direction_hat_), begins});
  if (system.needs_apply()) frame_.apply_inverse(exec, system, direction_, direction_hat_);
}

/// `v = A M^-1 p` and alpha.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::step_length(const ExecutionSpace& exec,
                                                   const SystemType& system, int k) {
  const VectorType hat = Frame::has_identity(system) ? direction_ : direction_hat_;
  system.A_in_units().apply(exec, Scalar(1), as_multivector(hat), Scalar(0),
                            as_multivector(image_));
  const Impl::BiCgStabStepLength<memory_space> finish{scalars(),
                                                      std::numeric_limits<Scalar>::epsilon(), k};
  if (system.needs_apply())
    reduce_columns_and_finish<3>(
        exec, "Tomokkos::bicgstab::project", n_, 1,
        Impl::BiCgStabProject<Scalar, memory_space, 3>{shadow_, image_, hat}, frame_.reduction(),
        finish);
  else
    reduce_columns_and_finish<2>(
        exec, "Tomokkos::bicgstab::project", n_, 1,
        Impl::BiCgStabProject<Scalar, memory_space, 2>{shadow_, image_, hat}, frame_.reduction(),
        finish);
}

/// s, `t = A M^-1 s` and omega.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::stabilise(const ExecutionSpace& exec,
                                                 const SystemType& system, int k) {
  Kokkos::parallel_for("Tomokkos::bicgstab::half_step", Impl::element_range(exec, n_),
                       Impl::BiCgStabHalfStep<Scalar, memory_space>{
                           scalars(), Frame::entry_inverse(system), image_, residual_,
                           formed_by_entry(system, residual_hat_)});
  if (system.needs_apply()) frame_.apply_inverse(exec, system, residual_, residual_hat_);
  const VectorType hat = Frame::has_identity(system) ? residual_ : residual_hat_;
  system.A_in_units().apply(exec, Scalar(1), as_multivector(hat), Scalar(0),
                            as_multivector(residual_image_));
  const Impl::BiCgStabOmega<memory_space> finish{scalars(), std::numeric_limits<Scalar>::epsilon(),
                                                 k};
  if (system.needs_apply())
    reduce_columns_and_finish<4>(
        exec, "Tomokkos::bicgstab::stabilise", n_, 1,
        Impl::BiCgStabStabilise<Scalar, memory_space, 4>{residual_, residual_image_, hat},
        frame_.reduction(), finish);
  else
    reduce_columns_and_finish<3>(
        exec, "Tomokkos::bicgstab::stabilise", n_, 1,
        Impl::BiCgStabStabilise<Scalar, memory_space, 3>{residual_, residual_image_, hat},
        frame_.reduction(), finish);
}

/// x, r, beta, and the record of iterate k.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::advance(const ExecutionSpace& exec, const SystemType& system,
                                               const VectorType& x, int k, bool measured) {
  const VectorType p = Frame::has_identity(system) ? direction_ : direction_hat_;
  const VectorType s = Frame::has_identity(system) ? residual_ : residual_hat_;
  const Impl::BiCgStabTurn<memory_space> finish{
      scalars(), frame_.log().slot(k, Impl::RecordField::residual_squared),
      std::numeric_limits<Scalar>::epsilon(), k};
  if (measured)
    reduce_columns_and_finish<4>(exec, "Tomokkos::bicgstab::advance", n_, 1,
                                 Impl::BiCgStabAdvance<Scalar, memory_space, 4>{
                                     scalars(), shadow_, p, s, residual_image_, residual_, x},
                                 frame_.reduction(), finish);
  else
    reduce_columns_and_finish<2>(exec, "Tomokkos::bicgstab::advance", n_, 1,
                                 Impl::BiCgStabAdvance<Scalar, memory_space, 2>{
                                     scalars(), shadow_, p, s, residual_image_, residual_, x},
                                 frame_.reduction(), finish);
}

/// From iterate k - 1 to iterate k.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::step(const ExecutionSpace& exec, const SystemType& system,
                                            const VectorType& x, int k, bool measured) {
  step_length(exec, system, k);
  stabilise(exec, system, k);
  advance(exec, system, x, k, measured);
  turn_direction(exec, system, false);
}

template <class ExecutionSpace, class Scalar>
Impl::MetFault BiCgStab<ExecutionSpace, Scalar>::met_fault(const ExecutionSpace& exec) const {
  using Impl::BiCgStabScalar;
  const std::vector<double> told = to_host_vector<ExecutionSpace>(exec, scalars_);
  return {static_cast<Impl::KrylovFault>(
              static_cast<int>(told[static_cast<std::size_t>(BiCgStabScalar::fault)])),
          static_cast<int>(told[static_cast<std::size_t>(BiCgStabScalar::fault_iteration)])};
}

/// With the true residual of a check in `image_`.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::start_again(const ExecutionSpace& exec,
                                                   const SystemType& system) {
  Kokkos::deep_copy(exec, residual_, image_);
  reduce_columns_and_finish<1>(exec, "Tomokkos::bicgstab::begin", n_, 1,
                               Impl::ColumnDotTerm<Scalar, memory_space>{residual_, residual_},
                               frame_.reduction(), Impl::BiCgStabBegin<memory_space>{scalars()});
  turn_direction(exec, system, true);
}

template <class ExecutionSpace, class Scalar>
SolveResult BiCgStab<ExecutionSpace, Scalar>::solve_column(
    const ExecutionSpace& exec, const SystemType& system, const ConstVectorType& b,
    const VectorType& x, const Monitor<ExecutionSpace, Scalar>& monitor) {
  const Impl::ScopedRegion region("Tomokkos::BiCgStab::solve");
  Impl::require_whole(system.A(), "BiCGSTAB");
  return frame_.solve(exec, system, b, x, params_.stop, monitor,
                      [&](const auto& own_b, const auto& own_x, double rhs_norm,
                          const StopRules& rules, const auto& watch) {
                        return iterate(exec, system, own_b, own_x, rhs_norm, rules, watch);
                      });
}

template <class ExecutionSpace, class Scalar>
SolveResult BiCgStab<ExecutionSpace, Scalar>::iterate(
    const ExecutionSpace& exec, const SystemType& system, const ConstVectorType& b,
    const VectorType& x, double rhs_norm, const StopRules& rules,
    const Monitor<ExecutionSpace, Scalar>& watch) {
  Loop loop(exec, frame_.log(), frame_.active(), Impl::Objective::none, params_.iterations,
            params_.check_every, rules, watch, {rhs_norm});
  if (rhs_norm == 0) fill<ExecutionSpace, Scalar>(exec, x, Scalar(0));
  frame_.form_residual(
      exec, system, b, x, image_,
      Impl::LogSquared<memory_space>{frame_.log().slot(0, Impl::RecordField::residual_squared)});
  if (frame_.ends_at_once(exec, system, loop)) return std::move(loop.result(0));
  reserve(exec, system);
  fill<ExecutionSpace, double>(exec, scalars_, 0.0);
  frame_.begin_best(exec, x);
  start_again(exec, system);
  for (int k = 0;; ++k) {
    bool again = false;
    const bool done = loop.look(exec, k, as_multivector(x), [&](typename Loop::Reasons& reasons) {
      again = frame_.confirm(exec, system, b, x, image_, rules, met_fault(exec), loop, reasons);
    });
    if (done) return frame_.conclude(exec, system, b, x, image_, loop);
    if (again) start_again(exec, system);
    step(exec, system, x, k + 1, rules.relative_change.has_value());
  }
}

BiCgStabParams validated(const BiCgStabParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop);
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class BiCgStab<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
