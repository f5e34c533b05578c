// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts the entries of each row by their columns, in place.
#pragma once

#include <algorithm>
#include <array>
#include <impl/Tomokkos_CsrBuild_impl.hpp>
#include <impl/Tomokkos_TransposeDevice_impl.hpp>
#include <utility>

namespace Tomokkos::Impl {

/// Rows that share one buffer on a host.
inline constexpr Offset host_sort_rows = 64;

/// Entries of that buffer, on the stack: no allocation that could fail in a parallel region.
inline constexpr Offset host_sort_entries = 2048;

/// \brief Heap sort of columns and values in place: for rows beyond the buffer.
template <class Scalar>
void heap_sort_entries(Ordinal* columns, Scalar* values, Offset count) {
  const auto exchange = [&](Offset a, Offset b) {
    std::swap(columns[a], columns[b]);
    std::swap(values[a], values[b]);
  };
  // Makes a heap of [root, end) whose parts under the root are heaps.
  const auto sift_down = [&](Offset root, Offset end) {
    for (Offset child = 2 * root + 1; child < end; child = 2 * root + 1) {
      if (child + 1 < end && columns[child] < columns[child + 1]) ++child;
      if (!(columns[root] < columns[child])) return;
      exchange(root, child);
      root = child;
    }
  };
  for (Offset root = count / 2; root-- > 0;) sift_down(root, count);
  for (Offset end = count - 1; end > 0; --end) {
    exchange(0, end);
    sift_down(0, end);
  }
}

/// A block of rows by one host thread.
template <class Scalar, class MemorySpace>
struct SortBlockOfRows {
  CsrArrays<Scalar, MemorySpace> arrays;
  Ordinal num_rows;

  void operator()(const Offset block) const {
    std::array<std::pair<Ordinal, Scalar>, host_sort_entries> buffer;
    const Offset end_row = std::min<Offset>((block + 1) * host_sort_rows, num_rows);
    for (Offset row = block * host_sort_rows; row < end_row; ++row) {
      const Offset begin = arrays.row_offsets(row);
      const Offset count = arrays.row_offsets(row + 1) - begin;
      Ordinal* const columns = arrays.columns.data() + begin;
      Scalar* const values = arrays.values.data() + begin;
      if (std::is_sorted(columns, columns + count)) continue;
      if (count > host_sort_entries) {
        heap_sort_entries(columns, values, count);
        continue;
      }
      for (Offset k = 0; k < count; ++k)
        buffer[static_cast<std::size_t>(k)] = {columns[k], values[k]};
      std::sort(buffer.begin(), buffer.begin() + count,
                [](const auto& a, const auto& b) { return a.first < b.first; });
      for (Offset k = 0; k < count; ++k) {
        columns[k] = buffer[static_cast<std::size_t>(k)].first;
        values[k] = buffer[static_cast<std::size_t>(k)].second;
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
