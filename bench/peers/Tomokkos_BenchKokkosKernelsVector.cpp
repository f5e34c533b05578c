// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchKokkosKernelsProduct.hpp"

namespace Tomokkos::Bench {

template <class ExecutionSpace, class Scalar>
Product<Scalar> kokkos_kernels_vector_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space>& offsets,
    const KernelsRequest& request) {
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  return make_csr_product<typename Types::X, typename Types::Y>(exec, A, offsets, request);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                              \
  template Product<SCALAR> kokkos_kernels_vector_product<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,       \
      const Kokkos::View<const std::int32_t*, SPACE::memory_space>&, const KernelsRequest&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
