// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_LaunchConfig.hpp>
#include <Tomokkos_Reduce.hpp>
#include <algorithm>

namespace Tomokkos {
namespace Impl {

/// Block lengths are multiples of this: 8 lanes times a little unrolling on a host, a term for each
/// thread of a team on a GPU, where more would wait for each other.
template <class ExecutionSpace>
inline constexpr Offset reduction_granularity =
    is_host_space<ExecutionSpace> ? 2048 : reduction_threads;

/// Number of terms per block for a reduction of length n: blocks are few enough for one team to add
/// them up.
template <class ExecutionSpace>
Offset reduction_block_length(Offset n, int max_blocks) {
  constexpr Offset granularity = reduction_granularity<ExecutionSpace>;
  const Offset blocks = max_blocks;
  const Offset shortest = (n + blocks - 1) / blocks;
  const Offset rounded = (shortest + granularity - 1) / granularity * granularity;
  return rounded > 0 ? rounded : granularity;
}

/// Where the sums of a column of a block go: `values(block * block_stride + column *
/// column_stride)` and after.
template <class MemorySpace>
struct SumsTarget {
  Kokkos::View<double*, MemorySpace> values;
  Offset block_stride, column_stride;

  template <int N>
  KOKKOS_FUNCTION void store(Offset block, Offset column, const Sums<N>& sums) const {
    const Offset at = block * block_stride + column * column_stride;
    for (int m = 0; m < N; ++m) values(at + m) = sums.value[m];
  }
};

/// The sums of a column to a functor, by the thread that has them.
template <class Finish>
struct FinishTarget {
  Finish finish;

  template <int N>
  KOKKOS_FUNCTION void store(Offset, Offset column, const Sums<N>& sums) const {
    finish(column, sums);
  }
};

template <class Term>
struct ReduceBlock {
  Term term;
  Offset n;
  Offset block_length;
  Offset columns;

  KOKKOS_FUNCTION Offset begin(Offset block) const { return block * block_length; }
  KOKKOS_FUNCTION Offset end(Offset block) const {
    const Offset last = (block + 1) * block_length;
    return last < n ? last : n;
  }
};

/// Running sums of a thread of a host, so that additions do not wait for each other.
inline constexpr int host_reduction_lanes = 8;

/// Adds the lanes' sums as a tree; `lane_sums[l][...]` are those of the terms l, l + 8, ...
template <int N>
KOKKOS_FUNCTION inline void add_lanes(Sums<N>* lane_sums) {
  for (int half = host_reduction_lanes / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) lane_sums[lane] += lane_sums[lane + half];
}

/// One block of a vector per iteration, for hosts.
template <int N, class Target, class Term>
struct ReduceBlocksOnHost {
  ReduceBlock<Term> blocks;
  Target target;

  KOKKOS_FUNCTION void operator()(const Offset block) const {
    constexpr int lanes = host_reduction_lanes;
    Sums<N> lane_sums[lanes];
    const Offset end = blocks.end(block);
    Offset i = blocks.begin(block);
    for (; i + lanes <= end; i += lanes)
      for (int lane = 0; lane < lanes; ++lane)
        blocks.term(ArrayEntry{i + lane, 0, i + lane}, lane_sums[lane]);
    for (int lane = 0; i < end; ++i, ++lane) blocks.term(ArrayEntry{i, 0, i}, lane_sums[lane]);
    add_lanes(lane_sums);
    target.store(block, 0, lane_sums[0]);
  }
};

/// One block of up to `group` columns per iteration, for hosts: whole rows are read, the sums lie
/// in the first cache, and the loop over columns may be vectorised.
template <int N, class Target, class Term>
struct ReduceColumnsOnHost {
  static constexpr int lanes = host_reduction_lanes;
  static constexpr int group = 64;

  ReduceBlock<Term> blocks;
  Target target;
  Offset groups;

  KOKKOS_FUNCTION void add(const ArrayEntry& entry, int c, double (&sums)[N][group]) const {
    Sums<N> running;
    for (int m = 0; m < N; ++m) running.value[m] = sums[m][c];
    blocks.term(entry, running);
    for (int m = 0; m < N; ++m) sums[m][c] = running.value[m];
  }

