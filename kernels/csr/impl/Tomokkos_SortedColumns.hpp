// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on the columns of one row, by one thread: search, sort, removal of duplicates.
#pragma once

#include <Tomokkos_Views.hpp>

namespace Tomokkos::Impl {

/// \brief Returns the position of the first of the ascending \p keys `[begin, end)` that is not
/// below \p key, or \p end.
template <class Key>
KOKKOS_INLINE_FUNCTION Offset first_not_below(const Key* keys, Offset begin, Offset end, Key key) {
  while (begin < end) {
    const Offset middle = begin + (end - begin) / 2;
    if (keys[middle] < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/// \brief Returns the position of \p key among the ascending \p keys `[begin, end)`, or -1 if it is
/// absent.
KOKKOS_INLINE_FUNCTION Offset find_column(const Ordinal* keys, Offset begin, Offset end,
                                          Ordinal key) {
  const Offset k = first_not_below(keys, begin, end, key);
  return k < end && keys[k] == key ? k : -1;
}

/// \brief Sorts in ascending order in place without memory: by insertion up to 32 columns,
/// otherwise by heap sort.
KOKKOS_INLINE_FUNCTION void sort_columns(Ordinal* columns, Offset length) {
  if (length <= 32) {
    for (Offset k = 1; k < length; ++k) {
      const Ordinal column = columns[k];
      Offset hole = k;
      for (; hole > 0 && columns[hole - 1] > column; --hole) columns[hole] = columns[hole - 1];
      columns[hole] = column;
    }
    return;
  }
  const auto sink = [columns](Offset parent, Offset end) {
    const Ordinal column = columns[parent];
    for (Offset child = 2 * parent + 1; child < end; child = 2 * parent + 1) {
      if (child + 1 < end && columns[child] < columns[child + 1]) ++child;
      if (columns[child] <= column) break;
      columns[parent] = columns[child];
      parent = child;
    }
    columns[parent] = column;
  };
  for (Offset parent = length / 2; parent > 0; --parent) sink(parent - 1, length);
  for (Offset end = length - 1; end > 0; --end) {
    const Ordinal largest = columns[0];
    columns[0] = columns[end];
    columns[end] = largest;
    sink(0, end);
  }
}

/// \brief Sorts, removes duplicates, and returns the number of remaining columns.
KOKKOS_INLINE_FUNCTION Offset sort_unique_columns(Ordinal* columns, Offset length) {
  sort_columns(columns, length);
  Offset kept = 0;
  for (Offset k = 0; k < length; ++k)
    if (kept == 0 || columns[kept - 1] != columns[k]) columns[kept++] = columns[k];
  return kept;
}

}  // namespace Tomokkos::Impl
