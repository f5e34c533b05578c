// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_LaunchConfig.hpp>
#include <Tomokkos_Reduce.hpp>

namespace Tomokkos {
namespace Impl {

/// Block lengths are multiples of this: 8 lanes times a little unrolling on a host, whole warps on
/// a GPU.
inline constexpr Offset reduction_granularity = 2048;

/// Number of terms per block for a reduction of length n: blocks are few enough for one team to add
/// them up.
inline Offset reduction_block_length(Offset n, int max_blocks) {
  const Offset blocks = max_blocks;
  const Offset shortest = (n + blocks - 1) / blocks;
  const Offset rounded =
      (shortest + reduction_granularity - 1) / reduction_granularity * reduction_granularity;
  return rounded > 0 ? rounded : reduction_granularity;
}

template <int N, class Term>
struct ReduceBlock {
  Term term;
  Offset n;
  Offset block_length;

  /// Sum of block `block` by one thread: 8 running sums, so that additions do not wait for each
  /// other and the loop may be vectorised.
  KOKKOS_FUNCTION Sums<N> serial_sum(Offset block) const {
    constexpr int lanes = 8;
    Sums<N> lane_sums[lanes];
    const Offset begin = block * block_length;
    const Offset end = begin + block_length < n ? begin + block_length : n;
    Offset i = begin;
    for (; i + lanes <= end; i += lanes)
      for (int lane = 0; lane < lanes; ++lane) lane_sums[lane] += term(i + lane);
    for (int lane = 0; i < end; ++i, ++lane) lane_sums[lane] += term(i);
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane) lane_sums[lane] += lane_sums[lane + half];
    return lane_sums[0];
  }
};

/// One block per iteration, for hosts.
template <int N, class MemorySpace, class Term>
struct ReduceBlocksOnHost {
  ReduceBlock<N, Term> blocks;
  Kokkos::View<double*, MemorySpace> partial;

  KOKKOS_FUNCTION void operator()(const Offset block) const {
    const Sums<N> sums = blocks.serial_sum(block);
    for (int m = 0; m < N; ++m) partial(block * N + m) = sums.value[m];
  }
};

/// One block per team, for GPUs: thread t adds the terms t, t + team size, ... and the team adds
/// its threads' sums as a tree in scratch memory, both in a fixed order.
template <int N, class ExecutionSpace, class Term>
struct ReduceBlocksByTeams {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int team_size = reduction_threads;

  ReduceBlock<N, Term> blocks;
  Kokkos::View<double*, MemorySpace> partial;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset block = member.league_rank();
    const Offset begin = block * blocks.block_length;
    const Offset end =
        begin + blocks.block_length < blocks.n ? begin + blocks.block_length : blocks.n;
    Sums<N> sums;
    for (Offset i = begin + member.team_rank(); i < end; i += team_size) sums += blocks.term(i);
    auto* scratch =
        static_cast<Sums<N>*>(member.team_shmem().get_shmem(team_size * sizeof(Sums<N>)));
    scratch[member.team_rank()] = sums;
    member.team_barrier();
    for (int half = team_size / 2; half > 0; half /= 2) {
      if (member.team_rank() < half)
        scratch[member.team_rank()] += scratch[member.team_rank() + half];
      member.team_barrier();
    }
    if (member.team_rank() == 0)
      for (int m = 0; m < N; ++m) partial(block * N + m) = scratch[0].value[m];
  }
};

/// Adds the partial results in the order of their blocks.
template <int N, class MemorySpace>
struct AddPartialSums {
  Kokkos::View<const double*, MemorySpace> partial;

  KOKKOS_FUNCTION Sums<N> operator()(const Offset block) const {
    Sums<N> sums;
    for (int m = 0; m < N; ++m) sums.value[m] = partial(block * N + m);
    return sums;
  }
};

template <int N, class ExecutionSpace, class Term>
void launch_reduction(const ExecutionSpace& exec, const std::string& label, Offset n, Offset blocks,
                      const Term& term, Offset block_length,
                      const Kokkos::View<double*, typename ExecutionSpace::memory_space>& partial) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const ReduceBlock<N, Term> block{term, n, block_length};
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(exec, 0, blocks),
        ReduceBlocksOnHost<N, MemorySpace, Term>{block, partial});
  } else {
    using Functor = ReduceBlocksByTeams<N, ExecutionSpace, Term>;
    typename Functor::Policy policy(exec, static_cast<int>(blocks), Functor::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(Functor::team_size * sizeof(Sums<N>)));
    Kokkos::parallel_for(label, policy, Functor{block, partial});
  }
}

}  // namespace Impl

template <int N, class ExecutionSpace, class Term, class ResultView>
void reduce_to_device(const ExecutionSpace& exec, const std::string& label, Offset n,
                      const Term& term,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const ResultView& result) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Workspace = ReductionWorkspace<MemorySpace>;
  static_assert(N >= 1 && N <= Workspace::max_sums, "too many sums in one pass");
  static_assert(std::is_same_v<typename ResultView::value_type, double>,
                "sums are accumulated and left in double");
  require(workspace.partial().extent(0) > 0,
          "this ReductionWorkspace was made without an execution-space instance and holds no "
          "memory");
  const Offset block_length = Impl::reduction_block_length(n, Workspace::max_blocks);
  const Offset blocks = (n + block_length - 1) / block_length;
  const Kokkos::View<double*, MemorySpace> target(result.data(), N);
  if (blocks <= 1) {
    Impl::launch_reduction<N>(exec, label, n, 1, term, block_length, target);
    return;
  }
  Impl::launch_reduction<N>(exec, label, n, blocks, term, block_length, workspace.partial());
  Impl::launch_reduction<N>(exec, label + "::total", blocks, 1,
                            Impl::AddPartialSums<N, MemorySpace>{workspace.partial()},
                            Impl::reduction_granularity, target);
}

}  // namespace Tomokkos
