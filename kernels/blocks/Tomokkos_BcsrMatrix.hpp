// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Compressed rows of dense B x B blocks: block k of block row I covers the rows from `B I`
/// and the columns from `B block_columns(k)`; its values lie row by row from `values(B B k)` on.
///
/// Contract, checked by `validate`:
///  - `block_offsets` has `ceil(num_rows / B) + 1` entries, starts at 0, never falls, and ends at
///  the
///    number of blocks; `values` holds `B B` entries a block;
///  - the block columns of a block row ascend and lie in `[0, ceil(num_cols / B))`;
///  - what lies beyond the last row or column of the matrix is 0.
///
/// Entries of a block that A does not have are stored zeros, and they are multiplied: an infinity
/// or a NaN in x reaches every row whose blocks cover it. The only format of which that is true.
///
/// ```
///     1 . . .        B 2      block_offsets  0 1 2
///     2 3 . .                 block_columns  0 1
///     . . 4 .                 values         1 0 2 3 | 4 0 0 5
///     . . . 5
/// ```
///
/// Memory: `(4 + B B sizeof(Scalar)) blocks + 8 block rows` bytes.
template <class Scalar, class MemorySpace, int B>
struct BcsrMatrix {
  static_assert(B == 2 || B == 3 || B == 4 || B == 8, "blocks are 2x2, 3x3, 4x4 or 8x8");
  using scalar_type = Scalar;
  using memory_space = MemorySpace;
  static constexpr int block_size = B;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Offset nonzeros = 0;
  Kokkos::View<const Offset*, MemorySpace> block_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> block_columns;
  Kokkos::View<const Scalar*, MemorySpace> values;

  Ordinal num_block_rows() const { return num_rows / B + (num_rows % B != 0 ? 1 : 0); }
  Ordinal num_block_cols() const { return num_cols / B + (num_cols % B != 0 ? 1 : 0); }
  Offset num_blocks() const { return static_cast<Offset>(block_columns.extent(0)); }
  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Entries in memory, fill included.
  Offset num_stored() const { return num_blocks() * B * B; }
  std::size_t memory_bytes() const {
    return block_offsets.extent(0) * sizeof(Offset) + block_columns.extent(0) * sizeof(Ordinal) +
           values.extent(0) * sizeof(Scalar);
  }
};

/// \brief Throws `Error` naming the first block row that breaks the contract. One pass, two fences.
template <class ExecutionSpace, class Scalar, class MemorySpace, int B>
void validate(const ExecutionSpace& exec, const BcsrMatrix<Scalar, MemorySpace, B>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_BcsrMatrix_impl.hpp>
