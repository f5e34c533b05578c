// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Finds the first row that violates the contract of CSR; `num_rows` if there is none.
template <class Scalar, class MemorySpace>
struct FirstBadCsrRow {
  CsrMatrix<Scalar, MemorySpace> A;
  ColumnOrder order;

  KOKKOS_FUNCTION bool is_bad(Ordinal row) const {
    const Offset begin = A.row_offsets(row);
    const Offset end = A.row_offsets(row + 1);
    if (begin < 0 || end < begin || end > static_cast<Offset>(A.values.extent(0))) return true;
    for (Offset k = begin; k < end; ++k) {
      const Ordinal column = A.columns(k);
      if (column < 0 || column >= A.num_cols) return true;
      if (order == ColumnOrder::sorted) {
        if (k > begin && A.columns(k - 1) >= column) return true;
      } else {
        for (Offset other = begin; other < k; ++other)
          if (A.columns(other) == column) return true;
      }
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    if (row < first && is_bad(row)) first = row;
  }
};

/// Message for row \p row of an invalid matrix; \p A is in host memory.
template <class Scalar>
std::string describe_bad_csr_row(const HostCsrMatrix<Scalar>& A, Ordinal row, ColumnOrder order) {
  const Offset begin = A.row_offsets(row);
  const Offset end = A.row_offsets(row + 1);
  const auto nonzeros = static_cast<Offset>(A.values.extent(0));
  const std::string where = Impl::text("row {}", row);
  if (begin < 0 || end < begin || end > nonzeros)
    return Impl::text("{}: offsets {} to {} do not form a range within the {} stored entries",
                      where, begin, end, nonzeros);
  const auto entry = [&](Offset k) {
    return Impl::text("{}, entry {}: column {}", where, k - begin, A.columns(k));
  };
  for (Offset k = begin; k < end; ++k) {
    const Ordinal column = A.columns(k);
    if (column < 0 || column >= A.num_cols)
      return A.num_cols == 0 ? entry(k) + ", but the matrix has no columns"
                             : Impl::text("{} is outside 0 to {}: the matrix has {} columns",
                                          entry(k), A.num_cols - 1, A.num_cols);
    // In ascending order an equal column can only be the previous one.
    const Offset first = order == ColumnOrder::sorted ? std::max(begin, k - 1) : begin;
    for (Offset other = first; other < k; ++other)
      if (A.columns(other) == column) return entry(k) + " occurs twice in its row";
    if (order == ColumnOrder::sorted && k > begin && A.columns(k - 1) > column)
      return Impl::text("{} follows column {}, but columns must ascend", entry(k),
                        A.columns(k - 1));
  }
  return where + " violates the contract of CSR";
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A,
              ColumnOrder order) {
  static_assert(
      Kokkos::SpaceAccessibility<typename ExecutionSpace::memory_space, MemorySpace>::accessible ||
          Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
      "the execution space must be able to access the memory of the matrix");
  Impl::require_launches<ExecutionSpace>();
  require(A.num_rows >= 0 && A.num_cols >= 0, [&] {
    return Impl::text("the matrix has {} rows and {} columns; the numbers must not be negative",
                      A.num_rows, A.num_cols);
  });
  require_equal("length of row_offsets", static_cast<long long>(A.row_offsets.extent(0)),
                "number of rows + 1", static_cast<long long>(A.num_rows) + 1);
  require_equal("length of columns", static_cast<long long>(A.columns.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  const Offset first_offset =
      Impl::read_entry(exec, A.row_offsets, 0, "validate: first of row_offsets");
  const Offset last_offset = Impl::read_entry(
      exec, A.row_offsets, static_cast<std::size_t>(A.num_rows), "validate: last of row_offsets");
  require_equal("row_offsets(0)", first_offset, "the first position", 0);
  require_equal("row_offsets(num_rows)", last_offset, "the number of stored entries",
                A.num_nonzeros());

  Ordinal first_bad = A.num_rows;
  Kokkos::parallel_reduce(
      "Tomokkos::validate::csr", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
      Impl::FirstBadCsrRow<Scalar, MemorySpace>{A, order}, Kokkos::Min<Ordinal>(first_bad));
  if (first_bad >= A.num_rows) return;
  const auto host = copy_to<Kokkos::HostSpace>(exec, A);
  throw Refused("not a valid CSR matrix: " + Impl::describe_bad_csr_row(host, first_bad, order));
}

template <class TargetSpace, class ExecutionSpace, class Scalar, class MemorySpace>
CsrMatrix<Scalar, TargetSpace> copy_to(const ExecutionSpace& exec,
                                       const CsrMatrix<Scalar, MemorySpace>& A) {
  if constexpr (std::is_same_v<TargetSpace, MemorySpace>) {
    (void)exec;
    return A;
  } else {
    const auto target = Impl::allocate_csr<Scalar, TargetSpace>(exec, A.num_rows, A.num_nonzeros());
    Kokkos::deep_copy(exec, target.row_offsets, A.row_offsets);
    Kokkos::deep_copy(exec, target.columns, A.columns);
    Kokkos::deep_copy(exec, target.values, A.values);
    Impl::fence(exec, "copy_to: the arrays must have arrived");
    return target.matrix(A.num_rows, A.num_cols);
  }
}

template <class Target, class ExecutionSpace, class Scalar, class MemorySpace>
CsrMatrix<Target, MemorySpace> convert_values(const ExecutionSpace& exec,
                                              const CsrMatrix<Scalar, MemorySpace>& A) {
  if constexpr (std::is_same_v<Target, Scalar>) {
    (void)exec;
    return A;
  } else {
    const auto target = Impl::allocate_values<Target, MemorySpace>(exec, A.num_nonzeros());
    const auto source = A.values;
    Kokkos::parallel_for(
        "Tomokkos::convert_values",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(exec, 0, A.num_nonzeros()),
        KOKKOS_LAMBDA(const Offset k) { target(k) = static_cast<Target>(source(k)); });
    Impl::fence(exec, "convert_values: the values must be complete");
    return {A.num_rows, A.num_cols, A.row_offsets, A.columns, target};
  }
}

}  // namespace Tomokkos
