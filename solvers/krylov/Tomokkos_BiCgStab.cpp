// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <limits>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
BiCgStab<ExecutionSpace, Scalar>::BiCgStab(const ExecutionSpace& exec, Ordinal n,
                                           const BiCgStabParams& params)
    : Base(exec, n, validated(params), "Tomokkos::BiCgStab::solve"),
      params_(params),
      residual_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::residual", n)),
      shadow_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::shadow", n)),
      direction_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::direction", n)),
      image_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::image", n)),
      residual_image_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::residual_image", n)),
      scalars_(allocate<Vector<double, memory_space>>(
          exec, "Tomokkos::BiCgStab::scalars", static_cast<Offset>(Impl::BiCgStabScalar::count))) {}

template <class ExecutionSpace, class Scalar>
std::size_t BiCgStab<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (5 * residual_.extent(0) + direction_hat_.extent(0) + residual_hat_.extent(0)) *
             sizeof(Scalar) +
         scalars_.extent(0) * sizeof(double) + this->frame_.bytes();
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
  fill<ExecutionSpace, double>(exec, scalars_, 0.0);
  if (Frame::has_identity(system) || direction_hat_.extent(0) > 0) return;
  direction_hat_ =
      allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::direction_hat", this->n_);
  residual_hat_ =
      allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BiCgStab::residual_hat", this->n_);
}

template <class ExecutionSpace, class Scalar>
typename BiCgStab<ExecutionSpace, Scalar>::VectorType
BiCgStab<ExecutionSpace, Scalar>::formed_by_entry(const SystemType& system,
                                                  const VectorType& hat) const {
  return system.kind() == PreconditionerKind::jacobi ? hat : VectorType();
}

/// Computes p and `M^-1 p`.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::turn_direction(const ExecutionSpace& exec,
                                                      const SystemType& system, bool begins) {
  Kokkos::parallel_for(
      "Tomokkos::bicgstab::direction", Impl::element_range(exec, this->n_),
      Impl::BiCgStabDirection<Scalar, memory_space>{
          scalars(), Frame::entry_inverse(system), residual_, image_, residual_image_, shadow_,
          direction_, formed_by_entry(system, direction_hat_), begins});
  if (system.needs_apply()) this->frame_.apply_inverse(exec, system, direction_, direction_hat_);
}

/// Computes `v = A M^-1 p` and alpha.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::step_length(const ExecutionSpace& exec,
                                                   const SystemType& system, int k) {
  const VectorType hat = Frame::has_identity(system) ? direction_ : direction_hat_;
  system.A_in_units().apply(exec, Scalar(1), as_multivector(hat), Scalar(0),
                            as_multivector(image_));
  const Impl::BiCgStabStepLength<memory_space> finish{scalars(),
                                                      std::numeric_limits<Scalar>::epsilon(), k};
  if (system.needs_apply())
    this->frame_.template reduce<3>(
        exec, "Tomokkos::bicgstab::project",
        Impl::BiCgStabProject<Scalar, memory_space, 3>{shadow_, image_, hat}, finish);
  else
    this->frame_.template reduce<2>(
        exec, "Tomokkos::bicgstab::project",
        Impl::BiCgStabProject<Scalar, memory_space, 2>{shadow_, image_, hat}, finish);
}

/// Computes s, `t = A M^-1 s` and omega.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::stabilise(const ExecutionSpace& exec,
                                                 const SystemType& system, int k) {
  Kokkos::parallel_for("Tomokkos::bicgstab::half_step", Impl::element_range(exec, this->n_),
                       Impl::BiCgStabHalfStep<Scalar, memory_space>{
                           scalars(), Frame::entry_inverse(system), image_, residual_,
                           formed_by_entry(system, residual_hat_)});
  if (system.needs_apply()) this->frame_.apply_inverse(exec, system, residual_, residual_hat_);
  const VectorType hat = Frame::has_identity(system) ? residual_ : residual_hat_;
  system.A_in_units().apply(exec, Scalar(1), as_multivector(hat), Scalar(0),
                            as_multivector(residual_image_));
  const Impl::BiCgStabOmega<memory_space> finish{scalars(), std::numeric_limits<Scalar>::epsilon(),
                                                 k};
  if (system.needs_apply())
    this->frame_.template reduce<4>(
        exec, "Tomokkos::bicgstab::stabilise",
        Impl::BiCgStabStabilise<Scalar, memory_space, 4>{residual_, residual_image_, hat}, finish);
  else
    this->frame_.template reduce<3>(
        exec, "Tomokkos::bicgstab::stabilise",
        Impl::BiCgStabStabilise<Scalar, memory_space, 3>{residual_, residual_image_, hat}, finish);
}

