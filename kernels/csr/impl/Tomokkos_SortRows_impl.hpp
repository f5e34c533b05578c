// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts rows in windows of sigma rows. Each window has descending row lengths; rows of equal length
// keep their order.
#pragma once

#include <Tomokkos_Views.hpp>
#include <algorithm>

namespace Tomokkos::Impl {

/// Sorts a window with one host thread.
template <class MemorySpace>
struct SortWindow {
  const Offset* row_offsets;
  Ordinal* rows;
  Ordinal num_rows;
  Offset window;

  void operator()(const Offset index) const {
    const Offset begin = index * window;
    const Offset end = std::min<Offset>(begin + window, num_rows);
    for (Offset i = begin; i < end; ++i) rows[i] = static_cast<Ordinal>(i);
    std::stable_sort(rows + begin, rows + end, [this](Ordinal a, Ordinal b) {
      return row_offsets[a + 1] - row_offsets[a] > row_offsets[b + 1] - row_offsets[b];
    });
  }
};

/// Returns a sort key that orders by (window, longest - length): ascending keys give the required
/// order.
struct RowSortKey {
  const Offset* row_offsets;
  Offset longest, window;

  KOKKOS_FORCEINLINE_FUNCTION Offset operator()(Ordinal row) const {
    return row / window * (longest + 1) + (longest - (row_offsets[row + 1] - row_offsets[row]));
  }
};

/// One step of a radix sort: rows whose key has a 0 at \p bit come first, then the others, both in
/// their previous order. The scan counts the zeros before each position.
template <class MemorySpace>
struct SplitByBit {
  RowSortKey key;
  int bit;
  Ordinal num_rows;
  Kokkos::View<const Ordinal*, MemorySpace> from;
  Kokkos::View<Ordinal*, MemorySpace> zeros_before;

  KOKKOS_FUNCTION void operator()(const Ordinal i, Ordinal& zeros, const bool final) const {
    if (final) zeros_before(i) = zeros;
    if (i < num_rows && (key(from(i)) >> bit & 1) == 0) ++zeros;
  }
};

template <class MemorySpace>
struct PlaceByBit {
  RowSortKey key;
  int bit;
  Ordinal num_rows;
  Kokkos::View<const Ordinal*, MemorySpace> from;
  Kokkos::View<const Ordinal*, MemorySpace> zeros_before;
  Kokkos::View<Ordinal*, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const bool one = (key(from(i)) >> bit & 1) != 0;
    const Ordinal zeros = zeros_before(i);
    to(one ? zeros_before(num_rows) + (i - zeros) : zeros) = from(i);
  }
};

template <class MemorySpace>
struct Iota {
  Kokkos::View<Ordinal*, MemorySpace> values;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const { values(i) = i; }
};

/// \brief Returns the row at each position of the sorted order. Cost on a GPU: a scan and a scatter
/// per bit of the keys.
template <class ExecutionSpace, class MemorySpace>
Kokkos::View<Ordinal*, MemorySpace> rows_by_length(
    const ExecutionSpace& exec, const Kokkos::View<const Offset*, MemorySpace>& row_offsets,
    Ordinal num_rows, Offset longest, Ordinal sigma) {
  const Offset window = sigma > 0 ? sigma : std::max<Ordinal>(num_rows, 1);
  auto rows =
      allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, "Tomokkos::sort_rows::rows", num_rows);
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for(
        "Tomokkos::sort_rows::windows",
        element_range(exec, static_cast<std::size_t>((num_rows + window - 1) / window)),
        SortWindow<MemorySpace>{row_offsets.data(), rows.data(), num_rows, window});
  } else {
    const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, num_rows);
    auto other =
        allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, "Tomokkos::sort_rows::other", num_rows);
    const auto zeros = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
        exec, "Tomokkos::sort_rows::zeros_before", static_cast<Offset>(num_rows) + 1);
    Kokkos::parallel_for("Tomokkos::sort_rows::iota", all, Iota<MemorySpace>{rows});
    const RowSortKey key{row_offsets.data(), longest, window};
    const Offset largest = (num_rows / window + 1) * (longest + 1);
    for (int bit = 0; largest >> bit > 0; ++bit) {
      Kokkos::parallel_scan("Tomokkos::sort_rows::count",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(
                                exec, 0, static_cast<Offset>(num_rows) + 1),
                            SplitByBit<MemorySpace>{key, bit, num_rows, rows, zeros});
      Kokkos::parallel_for("Tomokkos::sort_rows::place", all,
                           PlaceByBit<MemorySpace>{key, bit, num_rows, rows, zeros, other});
      std::swap(rows, other);
    }
  }
  fence(exec, "sort_rows: done");
  return rows;
}

}  // namespace Tomokkos::Impl
