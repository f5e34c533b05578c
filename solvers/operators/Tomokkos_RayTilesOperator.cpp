// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_RayTilesOperator_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template class RayTilesOperator<SPACE, RayTilesMatrix<SCALAR, SPACE::memory_space>>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                                              \
  template class RayTilesOperator<SPACE,                                                         \
                                  RayTilesMatrix<float, SPACE::memory_space, TileValues::half>>; \
  template class RayTilesOperator<SPACE,                                                         \
                                  RayTilesMatrix<float, SPACE::memory_space, TileValues::scaled>>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
