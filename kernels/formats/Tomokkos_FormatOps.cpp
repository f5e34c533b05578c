// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_FormatOps_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, ...)                                       \
  template void format_diagonal<SPACE, __VA_ARGS__>(                                          \
      const SPACE&, const __VA_ARGS__&, const VectorView<SCALAR, SPACE::memory_space>&);      \
  template void format_diagonal_blocks<SPACE, __VA_ARGS__>(                                   \
      const SPACE&, const __VA_ARGS__&, int, const VectorView<SCALAR, SPACE::memory_space>&); \
  template __VA_ARGS__ format_scaled<SPACE, __VA_ARGS__>(                                     \
      const SPACE&, const __VA_ARGS__&, const VectorView<const SCALAR, SPACE::memory_space>&, \
      const VectorView<const SCALAR, SPACE::memory_space>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                              \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, CooMatrix<SCALAR, SPACE::memory_space>)     \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, EllMatrix<SCALAR, SPACE::memory_space>)     \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, EllRMatrix<SCALAR, SPACE::memory_space>)    \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, HybMatrix<SCALAR, SPACE::memory_space>)     \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, SellMatrix<SCALAR, SPACE::memory_space>)    \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 2>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 3>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 4>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 8>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, PackedCsrMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_FORMAT

}  // namespace Tomokkos
