// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the vectors of a block-circulant matrix lie for libraries that know none.
#pragma once

#include <Tomokkos_Views.hpp>

#include "Tomokkos_BenchProducts.hpp"

namespace Tomokkos::Bench {

/// \brief A vector of k parts of n values, in the order of rotations value l of part j at l k + j;
/// rows of the replicated one have \p pitch values.
struct CirculantVector {
  Ordinal length = 0;  ///< n
  Ordinal blocks = 1;  ///< k
  Ordinal pitch = 1;

  std::size_t size() const { return static_cast<std::size_t>(length) * blocks; }
  /// \brief Values of it as \p layout has it.
  std::size_t size(VectorLayout layout) const {
    if (layout == VectorLayout::rows_twice) return static_cast<std::size_t>(length) * pitch;
    return layout == VectorLayout::blocks_twice ? 2 * size() : size();
  }
};

/// \brief \p from, in the order of rotations, to \p to as \p layout has it.
template <class ExecutionSpace, class Scalar>
void lay_out(const ExecutionSpace& exec, const CirculantVector& vector,
             const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
             VectorLayout layout,
             const VectorView<Scalar, typename ExecutionSpace::memory_space>& to);

/// \brief \p from, block after block, to the order of rotations.
template <class ExecutionSpace, class Scalar>
void rotations_from_blocks(
    const ExecutionSpace& exec, const CirculantVector& vector,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& to);

/// \brief `to(i) = from(i) + from(size + i)`: the parts that stood twice.
template <class ExecutionSpace, class Scalar>
void fold_twice(const ExecutionSpace& exec,
                const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
                const VectorView<Scalar, typename ExecutionSpace::memory_space>& to);

/// \brief Columns \p first to \p first + s - 1 of the anti-circulant matrix of a vector that lies
/// block after block, twice: `to(b n + l, q) = X(l, (b + first + q) mod k)`, n k x s, row-major.
template <class ExecutionSpace, class Scalar>
void dense_columns(const ExecutionSpace& exec, const CirculantVector& vector, Ordinal first,
                   const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
                   const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& to);

/// \brief Such columns of Y, n x s, to columns \p first and so on of Y in the order of rotations;
/// those beyond k are passed over.
template <class ExecutionSpace, class Scalar>
void put_columns(const ExecutionSpace& exec, const CirculantVector& vector, Ordinal first,
                 const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
                 const VectorView<Scalar, typename ExecutionSpace::memory_space>& to);

}  // namespace Tomokkos::Bench
