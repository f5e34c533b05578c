// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheme `single_reduction` of `Pcg`.
#pragma once

#include <Tomokkos_Pcg.hpp>
#include <impl/Tomokkos_PcgSingleKernels.hpp>

namespace Tomokkos {

/// True where z is r itself.
template <class ExecutionSpace, class Scalar>
bool Pcg<ExecutionSpace, Scalar>::has_identity(const SystemType& system) const {
  return system.is_scaled() || system.kind() == PreconditionerKind::none;
}

template <class ExecutionSpace, class Scalar>
typename Pcg<ExecutionSpace, Scalar>::VectorType Pcg<ExecutionSpace, Scalar>::preconditioned(
    const SystemType& system) const {
  return has_identity(system) ? VectorType(residual_) : VectorType(inverse_);
}

/// `w = A u`, and what follows from the sums at iterate k.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::measure_single(const ExecutionSpace& exec,
                                                 const SystemType& system, int k, bool measured,
                                                 bool begins) {
  const VectorType u = preconditioned(system);
  operator_apply<ExecutionSpace, Scalar>(exec, system.iterated(), Scalar(1), array(u), Scalar(0),
                                         array(image_));
  image_is_product_ = true;
  reduce_columns_and_finish<4>(
      exec, "Tomokkos::pcg::turn", n_, num_columns_,
      Impl::PcgMeasureAll<Scalar, memory_space>{residual_, u, image_, given(system), measured},
      reduction_,
      Impl::PcgTurnAll<memory_space>{scalars(), log_.slot(k, Impl::RecordField::objective),
                                     log_.slot(k, Impl::RecordField::residual_squared), log_.stride,
                                     begins ? 1 : k + 1 - looked_, measured, begins, chosen_,
                                     Impl::least_rho<Scalar>()});
}

/// With the residuals of the chosen columns: u, w and the first step.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::begin_single(const ExecutionSpace& exec, const SystemType& system,
                                               int k) {
  if (system.needs_apply())
    apply_inverse(exec, system);
  else if (!has_identity(system))
    Kokkos::parallel_for("Tomokkos::pcg::apply_diagonal", Impl::element_range(exec, n_),
                         Impl::ApplyDiagonal<Scalar, memory_space>{
                             system.diagonal(), array(residual_), array(inverse_)});
  // It writes no records; the next iterate has a place for them.
  measure_single(exec, system, k + 1, false, true);
}

template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::step_single(const ExecutionSpace& exec, const SystemType& system,
                                              const VectorType& x, int k, bool measured) {
  using Impl::PcgInverse;
  const PcgInverse inverse = has_identity(system)   ? PcgInverse::identity
                             : system.needs_apply() ? PcgInverse::applied
                                                    : PcgInverse::diagonal;
  Kokkos::parallel_for(
      "Tomokkos::pcg::advance", Impl::element_range(exec, residual_.extent(0)),
      Impl::PcgAdvanceAll<Scalar, memory_space>{
          scalar(Impl::PcgScalar::alpha), scalar(Impl::PcgScalar::beta), image_, active_,
          system.diagonal(), inverse, inverse_, residual_, direction_, shadow_, x});
  if (system.needs_apply()) apply_inverse(exec, system);
  measure_single(exec, system, k, measured, false);
}

}  // namespace Tomokkos
