// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distribution of a reduction over the threads of a GPU. None of these numbers was measured
// separately; each comment gives the reason for the choice.
#pragma once

#include <Tomokkos_Types.hpp>

namespace Tomokkos::Impl {

/// Threads in a block of a reduction, a power of two. The tree that adds them has 8 steps.
/// `ReductionWorkspace::max_sums` sums need 16 KiB of scratch, so several teams share a
/// multiprocessor.
inline constexpr int reduction_threads = 256;

/// Distribution of a reduction over the columns of a row-major array on a GPU. `tiles` teams side
/// by side process `width` columns each. `lanes` neighbouring threads (a power of two, at least
/// `width`) process neighbouring columns.
struct ColumnTiles {
  int lanes;
  Offset width, tiles;
};

/// Returns the tiles for \p columns columns whose rows are divided into \p blocks blocks. A tile
/// has 32 columns, one per lane of a warp, if that leaves work for all multiprocessors, otherwise
/// fewer. It has at least 8 columns, whose floats still fill a sector of 32 bytes.
ColumnTiles reduction_tiles(Offset blocks, Offset columns);

}  // namespace Tomokkos::Impl
