// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ReductionLaunch.hpp>

namespace Tomokkos {

Impl::ColumnTiles Impl::reduction_tiles(Offset blocks, Offset columns) {
  // Four teams of `reduction_threads` for each of the 132 multiprocessors of an H200.
  constexpr Offset enough_teams = 512;
  int lanes = 1;
  while (lanes < 32 && lanes < columns) lanes *= 2;
  while (lanes > 8 && blocks * ((columns + lanes - 1) / lanes) < enough_teams) lanes /= 2;
  const Offset tiles = (columns + lanes - 1) / lanes;
  const Offset width = tiles > 0 ? (columns + tiles - 1) / tiles : 0;
  while (lanes > 1 && lanes / 2 >= width) lanes /= 2;
  return {lanes, width, tiles};
}

}  // namespace Tomokkos
