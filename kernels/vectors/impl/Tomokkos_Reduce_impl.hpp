// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Reduce.hpp>
#include <Tomokkos_ReductionLaunch.hpp>
#include <algorithm>
#include <impl/Tomokkos_ReduceHost_impl.hpp>
#include <impl/Tomokkos_ReduceTeams_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Block lengths are multiples of this number: 8 lanes with some unrolling on a host, one term per
/// thread of a team on a GPU, where longer chains of additions would increase the latency.
template <class ExecutionSpace>
inline constexpr Offset reduction_granularity =
    is_host_space<ExecutionSpace> ? 2048 : reduction_threads;

/// Returns the number of terms per block for a reduction of length n. There are so few blocks that
/// one team can add them up.
template <class ExecutionSpace>
Offset reduction_block_length(Offset n, int max_blocks) {
  constexpr Offset granularity = reduction_granularity<ExecutionSpace>;
  const Offset blocks = max_blocks;
  const Offset shortest = (n + blocks - 1) / blocks;
  const Offset rounded = (shortest + granularity - 1) / granularity * granularity;
  return rounded > 0 ? rounded : granularity;
}

/// Adapts a term of a vector to an array with one column.
template <int N, class Term>
struct RowTerm {
  Term term;
  KOKKOS_FUNCTION void operator()(const ArrayEntry& entry, Sums<N>& sums) const {
    sums += term(entry.row);
  }
};

/// Launches a reduction on a host, with blocks distributed over the threads. `OneColumn` avoids
/// compiling the kernels for several columns.
template <int N, bool OneColumn, class ExecutionSpace, class Term, class Target>
void launch_host_reduction(const ExecutionSpace& exec, const std::string& label, Offset num_blocks,
                           const ReduceBlock<Term>& blocks, const Target& target) {
  if (OneColumn || blocks.columns == 1) {
    Kokkos::parallel_for(label, element_range(exec, num_blocks),
                         ReduceBlocksOnHost<N, Target>{&blocks, sum_of_block<N, Term>, target});
  } else if constexpr (!OneColumn) {
    const Offset groups = (blocks.columns + host_reduction_columns - 1) / host_reduction_columns;
    Kokkos::parallel_for(label, element_range(exec, num_blocks * groups),
                         ReduceColumnsOnHost<N, Target>{&blocks, ColumnsOfBlock<N, Term>::sum_of,
                                                        target, blocks.columns, groups});
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
          "this reduction workspace was created without an execution-space instance and holds no "
          "memory");
  require(columns <= workspace.columns(), [&] {
    return text("this reduction workspace was created for {} columns, not for {}",
                workspace.columns(), columns);
  });
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
    const auto launch = [&]<bool one_column>(std::bool_constant<one_column>) {
      using Functor = ReduceBlocksByTeams<N, one_column, ExecutionSpace, Target, Term>;
      const ColumnTiles tiles =
          one_column ? ColumnTiles{1, 1, 1} : reduction_tiles(num_blocks, columns);
      typename Functor::Policy policy(exec, static_cast<int>(num_blocks * tiles.tiles),
                                      Functor::team_size);
      policy.set_scratch_size(0, Kokkos::PerTeam(Functor::scratch_bytes()));
      Kokkos::parallel_for(
          label, policy,
          Functor{blocks, target, tiles, num_blocks, workspace.partial(), workspace.arrived()});
    };
    if (OneColumn || columns == 1)
      launch(std::true_type());
    else if constexpr (!OneColumn)
      launch(std::false_type());
  }
}

/// Stores sums in a View; those of successive columns are `stride` apart.
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
