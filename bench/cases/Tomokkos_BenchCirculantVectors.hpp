// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of the vectors of a block-circulant matrix for libraries without such a format.
#pragma once

#include <Tomokkos_Views.hpp>

#include "Tomokkos_BenchProducts.hpp"

namespace Tomokkos::Bench {

/// \brief Dimensions of a vector of k parts of n values. In the order of rotations value l of part
/// j lies at l k + j.
struct CirculantVector {
  Ordinal length = 0;  ///< n
  Ordinal blocks = 1;  ///< k
  Ordinal pitch = 1;

  std::size_t size() const { return static_cast<std::size_t>(length) * blocks; }
  /// \brief Number of values stored in \p layout.
  std::size_t size(VectorLayout layout) const {
    if (layout == VectorLayout::doubled_rows) return static_cast<std::size_t>(length) * pitch;
    return layout == VectorLayout::doubled_blocks ? 2 * size() : size();
  }
};

/// \brief Copies \p from, which is in the order of rotations, to \p to in \p layout.
template <class ExecutionSpace, class Scalar>
void lay_out(const ExecutionSpace& exec, const CirculantVector& vector,
             const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
             VectorLayout layout,
             const VectorView<Scalar, typename ExecutionSpace::memory_space>& to);

/// \brief Copies \p from, which lies block after block, into the order of rotations.
template <class ExecutionSpace, class Scalar>
void rotations_from_blocks(
    const ExecutionSpace& exec, const CirculantVector& vector,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& to);

/// \brief Adds the two copies of each part: `to(i) = from(i) + from(size + i)`.
template <class ExecutionSpace, class Scalar>
void fold_twice(const ExecutionSpace& exec,
                const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
                const VectorView<Scalar, typename ExecutionSpace::memory_space>& to);

/// \brief Forms columns \p first to \p first + s - 1 of the anti-circulant matrix of a vector.
///
/// The vector lies block after block, twice. The result is n k x s, row-major: `to(b n + l, q) =
/// X(l, (b + first + q) mod k)`.
template <class ExecutionSpace, class Scalar>
void dense_columns(const ExecutionSpace& exec, const CirculantVector& vector, Ordinal first,
                   const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
                   const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& to);

/// \brief Copies n x s columns of Y to the columns from \p first on of Y in the order of rotations.
/// Columns beyond k are skipped.
template <class ExecutionSpace, class Scalar>
void put_columns(const ExecutionSpace& exec, const CirculantVector& vector, Ordinal first,
                 const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
                 const VectorView<Scalar, typename ExecutionSpace::memory_space>& to);

}  // namespace Tomokkos::Bench
