// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <cstdint>

namespace Tomokkos {

/// \brief Values from one row of the replicated X to the next, and from one in-sector column to the
/// next in `BlockCirculantMatrix::positions`: two copies of a row of k values, less the last value,
/// which is never read; of many blocks a multiple of 8, so that rows begin at 32 bytes in float.
constexpr Offset circulant_pitch(Ordinal blocks) {
  const Offset least = 2 * Offset{blocks} - 1;
  return blocks < 16 ? least : (least + 7) / 8 * 8;
}

/// \brief A k x k matrix C of sparse blocks, each row of blocks the one above it, rotated by one
/// block to the right; stored is the first row of blocks `(A_0 A_1 ... A_{k-1})`:
///
/// ```
///     C(i of block row p, l of block column j) = A_{(j - p) mod k}(i, l)
///
///     A0 A1 A2        m_B x n_B blocks, k = 3
///     A2 A0 A1
///     A1 A2 A0
/// ```
///
/// Vectors are row-major arrays: x is X, n_B x k, with `X(l, j) = x(l k + j)`, and y is Y, m_B x k.
/// So `y = C x` is the product of a sparse matrix with k right-hand sides, of which each is the one
/// before, rotated by one place:
///
/// ```
///     Y(i, p) = sum over the entries e of row i: values(e) X(column(e), (block(e) + p) mod k)
/// ```
///
/// Contract, checked by `validate`:
///  - `blocks` is at least 1, `pitch` is `circulant_pitch(blocks)`, and `block_rows blocks` and
///    `block_cols blocks` are indices;
///  - `row_offsets` has `block_rows + 1` entries, starts at 0, never falls, and ends at the length
///    of `positions` and of `values`;
///  - `positions(e) = column(e) pitch + block(e)`, with a column below `block_cols` and a block
///    below `blocks`, ascend within a row. It is where the entry finds its first value in X
///    replicated: rows of `pitch` values with `X(l, j mod k)` at j.
/// There is no padding.
///
/// Memory: `(4 + sizeof(Scalar)) nnz + 8 (m_B + 1)` bytes, for a k-th of the nonzeros of C. Copies
/// share the arrays.
template <class Scalar, class MemorySpace>
struct BlockCirculantMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal block_rows = 0;  ///< m_B
  Ordinal block_cols = 0;  ///< n_B
  Ordinal blocks = 1;      ///< k
  Ordinal pitch = 1;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const std::uint32_t*, MemorySpace> positions;
  Kokkos::View<const Scalar*, MemorySpace> values;

  /// \brief Of C.
  Ordinal num_rows() const { return block_rows * blocks; }
  Ordinal num_cols() const { return block_cols * blocks; }
  /// \brief Entries of the first row of blocks; C has k times as many.
  Offset num_stored() const { return static_cast<Offset>(values.extent(0)); }
  Offset num_nonzeros() const { return num_stored() * blocks; }
  std::size_t memory_bytes() const {
    return row_offsets.extent(0) * sizeof(Offset) + positions.extent(0) * sizeof(std::uint32_t) +
           values.extent(0) * sizeof(Scalar);
  }
};

/// \brief Throws `Error` when blocks of this shape cannot be: a count under 0, no block, more rows
/// or columns of C than an index counts, positions beyond 32 bits.
void check_circulant_shape(Ordinal block_rows, Ordinal block_cols, Ordinal blocks);

/// \brief Throws `Error` naming the first row (and entry) that breaks the contract. Two passes,
/// fences.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const BlockCirculantMatrix<Scalar, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_BlockCirculantMatrix_impl.hpp>
