// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllRMatrix.hpp>

namespace Tomokkos {
namespace Impl {

template <class Scalar, class MemorySpace>
PaddedRows<Scalar> padded_rows(const EllRMatrix<Scalar, MemorySpace>& A) {
  return ell_padded_rows(A, A.row_lengths.data(), A.rows.extent(0) == 0 ? nullptr : A.rows.data());
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const EllRMatrix<Scalar, MemorySpace>& A) {
  Impl::validate_ell_shape(A);
  require_equal("length of row_lengths", static_cast<long long>(A.row_lengths.extent(0)),
                "number of rows", A.num_rows);
  if (A.rows.extent(0) > 0)
    require_equal("length of rows", static_cast<long long>(A.rows.extent(0)), "number of rows",
                  A.num_rows);
  Impl::validate_slot_rows(exec, "ELLPACK-R", A.num_rows, A.rows);
  Impl::validate_padded_rows(exec, "ELLPACK-R", Impl::padded_rows(A), A.nonzeros);
}

}  // namespace Tomokkos
