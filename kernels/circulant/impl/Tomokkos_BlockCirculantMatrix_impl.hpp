// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// First row of the block row that breaks the contract; `block_rows` when there is none.
template <class Scalar, class MemorySpace>
struct FirstBadCirculantRow {
  BlockCirculantMatrix<Scalar, MemorySpace> A;

  KOKKOS_FUNCTION bool is_bad(Ordinal row) const {
    const Offset begin = A.row_offsets(row);
    const Offset end = A.row_offsets(row + 1);
    if (begin < 0 || end < begin || end > static_cast<Offset>(A.values.extent(0))) return true;
    const auto pitch = static_cast<std::uint32_t>(A.pitch);
    for (Offset e = begin; e < end; ++e) {
      const std::uint32_t position = A.positions(e);
      if (position / pitch >= static_cast<std::uint32_t>(A.block_cols) ||
          position % pitch >= static_cast<std::uint32_t>(A.blocks))
        return true;
      if (e > begin && A.positions(e - 1) >= position) return true;
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    if (row < first && is_bad(row)) first = row;
  }
};

/// The message for row \p row of a broken matrix; reads that row alone.
template <class ExecutionSpace, class Scalar, class MemorySpace>
std::string describe_bad_circulant_row(const ExecutionSpace& exec,
                                       const BlockCirculantMatrix<Scalar, MemorySpace>& A,
                                       Ordinal row) {
  const auto offset = [&](Ordinal i) {
    return read_entry(exec, A.row_offsets, static_cast<std::size_t>(i), "validate: a bad row");
  };
  const Offset begin = offset(row), end = offset(row + 1);
  const std::string where = "row " + std::to_string(row);
  if (begin < 0 || end < begin || end > A.num_stored())
    return where + ": offsets " + std::to_string(begin) + " to " + std::to_string(end) +
           " do not form a range within the " + std::to_string(A.num_stored()) + " stored entries";
  const auto pitch = static_cast<std::uint32_t>(A.pitch);
  std::uint32_t previous = 0;
  for (Offset e = begin; e < end; ++e) {
    const std::uint32_t position =
        read_entry(exec, A.positions, static_cast<std::size_t>(e), "validate: a bad row");
    const std::uint32_t column = position / pitch, block = position % pitch;
    const std::string entry = where + ", entry " + std::to_string(e - begin) + ": position " +
                              std::to_string(position) + " is column " + std::to_string(column) +
                              " of block " + std::to_string(block);
    if (column >= static_cast<std::uint32_t>(A.block_cols))
      return entry + ", but blocks have " + std::to_string(A.block_cols) + " columns";
    if (block >= static_cast<std::uint32_t>(A.blocks))
      return entry + ", but there are " + std::to_string(A.blocks) + " blocks";
    if (e > begin && previous == position) return entry + ", which stands twice in its row";
    if (e > begin && previous > position)
      return entry + ", and follows position " + std::to_string(previous) +
             ", but positions must ascend";
    previous = position;
  }
  return where + " breaks the contract";
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const BlockCirculantMatrix<Scalar, MemorySpace>& A) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "validate runs where the matrix is");
  check_circulant_shape(A.block_rows, A.block_cols, A.blocks);
  require_equal("pitch", A.pitch, "that of the number of blocks", circulant_pitch(A.blocks));
  require_equal("length of row_offsets", static_cast<long long>(A.row_offsets.extent(0)),
                "rows of a block + 1", static_cast<long long>(A.block_rows) + 1);
  require_equal("length of positions", static_cast<long long>(A.positions.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  const Offset first_offset =
      Impl::read_entry(exec, A.row_offsets, 0, "validate: first of row_offsets");
  const Offset last_offset = Impl::read_entry(
      exec, A.row_offsets, static_cast<std::size_t>(A.block_rows), "validate: last of row_offsets");
  require_equal("row_offsets(0)", first_offset, "the first position", 0);
  require_equal("row_offsets(block_rows)", last_offset, "the number of stored entries",
                A.num_stored());

  Ordinal first_bad = A.block_rows;
  Kokkos::parallel_reduce("Tomokkos::validate::block_circulant",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.block_rows),
                          Impl::FirstBadCirculantRow<Scalar, MemorySpace>{A},
                          Kokkos::Min<Ordinal>(first_bad));
  if (first_bad >= A.block_rows) return;
  throw Error("not a valid block-circulant matrix: " +
              Impl::describe_bad_circulant_row(exec, A, first_bad));
}

}  // namespace Tomokkos
