// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_ValidateRayTiles_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, VALUES) \
  template void validate<SPACE, SCALAR, VALUES>(           \
      const SPACE&, const RayTilesMatrix<SCALAR, SPACE::memory_space, VALUES>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, TileValues::plain)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                           \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, TileValues::half) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, TileValues::scaled)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_VALUES

}  // namespace Tomokkos
