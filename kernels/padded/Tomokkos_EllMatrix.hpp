// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PaddedRows.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_Views.hpp>
#include <string>

namespace Tomokkos {

/// \brief ELLPACK matrix with `width` entries for every row: entry k of row i is at position
/// `i row_stride + k entry_stride` of both arrays.
///
/// Contract, checked by `validate`:
///  - the entries of a row come first, with ascending columns; padding with `padding_column` and
///    value 0 follows them;
///  - on a GPU the k-th entries of all rows are adjacent (`row_stride` 1, `entry_stride` is the
///    number of rows rounded up to 32), on a host the entries of a row are adjacent (`row_stride`
///    is the width, `entry_stride` 1); additional rows after `num_rows` contain only padding.
///
/// ```
///     1 . 2        width 2      columns  0 2 | 1 - | 0 1        (host order)
///     . 3 .                     values   1 2 | 3 0 | 4 5
///     4 5 .
/// ```
///
/// Memory: `(4 + sizeof(Scalar)) width rows` bytes.
template <class Scalar, class MemorySpace>
struct EllMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Offset nonzeros = 0;
  Ordinal width = 0;
  Offset row_stride = 0;
  Offset entry_stride = 0;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;

  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Returns the number of entries in memory, including padding.
  Offset num_stored() const { return static_cast<Offset>(values.extent(0)); }
  std::size_t memory_bytes() const { return values.extent(0) * (sizeof(Ordinal) + sizeof(Scalar)); }
};

/// \brief Checks the contract of an ELLPACK matrix. One pass, one fence.
///
/// \throws Error naming the first row that breaks the contract
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const EllMatrix<Scalar, MemorySpace>& A);

namespace Impl {

/// Checks that the arrays can hold all slots. Throws `Error`.
template <class Matrix>
void validate_ell_shape(const Matrix& A) {
  require(A.num_rows >= 0 && A.num_cols >= 0 && A.width >= 0,
          "the numbers of rows and columns and the width must not be negative");
  require_equal("length of columns", static_cast<long long>(A.columns.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  if (A.num_rows == 0 || A.width == 0) return;
  const Offset last = (A.num_rows - 1) * A.row_stride + (A.width - 1) * A.entry_stride;
  require(A.row_stride > 0 && A.entry_stride > 0 && last < A.num_stored(),
          "the last entry of the last row is outside of the arrays");
}

/// Returns \p A as padded rows; `lengths` and `rows` may be null.
template <class Matrix>
auto ell_padded_rows(const Matrix& A, const Ordinal* lengths, const Ordinal* rows) {
  return PaddedRows<typename Matrix::scalar_type>{A.columns.data(),
                                                  A.values.data(),
                                                  lengths,
                                                  rows,
                                                  nullptr,
                                                  A.row_stride,
                                                  A.entry_stride,
                                                  A.num_rows,
                                                  A.num_rows,
                                                  A.num_cols,
                                                  A.width,
                                                  1,
                                                  1};
}

template <class Scalar, class MemorySpace>
PaddedRows<Scalar> padded_rows(const EllMatrix<Scalar, MemorySpace>& A) {
  return ell_padded_rows(A, nullptr, nullptr);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const EllMatrix<Scalar, MemorySpace>& A) {
  Impl::validate_ell_shape(A);
  Impl::validate_padded_rows(exec, "ELLPACK", Impl::padded_rows(A), A.nonzeros);
}

}  // namespace Tomokkos
