// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <Tomokkos_ForEach.hpp>

// From 4.3 on Views with and without overlapping rows have the same type. The kernels are then
// compiled in the files for overlapping rows.
#include "Tomokkos_BenchKokkosKernelsOverlap.hpp"
#include "Tomokkos_BenchKokkosKernelsProduct.hpp"

namespace Tomokkos::Bench {

template <class ExecutionSpace, class Scalar>
Product<Scalar> kokkos_kernels_vectors_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space>& offsets,
    const KernelsRequest& request) {
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  return make_csr_product<typename Types::MultiX, typename Types::MultiY>(exec, A, offsets,
                                                                          request);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                               \
  template Product<SCALAR> kokkos_kernels_vectors_product<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,        \
      const Kokkos::View<const std::int32_t*, SPACE::memory_space>&, const KernelsRequest&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
