// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <string>

namespace Tomokkos {

/// \brief Matrix as a sorted list of entries: `A(rows(k), columns(k)) = values(k)`.
///
/// Contract, checked by `validate`: the three arrays have the same length. Rows never decrease,
/// columns ascend within a row, and both are within the matrix. There is no padding, and no entry
/// is stored twice.
///
/// ```
///     1 . 2        rows     0 0 1 2 2
///     . 3 .        columns  0 2 1 0 1
///     4 5 .        values   1 2 3 4 5
/// ```
///
/// Memory: `(8 + sizeof(Scalar)) nnz` bytes, independent of the number of rows.
template <class Scalar, class MemorySpace>
struct CooMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;

  Offset num_nonzeros() const { return static_cast<Offset>(values.extent(0)); }
  /// \brief Returns the number of entries in memory, including padding.
  Offset num_stored() const { return num_nonzeros(); }
  std::size_t memory_bytes() const {
    return values.extent(0) * (2 * sizeof(Ordinal) + sizeof(Scalar));
  }
};

/// \brief Checks the contract of a COO matrix. One pass, one fence.
///
/// \throws Error naming the first entry that breaks the contract
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const CooMatrix<Scalar, MemorySpace>& A);

namespace Impl {

/// Finds the first entry that breaks the contract of COO, or the number of entries if every entry
/// complies.
template <class Scalar, class MemorySpace>
struct FirstBadCooEntry {
  CooMatrix<Scalar, MemorySpace> A;

  KOKKOS_FUNCTION void operator()(const Offset k, Offset& first) const {
    if (k >= first) return;
    const Ordinal row = A.rows(k), column = A.columns(k);
    bool bad = row < 0 || row >= A.num_rows || column < 0 || column >= A.num_cols;
    if (k > 0) {
      const Ordinal before = A.rows(k - 1);
      bad = bad || before > row || (before == row && A.columns(k - 1) >= column);
    }
    if (bad) first = k;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const CooMatrix<Scalar, MemorySpace>& A) {
  require(A.num_rows >= 0 && A.num_cols >= 0,
          "the numbers of rows and columns must not be negative");
  require_equal("length of rows", static_cast<long long>(A.rows.extent(0)), "length of values",
                static_cast<long long>(A.values.extent(0)));
  require_equal("length of columns", static_cast<long long>(A.columns.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  Offset bad = A.num_nonzeros();
  Kokkos::parallel_reduce("Tomokkos::validate::coo", Impl::element_range(exec, A.values.extent(0)),
                          Impl::FirstBadCooEntry<Scalar, MemorySpace>{A}, Kokkos::Min<Offset>(bad));
  Impl::fence(exec, "validate: the first bad entry");
  if (bad >= A.num_nonzeros()) return;
  throw Refused(
      Impl::text("not a valid COO matrix: entry {} is outside of the matrix or does not follow the "
                 "one before it",
                 bad));
}

}  // namespace Tomokkos
