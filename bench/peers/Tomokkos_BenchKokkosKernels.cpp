// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchKokkosKernelsProduct.hpp"
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

template <class ExecutionSpace, class Scalar>
Product<Scalar> make_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space>& offsets,
    const KernelsRequest& request) {
  return request.vectors == single_vector
             ? kokkos_kernels_vector_product<ExecutionSpace, Scalar>(exec, A, offsets, request)
             : kokkos_kernels_vectors_product<ExecutionSpace, Scalar>(exec, A, offsets, request);
}

}  // namespace

std::string kokkos_kernels_version() { return KokkosKernelsApi::version(); }

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> KokkosKernelsPeer<ExecutionSpace, Scalar>::products(
    BenchCase<ExecutionSpace, Scalar>& matrix_case, const BenchOptions& options, int vectors,
    bool of_transpose) const {
  ProductList<Scalar> list(this->name());
  const ExecutionSpace exec = matrix_case.exec();
  KernelsRequest request;
  request.vectors = vectors;
  const auto make_csr = [&] {
    auto product =
        of_transpose && *request.mode == 'N'
            ? make_product(exec, matrix_case.matrix(true), matrix_case.offsets32(true), request)
            : make_product(exec, matrix_case.matrix(), matrix_case.offsets32(), request);
    if (of_transpose && *request.mode == 'N')
      product.setup_seconds += matrix_case.transposed_seconds();
    return product;
  };
  const std::string stored = of_transpose ? "stored:" : "";
  const bool with_rows = !of_transpose || options.peer_copies;
  if (with_rows) list.attempt(product_name(stored + "native", vectors), make_csr);
  // only for a single vector
  if (with_rows && KokkosKernelsApi::has_merge_path<ExecutionSpace> && vectors == single_vector) {
    request.merge_path = true;
    list.attempt(product_name(stored + "merge_path", vectors), make_csr);
    request.merge_path = false;
  }
  if (of_transpose) {
    request.mode = "T";
    list.attempt(product_name("op_t", vectors), make_csr);
    request.mode = "N";
  }
  if (!with_rows || !wants(options, MatrixFormat::bcsr)) return list;
  for (const int block : {2, 3, 4, 8})
    list.attempt("bcsr", product_name(stored + "native:" + block_name(block), vectors), [&] {
      auto product = kokkos_kernels_block_product<ExecutionSpace, Scalar>(
          block, exec, of_transpose ? matrix_case.matrix(true) : matrix_case.matrix(), request);
      if (of_transpose) product.setup_seconds += matrix_case.transposed_seconds();
      return product;
    });
  return list;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                \
  template ProductList<SCALAR> KokkosKernelsPeer<SPACE, SCALAR>::products( \
      BenchCase<SPACE, SCALAR>&, const BenchOptions&, int, bool) const;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
