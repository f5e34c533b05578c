// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of blocks on GPUs, and the sum of these, in one launch.
#pragma once

#include <Tomokkos_ReductionLaunch.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_ReduceBlocks_impl.hpp>

namespace Tomokkos::Impl {

/// Sums one block of a tile of columns per team, for GPUs. The team that finishes last adds the
/// blocks of its tile.
///
/// The order of summation of a column is that of `reduction_threads` virtual threads: thread t adds
/// the terms t, t + `reduction_threads`, ..., and a tree adds their sums. This order depends
/// neither on the number of columns nor on the team that finishes last. The threads of a team are
/// distributed over the columns first, so that they read rows side by side. Each thread then takes
/// the part of `lanes` virtual threads of its column, including their part of the tree.
///
/// \tparam OneColumn true for a vector: saves index arithmetic and registers
template <int N, bool OneColumn, class ExecutionSpace, class Target, class Term>
struct ReduceBlocksByTeams {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int team_size = reduction_threads;

  ReduceBlock<Term> blocks;
  Target target;
  ColumnTiles tiles;
  Offset num_blocks;
  Kokkos::View<double*, MemorySpace> partial;
  /// Number of teams of each tile that have finished; 0 between launches.
  Kokkos::View<unsigned*, MemorySpace> arrived;

  static std::size_t scratch_bytes() { return team_size * sizeof(Sums<N>) + sizeof(double); }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset block = OneColumn ? member.league_rank() : member.league_rank() / tiles.tiles;
    const Offset tile = OneColumn ? 0 : member.league_rank() % tiles.tiles;
    const int lane = member.team_rank() % lanes();
    const Offset column = OneColumn ? 0 : tile * tiles.width + lane;
    const bool works = OneColumn || (lane < tiles.width && column < blocks.columns);
    const bool writes = works && member.team_rank() < lanes();
    auto* const scratch =
        static_cast<Sums<N>*>(member.team_shmem().get_shmem(team_size * sizeof(Sums<N>)));
    auto* const is_last = static_cast<int*>(member.team_shmem().get_shmem(sizeof(double)));
    Sums<N> sums = sum_block(member, blocks, block, column, works, scratch);
    if (num_blocks > 1) {
      if (member.team_rank() < warp_lanes) {
        if (writes)
          for (int m = 0; m < N; ++m)
            partial((block * blocks.columns + column) * N + m) = sums.value[m];
        Kokkos::memory_fence();
        sync_warp();
        if (member.team_rank() == 0)
          *is_last = Kokkos::atomic_fetch_add(&arrived(tile), 1U) + 1 == num_blocks ? 1 : 0;
      }
      member.team_barrier();
      if (*is_last == 0) return;
      if (member.team_rank() == 0) arrived(tile) = 0;
      Kokkos::memory_fence();
      using Total = AddPartialSums<N, MemorySpace>;
      sums = sum_block(member,
                       ReduceBlock<Total>{Total{partial}, num_blocks, num_blocks, blocks.columns},
                       0, column, works, scratch);
    }
    if (writes) target.store(0, column, sums);
  }

 private:
  KOKKOS_FUNCTION int lanes() const { return OneColumn ? 1 : tiles.lanes; }

  template <class Blocks>
  KOKKOS_FUNCTION static Sums<N> sum_of_thread(const Blocks& blocks, Offset block, Offset column,
                                               int thread) {
    Sums<N> sums;
    const Offset end = blocks.end(block);
    Offset i = blocks.begin(block) + thread;
    const auto entry = [&](Offset row) {
      return OneColumn ? ArrayEntry{row, 0, row}
                       : ArrayEntry{row, column, row * blocks.columns + column};
    };
    // Terms that can process several entries read all of them before they write one.
    if constexpr (requires(const ArrayEntry(&entries)[4]) { blocks.term.several(entries, sums); })
      for (; i + 3 * team_size < end; i += 4 * team_size) {
        const ArrayEntry entries[4] = {entry(i), entry(i + team_size), entry(i + 2 * team_size),
                                       entry(i + 3 * team_size)};
        blocks.term.several(entries, sums);
      }
    for (; i < end; i += team_size) blocks.term(entry(i), sums);
    return sums;
  }

  /// Sums the tree over the threads `first`, `first + rows`, `first + 2 rows`, ... Its leaves, read
  /// from left to right, are numbered in bit-reversed order.
  template <class Blocks>
  KOKKOS_FUNCTION Sums<N> sum_of_threads(const Blocks& of, Offset block, Offset column, int first,
                                         int rows) const {
    if constexpr (OneColumn) return sum_of_thread(of, block, column, first);
    Sums<N> left[6];  // sums of subtrees of 1, 2, 4, ... leaves that wait for their right neighbour
    int top = 0;
    for (int leaf = 0; leaf < lanes(); ++leaf) {
      int reversed = 0;
      for (int bit = 1, mirror = lanes() / 2; mirror > 0; bit *= 2, mirror /= 2)
        if ((leaf & bit) != 0) reversed += mirror;
      Sums<N> sums = sum_of_thread(of, block, column, first + rows * reversed);
      for (top = 0; ((leaf >> top) & 1) != 0; ++top) {
        Sums<N> both = left[top];
        both += sums;
        sums = both;
      }
      left[top] = sums;
    }
    return left[top];
  }

  /// Returns the sums of a block, one per column, in the first threads. The upper levels of the
  /// tree are over the warps of the team, the lower levels in the lanes of the first warp. The
  /// other warps may continue.
  template <class Blocks>
  KOKKOS_FUNCTION Sums<N> sum_block(const Member& member, const Blocks& of, Offset block,
                                    Offset column, bool works, Sums<N>* scratch) const {
    constexpr int warps = team_size / warp_lanes;
    const int rank = member.team_rank();
    const int row = rank / lanes();
    const int rows = team_size / lanes();
    scratch[rank] = works ? sum_of_threads(of, block, column, row, rows) : Sums<N>();
    member.team_barrier();
    Sums<N> sums;
    if (rank >= warp_lanes) return sums;
    for (int m = 0; m < N; ++m) {
      double of_warp[warps];
      for (int warp = 0; warp < warps; ++warp)
        of_warp[warp] = scratch[rank + warp * warp_lanes].value[m];
      for (int half = warps / 2; half > 0; half /= 2)
        for (int warp = 0; warp < half; ++warp) of_warp[warp] += of_warp[warp + half];
      sums.value[m] = sum_over_lanes(of_warp[0], lanes(), warp_lanes);
    }
    return sums;
  }
};

}  // namespace Tomokkos::Impl
