// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_VectorOps.hpp>

namespace Tomokkos::Impl {

/// Writes `|b - A x|^2` into the record of iterate k, for solvers without a residual of their own.
/// Cost: a product into `projection`, and 2 m values.
template <class ExecutionSpace, class Scalar>
void measure_residual(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                      const VectorView<const Scalar, typename ExecutionSpace::memory_space>& b,
                      const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
                      const VectorView<Scalar, typename ExecutionSpace::memory_space>& projection,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& reduction,
                      IterationLog<ExecutionSpace>& log, int k) {
  A.apply(exec, Scalar(1), as_multivector(x), Scalar(0), as_multivector(projection));
  squared_distance<ExecutionSpace, Scalar>(exec, reduction, b, projection,
                                           log.slot(k, RecordField::residual_squared));
}

}  // namespace Tomokkos::Impl
