// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over vectors that are spread over ranks: local sums, one sum over the ranks of all of
// them together, and what is made of the sums. Without ranks they are what Tomokkos_Reduce.hpp has.
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_Reduce.hpp>
#include <string>

namespace Tomokkos::Impl {

/// The ranks over which there is something to be summed: null where there is only one.
template <class ExecutionSpace>
const Communicator<ExecutionSpace>* several_ranks(const Communicator<ExecutionSpace>* ranks) {
  return ranks != nullptr && ranks->size() > 1 ? ranks : nullptr;
}

/// The hosts of these ranks; null where there are none.
template <class ExecutionSpace>
const Ranks* hosts_of(const Communicator<ExecutionSpace>* ranks) {
  return ranks != nullptr ? &ranks->ranks() : nullptr;
}

/// Hands the sums of a column over, as the reduction would have done.
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

/// Sums to where they belong, those of a column `stride` after those of the one before.
template <int N, class MemorySpace>
struct PlaceSums {
  VectorView<double, MemorySpace> result;
  Offset stride;

  KOKKOS_FUNCTION void operator()(const Offset column, const Sums<N>& sums) const {
    for (int m = 0; m < N; ++m) result(column * stride + m) = sums.value[m];
  }
};

/// `reduce_columns_and_finish` over the vectors of all ranks, whose local length is `n`. `ranks` is
/// null where the vectors are not spread, and of more than one rank otherwise; `scratch` then holds
/// `N columns` values. All ranks get the same sums, and call `finish` with them.
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
          "sums over ranks have no memory to be formed in");
  const VectorView<double, MemorySpace> sums(scratch.data(), static_cast<std::size_t>(N * columns));
  reduce_columns_to_device<N>(exec, label, n, columns, term, workspace, sums);
  ranks->sum(exec, sums);
  Kokkos::parallel_for(label + "::finish", element_range(exec, static_cast<std::size_t>(columns)),
                       FinishRankSums<N, MemorySpace, Finish>{sums, finish});
}

/// `reduce_columns_to_device`, likewise.
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
