// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BcsrMatrix.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// First block row that breaks the contract of BCSR.
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
  require(A.num_rows >= 0 && A.num_cols >= 0, "a matrix has no negative number of rows or columns");
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
    throw Error("not a valid BCSR matrix: block row " + std::to_string(first) +
                " has impossible offsets, block columns that do not ascend, or values outside of "
                "the matrix");
}

}  // namespace Tomokkos
