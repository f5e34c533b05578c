// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with ray tiles on hosts. A thread owns the sums it adds to: some rows of a group, or a
// share of a tile. None of this runs on devices, hence no KOKKOS_FUNCTION.
#pragma once

#include <algorithm>
#include <impl/Tomokkos_RayTilesChunks.hpp>
#include <impl/Tomokkos_RayTilesShares.hpp>

namespace Tomokkos::Impl {

/// Computes some rows of a group, tile by tile. The order of the sum of a row does not depend on
/// how the group is cut.
template <class Scalar, StoredPrecision Values>
struct RayTilesHostForward {
  RayTilesStreams<Scalar, Values> A;
  const Offset* group_offsets;
  const Ordinal* group_blocks;
  Offset row_begin, row_end;  // y begins with row_begin
  int parts;                  // into which a group is cut
  Scalar alpha, beta;
  const Scalar* x;
  Scalar* y;

  void operator()(const Offset item) const {
    const Offset group = row_begin / A.group_rows + item / parts;
    const Offset first = std::max(group * A.group_rows, row_begin);
    const Offset count = std::min((group + 1) * A.group_rows, row_end) - first;
    const Offset begin = first + count * (item % parts) / parts;
    const Offset end = first + count * (item % parts + 1) / parts;
    for (Offset i = begin; i < end; ++i) {
      Scalar& to = y[i - row_begin];
      to = beta == Scalar(0) ? Scalar(0) : beta * to;
    }
    if (begin == end) return;
    Scalar tile[largest_tile + 1];
    for (Offset b = group_offsets[group]; b < group_offsets[group + 1]; ++b) {
      const auto block = A.block(group_blocks[b]);
      const BlockPart part = block.part(begin, end);
      const unsigned entries = (part.last_chunk - part.first_chunk) * tile_chunk * tile_pack;
      if (entries == 0) continue;
      const Scalar* const source = x + block.first_column;
      if (entries < copied_tile * static_cast<unsigned>(block.width)) {
        add_rows<false>(block, part, source);
      } else {
        std::copy(source, source + block.width, tile);
        tile[A.tile] = 0;  // multiplies padding
        add_rows<true>(block, part, tile);
      }
    }
  }

 private:
  /// Entries per column of a tile above which copying the tile of x is worthwhile.
  static constexpr unsigned copied_tile = 8;

  /// \tparam padded `tile` has a zero for padding; otherwise padding is skipped
  template <bool padded>
  void add_rows(const TileBlock<Scalar, Values>& block, const BlockPart& part,
                const Scalar* tile) const {
    Scalar* const to = y + (block.first_row - row_begin);
    Scalar sums[tile_pack] = {};
    unsigned open = part.first_segment;
    const auto put = [&] {
      to[block.rows[open]] += alpha * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    };
    for_host_packs(
        block, part, A.tile,
        [&](unsigned segment) {
          if (segment == part.first_segment) return;
          put();
          open = segment;
          for (auto& sum : sums) sum = 0;
        },
        [&](const HostChunk<Scalar, Values>& chunk, unsigned p) {
          if (padded || chunk.index(p, tile_pack - 1) < static_cast<unsigned>(A.tile)) {
            for (int c = 0; c < tile_pack; ++c)
              sums[c] += chunk.value(p, c) * tile[chunk.index(p, c)];
          } else {
            for (int c = 0; c < tile_pack; ++c)
              if (chunk.index(p, c) < static_cast<unsigned>(A.tile))
                sums[c] += chunk.value(p, c) * tile[chunk.index(p, c)];
          }
        });
    put();
  }
};

/// Sums a share of the entries of a tile. Sums of up to 1280 rows use the precision of the vectors;
/// the total uses double.
template <class Scalar, StoredPrecision Values>
struct RayTilesHostBack {
  RayTilesStreams<Scalar, Values> A;
  SharesOfTiles shares;
  Offset row_begin, row_end;  // y begins with row_begin
  Offset column_begin;        // x begins with this column
  Scalar alpha, beta;
  const Scalar* y;
  Scalar* x;

