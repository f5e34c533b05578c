// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

// Block-circulant matrices by the product of Kokkos Kernels with several vectors, on Views whose
// rows (eq. 6) or columns (eq. 5) overlap.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchKokkosKernelsOverlap.hpp"
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

/// Makes a product whose X is a View made by \p Overlapping.
template <class Overlapping, class Y, class ExecutionSpace, class Scalar>
Product<Scalar> make_strided_product(const StridedProblem<ExecutionSpace, Scalar>& problem) {
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  using X = typename Overlapping::View;
  const auto& A = problem.A;
  const auto columns = static_cast<std::size_t>(problem.vectors);
  const auto stride = static_cast<std::size_t>(problem.x_stride);
  // Some versions of Kokkos replace a stride that makes rows or columns overlap.
  const X x =
      Overlapping::make(problem.x.data(), static_cast<std::size_t>(A.num_cols), columns, stride);
  require((problem.row_major ? x.stride(0) : x.stride(1)) == stride,
          "Kokkos cannot make Views whose rows or columns overlap");
  const typename Types::Matrix matrix("A", A.num_rows, A.num_cols,
                                      static_cast<std::int32_t>(A.num_nonzeros()), A.values,
                                      problem.offsets, A.columns);
  const auto spmv =
      std::make_shared<KokkosKernelsApi::Spmv<ExecutionSpace, typename Types::Matrix, X, Y>>(false);
  Product<Scalar> product = problem.product();
  product.run = [problem, matrix, spmv, columns, stride](const Scalar* x, Scalar* y) {
    const auto rows = static_cast<std::size_t>(problem.A.num_rows);
    const auto inner = static_cast<std::size_t>(problem.A.num_cols);
    spmv->run(problem.exec, "N", matrix, Overlapping::make(x, inner, columns, stride),
              Y(y, rows, columns));
  };
  return product;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void KokkosKernelsPeer<ExecutionSpace, Scalar>::add_strided_products(
    ProductList<Scalar>& list, const std::string& name,
    const StridedProblem<ExecutionSpace, Scalar>& problem) const {
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  using Rows = KokkosKernelsApi::OverlappingRows<ExecutionSpace, Scalar>;
  using Columns = KokkosKernelsApi::OverlappingColumns<ExecutionSpace, Scalar>;
  list.attempt(name + ":native", [&] {
    return problem.row_major ? make_strided_product<Rows, typename Types::MultiY>(problem)
                             : make_strided_product<Columns, typename Types::MultiYLeft>(problem);
  });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                             \
  template void KokkosKernelsPeer<SPACE, SCALAR>::add_strided_products( \
      ProductList<SCALAR>&, const std::string&, const StridedProblem<SPACE, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
