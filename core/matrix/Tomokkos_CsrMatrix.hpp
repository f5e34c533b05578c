// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Compressed sparse rows: `A(i, columns(k)) = values(k)` for `row_offsets(i) <= k <
/// row_offsets(i + 1)`.
///
/// Contract, checked by `validate`:
///  - `row_offsets` has `num_rows + 1` entries, starts at 0, never falls, and ends at
///  `values.extent(0)`;
///  - `columns` and `values` have the same length, every column lies in `[0, num_cols)`;
///  - no row holds a column twice; where `sorted` is asked for, the columns of a row ascend.
/// There is no padding. Products accept rows in any order and, row by row, any values.
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

  /// \brief Bytes of the three arrays.
  std::size_t memory_bytes() const {
    return row_offsets.extent(0) * sizeof(Offset) + columns.extent(0) * sizeof(Ordinal) +
           values.extent(0) * sizeof(Scalar);
  }
};

/// \brief A CSR matrix in host memory: what readers return and writers take.
template <class Scalar>
using HostCsrMatrix = CsrMatrix<Scalar, Kokkos::HostSpace>;

/// \brief What `validate` asks of the order of columns within a row.
enum class ColumnOrder { any, sorted };

/// \brief Throws `Error` naming the first row (and entry) that breaks the contract of `CsrMatrix`.
///
/// Cost: one pass over the matrix on \p exec, three fences. With `ColumnOrder::any` duplicates are
/// found by comparing all pairs of a row, so it is meant for tests and for user input.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A,
              ColumnOrder order = ColumnOrder::sorted);

/// \brief The same matrix in \p TargetSpace. Shares the arrays when they are there already, else
/// copies and fences. Throws `MemoryError` with the bytes when they cannot be allocated there.
template <class TargetSpace, class ExecutionSpace, class Scalar, class MemorySpace>
CsrMatrix<Scalar, TargetSpace> copy_to(const ExecutionSpace& exec,
                                       const CsrMatrix<Scalar, MemorySpace>& A);

/// \brief The same matrix with values converted to \p Target (rounded to nearest; beyond the range
/// of \p Target they become infinite), the pattern shared. Shares the values, too, when they have
/// that type already.
///
/// Complete on return. Cost: one pass over the values, `sizeof(Target) nnz` bytes, one fence.
/// Throws `MemoryError` with the bytes.
template <class Target, class ExecutionSpace, class Scalar, class MemorySpace>
CsrMatrix<Target, MemorySpace> convert_values(const ExecutionSpace& exec,
                                              const CsrMatrix<Scalar, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_CsrMatrix_impl.hpp>
