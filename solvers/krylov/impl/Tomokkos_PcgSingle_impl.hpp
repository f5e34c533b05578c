// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheme `single_reduction` of `Pcg`.
#pragma once

#include <Tomokkos_Pcg.hpp>
#include <impl/Tomokkos_PcgResidentKernel.hpp>
#include <impl/Tomokkos_PcgSingleKernels.hpp>
#include <utility>

namespace Tomokkos {

/// True if z equals r.
template <class ExecutionSpace, class Scalar>
bool Pcg<ExecutionSpace, Scalar>::has_identity(const SystemType& system) const {
  return system.is_scaled() || system.kind() == PreconditionerKind::none;
}

template <class ExecutionSpace, class Scalar>
typename Pcg<ExecutionSpace, Scalar>::VectorType Pcg<ExecutionSpace, Scalar>::preconditioned(
    const SystemType& system) const {
  return has_identity(system) ? VectorType(residual_) : VectorType(inverse_);
}

/// Computes `w = A u`, and the scalars that follow from the sums at iterate k.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::measure_single(const ExecutionSpace& exec,
                                                 const SystemType& system, int k,
                                                 Impl::PcgLook look, bool begins) {
  const VectorType u = preconditioned(system);
  system.iterated().apply(exec, Scalar(1), array(u), Scalar(0), array(image_));
  image_is_product_ = true;
  Impl::reduce_over_ranks_and_finish<4>(
      exec, ranks_, "Tomokkos::pcg::update", n_, num_columns_,
      Impl::PcgMeasureAll<Scalar, memory_space>{residual_, u, image_, given(system),
                                                look != Impl::PcgLook::none},
      reduction_, rank_sums_, update_all(k, look, begins));
}

template <class ExecutionSpace, class Scalar>
Impl::PcgUpdateAll<typename ExecutionSpace::memory_space> Pcg<ExecutionSpace, Scalar>::update_all(
    int k, Impl::PcgLook look, bool begins) const {
  return {scalars(),
          log_.slot(k, Impl::RecordField::objective),
          log_.slot(k, Impl::RecordField::residual_squared),
          log_.stride,
          begins ? 1 : k + 1 - counted_from_,
          look,
          begins,
          chosen_,
          Impl::least_rho<Scalar>()};
}

/// Computes u, w and the first step from the residuals of the chosen columns.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::begin_single(const ExecutionSpace& exec, const SystemType& system,
                                               int k) {
  if (system.needs_apply())
    apply_inverse(exec, system);
  else if (!has_identity(system))
    Kokkos::parallel_for("Tomokkos::pcg::apply_diagonal", Impl::element_range(exec, n_),
                         Impl::ApplyDiagonal<Scalar, memory_space>{
                             system.diagonal(), array(residual_), array(inverse_)});
  // This pass writes no records; pass the number of the next iterate, which has room for them.
  measure_single(exec, system, k + 1, Impl::PcgLook::checked, true);
}

template <class ExecutionSpace, class Scalar>
Impl::PcgAdvanceAll<Scalar, typename ExecutionSpace::memory_space>
Pcg<ExecutionSpace, Scalar>::advance_all(const SystemType& system, const VectorType& x) const {
  using Impl::PcgInverse;
  const PcgInverse inverse = has_identity(system)   ? PcgInverse::identity
                             : system.needs_apply() ? PcgInverse::applied
                                                    : PcgInverse::diagonal;
  return {scalar(Impl::PcgScalar::alpha),
          scalar(Impl::PcgScalar::beta),
          image_,
          active_,
          system.diagonal(),
          inverse,
          inverse_,
          residual_,
          direction_,
          shadow_,
          x};
}

template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::step_single(const ExecutionSpace& exec, const SystemType& system,
                                              const VectorType& x, int k, Impl::PcgLook look) {
  Kokkos::parallel_for("Tomokkos::pcg::advance", Impl::element_range(exec, residual_.extent(0)),
                       advance_all(system, x));
  if (system.needs_apply()) apply_inverse(exec, system);
  measure_single(exec, system, k, look, false);
}

/// Advances from iterate k to iterate k + steps in one launch.
template <class ExecutionSpace, class Scalar>
void Pcg<ExecutionSpace, Scalar>::run_resident(const ExecutionSpace& exec, const SystemType& system,
                                               const VectorType& x, int k, int steps,
                                               Impl::PcgLook look) {
  const auto& A = *stored_csr(system.iterated());
  using Work = Impl::PcgResident<Scalar, memory_space>;
  const auto launch = Impl::resident_launch(A.num_rows, A.num_nonzeros(), resident_.count(exec));
  resident_.template run<Work::num_sums>(
      exec, "Tomokkos::pcg::resident", launch.threads,
      Work{A.row_offsets.data(),
           A.columns.data(),
           A.values.data(),
           A.num_rows,
           launch.lanes,
           std::exchange(renews_image_, false) ? -1 : 0,
           steps,
           Impl::num_record_fields,
           advance_all(system, x),
           {residual_, preconditioned(system), image_, given(system), look != Impl::PcgLook::none},
           update_all(k + 1, look, false),
           image_});
}

}  // namespace Tomokkos
