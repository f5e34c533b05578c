// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include <Tomokkos_KokkosKernelsApi.hpp>
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {

/// \brief Settings of a product.
struct KernelsRequest {
  int vectors = single_vector;
  bool merge_path = false;
  const char* mode = "N";
};

/// \brief Sets \p product to run `y = M x` with a \p rows x \p columns matrix of Kokkos Kernels.
///
/// \p arrays holds the arrays, which M does not own. X and Y are the vector types of Kokkos Kernels
/// for one vector or for several.
template <class X, class Y, class ExecutionSpace, class Scalar, class Matrix, class Arrays>
void set_run(Product<Scalar>& product, const ExecutionSpace& exec, const Matrix& matrix,
             Ordinal rows, Ordinal columns, const Arrays& arrays, const KernelsRequest& request) {
  const char* mode = request.mode;
  const Ordinal x_rows = *mode == 'T' ? rows : columns;
  const Ordinal y_rows = *mode == 'T' ? columns : rows;
  const auto spmv =
      std::make_shared<KokkosKernelsApi::Spmv<ExecutionSpace, Matrix, X, Y>>(request.merge_path);
  product.vectors = std::max(1, request.vectors);
  const auto run = [=, vectors = request.vectors](const Scalar* x, Scalar beta, Scalar* y) {
    static_cast<void>(arrays);
    if constexpr (static_cast<int>(X::rank) == 1)
      spmv->run(exec, mode, matrix, X(x, x_rows), Y(y, y_rows), beta);
    else
      spmv->run(exec, mode, matrix, X(x, x_rows, vectors), Y(y, y_rows, vectors), beta);
  };
  product.run = [run](const Scalar* x, Scalar* y) { run(x, Scalar(0), y); };
  product.add = [run](const Scalar* x, Scalar* y) { run(x, Scalar(1), y); };
}

/// \brief Makes a product of CSR with 32-bit \p offsets.
template <class X, class Y, class ExecutionSpace, class Scalar>
Product<Scalar> make_csr_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space>& offsets,
    const KernelsRequest& request) {
  Product<Scalar> product;
  product.matrix_bytes = csr_bytes(A, sizeof(std::int32_t));
  product.memory_bytes = product.matrix_bytes;
  const typename KokkosKernelsApi::Types<ExecutionSpace, Scalar>::Matrix matrix(
      "A", A.num_rows, A.num_cols, static_cast<std::int32_t>(A.num_nonzeros()), A.values, offsets,
      A.columns);
  set_run<X, Y>(product, exec, matrix, A.num_rows, A.num_cols, std::pair(A, offsets), request);
  return product;
}

// Each kind is in its own source file, because its kernels take long to compile.

/// \brief Makes a product of CSR with one vector.
template <class ExecutionSpace, class Scalar>
Product<Scalar> kokkos_kernels_vector_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space>& offsets,
    const KernelsRequest& request);

/// \brief Makes a product of CSR with several vectors.
template <class ExecutionSpace, class Scalar>
Product<Scalar> kokkos_kernels_vectors_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space>& offsets,
    const KernelsRequest& request);

/// \brief Makes a product of A in blocks of \p block x \p block by our conversion.
template <class ExecutionSpace, class Scalar>
Product<Scalar> kokkos_kernels_block_product(
    int block, const ExecutionSpace& exec,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const KernelsRequest& request);

}  // namespace Tomokkos::Bench