/// Updates x, r and beta, and writes the record of iterate k.
template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::move(const ExecutionSpace& exec, const SystemType& system,
                                            const VectorType& x, int k) {
  const VectorType p = Frame::has_identity(system) ? direction_ : direction_hat_;
  const VectorType s = Frame::has_identity(system) ? residual_ : residual_hat_;
  const Impl::BiCgStabUpdate<memory_space> finish{
      scalars(), this->frame_.log().slot(k, Impl::RecordField::residual_squared),
      std::numeric_limits<Scalar>::epsilon(), k};
  if (params_.stop.needs(Measurement::change))
    this->frame_.template reduce<4>(exec, "Tomokkos::bicgstab::advance",
                                    Impl::BiCgStabAdvance<Scalar, memory_space, 4>{
                                        scalars(), shadow_, p, s, residual_image_, residual_, x},
                                    finish);
  else
    this->frame_.template reduce<2>(exec, "Tomokkos::bicgstab::advance",
                                    Impl::BiCgStabAdvance<Scalar, memory_space, 2>{
                                        scalars(), shadow_, p, s, residual_image_, residual_, x},
                                    finish);
}

template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::advance(const ExecutionSpace& exec, const SystemType& system,
                                               const ConstVectorType&, const VectorType& x, int k) {
  step_length(exec, system, k + 1);
  stabilise(exec, system, k + 1);
  move(exec, system, x, k + 1);
  turn_direction(exec, system, false);
}

template <class ExecutionSpace, class Scalar>
Impl::DetectedFault BiCgStab<ExecutionSpace, Scalar>::detected_fault(
    const ExecutionSpace& exec) const {
  using Impl::BiCgStabScalar;
  const std::vector<double> on_host = to_host_vector<ExecutionSpace>(exec, scalars_);
  return {static_cast<Impl::KrylovFault>(
              static_cast<int>(on_host[static_cast<std::size_t>(BiCgStabScalar::fault)])),
          static_cast<int>(on_host[static_cast<std::size_t>(BiCgStabScalar::fault_iteration)])};
}

template <class ExecutionSpace, class Scalar>
void BiCgStab<ExecutionSpace, Scalar>::begin(const ExecutionSpace& exec, const SystemType& system,
                                             const VectorType&, int) {
  Kokkos::deep_copy(exec, residual_, image_);
  this->frame_.template reduce<1>(exec, "Tomokkos::bicgstab::begin",
                                  Impl::ColumnDotTerm<Scalar, memory_space>{residual_, residual_},
                                  Impl::BiCgStabBegin<memory_space>{scalars()});
  turn_direction(exec, system, true);
}

/// v, t and `M^-1 s` are computed before they are read, so they need not be saved.
template <class ExecutionSpace, class Scalar>
typename BiCgStab<ExecutionSpace, Scalar>::Held BiCgStab<ExecutionSpace, Scalar>::held() const {
  using Array = typename Frame::Array;
  Held arrays;
  arrays.push_back(Array::of_vector("residual", residual_));
  arrays.push_back(Array::of_vector("shadow", shadow_));
  arrays.push_back(Array::of_vector("direction", direction_));
  if (direction_hat_.extent(0) > 0)
    arrays.push_back(Array::of_vector("direction_hat", direction_hat_));
  arrays.push_back(Array::of_scalars("scalars", scalars_));
  return arrays;
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
