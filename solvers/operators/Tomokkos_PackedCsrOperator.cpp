// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_PackedCsrOperator_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template class PackedCsrOperator<SPACE, PackedCsrMatrix<SCALAR, SPACE::memory_space>>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                                                \
  template class PackedCsrOperator<SPACE,                                                          \
                                   PackedCsrMatrix<float, SPACE::memory_space, TileValues::half>>; \
  template class PackedCsrOperator<                                                                \
      SPACE, PackedCsrMatrix<float, SPACE::memory_space, TileValues::scaled>>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
