// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_Spmm_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, ...)                  \
  template void spmm<SPACE, __VA_ARGS__>(                                \
      const SPACE&, const __VA_ARGS__&, SCALAR,                          \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
      const MultiVectorView<SCALAR, SPACE::memory_space>&, const SpmmOptions&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                              \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, EllRMatrix<SCALAR, SPACE::memory_space>)    \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, SellMatrix<SCALAR, SPACE::memory_space>)    \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 2>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 3>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 4>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 8>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_FORMAT

}  // namespace Tomokkos
