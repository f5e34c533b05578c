// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Reduce.hpp>
#include <vector>

namespace Tomokkos {

// Element-wise work and reductions on vectors. Every reduction accumulates in double, in a fixed
// order, and leaves its result in memory of the execution space. But for `to_host*` nothing here
// fences, and nothing allocates. Vectors of unequal lengths throw `DimensionMismatch`, a workspace
// without memory `Error`.

/// \brief `x = value`. Writes n values.
template <class ExecutionSpace, class Scalar>
void fill(const ExecutionSpace& exec, const OutputVector<ExecutionSpace, Scalar>& x,
          Coefficient<Scalar> value);

/// \brief `y = alpha x + beta y`; `beta == 0` overwrites, whatever y held. Reads 2n (n when
/// `beta == 0`), writes n values; one launch. Throws `DimensionMismatch` unless x and y have one
/// length.
template <class ExecutionSpace, class Scalar>
void axpby(const ExecutionSpace& exec, Coefficient<Scalar> alpha,
           const InputVector<ExecutionSpace, Scalar>& x, Coefficient<Scalar> beta,
           const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief `y = x`, converted to the scalar of y. Reads n, writes n values; one launch. Throws
/// `DimensionMismatch`.
template <class ExecutionSpace, class From, class To>
void convert(const ExecutionSpace& exec, const InputVector<ExecutionSpace, From>& x,
             const OutputVector<ExecutionSpace, To>& y);

/// \brief `result(0) = sum_i x_i y_i`, products and sum in double. Reads 2n values; one or two
/// launches. Throws `DimensionMismatch` unless x and y have one length.
template <class ExecutionSpace, class Scalar>
void dot(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const InputVector<ExecutionSpace, Scalar>& x, const InputVector<ExecutionSpace, Scalar>& y,
         const OutputVector<ExecutionSpace, double>& result);

/// \brief `result(j) = sum_i X_ij Y_ij` for every column, each summed as `dot` sums a vector.
/// Throws `DimensionMismatch`, and `Error` when \p workspace was made for fewer columns.
template <class ExecutionSpace, class Scalar>
void dot_columns(const ExecutionSpace& exec,
                 const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                 const InputMultiVector<ExecutionSpace, Scalar>& X,
                 const InputMultiVector<ExecutionSpace, Scalar>& Y,
                 const OutputVector<ExecutionSpace, double>& result);

/// \brief `result(0) = sum_i x_i`. Reads n values.
template <class ExecutionSpace, class Scalar>
void sum(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const InputVector<ExecutionSpace, Scalar>& x,
         const OutputVector<ExecutionSpace, double>& result);

/// \brief `result(0) = sum_i (x_i - y_i)^2`. Reads 2n values.
template <class ExecutionSpace, class Scalar>
void squared_distance(const ExecutionSpace& exec,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const InputVector<ExecutionSpace, Scalar>& x,
                      const InputVector<ExecutionSpace, Scalar>& y,
                      const OutputVector<ExecutionSpace, double>& result);

// Fronts that deduce the scalar from the Views.

template <class ExecutionSpace, Impl::AnyView X>
void fill(const ExecutionSpace& exec, const X& x, Coefficient<Impl::scalar_of<X>> value) {
  fill<ExecutionSpace, Impl::scalar_of<X>>(exec, x, value);
}

template <class ExecutionSpace, Impl::AnyView Y>
void axpby(const ExecutionSpace& exec, Coefficient<Impl::scalar_of<Y>> alpha,
           const InputVector<ExecutionSpace, Impl::scalar_of<Y>>& x,
           Coefficient<Impl::scalar_of<Y>> beta, const Y& y) {
  axpby<ExecutionSpace, Impl::scalar_of<Y>>(exec, alpha, x, beta, y);
}

template <class ExecutionSpace, Impl::AnyView X, Impl::AnyView Y>
void convert(const ExecutionSpace& exec, const X& x, const Y& y) {
  convert<ExecutionSpace, Impl::scalar_of<X>, Impl::scalar_of<Y>>(exec, x, y);
}

template <class ExecutionSpace, Impl::AnyView X>
void dot(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace, const X& x,
         const InputVector<ExecutionSpace, Impl::scalar_of<X>>& y,
         const OutputVector<ExecutionSpace, double>& result) {
  dot<ExecutionSpace, Impl::scalar_of<X>>(exec, workspace, x, y, result);
}

template <class ExecutionSpace, Impl::AnyView X>
void dot_columns(const ExecutionSpace& exec,
                 const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                 const X& x, const InputMultiVector<ExecutionSpace, Impl::scalar_of<X>>& y,
                 const OutputVector<ExecutionSpace, double>& result) {
  dot_columns<ExecutionSpace, Impl::scalar_of<X>>(exec, workspace, x, y, result);
}

template <class ExecutionSpace, Impl::AnyView X>
void sum(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace, const X& x,
         const OutputVector<ExecutionSpace, double>& result) {
  sum<ExecutionSpace, Impl::scalar_of<X>>(exec, workspace, x, result);
}

template <class ExecutionSpace, Impl::AnyView X>
void squared_distance(const ExecutionSpace& exec,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const X& x, const InputVector<ExecutionSpace, Impl::scalar_of<X>>& y,
                      const OutputVector<ExecutionSpace, double>& result) {
  squared_distance<ExecutionSpace, Impl::scalar_of<X>>(exec, workspace, x, y, result);
}

/// \brief The value of a one-element device result on the host. Fences \p exec: never inside an
/// iteration.
template <class ExecutionSpace>
double to_host(const ExecutionSpace& exec, const InputVector<ExecutionSpace, double>& result);

/// \brief All values of a device result on the host. Fences \p exec: never inside an iteration.
template <class ExecutionSpace>
std::vector<double> to_host_vector(const ExecutionSpace& exec,
                                   const InputVector<ExecutionSpace, double>& result);

}  // namespace Tomokkos
