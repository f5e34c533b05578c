// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Reduce.hpp>
#include <vector>

namespace Tomokkos {

// Element-wise operations and reductions on vectors. Every reduction accumulates in double, in a
// fixed order, and leaves its result in memory of the execution space. Only `to_host*` fences, and
// nothing allocates. Vectors of unequal lengths throw `DimensionMismatch`, a workspace without
// memory throws `Error`.

/// \brief Sets `x = value`. Writes n values.
template <class ExecutionSpace, class Scalar>
void fill(const ExecutionSpace& exec, const OutputVector<ExecutionSpace, Scalar>& x,
          Coefficient<Scalar> value);

/// \brief Computes `y = alpha x + beta y`; `beta == 0` overwrites y, whatever it held.
///
/// Reads 2n values (n if `beta == 0`), writes n; one launch.
///
/// \throws DimensionMismatch when x and y differ in length
template <class ExecutionSpace, class Scalar>
void axpby(const ExecutionSpace& exec, Coefficient<Scalar> alpha,
           const InputVector<ExecutionSpace, Scalar>& x, Coefficient<Scalar> beta,
           const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief Copies `y = x`, converted to the scalar type of y. Reads n values, writes n; one launch.
///
/// \throws DimensionMismatch when x and y differ in length
template <class ExecutionSpace, class From, class To>
void convert(const ExecutionSpace& exec, const InputVector<ExecutionSpace, From>& x,
             const OutputVector<ExecutionSpace, To>& y);

/// \brief Computes `result(0) = sum_i x_i y_i`, with products and sum in double. Reads 2n values;
/// one or two launches.
///
/// \throws DimensionMismatch when x and y differ in length
template <class ExecutionSpace, class Scalar>
void dot(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const InputVector<ExecutionSpace, Scalar>& x, const InputVector<ExecutionSpace, Scalar>& y,
         const OutputVector<ExecutionSpace, double>& result);

/// \brief Computes `result(j) = sum_i X_ij Y_ij` for every column, each summed as `dot` sums a
/// vector.
///
/// \throws DimensionMismatch when X and Y differ in shape
/// \throws Error when \p workspace was made for fewer columns
template <class ExecutionSpace, class Scalar>
void dot_columns(const ExecutionSpace& exec,
                 const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                 const InputMultiVector<ExecutionSpace, Scalar>& X,
                 const InputMultiVector<ExecutionSpace, Scalar>& Y,
                 const OutputVector<ExecutionSpace, double>& result);

/// \brief Computes `result(0) = sum_i x_i`. Reads n values.
template <class ExecutionSpace, class Scalar>
void sum(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const InputVector<ExecutionSpace, Scalar>& x,
         const OutputVector<ExecutionSpace, double>& result);

/// \brief Computes `result(0) = sum_i (x_i - y_i)^2`. Reads 2n values.
template <class ExecutionSpace, class Scalar>
void squared_distance(const ExecutionSpace& exec,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const InputVector<ExecutionSpace, Scalar>& x,
                      const InputVector<ExecutionSpace, Scalar>& y,
                      const OutputVector<ExecutionSpace, double>& result);

// Overloads that deduce the scalar type from the Views.

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

/// \brief Copies a one-element device result to the host. Fences \p exec: do not call it inside an
/// iteration.
template <class ExecutionSpace>
double to_host(const ExecutionSpace& exec, const InputVector<ExecutionSpace, double>& result);

/// \brief Copies all values of a device result to the host. Fences \p exec: do not call it inside
/// an iteration.
template <class ExecutionSpace>
std::vector<double> to_host_vector(const ExecutionSpace& exec,
                                   const InputVector<ExecutionSpace, double>& result);

}  // namespace Tomokkos