  KOKKOS_FUNCTION void add_row(Offset row, Offset first, int width,
                               double (&sums)[N][group]) const {
    constexpr int unrolled = 8;
    const Offset at = row * blocks.columns + first;
    int c = 0;
    for (; c + unrolled <= width; c += unrolled)
      for (int q = 0; q < unrolled; ++q) add({row, first + c + q, at + c + q}, c + q, sums);
    for (; c < width; ++c) add({row, first + c, at + c}, c, sums);
  }

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset block = index / groups;
    const Offset first = index % groups * group;
    const Offset rest = blocks.columns - first;
    const int width = rest < group ? static_cast<int>(rest) : group;
    double sums[lanes][N][group];
    for (int lane = 0; lane < lanes; ++lane)
      for (int m = 0; m < N; ++m)
        for (int c = 0; c < width; ++c) sums[lane][m][c] = 0;
    const Offset end = blocks.end(block);
    Offset i = blocks.begin(block);
    for (; i + lanes <= end; i += lanes)
      for (int lane = 0; lane < lanes; ++lane) add_row(i + lane, first, width, sums[lane]);
    for (int lane = 0; i < end; ++i, ++lane) add_row(i, first, width, sums[lane]);
    for (int c = 0; c < width; ++c) {
      Sums<N> lane_sums[lanes];
      for (int lane = 0; lane < lanes; ++lane)
        for (int m = 0; m < N; ++m) lane_sums[lane].value[m] = sums[lane][m][c];
      add_lanes(lane_sums);
      target.store(block, first + c, lane_sums[0]);
    }
  }
};

/// Adds the partial results in the order of their blocks.
template <int N, class MemorySpace>
struct AddPartialSums {
  Kokkos::View<const double*, MemorySpace> partial;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& block, Sums<N>& sums) const {
    // On a GPU they come from other teams of the same launch: past the first cache.
    const volatile double* const values = partial.data() + block.at * N;
    for (int m = 0; m < N; ++m) sums.value[m] += values[m];
  }
};

/// One block of a tile of columns per team, for GPUs; the team that comes last adds the blocks of
/// its tile. A column is summed as if by `reduction_threads` threads, of which number t adds the
/// terms t, t + `reduction_threads`, ..., and a tree adds their sums: an order that does not depend
/// on the number of columns, nor on which team comes last. The threads of a team lie over the
/// columns first, so that they read rows side by side; each then stands for `lanes` of those
/// threads of its column, and does their part of the tree.
template <int N, class ExecutionSpace, class Target, class Term>
struct ReduceBlocksByTeams {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int team_size = reduction_threads;
  static constexpr int max_lanes = 32;

  ReduceBlock<Term> blocks;
  Target target;
  ColumnTiles tiles;
  Offset num_blocks;
  Kokkos::View<double*, MemorySpace> partial;
  /// Teams of each tile that have come; 0 between launches.
  Kokkos::View<unsigned*, MemorySpace> arrived;

