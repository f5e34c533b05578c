// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Cgls.hpp>
#include <impl/Tomokkos_CglsKernels.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Cgls<ExecutionSpace, Scalar>::Cgls(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                   const CglsParams& params)
    : params_(validated(params)),
      residual_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Cgls::residual", num_rows)),
      image_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Cgls::image", num_rows)),
      gradient_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Cgls::gradient", num_cols)),
      direction_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Cgls::direction", num_cols)),
      scalars_(allocate<Vector<double, memory_space>>(exec, "Tomokkos::Cgls::scalars",
                                                      static_cast<int>(Impl::CglsScalar::count))),
      reduction_(exec),
      log_(exec, params.iterations) {}

template <class ExecutionSpace, class Scalar>
std::size_t Cgls<ExecutionSpace, Scalar>::workspace_bytes() const {
  return 2 * (residual_.extent(0) + direction_.extent(0)) * sizeof(Scalar) +
         (scalars_.extent(0) + reduction_.partial().extent(0)) * sizeof(double) + log_.bytes();
}

template <class ExecutionSpace, class Scalar>
double Cgls<ExecutionSpace, Scalar>::host_norm(const ExecutionSpace& exec,
                                               const Sum& squared) const {
  return std::sqrt(to_host<ExecutionSpace>(exec, squared));
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
void Cgls<ExecutionSpace, Scalar>::form_residual(const ExecutionSpace& exec, const Operator& A,
                                                 const ConstVectorType& b, const ConstVectorType& x,
                                                 const Sum& squared) {
  operator_apply<ExecutionSpace, Scalar>(exec, A, Scalar(1), as_multivector(x), Scalar(0),
                                         as_multivector(image_));
  reduce_to_device<1>(exec, "Tomokkos::cgls::first_residual", static_cast<Offset>(b.extent(0)),
                      Impl::CglsFirstResidual<Scalar, memory_space>{b, image_, residual_},
                      reduction_, squared);
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::measure_gradient(const ExecutionSpace& exec,
                                                    const ConstVectorType& x, const Sum& alpha,
                                                    const Sum& squared) {
  reduce_to_device<1>(exec, "Tomokkos::cgls::gradient", static_cast<Offset>(x.extent(0)),
                      Impl::CglsGradient<Scalar, memory_space>{alpha, direction_, x, gradient_,
                                                               params_.damping * params_.damping},
                      reduction_, squared);
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
void Cgls<ExecutionSpace, Scalar>::form_gradient(const ExecutionSpace& exec, const Operator& A,
                                                 const ConstVectorType& x, const Sum& squared) {
  operator_apply_transpose<ExecutionSpace, Scalar>(exec, A, Scalar(1),
                                                   as_multivector(ConstVectorType(residual_)),
                                                   Scalar(0), as_multivector(gradient_));
  measure_gradient(exec, x, scalar(static_cast<int>(Impl::CglsScalar::zero)), squared);
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::begin_directions(const ExecutionSpace& exec,
                                                    const Sum& gradient_squared) {
  Kokkos::deep_copy(exec, direction_, gradient_);
  Kokkos::parallel_for("Tomokkos::cgls::begin", Impl::element_range(exec, 1),
                       Impl::CglsBegin<memory_space>{scalars_, gradient_squared});
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::take_step_length(const ExecutionSpace& exec) {
  using Impl::CglsScalar;
  dot<ExecutionSpace, Scalar>(exec, reduction_, image_, image_,
                              scalar(static_cast<int>(CglsScalar::image_squared)));
  Kokkos::parallel_for(
      "Tomokkos::cgls::step_length", Impl::element_range(exec, 1),
      Impl::CglsStepLength<memory_space>{scalars_, params_.damping * params_.damping});
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::reduce_residual(const ExecutionSpace& exec, int k) {
  reduce_to_device<1>(exec, "Tomokkos::cgls::residual", static_cast<Offset>(residual_.extent(0)),
                      Impl::CglsReduceResidual<Scalar, memory_space>{
                          scalar(static_cast<int>(Impl::CglsScalar::alpha)), image_, residual_},
                      reduction_, log_.slot(k, Impl::RecordField::residual_squared));
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::turn_direction(const ExecutionSpace& exec, const VectorType& x,
                                                  int k) {
  using Impl::CglsScalar;
  const auto alpha = scalar(static_cast<int>(CglsScalar::alpha));
  const auto beta = scalar(static_cast<int>(CglsScalar::beta));
  const auto new_gamma = log_.slot(k, Impl::RecordField::objective);
  measure_gradient(exec, x, alpha, new_gamma);
  Kokkos::parallel_for("Tomokkos::cgls::turn", Impl::element_range(exec, 1),
                       Impl::CglsTurn<memory_space>{scalars_, new_gamma});
  reduce_to_device<2>(
      exec, "Tomokkos::cgls::advance", static_cast<Offset>(x.extent(0)),
      Impl::CglsAdvance<Scalar, memory_space>{alpha, beta, gradient_, direction_, x}, reduction_,
      log_.slot(k, Impl::RecordField::change_squared));
  if (params_.damping > 0)
    dot<ExecutionSpace, Scalar>(exec, reduction_, direction_, direction_,
                                scalar(static_cast<int>(CglsScalar::direction_squared)));
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
void Cgls<ExecutionSpace, Scalar>::iterate(const ExecutionSpace& exec, const Operator& A,
                                           const VectorType& x, int k) {
  // A and A^T once; |q|^2: m values read; r -= alpha q: 2 m read, m written; |s|^2: n read; x and
  // p: 3 n read, 2 n written. Damping reads x and p and writes s with |s|^2, and reads p for |p|^2.
  operator_apply<ExecutionSpace, Scalar>(exec, A, Scalar(1),
                                         as_multivector(ConstVectorType(direction_)), Scalar(0),
                                         as_multivector(image_));
  take_step_length(exec);
  reduce_residual(exec, k);
  operator_apply_transpose<ExecutionSpace, Scalar>(exec, A, Scalar(1),
                                                   as_multivector(ConstVectorType(residual_)),
                                                   Scalar(0), as_multivector(gradient_));
  turn_direction(exec, x, k);
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
std::optional<StopReason> Cgls<ExecutionSpace, Scalar>::confirm(
    const ExecutionSpace& exec, const Operator& A, const ConstVectorType& b, const VectorType& x,
    StopReason reason, const SolveResult& result) {
  using Impl::CglsScalar;
  if (reason == StopReason::relative_change || reason == StopReason::stagnated) return reason;
  const Sum residual_squared = scalar(static_cast<int>(CglsScalar::true_residual_squared));
  const Sum gradient_squared = scalar(static_cast<int>(CglsScalar::true_gradient_squared));
  form_residual(exec, A, b, x, residual_squared);
  const double residual = host_norm(exec, residual_squared);
  IterationRecord honest;
  honest.iteration = result.iterations;
  honest.residual = residual;
  honest.relative_residual =
      Impl::IterationLog<ExecutionSpace>::relative(residual, result.rhs_norm);
  if (const auto passed = evaluate(params_.stop, honest)) return passed;
  form_gradient(exec, A, x, gradient_squared);
  if (result.history.back().gradient == 0.0) {
    // The recursion has nothing left to do: a solution if the true gradient is rounding, too.
    const double first = result.history.front().gradient.value_or(0);
    const double rounding = 100.0 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    if (host_norm(exec, gradient_squared) <= rounding * first) return StopReason::converged;
  }
  if (!(residual < restart_residual_)) return StopReason::stagnated;
  restart_residual_ = residual;
  begin_directions(exec, gradient_squared);
  return std::nullopt;
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
SolveResult Cgls<ExecutionSpace, Scalar>::solve(const ExecutionSpace& exec, const Operator& A,
                                                const ConstVectorType& b, const VectorType& x,
                                                const Monitor<ExecutionSpace, Scalar>& monitor) {
  using Impl::CglsScalar;
  using Impl::RecordField;
  static_assert(TransposableOperator<Operator, ExecutionSpace, Scalar>,
                "CGLS needs an operator with apply and apply_transpose");
  const Impl::ScopedRegion region("Tomokkos::Cgls::solve");
  require_shapes(A.num_rows(), A.num_cols(), static_cast<Ordinal>(residual_.extent(0)),
                 static_cast<Ordinal>(direction_.extent(0)), b.extent(0), x.extent(0));
  require_entries<ExecutionSpace, Scalar>(exec, "the data", b);
  fill<ExecutionSpace, double>(exec, scalars_, 0.0);
  restart_residual_ = std::numeric_limits<double>::infinity();
  const Sum measured = scalar(static_cast<int>(CglsScalar::true_residual_squared));
  dot<ExecutionSpace, Scalar>(exec, reduction_, b, b, measured);
  const double rhs_norm = host_norm(exec, measured);
  dot<ExecutionSpace, Scalar>(exec, reduction_, x, x, measured);
  const bool nothing_to_do = rhs_norm == 0 && host_norm(exec, measured) == 0;
  Impl::SolveLoop<ExecutionSpace, Scalar> loop(exec, log_, Impl::Objective::gradient_squared,
                                               params_.iterations, params_.check_every,
                                               params_.stop, monitor, rhs_norm);

  form_residual(exec, A, b, x, log_.slot(0, RecordField::residual_squared));
  if (nothing_to_do) {
    fill<ExecutionSpace, Scalar>(exec, x, Scalar(0));
    loop.collect(exec, 0);
    return loop.finish(StopReason::zero_rhs);
  }
  form_gradient(exec, A, x, log_.slot(0, RecordField::objective));
  begin_directions(exec, log_.slot(0, RecordField::objective));
  for (int k = 0;; ++k) {
    const auto reason = loop.look(exec, k, x, [&](StopReason claimed, const IterationRecord&) {
      return confirm(exec, A, b, x, claimed, loop.result());
    });
    if (reason) {
      form_residual(exec, A, b, x, measured);
      const double residual = host_norm(exec, measured);
      SolveResult result = loop.finish(*reason);
      result.recursive_residual = result.residual;
      result.residual = residual;
      result.relative_residual = Impl::IterationLog<ExecutionSpace>::relative(residual, rhs_norm);
      return result;
    }
    if (params_.restart_every > 0 && k > 0 && k % params_.restart_every == 0) {
      const Sum gradient_squared = scalar(static_cast<int>(CglsScalar::true_gradient_squared));
      form_residual(exec, A, b, x, measured);
      form_gradient(exec, A, x, gradient_squared);
      begin_directions(exec, gradient_squared);
    }
    iterate(exec, A, x, k + 1);
  }
}

#define TOMOKKOS_CGLS(EXTERN, ExecutionSpace, Scalar)                    \
  EXTERN template class Cgls<ExecutionSpace, Scalar>;                    \
  EXTERN template SolveResult Cgls<ExecutionSpace, Scalar>::solve(       \
      const ExecutionSpace&, const AnyOperator<ExecutionSpace, Scalar>&, \
      const VectorView<const Scalar, ExecutionSpace::memory_space>&,     \
      const VectorView<Scalar, ExecutionSpace::memory_space>&,           \
      const Monitor<ExecutionSpace, Scalar>&);
#define TOMOKKOS_CGLS_EXTERN(ExecutionSpace, Scalar) TOMOKKOS_CGLS(extern, ExecutionSpace, Scalar)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_CGLS_EXTERN)
#undef TOMOKKOS_CGLS_EXTERN

}  // namespace Tomokkos
