// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over vectors that are distributed over ranks: local sums, one sum over the ranks for
// all of them together, then a function of the sums. Without ranks they equal those in
// Tomokkos_Reduce.hpp.
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_Reduce.hpp>
#include <string>

namespace Tomokkos::Impl {

/// Returns `ranks` if there are several, otherwise null: nothing to sum.
template <class ExecutionSpace>
const Communicator<ExecutionSpace>* several_ranks(const Communicator<ExecutionSpace>* ranks) {
  return ranks != nullptr && ranks->size() > 1 ? ranks : nullptr;
}

/// Returns the host-side ranks of a communicator; null for null.
template <class ExecutionSpace>
const Ranks* hosts_of(const Communicator<ExecutionSpace>* ranks) {
  return ranks != nullptr ? &ranks->ranks() : nullptr;
}

/// Passes the sums of a column to `finish`, as the reduction does without ranks.
template <int N, class MemorySpace, class Finish>
struct FinishRankSums {
  VectorView<const double, MemorySpace> values;
  Finish finish;

  KOKKOS_FUNCTION void operator()(const Offset column) const {
    Sums<N> sums;
    for (int m = 0; m < N; ++m) sums.value[m] = values(column * N + m);
    finish(column, sums);
  }
};

/// Writes sums to their destination; columns are `stride` apart.
template <int N, class MemorySpace>
struct PlaceSums {
  VectorView<double, MemorySpace> result;
  Offset stride;

  KOKKOS_FUNCTION void operator()(const Offset column, const Sums<N>& sums) const {
    for (int m = 0; m < N; ++m) result(column * stride + m) = sums.value[m];
  }
};

/// Equals `reduce_columns_and_finish` over the vectors of all ranks, whose local length is `n`.
/// `ranks` is null if the vectors are not distributed; otherwise it has more than one rank, and
/// `scratch` holds `N columns` values. All ranks get the same sums and call `finish` with them.
template <int N, class ExecutionSpace, class Term, class Finish>
void reduce_over_ranks_and_finish(
    const ExecutionSpace& exec, const Communicator<ExecutionSpace>* ranks, const std::string& label,
    Offset n, Offset columns, const Term& term,
    const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
    const VectorView<double, typename ExecutionSpace::memory_space>& scratch,
    const Finish& finish) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (ranks == nullptr) {
    reduce_columns_and_finish<N>(exec, label, n, columns, term, workspace, finish);
    return;
  }
  require(static_cast<Offset>(scratch.extent(0)) >= N * columns,
          "the scratch memory is too small for sums over ranks");
  const VectorView<double, MemorySpace> sums(scratch.data(), static_cast<std::size_t>(N * columns));
  reduce_columns_to_device<N>(exec, label, n, columns, term, workspace, sums);
  ranks->sum(exec, sums);
  Kokkos::parallel_for(label + "::finish", element_range(exec, static_cast<std::size_t>(columns)),
                       FinishRankSums<N, MemorySpace, Finish>{sums, finish});
}

/// Equals `reduce_columns_to_device` over the vectors of all ranks.
template <int N, class ExecutionSpace, class Term>
void reduce_over_ranks(const ExecutionSpace& exec, const Communicator<ExecutionSpace>* ranks,
                       const std::string& label, Offset n, Offset columns, const Term& term,
                       const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                       const VectorView<double, typename ExecutionSpace::memory_space>& scratch,
                       const VectorView<double, typename ExecutionSpace::memory_space>& result,
                       Offset stride = N) {
  if (ranks == nullptr)
    reduce_columns_to_device<N>(exec, label, n, columns, term, workspace, result, stride);
  else
    reduce_over_ranks_and_finish<N>(
        exec, ranks, label, n, columns, term, workspace, scratch,
        PlaceSums<N, typename ExecutionSpace::memory_space>{result, stride});
}

}  // namespace Tomokkos::Impl
