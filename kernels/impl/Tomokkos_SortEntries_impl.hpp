// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts the entries of each row by their columns, in place.
#pragma once

#include <algorithm>
#include <impl/Tomokkos_CsrBuild_impl.hpp>
#include <impl/Tomokkos_TransposeDevice_impl.hpp>
#include <utility>
#include <vector>

namespace Tomokkos::Impl {

/// Rows that share one buffer on a host: its growth is then nothing.
inline constexpr Offset host_sort_rows = 64;

/// A block of rows by one host thread.
template <class Scalar, class MemorySpace>
struct SortBlockOfRows {
  CsrArrays<Scalar, MemorySpace> arrays;
  Ordinal num_rows;

  void operator()(const Offset block) const {
    std::vector<std::pair<Ordinal, Scalar>> entries;
    const Offset end_row = std::min<Offset>((block + 1) * host_sort_rows, num_rows);
    for (Offset row = block * host_sort_rows; row < end_row; ++row) {
      const Offset begin = arrays.row_offsets(row), end = arrays.row_offsets(row + 1);
      Ordinal* const columns = arrays.columns.data();
      if (std::is_sorted(columns + begin, columns + end)) continue;
      entries.clear();
      for (Offset k = begin; k < end; ++k) entries.emplace_back(columns[k], arrays.values(k));
      std::sort(entries.begin(), entries.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      for (Offset k = begin; k < end; ++k) {
        columns[k] = entries[static_cast<std::size_t>(k - begin)].first;
        arrays.values(k) = entries[static_cast<std::size_t>(k - begin)].second;
      }
    }
  }
};

/// \brief Rows without duplicates end in the one possible order. On a GPU one fence.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void sort_entries(const ExecutionSpace& exec, const CsrArrays<Scalar, MemorySpace>& arrays,
                  Ordinal num_rows) {
  if constexpr (is_host_space<ExecutionSpace>) {
    const Offset blocks = (num_rows + host_sort_rows - 1) / host_sort_rows;
    Kokkos::parallel_for("Tomokkos::sort_entries::blocks",
                         element_range(exec, static_cast<std::size_t>(blocks)),
                         SortBlockOfRows<Scalar, MemorySpace>{arrays, num_rows});
  } else {
    const auto unsorted = allocate<Kokkos::View<char*, MemorySpace>>(
        exec, "Tomokkos::sort_entries::unsorted", num_rows);
    Ordinal left = 0;
    Kokkos::parallel_reduce("Tomokkos::sort_entries::threads",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, num_rows),
                            SortRowsByThreads<Scalar, MemorySpace>{
                                arrays.row_offsets, arrays.columns, arrays.values, unsorted},
                            Kokkos::Sum<Ordinal>(left));
    fence(exec, "sort_entries: rows left to sort");
    if (left == 0) return;
    using Sort = SortRowsByTeams<ExecutionSpace, Scalar>;
    Kokkos::parallel_for("Tomokkos::sort_entries::teams",
                         typename Sort::Policy(exec, num_rows, Sort::team_size),
                         Sort{arrays.row_offsets, arrays.columns, arrays.values, unsorted});
  }
}

}  // namespace Tomokkos::Impl
