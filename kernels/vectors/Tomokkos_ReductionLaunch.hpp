// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a reduction spreads over the threads of a GPU. None of these numbers was measured by itself;
// each says what it was chosen for.
#pragma once

#include <Tomokkos_Types.hpp>

namespace Tomokkos::Impl {

/// Threads of a block of a reduction, a power of two: 8 steps of the tree that adds them, and 16
/// KiB of scratch for `ReductionWorkspace::max_sums` sums, so that several teams share a
/// multiprocessor.
inline constexpr int reduction_threads = 256;

/// How a reduction over the columns of a row-major array spreads over the threads of a GPU: `tiles`
/// teams side by side take `width` columns each, with `lanes` (a power of two, at least `width`)
/// neighbouring threads on neighbouring columns.
struct ColumnTiles {
  int lanes;
  Offset width, tiles;
};

/// The tiles for \p columns columns whose rows are split into \p blocks blocks: 32 columns, a warp,
/// where that leaves work for all multiprocessors; fewer otherwise, but no fewer than 8, whose
/// floats still fill a sector of 32 bytes.
ColumnTiles reduction_tiles(Offset blocks, Offset columns);

}  // namespace Tomokkos::Impl
