// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations over ordered subsets: the part that all solvers with subsets share.
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_SliceKernels.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <string>

namespace Tomokkos::Impl {

/// Sums of the squared change from `before` and of the squared values.
template <class Scalar, class MemorySpace>
struct SubsetChange {
  VectorView<const Scalar, MemorySpace> x, before;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<2>& sums) const {
    const double after = static_cast<double>(x(e.at));
    add_squares(after - static_cast<double>(before(e.at)), after, sums);
  }
};

/// Rows `rows` of a row-major array with `columns` columns; an empty array stays empty.
template <class View>
auto rows_of(const View& values, RowRange rows, Ordinal columns) {
  using Rows = VectorView<typename View::value_type, typename View::memory_space>;
  if (values.extent(0) == 0) return Rows();
  return Rows(values.data() + Offset{rows.begin} * columns,
              static_cast<std::size_t>(rows.end - rows.begin) * static_cast<std::size_t>(columns));
}

/// Throws unless A can be restricted to the subsets.
template <class ExecutionSpace, class Scalar>
void require_ranges(const AnyOperator<ExecutionSpace, Scalar>& A, const RowSubsets& subsets) {
  require(subsets.count() == 1 || A.supports_ranges(),
          std::to_string(subsets.count()) +
              " ordered subsets need an operator whose products can be restricted to a range of "
              "rows");
}

/// Returns 1 for every subset that has rows on some rank: all ranks take part in its update.
template <class ExecutionSpace>
std::vector<char> visited_subsets(const Communicator<ExecutionSpace>* ranks,
                                  const RowSubsets& subsets, Ordinal num_rows) {
  std::vector<double> rows;
  for (int i = 0; i < subsets.count(); ++i) rows.push_back(subsets[i].size(num_rows));
  add_up(ranks, rows);
  std::vector<char> visited;
  for (const double count : rows) visited.push_back(count > 0 ? 1 : 0);
  return visited;
}

/// Runs the iterations: `measure(k)` computes the record of iterate k except the change, `visit(i)`
/// updates x by subset i. An iterate is measured only when the host checks, because this needs an
/// additional product. The bits of x do not depend on the checks.
template <class ExecutionSpace, class Scalar, class Measure, class Visit>
void iterate_subsets(const ExecutionSpace& exec, SolveLoop<ExecutionSpace, Scalar>& loop,
                     IterationLog<ExecutionSpace>& log, const RowSubsets& subsets,
                     const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X,
                     const VectorView<Scalar, typename ExecutionSpace::memory_space>& before,
                     const ReductionWorkspace<typename ExecutionSpace::memory_space>& reduction,
                     const Measure& measure, const Visit& visit) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const VectorView<Scalar, MemorySpace> x = as_vector(X);
  loop.measure_at_checks_only();
  for (int k = loop.first();; ++k) {
    if (loop.measures(k)) measure(k);
    if (loop.check_iterate(exec, k, X)) return;
    const bool compares = loop.is_check_due(k + 1);
    if (compares) Kokkos::deep_copy(exec, before, x);
    for (int i = 0; i < subsets.count(); ++i) visit(i);
    if (compares)
      reduce_columns_to_device<2>(
          exec, "Tomokkos::subsets::change", static_cast<Offset>(X.extent(0)),
          static_cast<Offset>(X.extent(1)), SubsetChange<Scalar, MemorySpace>{x, before}, reduction,
          log.slot(k + 1, RecordField::change_squared), log.stride);
  }
}

}  // namespace Tomokkos::Impl
