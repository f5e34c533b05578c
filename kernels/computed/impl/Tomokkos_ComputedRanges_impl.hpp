// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of rows, groups of vectors and checks that all products with computed entries share.
#pragma once

#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ComputedProjection.hpp>
#include <algorithm>
#include <impl/Tomokkos_ComputedRays_impl.hpp>
#include <type_traits>

namespace Tomokkos::Impl {

/// Returns the runs that have rows of a range, out of \p runs, which are in order.
inline RunRange runs_of(const std::vector<ViewRows>& runs, RowRange rows) {
  if (rows.begin == rows.end) return {0, 0};
  const auto begin = runs.begin(), end = runs.end();
  const auto first =
      std::partition_point(begin, end, [&](const ViewRows& run) { return run.end <= rows.begin; });
  const auto last =
      std::partition_point(first, end, [&](const ViewRows& run) { return run.begin < rows.end; });
  return {static_cast<Ordinal>(first - begin), static_cast<Ordinal>(last - begin)};
}

template <class MemorySpace>
RunRange runs_of(const ComputedProjection<MemorySpace>& A, RowRange rows) {
  return runs_of(A.runs_on_host, rows);
}

/// Calls action(integral constant, first vector) for groups of eight, four, two and one vectors.
template <class Action>
void for_groups_of_vectors(Ordinal vectors, const Action& action) {
  Ordinal first = 0;
  const auto take = [&](auto count) {
    for (; vectors - first >= count(); first += count()) action(count, first);
  };
  take(std::integral_constant<int, 8>());
  take(std::integral_constant<int, 4>());
  take(std::integral_constant<int, 2>());
  take(std::integral_constant<int, 1>());
}

template <class ExecutionSpace>
auto ordinals(const ExecutionSpace& exec, Ordinal count) {
  return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, count);
}

/// Checks `Y = A(rows, :) X` and returns the rows, resolved.
template <class MemorySpace, class In, class Out>
RowRange checked_product(const ComputedProjection<MemorySpace>& A, const In& X, const Out& Y,
                         RowRange rows) {
  rows = checked_range(rows, A.num_rows, "rows");
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "columns of A", A.num_cols);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), rows_in(rows, A.num_rows),
                rows.end - rows.begin);
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  return rows;
}

/// Checks `Y = A(rows, :)^T X` and returns the rows, resolved.
template <class MemorySpace, class In, class Out>
RowRange checked_transposed_product(const ComputedProjection<MemorySpace>& A, const In& X,
                                    const Out& Y, RowRange rows) {
  rows = checked_range(rows, A.num_rows, "rows");
  require_equal("rows of X", static_cast<long long>(X.extent(0)), rows_in(rows, A.num_rows),
                rows.end - rows.begin);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "columns of A", A.num_cols);
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  return rows;
}

}  // namespace Tomokkos::Impl
