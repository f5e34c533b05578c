// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definition of `spmm`, which calls the kernels of the matrix format.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_StoredProducts.hpp>
#include <impl/Tomokkos_SpmmPasses.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix> && FormatTraits<Matrix>::several_vectors) void spmm(
    const ExecutionSpace& exec, const Matrix& A, typename Matrix::scalar_type alpha,
    const InputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& X,
    typename Matrix::scalar_type beta,
    const OutputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& Y,
    const SpmmOptions& options) {
  const auto pass = Impl::whole_pass(A.num_rows, A.num_cols, alpha, X, beta, Y);
  if (Y.size() == 0) return;
  Impl::FormatSpmm<ExecutionSpace, Matrix>::multiply(exec, A, pass, options);
}

}  // namespace Tomokkos

/// \brief Instantiates the product of a matrix type with several vectors.
#define TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, ...)                    \
  template void spmm<SPACE, __VA_ARGS__>(                                \
      const SPACE&, const __VA_ARGS__&, SCALAR,                          \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
      const MultiVectorView<SCALAR, SPACE::memory_space>&, const SpmmOptions&);
