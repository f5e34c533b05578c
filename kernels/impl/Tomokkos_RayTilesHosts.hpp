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
      unsigned segment = 0;
      Scalar sums[tile_pack] = {};
      const auto put = [&] {
        const Scalar sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        y[begin + block.rows[segment - 1]] += alpha * sum;
      };
      for (unsigned p = 0; p < block.num_chunks * tile_chunk; ++p) {
        const auto pack = block.pack(p);
        if (pack.begins_segment()) {
          if (segment > 0) put();
          ++segment;
          for (auto& sum : sums) sum = 0;
        }
        if (pack.index(tile_pack - 1) < static_cast<unsigned>(A.tile)) {
          for (int c = 0; c < tile_pack; ++c) sums[c] += block.value(pack, c) * tile[pack.index(c)];
        } else {
          for (int c = 0; c < tile_pack; ++c)
            if (pack.index(c) < static_cast<unsigned>(A.tile))
              sums[c] += block.value(pack, c) * tile[pack.index(c)];
        }
      }
      put();
    }
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
      unsigned segment = 0;
      Scalar r = 0;
      for (unsigned p = 0; p < block.num_chunks * tile_chunk; ++p) {
        const auto pack = block.pack(p);
        if (pack.begins_segment()) r = y[block.first_row + block.rows[segment++]];
        for (int c = 0; c < tile_pack; ++c) window[pack.index(c)] += block.value(pack, c) * r;
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
