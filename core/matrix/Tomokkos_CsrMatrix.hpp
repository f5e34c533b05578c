// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Compressed sparse rows: `A(i, columns(k)) = values(k)` for
/// `row_offsets(i) <= k < row_offsets(i + 1)`.
///
/// Contract, checked by `validate`:
/// - `row_offsets` has `num_rows + 1` entries, starts at 0, does not decrease, and ends at
///   `values.extent(0)`;
/// - `columns` and `values` have the same length; every column lies in `[0, num_cols)`;
/// - a column occurs at most once in a row; with `ColumnOrder::sorted`, columns ascend within a
///   row.
/// There is no padding. Products accept entries in any order within a row, and any values.
///
/// Memory: `(4 + sizeof(Scalar)) nnz + 8 (num_rows + 1)` bytes. Copies share the arrays.
template <class Scalar, class MemorySpace>
struct CsrMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;

  /// \brief Number of stored entries.
  Offset num_nonzeros() const { return static_cast<Offset>(values.extent(0)); }

  /// \brief Number of bytes of the three arrays.
  std::size_t memory_bytes() const {
    return row_offsets.extent(0) * sizeof(Offset) + columns.extent(0) * sizeof(Ordinal) +
           values.extent(0) * sizeof(Scalar);
  }
};

/// \brief CSR matrix in host memory: the result of readers and the input of writers.
template <class Scalar>
using HostCsrMatrix = CsrMatrix<Scalar, Kokkos::HostSpace>;

/// \brief Order of columns within a row that `validate` requires.
enum class ColumnOrder { any, sorted };

/// \brief Checks the contract of `CsrMatrix`.
///
/// Cost: one pass over the matrix on \p exec, three fences. `ColumnOrder::any` compares all pairs
/// of entries of a row to find duplicates, so it is meant for tests and user input.
///
/// \throws Error naming the first row (and entry) that violates the contract
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A,
              ColumnOrder order = ColumnOrder::sorted);

/// \brief Copies \p A to \p TargetSpace. Shares the arrays if they are already there; otherwise
/// copies and fences.
///
/// \throws MemoryError with the number of bytes when the arrays cannot be allocated
template <class TargetSpace, class ExecutionSpace, class Scalar, class MemorySpace>
CsrMatrix<Scalar, TargetSpace> copy_to(const ExecutionSpace& exec,
                                       const CsrMatrix<Scalar, MemorySpace>& A);

/// \brief Converts the values of \p A to \p Target and shares its pattern. Shares the values too if
/// they already have this type.
///
/// Values are rounded to nearest; those beyond the range of \p Target become infinite.
///
/// Complete on return. Cost: one pass over the values, `sizeof(Target) nnz` bytes, one fence.
///
/// \throws MemoryError with the number of bytes when the values cannot be allocated
template <class Target, class ExecutionSpace, class Scalar, class MemorySpace>
CsrMatrix<Target, MemorySpace> convert_values(const ExecutionSpace& exec,
                                              const CsrMatrix<Scalar, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_CsrMatrix_impl.hpp>