  void operator()(const Offset item) const {
    const Ordinal t = shares.tile_of(item);
    const auto blocks = shares.blocks(t);
    const int share = static_cast<int>(item - shares.begins[t]), count = shares.count(t, blocks);
    if (share >= count) return;
    const Offset first_column = Offset{t} * A.tile;
    const auto width = static_cast<int>(std::min<Offset>(A.tile, A.num_cols - first_column));
    double own[largest_tile];
    double* const total = count > 1 ? shares.window(item) : own;
    std::fill(total, total + width, 0.0);
    add_blocks(shares.cut(blocks, share, count), shares.cut(blocks, share + 1, count), width,
               total);
    if (count > 1) return;
    Scalar* const of_tile = x + (first_column - column_begin);
    for (int i = 0; i < width; ++i) {
      const Scalar product = static_cast<Scalar>(static_cast<double>(alpha) * total[i]);
      Scalar& to = of_tile[i];
      to = beta == Scalar(0) ? product : product + beta * to;
    }
  }

 private:
  void add_blocks(Offset begin, Offset end, int width, double* total) const {
    // Padding adds to the element after the last column.
    Scalar window[largest_tile + 1];
    window[A.tile] = 0;
    unsigned segments = 0;
    const auto empty = [&] {
      for (int i = 0; i < width; ++i) total[i] += static_cast<double>(window[i]);
      segments = 0;
    };
    for (Offset b = begin; b < end; ++b) {
      const auto block = A.block(b);
      const BlockPart part = block.part(row_begin, row_end);
      const unsigned more = part.last_segment - part.first_segment;
      if (more == 0) continue;
      if (segments + more > most_tile_segments) empty();
      if (segments == 0) std::fill(window, window + width, Scalar(0));
      segments += more;
      const Scalar* const of_rows = y + (block.first_row - row_begin);
      Scalar r = 0;
      for_host_packs(
          block, part, A.tile, [&](unsigned segment) { r = of_rows[block.rows[segment]]; },
          [&](const HostChunk<Scalar, Values>& chunk, unsigned p) {
            for (int c = 0; c < tile_pack; ++c) window[chunk.index(p, c)] += chunk.value(p, c) * r;
          });
    }
    if (segments > 0) empty();
  }
};

/// Adds up the shares of tiles that have several, in their order. An item is a piece of a tile.
template <class Scalar>
struct AddTileShares {
  static constexpr int pieces = 4;
  SharesOfTiles shares;
  Ordinal tile, num_cols;
  Offset column_begin;  // x begins with this column
  Scalar alpha, beta;
  Scalar* x;

  void operator()(const Offset item) const {
    const auto t = static_cast<Ordinal>(item / pieces);
    const int count = shares.count(t, shares.blocks(t));
    if (count == 1) return;
    const Offset first_column = Offset{t} * tile;
    const auto width = static_cast<int>(std::min<Offset>(tile, num_cols - first_column));
    const auto piece = static_cast<int>(item % pieces);
    const int begin = width * piece / pieces, end = width * (piece + 1) / pieces;
    double sums[largest_tile / pieces + 1];
    std::fill(sums, sums + (end - begin), 0.0);
    for (int share = 0; share < count; ++share) {
      const double* const window = shares.window(shares.begins[t] + share) + begin;
      for (int i = 0; i < end - begin; ++i) sums[i] += window[i];
    }
    Scalar* const of_tile = x + (first_column - column_begin);
    for (int i = begin; i < end; ++i) {
      const Scalar product = static_cast<Scalar>(static_cast<double>(alpha) * sums[i - begin]);
      Scalar& to = of_tile[i];
      to = beta == Scalar(0) ? product : product + beta * to;
    }
  }
};

}  // namespace Tomokkos::Impl