  static std::size_t scratch_bytes() { return team_size * sizeof(Sums<N>) + sizeof(double); }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset block = member.league_rank() / tiles.tiles;
    const Offset tile = member.league_rank() % tiles.tiles;
    const int lane = member.team_rank() % tiles.lanes;
    const Offset column = tile * tiles.width + lane;
    const bool works = lane < tiles.width && column < blocks.columns;
    const bool writes = works && member.team_rank() < tiles.lanes;
    auto* const scratch =
        static_cast<Sums<N>*>(member.team_shmem().get_shmem(team_size * sizeof(Sums<N>)));
    auto* const is_last = static_cast<int*>(member.team_shmem().get_shmem(sizeof(double)));
    sum_block(member, blocks, block, column, works, scratch);
    const Sums<N> sums = scratch[member.team_rank()];
    if (num_blocks > 1) {
      if (writes)
        for (int m = 0; m < N; ++m)
          partial((block * blocks.columns + column) * N + m) = sums.value[m];
      Kokkos::memory_fence();
      member.team_barrier();
      if (member.team_rank() == 0)
        *is_last = Kokkos::atomic_fetch_add(&arrived(tile), 1U) + 1 == num_blocks ? 1 : 0;
      member.team_barrier();
      if (*is_last == 0) return;
      if (member.team_rank() == 0) arrived(tile) = 0;
      Kokkos::memory_fence();
      using Total = AddPartialSums<N, MemorySpace>;
      sum_block(member, ReduceBlock<Total>{Total{partial}, num_blocks, num_blocks, blocks.columns},
                0, column, works, scratch);
    }
    if (writes) target.store(0, column, scratch[member.team_rank()]);
  }

 private:
  template <class Blocks>
  KOKKOS_FUNCTION static Sums<N> sum_of_thread(const Blocks& blocks, Offset block, Offset column,
                                               int thread) {
    Sums<N> sums;
    const Offset end = blocks.end(block);
    Offset i = blocks.begin(block) + thread;
    const auto entry = [&](Offset row) {
      return ArrayEntry{row, column, row * blocks.columns + column};
    };
    // Terms that can take several entries read all of them before they write one.
    if constexpr (requires(const ArrayEntry(&entries)[4]) { blocks.term.several(entries, sums); })
      for (; i + 3 * team_size < end; i += 4 * team_size) {
        const ArrayEntry entries[4] = {entry(i), entry(i + team_size), entry(i + 2 * team_size),
                                       entry(i + 3 * team_size)};
        blocks.term.several(entries, sums);
      }
    for (; i < end; i += team_size) blocks.term(entry(i), sums);
    return sums;
  }

  /// The tree over the threads `first`, `first + rows`, `first + 2 rows`, ...: its leaves, read
  /// from left to right, have the reversed bits of their number.
  template <class Blocks>
  KOKKOS_FUNCTION Sums<N> sum_of_threads(const Blocks& of, Offset block, Offset column, int first,
                                         int rows) const {
    Sums<N> left[6];  // of subtrees of 1, 2, 4, ... leaves that wait for their right neighbour
    int top = 0;
    for (int leaf = 0; leaf < tiles.lanes; ++leaf) {
      int reversed = 0;
      for (int bit = 1, mirror = tiles.lanes / 2; mirror > 0; bit *= 2, mirror /= 2)
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

  /// Leaves the sums of a block in the scratch memory of the first threads, one per column.
  template <class Blocks>
  KOKKOS_FUNCTION void sum_block(const Member& member, const Blocks& of, Offset block,
                                 Offset column, bool works, Sums<N>* scratch) const {
    const int rank = member.team_rank();
    const int row = rank / tiles.lanes;
    const int rows = team_size / tiles.lanes;
    scratch[rank] = works ? sum_of_threads(of, block, column, row, rows) : Sums<N>();
    member.team_barrier();
    for (int half = rows / 2; half > 0; half /= 2) {
      if (row < half) scratch[rank] += scratch[rank + half * tiles.lanes];
      member.team_barrier();
    }
  }
};

/// A term of a vector as one of an array with one column.
template <int N, class Term>
struct RowTerm {
  Term term;
  KOKKOS_FUNCTION void operator()(const ArrayEntry& entry, Sums<N>& sums) const {
    sums += term(entry.row);
  }
};

/// On a host: blocks by the threads. `OneColumn` spares the compiler the kernels for several
/// columns.
template <int N, bool OneColumn, class ExecutionSpace, class Term, class Target>
void launch_host_reduction(const ExecutionSpace& exec, const std::string& label, Offset num_blocks,
                           const ReduceBlock<Term>& blocks, const Target& target) {
  if (OneColumn || blocks.columns == 1) {
    Kokkos::parallel_for(label, element_range(exec, num_blocks),
                         ReduceBlocksOnHost<N, Target, Term>{blocks, target});
  } else if constexpr (!OneColumn) {
    using Functor = ReduceColumnsOnHost<N, Target, Term>;
    const Offset groups = (blocks.columns + Functor::group - 1) / Functor::group;
    Kokkos::parallel_for(label, element_range(exec, num_blocks * groups),
                         Functor{blocks, target, groups});
  }
}

template <int N, bool OneColumn, class ExecutionSpace, class Term, class Target>
void reduce_columns(const ExecutionSpace& exec, const std::string& label, Offset n, Offset columns,
                    const Term& term,
                    const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                    const Target& target) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Workspace = ReductionWorkspace<MemorySpace>;
  static_assert(N >= 1 && N <= Workspace::max_sums, "too many sums in one pass");
  require(workspace.partial().extent(0) > 0,
          "this ReductionWorkspace was made without an execution-space instance and holds no "
          "memory");
  require(columns <= workspace.columns(), "this ReductionWorkspace was made for " +
                                              std::to_string(workspace.columns()) +
                                              " columns, not for " + std::to_string(columns));
  if (columns == 0) return;
  const Offset block_length = reduction_block_length<ExecutionSpace>(n, Workspace::max_blocks);
  const Offset num_blocks = std::max<Offset>(1, (n + block_length - 1) / block_length);
  const ReduceBlock<Term> blocks{term, n, block_length, columns};
  if constexpr (is_host_space<ExecutionSpace>) {
    if (num_blocks == 1) {
      launch_host_reduction<N, OneColumn>(exec, label, 1, blocks, target);
      return;
    }
    launch_host_reduction<N, OneColumn>(
        exec, label, num_blocks, blocks,
        SumsTarget<MemorySpace>{workspace.partial(), columns * N, N});
    using Total = AddPartialSums<N, MemorySpace>;
    launch_host_reduction<N, OneColumn>(
        exec, label + "::total", 1,
        ReduceBlock<Total>{Total{workspace.partial()}, num_blocks, num_blocks, columns}, target);
  } else {
    using Functor = ReduceBlocksByTeams<N, ExecutionSpace, Target, Term>;
    const ColumnTiles tiles = reduction_tiles(num_blocks, columns);
    typename Functor::Policy policy(exec, static_cast<int>(num_blocks * tiles.tiles),
                                    Functor::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(Functor::scratch_bytes()));
    Kokkos::parallel_for(
        label, policy,
        Functor{blocks, target, tiles, num_blocks, workspace.partial(), workspace.arrived()});
  }
}

