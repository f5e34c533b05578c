// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ComplexCsrMatrix.hpp>
#include <Tomokkos_SharedCsrMatrix.hpp>
#include <limits>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Finds the first row of a pattern whose offsets are impossible or whose columns do not ascend
/// within the matrix.
template <class MemorySpace>
struct FirstBadPatternRow {
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Ordinal num_rows, num_cols;
  Offset entries;

  KOKKOS_FUNCTION bool is_bad(Ordinal row) const {
    const Offset begin = offsets(row), end = offsets(row + 1);
    if (begin < 0 || end < begin || end > entries) return true;
    if ((row == 0 && begin != 0) || (row == num_rows - 1 && end != entries)) return true;
    for (Offset k = begin; k < end; ++k)
      if (columns(k) < 0 || columns(k) >= num_cols || (k > begin && columns(k - 1) >= columns(k)))
        return true;
    return false;
  }
  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    if (row < first && is_bad(row)) first = row;
  }
};

/// Finds the first row whose bit contradicts the list of rows.
template <class MemorySpace>
struct FirstWrongBit {
  Kokkos::View<const std::uint32_t*, MemorySpace> bits;
  Kokkos::View<const Ordinal*, MemorySpace> rows;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    Ordinal low = 0, high = static_cast<Ordinal>(rows.extent(0));
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (rows(middle) < row)
        low = middle + 1;
      else
        high = middle;
    }
    const bool listed = low < static_cast<Ordinal>(rows.extent(0)) && rows(low) == row;
    const bool marked = (bits(row / 32) >> (row % 32) & 1U) != 0;
    if (listed != marked && row < first) first = row;
  }
};

template <class ExecutionSpace, class MemorySpace>
void validate_pattern(const ExecutionSpace& exec,
                      const Kokkos::View<const Offset*, MemorySpace>& offsets,
                      const Kokkos::View<const Ordinal*, MemorySpace>& columns, Ordinal rows,
                      Ordinal num_cols, const std::string& what) {
  require(rows >= 0, what + " has a negative number of rows");
  require(num_cols <= std::numeric_limits<Ordinal>::max() / 2,
          Impl::text("{}: two unknowns for each of {} columns exceed the largest index", what,
                     num_cols));
  require_equal("length of the offsets of " + what, static_cast<long long>(offsets.extent(0)),
                "number of rows + 1", static_cast<long long>(rows) + 1);
  Ordinal first = rows;
  Kokkos::parallel_reduce("Tomokkos::validate::pattern",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, rows),
                          FirstBadPatternRow<MemorySpace>{offsets, columns, rows, num_cols,
                                                          static_cast<Offset>(columns.extent(0))},
                          Kokkos::Min<Ordinal>(first));
  fence(exec, "validate: the first bad row");
  if (first < rows)
    throw Refused(
        Impl::text("not a valid {}: row {} has impossible offsets, or columns that do not ascend "
                   "within the matrix",
                   what, first));
}

}  // namespace Impl

template <class ExecutionSpace, class Value, class MemorySpace>
void validate(const ExecutionSpace& exec, const ComplexCsrMatrix<Value, MemorySpace>& A) {
  require_equal("length of values", static_cast<long long>(A.values.extent(0)),
                "two entries a block", 2 * A.num_blocks());
  Impl::validate_pattern<ExecutionSpace, MemorySpace>(
      exec, A.row_offsets, A.columns, A.num_block_rows, A.num_block_rows, "complex CSR matrix");
}

template <class ExecutionSpace, class Value, class MemorySpace>
void validate(const ExecutionSpace& exec, const SharedCsrMatrix<Value, MemorySpace>& A) {
  const Ordinal n = A.shared.num_rows;
  require_equal("rows of the shared matrix", n, "its columns", A.shared.num_cols);
  require_equal("length of the shared values", static_cast<long long>(A.shared.values.extent(0)),
                "its columns' length", static_cast<long long>(A.shared.columns.extent(0)));
  require_equal("length of coupled", static_cast<long long>(A.coupled.extent(0)),
                "words of 32 rows", (static_cast<long long>(n) + 31) / 32);
  require_equal("number of couplings", static_cast<long long>(A.couplings.extent(0)),
                "their columns", static_cast<long long>(A.coupling_columns.extent(0)));
  Impl::validate_pattern<ExecutionSpace, MemorySpace>(exec, A.shared.row_offsets, A.shared.columns,
                                                      n, n, "shared CSR matrix");
  const auto rows = static_cast<Ordinal>(A.coupled_rows.extent(0));
  Impl::validate_pattern<ExecutionSpace, MemorySpace>(exec, A.coupling_offsets, A.coupling_columns,
                                                      rows, n, "coupling of a shared CSR matrix");
  Ordinal first = n;
  Kokkos::parallel_reduce(
      "Tomokkos::validate::coupled", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, n),
      Impl::FirstWrongBit<MemorySpace>{A.coupled, A.coupled_rows}, Kokkos::Min<Ordinal>(first));
  Impl::fence(exec, "validate: the first wrong bit");
  if (first < n)
    throw Refused(
        Impl::text("not a valid shared CSR matrix: the bit of row {} contradicts whether it is "
                   "among the coupled rows",
                   first));
}

}  // namespace Tomokkos
