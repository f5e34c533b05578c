// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with ray tiles on hosts: a thread owns what it adds to.
#pragma once

#include <impl/Tomokkos_RayTilesStreams.hpp>

namespace Tomokkos::Impl {

/// The rows of a group, tile by tile.
template <class Scalar, TileValues Values>
struct RayTilesHostForward {
  RayTilesStreams<Scalar, Values> A;
  const Offset* group_offsets;
  const Ordinal* group_blocks;
  Offset num_rows;
  Scalar alpha, beta;
  const Scalar* x;
  Scalar* y;

  void operator()(const Offset group) const {
    const Offset begin = group * A.group_rows;
    const Offset end = begin + A.group_rows < num_rows ? begin + A.group_rows : num_rows;
    for (Offset i = begin; i < end; ++i) y[i] = beta == Scalar(0) ? Scalar(0) : beta * y[i];
    for (Offset b = group_offsets[group]; b < group_offsets[group + 1]; ++b) {
      const auto block = A.block(group_blocks[b]);
      const Scalar* const tile = x + block.first_column;
      for (unsigned s = 0; s < block.num_segments; ++s) {
        const TileSegment segment = block.segments[s];
        y[begin + segment.row] += alpha * product(block, segment.pack, block.end_of(s), tile);
      }
    }
  }

 private:
  static Scalar product(const TileBlock<Scalar, Values>& block, unsigned begin, unsigned end,
                        const Scalar* tile) {
    Scalar sums[tile_pack] = {};
    for (unsigned p = begin; p + 1 < end; ++p) {
      const auto pack = block.pack(p);
      for (int c = 0; c < tile_pack; ++c) sums[c] += block.value(pack, c) * tile[pack.index(c)];
    }
    const auto pack = block.pack(end - 1);
    for (int c = 0; c < tile_pack; ++c)
      if (pack.index(c) < static_cast<unsigned>(block.width))
        sums[c] += block.value(pack, c) * tile[pack.index(c)];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
};

/// The columns of a tile, group by group: sums of a group in the precision of the vectors, those of
/// all groups in double.
template <class Scalar, TileValues Values>
struct RayTilesHostBack {
  RayTilesStreams<Scalar, Values> A;
  const Offset* tile_blocks;
  Scalar alpha, beta;
  const Scalar* y;
  Scalar* x;

  void operator()(const Offset t) const {
    const Offset first = t * A.tile;
    const Offset end = first + A.tile < A.num_cols ? first + A.tile : Offset{A.num_cols};
    double total[largest_tile] = {};
    // What fills up a pack lands behind the columns.
    Scalar window[largest_tile + 1];
    const auto width = static_cast<int>(end - first);
    for (Offset b = tile_blocks[t]; b < tile_blocks[t + 1]; ++b) {
      const auto block = A.block(b);
      for (int i = 0; i < width; ++i) window[i] = 0;
      for (unsigned s = 0; s < block.num_segments; ++s) {
        const TileSegment segment = block.segments[s];
        const Scalar r = y[block.first_row + segment.row];
        const unsigned last = block.end_of(s);
        for (unsigned p = segment.pack; p < last; ++p) {
          const auto pack = block.pack(p);
          for (int c = 0; c < tile_pack; ++c) window[pack.index(c)] += block.value(pack, c) * r;
        }
      }
      for (int i = 0; i < width; ++i) total[i] += static_cast<double>(window[i]);
    }
    for (int i = 0; i < width; ++i) {
      const Scalar product = static_cast<Scalar>(static_cast<double>(alpha) * total[i]);
      x[first + i] = beta == Scalar(0) ? product : product + beta * x[first + i];
    }
  }
};

}  // namespace Tomokkos::Impl
