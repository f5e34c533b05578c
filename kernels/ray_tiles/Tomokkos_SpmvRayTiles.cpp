// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SpmvRayTiles_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE_TILES(SPACE, SCALAR, ...)                                             \
  template class RayTilesPlan<SPACE, __VA_ARGS__>;                                                 \
  template void spmv<SPACE, __VA_ARGS__>(                                                          \
      const SPACE&, const RayTilesPlan<SPACE, __VA_ARGS__>&, const __VA_ARGS__&, SCALAR,           \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                                \
      const VectorView<SCALAR, SPACE::memory_space>&, RowRange);                                   \
  template void spmv_transpose<SPACE, __VA_ARGS__>(                                                \
      const SPACE&, const RayTilesPlan<SPACE, __VA_ARGS__>&, const __VA_ARGS__&, SCALAR,           \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                                \
      const VectorView<SCALAR, SPACE::memory_space>&, RowRange);                                   \
  template void prepare_transpose_columns<SPACE, __VA_ARGS__>(                                     \
      const SPACE&, const RayTilesPlan<SPACE, __VA_ARGS__>&, const __VA_ARGS__&,                   \
      const VectorView<const SCALAR, SPACE::memory_space>&);                                       \
  template void spmv_transpose_columns<SPACE, __VA_ARGS__>(                                        \
      const SPACE&, const RayTilesPlan<SPACE, __VA_ARGS__>&, const __VA_ARGS__&, RowRange, SCALAR, \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                                \
      const VectorView<SCALAR, SPACE::memory_space>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_INSTANTIATE_TILES(SPACE, SCALAR, RayTilesMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                                        \
  TOMOKKOS_INSTANTIATE_TILES(SPACE, float,                                                 \
                             RayTilesMatrix<float, SPACE::memory_space, TileValues::half>) \
  TOMOKKOS_INSTANTIATE_TILES(SPACE, float,                                                 \
                             RayTilesMatrix<float, SPACE::memory_space, TileValues::scaled>)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_TILES

}  // namespace Tomokkos
