// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Padding.hpp>
#include <Tomokkos_Views.hpp>
#include <string>

namespace Tomokkos {

/// \brief Matrix of dense B x B blocks in compressed rows. Block k of block row I begins at row
/// `B I` and column `B block_columns(k)`; its values are stored row by row from `values(B B k)` on.
///
/// Contract, checked by `validate`:
///  - `block_offsets` has `ceil(num_rows / B) + 1` entries, starts at 0, never decreases, and ends
///    with the number of blocks; `values` holds `B B` entries per block;
///  - the block columns of a block row ascend and are in `[0, ceil(num_cols / B))`;
///  - values outside of the matrix, after its last row or column, are 0.
///
/// Entries of a block that A does not have are stored as zeros and multiplied: an infinity or a NaN
/// in x therefore reaches every row whose blocks cover it. No other format behaves this way.
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
  /// \brief Returns the number of entries in memory, including fill.
  Offset num_stored() const { return num_blocks() * B * B; }
  std::size_t memory_bytes() const {
    return block_offsets.extent(0) * sizeof(Offset) + block_columns.extent(0) * sizeof(Ordinal) +
           values.extent(0) * sizeof(Scalar);
  }
};

/// \brief Checks the contract of a BCSR matrix. One pass, two fences.
///
/// \throws Error naming the first block row that breaks the contract
template <class ExecutionSpace, class Scalar, class MemorySpace, int B>
void validate(const ExecutionSpace& exec, const BcsrMatrix<Scalar, MemorySpace, B>& A);

namespace Impl {

/// Finds the first block row that breaks the contract of BCSR.
template <class Scalar, class MemorySpace, int B>
struct FirstBadBlockRow {
  BcsrMatrix<Scalar, MemorySpace, B> A;
  Ordinal num_block_rows, num_block_cols;
  Offset num_blocks;

  KOKKOS_FUNCTION bool is_bad(Ordinal row) const {
    const Offset begin = A.block_offsets(row), end = A.block_offsets(row + 1);
    if (begin < 0 || end < begin || end > num_blocks) return true;
    if (row == 0 && begin != 0) return true;
    if (row == num_block_rows - 1 && end != num_blocks) return true;
    for (Offset k = begin; k < end; ++k) {
      const Ordinal column = A.block_columns(k);
      if (column < 0 || column >= num_block_cols) return true;
      if (k > begin && A.block_columns(k - 1) >= column) return true;
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < B; ++c) {
          const bool outside = static_cast<Offset>(row) * B + r >= A.num_rows ||
                               static_cast<Offset>(column) * B + c >= A.num_cols;
          if (outside && A.values(k * B * B + r * B + c) != Scalar(0)) return true;
        }
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    if (row < first && is_bad(row)) first = row;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace, int B>
void validate(const ExecutionSpace& exec, const BcsrMatrix<Scalar, MemorySpace, B>& A) {
  require(A.num_rows >= 0 && A.num_cols >= 0,
          "the numbers of rows and columns must not be negative");
  const Ordinal rows = A.num_block_rows();
  require_equal("length of block_offsets", static_cast<long long>(A.block_offsets.extent(0)),
                "number of block rows + 1", static_cast<long long>(rows) + 1);
  require_equal("length of values", static_cast<long long>(A.values.extent(0)),
                "entries of all blocks", A.num_stored());
  Ordinal first = rows;
  Kokkos::parallel_reduce(
      "Tomokkos::validate::bcsr", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, rows),
      Impl::FirstBadBlockRow<Scalar, MemorySpace, B>{A, rows, A.num_block_cols(), A.num_blocks()},
      Kokkos::Min<Ordinal>(first));
  Impl::fence(exec, "validate: the first bad block row");
  if (first < rows)
    throw Refused(
        Impl::text("not a valid BCSR matrix: block row {} has impossible offsets, block columns "
                   "that do not ascend, or values outside of the matrix",
                   first));
}

}  // namespace Tomokkos
