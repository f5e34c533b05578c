// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>

namespace Tomokkos {

/// \brief `d_i = A(i, i)` of a square operator: by its capability, or else by a product with each
/// unit vector (restricted to its row where A allows), which is slow and meant for small operators.
///
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar>
void two_component_diagonal(const ExecutionSpace& exec,
                            const AnyOperator<ExecutionSpace, Scalar>& A,
                            const VectorView<Scalar, typename ExecutionSpace::memory_space>& d);

/// \brief One Kaczmarz sweep over the rows of A: by its capability, or else row by row from
/// restricted transposed products, each row formed as a dense vector. That is slow, and takes an
/// allocation and a fence per sweep.
///
/// \param schedule what `RowAccess::schedule` has made; null where there is none
/// \throws Error where A has neither access to its rows nor products with single ones
template <class ExecutionSpace, class Scalar>
void kaczmarz_sweep(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                    const KaczmarzSchedule<ExecutionSpace>* schedule,
                    const KaczmarzSweep<Scalar, typename ExecutionSpace::memory_space>& sweep,
                    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& b,
                    const VectorView<Scalar, typename ExecutionSpace::memory_space>& x);

}  // namespace Tomokkos
