// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_RayTilesBuilder_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template class RayTilesBuilder<SPACE, SCALAR, TileValues::plain>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                               \
  template class RayTilesLayout<SPACE>;                           \
  template class RayTilesBuilder<SPACE, float, TileValues::half>; \
  template class RayTilesBuilder<SPACE, float, TileValues::scaled>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
