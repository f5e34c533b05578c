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
      const Offset block = group_blocks[b], last = A.segment_offsets[block + 1];
      const Scalar* const tile = x + A.first_column(block);
      for (Offset s = A.segment_offsets[block]; s < last; ++s) {
        const TileSpan span = tile_span(A, block, s, last);
        y[span.row] += alpha * product(span, tile);
      }
    }
  }

 private:
  Scalar product(const TileSpan& span, const Scalar* tile) const {
    Scalar sums[tile_pack] = {};
    for (Offset p = span.pack; p + 1 < span.end; ++p) {
      const TilePack<Scalar> pack = A.pack(p);
      for (int c = 0; c < tile_pack; ++c) sums[c] += pack.value[c] * tile[pack.index[c]];
    }
    const TilePack<Scalar> pack = A.pack(span.end - 1);
    for (int c = 0; c < tile_pack; ++c)
      if (pack.index[c] < static_cast<unsigned>(A.tile))
        sums[c] += pack.value[c] * tile[pack.index[c]];
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
    for (Offset block = tile_blocks[t]; block < tile_blocks[t + 1]; ++block) {
      for (int i = 0; i < width; ++i) window[i] = 0;
      const Offset last = A.segment_offsets[block + 1];
      for (Offset s = A.segment_offsets[block]; s < last; ++s) {
        const TileSpan span = tile_span(A, block, s, last);
        const Scalar r = y[span.row];
        for (Offset p = span.pack; p < span.end; ++p) {
          const TilePack<Scalar> pack = A.pack(p);
          for (int c = 0; c < tile_pack; ++c) window[pack.index[c]] += pack.value[c] * r;
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
