// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions of the products of `Tomokkos_StoredProducts.hpp`, which call the kernels of the
// matrix format. The source file with the kernels instantiates them with
// `TOMOKKOS_INSTANTIATE_PRODUCTS` and the macros below.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_StoredProducts.hpp>
#include <impl/Tomokkos_ProductTarget.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    typename Matrix::scalar_type alpha,
    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
    typename Matrix::scalar_type beta,
    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& y) {
  const auto target = Impl::product_target(A, alpha, x, beta, y);
  if (A.num_rows == 0) return;
  Impl::FormatKernels<ExecutionSpace, Matrix>::multiply(exec, plan, A, target);
}

template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) Offset
    spmv_dot_sums(const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A) {
  if constexpr (FormatTraits<Matrix>::has_dot)
    return Impl::FormatKernels<ExecutionSpace, Matrix>::dot_sums(plan, A);
  else
    return 0;
}

template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv_dot(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
    const OutputVector<ExecutionSpace, double>& sums) {
  using Scalar = typename Matrix::scalar_type;
  require_equal("rows of A", A.num_rows, "the columns of A", A.num_cols);
  const auto target = Impl::product_target(A, Scalar(1), x, Scalar(0), y);
  const Offset count = spmv_dot_sums(plan, A);
  require(count > 0 || A.num_rows == 0,
          "this format or its plan cannot form a product together with a dot product");
  require_equal("number of sums", static_cast<long long>(sums.extent(0)),
                "the number of sums of the plan", static_cast<long long>(count));
  if (A.num_rows == 0) return;
  if constexpr (FormatTraits<Matrix>::has_dot)
    Impl::FormatKernels<ExecutionSpace, Matrix>::multiply_with_dot(exec, plan, A, target,
                                                                   sums.data());
}

}  // namespace Tomokkos

/// \brief Instantiates the plan of a matrix type and its products with one vector.
#define TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, ...)                                          \
  template class SpmvPlan<SPACE, __VA_ARGS__>;                                                     \
  template void spmv<SPACE, __VA_ARGS__>(const SPACE&, const SpmvPlan<SPACE, __VA_ARGS__>&,        \
                                         const __VA_ARGS__&, SCALAR,                               \
                                         const VectorView<const SCALAR, SPACE::memory_space>&,     \
                                         SCALAR, const VectorView<SCALAR, SPACE::memory_space>&);  \
  template Offset spmv_dot_sums<SPACE, __VA_ARGS__>(const SpmvPlan<SPACE, __VA_ARGS__>&,           \
                                                    const __VA_ARGS__&);                           \
  template void spmv_dot<SPACE, __VA_ARGS__>(const SPACE&, const SpmvPlan<SPACE, __VA_ARGS__>&,    \
                                             const __VA_ARGS__&,                                   \
                                             const VectorView<const SCALAR, SPACE::memory_space>&, \
                                             const VectorView<SCALAR, SPACE::memory_space>&,       \
                                             const VectorView<double, SPACE::memory_space>&);

/// \brief Declares that another source file instantiates `spmv` of a matrix type.
#define TOMOKKOS_EXTERN_SPMV(SPACE, SCALAR, ...)                                     \
  extern template void spmv<SPACE, __VA_ARGS__>(                                     \
      const SPACE&, const SpmvPlan<SPACE, __VA_ARGS__>&, const __VA_ARGS__&, SCALAR, \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                  \
      const VectorView<SCALAR, SPACE::memory_space>&);
