// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllMatrix.hpp>
#include <impl/Tomokkos_PaddedRows.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Throws unless the arrays hold all slots.
template <class Matrix>
void validate_ell_shape(const Matrix& A) {
  require(A.num_rows >= 0 && A.num_cols >= 0 && A.width >= 0,
          "a matrix has no negative number of rows or columns, and no negative width");
  require_equal("length of columns", static_cast<long long>(A.columns.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  if (A.num_rows == 0 || A.width == 0) return;
  const Offset last = (A.num_rows - 1) * A.row_stride + (A.width - 1) * A.entry_stride;
  require(A.row_stride > 0 && A.entry_stride > 0 && last < A.num_stored(),
          "the last entry of the last row lies outside of the arrays");
}

/// \p A as padded rows; `lengths` and `rows` may be null.
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