/// Sums into a view, those of a column `stride` after those of the one before.
template <int N, class ResultView>
auto sums_target(const ResultView& result, Offset columns, Offset stride) {
  static_assert(std::is_same_v<typename ResultView::value_type, double>,
                "sums are accumulated and left in double");
  using MemorySpace = typename ResultView::memory_space;
  const Offset length = columns > 0 ? (columns - 1) * stride + N : 0;
  return SumsTarget<MemorySpace>{
      Kokkos::View<double*, MemorySpace>(result.data(), static_cast<std::size_t>(length)), 0,
      stride};
}

}  // namespace Impl

template <int N, class ExecutionSpace, class Term, class ResultView>
void reduce_to_device(const ExecutionSpace& exec, const std::string& label, Offset n,
                      const Term& term,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const ResultView& result) {
  Impl::reduce_columns<N, true>(exec, label, n, 1, Impl::RowTerm<N, Term>{term}, workspace,
                                Impl::sums_target<N>(result, 1, N));
}

template <int N, class ExecutionSpace, class Term, class ResultView>
void reduce_columns_to_device(
    const ExecutionSpace& exec, const std::string& label, Offset n, Offset columns,
    const Term& term, const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
    const ResultView& result, Offset stride) {
  Impl::reduce_columns<N, false>(exec, label, n, columns, term, workspace,
                                 Impl::sums_target<N>(result, columns, stride));
}

template <int N, class ExecutionSpace, class Term, class Finish>
void reduce_columns_and_finish(
    const ExecutionSpace& exec, const std::string& label, Offset n, Offset columns,
    const Term& term, const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
    const Finish& finish) {
  Impl::reduce_columns<N, false>(exec, label, n, columns, term, workspace,
                                 Impl::FinishTarget<Finish>{finish});
}

}  // namespace Tomokkos
