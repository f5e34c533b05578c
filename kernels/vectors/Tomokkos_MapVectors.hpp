// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Into mapped space: `mapped(p, j) = natural(to_natural(p), j)`, row-major multivectors of
/// s columns.
///
/// \p natural has `map.natural_size()` rows, \p mapped `map.size()`. Reads and writes each entry
/// of \p mapped once. One launch, no fence, no allocation. Throws `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void gather(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
            const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& natural,
            const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& mapped);

/// \brief Back from mapped space: `natural(to_natural(p), j) = mapped(p, j)`; what is not in the
/// map keeps its value. Else as `gather`.
template <class ExecutionSpace, class Scalar>
void scatter(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
             const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& mapped,
             const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& natural);

/// \brief `gather` of one vector.
template <class ExecutionSpace, class Scalar>
void gather(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
            const VectorView<const Scalar, typename ExecutionSpace::memory_space>& natural,
            const VectorView<Scalar, typename ExecutionSpace::memory_space>& mapped) {
  gather<ExecutionSpace, Scalar>(exec, map, as_multivector(natural), as_multivector(mapped));
}

/// \brief `scatter` of one vector.
template <class ExecutionSpace, class Scalar>
void scatter(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
             const VectorView<const Scalar, typename ExecutionSpace::memory_space>& mapped,
             const VectorView<Scalar, typename ExecutionSpace::memory_space>& natural) {
  scatter<ExecutionSpace, Scalar>(exec, map, as_multivector(mapped), as_multivector(natural));
}

}  // namespace Tomokkos
