// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>

namespace Tomokkos::Impl {

/// Vectors and coefficients of a product, with the final update of an element of y.
template <class Scalar>
struct ProductTarget {
  const Scalar* x;
  Scalar* y;
  Scalar alpha, beta;

  KOKKOS_FORCEINLINE_FUNCTION void store(Ordinal row, Scalar sum) const {
    y[row] = combine(alpha, sum, beta, y[row]);
  }
};

template <class Matrix, class XView, class YView>
auto product_target(const Matrix& A, typename Matrix::scalar_type alpha, const XView& x,
                    typename Matrix::scalar_type beta, const YView& y) {
  Impl::require_operands(Impl::Operand("x", x, "columns of A", A.num_cols),
                         Impl::Operand("y", y, "rows of A", A.num_rows));
  return ProductTarget<typename Matrix::scalar_type>{x.data(), y.data(), alpha, beta};
}

}  // namespace Tomokkos::Impl
