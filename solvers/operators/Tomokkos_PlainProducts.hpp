// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>

namespace Tomokkos {

/// \brief Writes `d_i = A(i, i)` of a square operator: by its capability, otherwise by a product
/// with each unit vector (restricted to its row if A allows). The latter is slow and meant for
/// small operators.
///
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar>
void two_component_diagonal(const ExecutionSpace& exec,
                            const AnyOperator<ExecutionSpace, Scalar>& A,
                            const VectorView<Scalar, typename ExecutionSpace::memory_space>& d);

/// \brief Runs one Kaczmarz sweep over the rows of A: by its capability, otherwise row by row with
/// restricted transposed products, each row formed as a dense vector. The latter is slow, and costs
/// an allocation and a fence per sweep.
///
/// \param schedule result of `RowAccess::schedule`; null: none
/// \throws Error when A provides neither access to its rows nor products with single rows
template <class ExecutionSpace, class Scalar>
void kaczmarz_sweep(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                    const KaczmarzSchedule<ExecutionSpace>* schedule,
                    const KaczmarzSweep<Scalar, typename ExecutionSpace::memory_space>& sweep,
                    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& b,
                    const VectorView<Scalar, typename ExecutionSpace::memory_space>& x);

}  // namespace Tomokkos
