// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Gathers rows into mapped order: `mapped(p, j) = natural(to_natural(p), j)`, for row-major
/// multivectors with s columns.
///
/// \p natural has `map.natural_size()` rows, \p mapped has `map.size()`. Reads and writes each
/// entry of \p mapped once. One launch, no fence, no allocation.
///
/// \throws DimensionMismatch when a multivector has the wrong shape
template <class ExecutionSpace, class Scalar>
void gather(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
            const InputMultiVector<ExecutionSpace, Scalar>& natural,
            const OutputMultiVector<ExecutionSpace, Scalar>& mapped);

/// \brief Scatters rows back to natural order: `natural(to_natural(p), j) = mapped(p, j)`.
///
/// Rows that are not in the map keep their values. Shapes, cost and errors as for `gather`.
template <class ExecutionSpace, class Scalar>
void scatter(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
             const InputMultiVector<ExecutionSpace, Scalar>& mapped,
             const OutputMultiVector<ExecutionSpace, Scalar>& natural);

/// \brief Gathers one vector into mapped order.
template <class ExecutionSpace, class Scalar>
void gather(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
            const InputVector<ExecutionSpace, Scalar>& natural,
            const OutputVector<ExecutionSpace, Scalar>& mapped) {
  gather<ExecutionSpace, Scalar>(exec, map, as_multivector(natural), as_multivector(mapped));
}

/// \brief Scatters one vector back to natural order.
template <class ExecutionSpace, class Scalar>
void scatter(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
             const InputVector<ExecutionSpace, Scalar>& mapped,
             const OutputVector<ExecutionSpace, Scalar>& natural) {
  scatter<ExecutionSpace, Scalar>(exec, map, as_multivector(mapped), as_multivector(natural));
}

// Overloads that deduce the scalar type from the Views.

template <class ExecutionSpace, Impl::AnyView Mapped>
void gather(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
            const Impl::AnyView auto& natural, const Mapped& mapped) {
  gather<ExecutionSpace, Impl::scalar_of<Mapped>>(exec, map, natural, mapped);
}

template <class ExecutionSpace, Impl::AnyView Natural>
void scatter(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
             const Impl::AnyView auto& mapped, const Natural& natural) {
  scatter<ExecutionSpace, Impl::scalar_of<Natural>>(exec, map, mapped, natural);
}

}  // namespace Tomokkos
