// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include "Tomokkos_BenchKokkosKernelsOverlap.hpp"

namespace Tomokkos::KokkosKernelsApi {

#define TOMOKKOS_INSTANTIATE(SPACE) template class TOMOKKOS_OVERLAPPING_COLUMNS_SPMV(SPACE, float);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::KokkosKernelsApi

#endif
