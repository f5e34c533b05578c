// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant `merge_path` on a GPU for rows that are short on average. A team reads the entries of its
// tile side by side, whatever rows they belong to, and puts their products with x into scratch
// memory. Its threads then sum the pieces of rows from there. Every tile has the same cost, however
// unequal its rows are.
#pragma once

#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <impl/Tomokkos_SpmvMergePath_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Processes a tile with a team of whole warps whose members have one lane each.
///
/// \tparam teams minimum number of teams that share a multiprocessor
template <class ExecutionSpace, class Scalar, int teams>
struct SpmvMergeProducts {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy =
      Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<merge_product_threads, teams>>;
  using Member = typename Policy::member_type;

  MergePathData<Scalar, MemorySpace> data;

  /// Part of a row, with the positions of its entries in scratch memory.
  struct Piece {
    int row = 0, begin = 0, end = 0;
  };

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const MergePathTile tile = data.tile(member.league_rank());
    // The first pack may begin before the tile.
    const Offset start = tile.begin / pack_size * pack_size;
    auto* const products = static_cast<Scalar*>(member.team_shmem().get_shmem_aligned(
        static_cast<std::size_t>(data.items_per_tile + pack_size) * sizeof(Scalar), 16));
    const int pieces = tile.last_row - tile.first_row + 1;
    const int lanes = lanes_of_piece(pieces);
    const int groups = merge_product_threads / lanes;
    const int lane = member.team_rank() % lanes;
    const int first = member.team_rank() / lanes;
    // Start these loads before those of the entries: they take equally long.
    Piece piece = piece_of(tile, start, first, pieces);
    multiply(member, start, static_cast<int>(tile.end - start), products);
    member.team_barrier();
    // All threads run the same number of rounds, because the lanes of a warp exchange values.
    for (int round = 0; round * groups < pieces; ++round) {
      if (round > 0) piece = piece_of(tile, start, first + round * groups, pieces);
      const bool there = first + round * groups < pieces;
      const bool is_long = piece.end - piece.begin > longest_of_lane * lanes;
      const Scalar sum =
          is_long ? Scalar(0) : strided_sum(products, piece.begin + lane, piece.end, lanes);
      const Scalar total = sum_over_lanes(sum, 1, lanes);
      if (there && !is_long && lane == 0) data.finish(tile, member.league_rank(), piece.row, total);
      sum_long_pieces(member, tile, piece, is_long && lane == 0, products);
    }
  }

 private:
  /// Maximum number of entries that a thread sums alone. Warps sum longer pieces.
  static constexpr int longest_of_lane = 64;

  /// Returns the number of lanes that share a piece, chosen so that the threads run a few rounds.
  /// Measured on an H200 with R-MAT: 4 lanes for 31 pieces are 2 % faster than 8.
  KOKKOS_FORCEINLINE_FUNCTION static int lanes_of_piece(int pieces) {
    int lanes = 1;
    while (lanes < warp_lanes && 4 * lanes * pieces <= merge_product_threads) lanes *= 2;
    return lanes;
  }

  KOKKOS_FORCEINLINE_FUNCTION Piece piece_of(const MergePathTile& tile, Offset start, int index,
                                             int pieces) const {
    Piece piece;
    if (index < pieces) {
      Offset begin, end;
      piece.row = tile.first_row + index;
      tile.piece(data.row_offsets, piece.row, begin, end);
      piece.begin = static_cast<int>(begin - start);
      piece.end = static_cast<int>(end - start);
    }
    return piece;
  }

  /// Stores the products of \p count entries from \p start on.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Member& member, Offset start, int count,
                                            Scalar* products) const {
    const Ordinal* const columns = data.A.columns + start;
    const Scalar* const values = data.A.values + start;
    const Scalar* const x = data.A.x - data.A.column_shift;
    const int packs = data.A.aligned ? count / pack_size : 0;
    for (int p = member.team_rank(); p < packs; p += member.team_size()) {
      const Pack<Ordinal> column = load_streamed(columns + p * pack_size);
      const Pack<Scalar> value = load_streamed(values + p * pack_size);
      Pack<Scalar> product;
      for (int i = 0; i < pack_size; ++i) product.value[i] = load_gathered(x + column.value[i]);
      for (int i = 0; i < pack_size; ++i) product.value[i] *= value.value[i];
      reinterpret_cast<Pack<Scalar>*>(products)[p] = product;
    }
    for (int k = packs * pack_size + member.team_rank(); k < count; k += member.team_size())
      products[k] =
          load_streamed_entry(values + k) * load_gathered(x + load_streamed_entry(columns + k));
  }

  KOKKOS_FORCEINLINE_FUNCTION static Scalar strided_sum(const Scalar* products, int k, int end,
                                                        int stride) {
    Scalar even = 0, odd = 0;
    for (; k + stride < end; k += 2 * stride) {
      even += products[k];
      odd += products[k + stride];
    }
    return k < end ? even + products[k] + odd : even + odd;
  }

  /// Sums the long pieces of the threads of a warp, one after another, with the whole warp.
  KOKKOS_FORCEINLINE_FUNCTION void sum_long_pieces(const Member& member, const MergePathTile& tile,
                                                   const Piece& mine, bool have_one,
                                                   const Scalar* products) const {
    const int lane = member.team_rank() % warp_lanes;
    for (unsigned holders = warp_ballot(have_one); holders != 0; holders &= holders - 1) {
      const int holder = lowest_lane(holders);
      Piece piece;
      piece.row = value_of_lane(mine.row, holder, warp_lanes);
      piece.begin = value_of_lane(mine.begin, holder, warp_lanes);
      piece.end = value_of_lane(mine.end, holder, warp_lanes);
      const Scalar sum = strided_sum(products, piece.begin + lane, piece.end, warp_lanes);
      const Scalar total = sum_over_lanes(sum, 1, warp_lanes);
      if (lane == 0) data.finish(tile, member.league_rank(), piece.row, total);
    }
  }
};

template <class ExecutionSpace, class Scalar>
void launch_spmv_merge_products(
    const ExecutionSpace& exec,
    const MergePathData<Scalar, typename ExecutionSpace::memory_space>& data) {
  const auto launch = [&](const auto& functor) {
    typename std::decay_t<decltype(functor)>::Policy policy(exec, static_cast<int>(data.num_tiles),
                                                            merge_product_threads);
    policy.set_scratch_size(
        0, Kokkos::PerTeam(merge_product_scratch_bytes(data.items_per_tile, sizeof(Scalar))));
    Kokkos::parallel_for("Tomokkos::spmv::csr::merge_path", policy, functor);
    add_carries(exec, data);
  };
  if (merge_product_teams_fit(device_traits(exec), sizeof(Scalar)))
    launch(SpmvMergeProducts<ExecutionSpace, Scalar, merge_product_teams>{data});
  else  // a GPU with less scratch memory
    launch(SpmvMergeProducts<ExecutionSpace, Scalar, 1>{data});
}

}  // namespace Tomokkos::Impl
