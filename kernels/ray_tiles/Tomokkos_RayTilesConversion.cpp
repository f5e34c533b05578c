// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_RayTilesConversion_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, VALUES)                                   \
  template RayTilesMatrix<SCALAR, SPACE::memory_space, VALUES>                               \
  ray_tiles_from_csr<SPACE, SCALAR, VALUES>(                                                 \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const RayTilesOptions&);  \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_from_ray_tiles<SPACE, SCALAR, VALUES>( \
      const SPACE&, const RayTilesMatrix<SCALAR, SPACE::memory_space, VALUES>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                     \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, TileValues::plain) \
  template RayTilesSize ray_tiles_size<SPACE, SCALAR>(          \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                           \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, TileValues::half) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, TileValues::scaled)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_VALUES

}  // namespace Tomokkos
