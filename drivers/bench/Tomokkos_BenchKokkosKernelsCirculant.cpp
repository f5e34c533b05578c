// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

// Block-circulant matrices by the product with several vectors of Kokkos Kernels, on strided Views
// whose rows or columns overlap.
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchCirculantPeers.hpp"
#include "Tomokkos_BenchKokkosKernelsProduct.hpp"

namespace Tomokkos::Bench {

template <class ExecutionSpace, class Scalar>
Product<Scalar> kokkos_kernels_circulant(
    const CirculantSpmmProblem<ExecutionSpace, Scalar>& problem) {
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  using Device = typename Types::Device;
  using Unmanaged = typename Types::Unmanaged;
  using X = Kokkos::View<const Scalar**, Kokkos::LayoutStride, Device, Unmanaged>;
  using Y = Kokkos::View<Scalar**, Kokkos::LayoutStride, Device, Unmanaged>;
  const auto layout = [&](Ordinal rows, Ordinal stride) {
    const auto n = static_cast<std::size_t>(rows), s = static_cast<std::size_t>(problem.vectors);
    const auto leading = static_cast<std::size_t>(stride);
    return problem.row_major ? Kokkos::LayoutStride(n, leading, s, 1)
                             : Kokkos::LayoutStride(n, 1, s, leading);
  };
  const auto& A = problem.A;
  const typename Types::Matrix matrix("A", A.num_rows, A.num_cols,
                                      static_cast<std::int32_t>(A.num_nonzeros()), A.values,
                                      problem.offsets, A.columns);
  const auto spmv =
      std::make_shared<KokkosKernelsApi::Spmv<ExecutionSpace, typename Types::Matrix, X, Y>>(false);
  Product<Scalar> product = problem.product();
  product.run = [problem, matrix, spmv, x_layout = layout(A.num_cols, problem.x_stride),
                 y_layout = layout(A.num_rows, problem.y_stride)](const Scalar* x, Scalar* y) {
    spmv->run(problem.exec, "N", matrix, X(x, x_layout), Scalar(0), Y(y, y_layout));
  };
  return product;
}

template <class ExecutionSpace, class Scalar>
void add_kokkos_kernels_circulant(ProductList<Scalar>& list, const std::string& name,
                                  const CirculantSpmmProblem<ExecutionSpace, Scalar>& problem) {
  list.attempt(name + ":native", [&] { return kokkos_kernels_circulant(problem); });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template Product<SCALAR> kokkos_kernels_circulant(                                       \
      const CirculantSpmmProblem<SPACE, SCALAR>&);                                         \
  template void add_kokkos_kernels_circulant(ProductList<SCALAR>&, const std::string&,     \
                                             const CirculantSpmmProblem<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
