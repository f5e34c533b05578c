// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MergeTrans (Wang, Liu, Hou, Feng: Parallel Transposition of Sparse Data Structures, ICS 2016) on
// host threads. Each of 2^n equal parts of the entries is transposed separately, within its own
// range. Then n rounds merge neighbouring parts: a column of the merged part is that of the left
// part followed by that of the right part. Writes stay within a part, and every round moves all
// entries once more.
#pragma once

#include <algorithm>
#include <impl/Tomokkos_TransposeArrays.hpp>

namespace Tomokkos::Impl {

/// Columns that a thread merges at a time.
inline constexpr Offset merge_trans_columns = 1024;

template <class Value>
struct TransposeMerge {
  TransposeSource<Value> A;
  TransposeTarget<Value> T;
  Offset parts;
  /// For each part: end of each of its columns. Merged parts use the array of the left part.
  Offset* ends;
  /// Buffer that every other round writes to. The other rounds, including the last, write into the
  /// result.
  TransposeEntries<Value> other;

  /// Input and output of this round, and number of parts that it merges into one, half of them on
  /// either side.
  TransposeEntries<Value> from, to;
  Offset width = 1;

  struct TransposePart {};
  struct MergeColumns {};
  struct MergeEnds {};
  struct StoreOffsets {};

  static TransposeMerge over(const TransposeSource<Value>& A, const TransposeTarget<Value>& T,
                             const TransposeOptions& chosen, MemoryPieces& pieces) {
    TransposeMerge work{A, T, chosen.parts, nullptr, {}, {}, {}};
    work.ends = pieces.take<Offset>(work.parts * A.num_cols);
    if (work.parts > 1) {
      work.other.columns = pieces.take<Ordinal>(A.nonzeros);
      if constexpr (has_value<Value>) work.other.values = pieces.take<Value>(A.nonzeros);
    }
    return work;
  }

  Offset part_begin(Offset part) const { return A.nonzeros * part / parts; }

  Offset column_begin(Offset part, Offset column) const {
    return column == 0 ? part_begin(part) : ends[part * A.num_cols + column - 1];
  }
  Offset column_end(Offset part, Offset column) const { return ends[part * A.num_cols + column]; }

  void operator()(TransposePart, const Offset part) const {
    Offset* const of_part = ends + part * A.num_cols;
    const Offset begin = part_begin(part);
    const Offset end = part_begin(part + 1);
    std::fill_n(of_part, A.num_cols, 0);
    for (Offset k = begin; k < end; ++k) ++of_part[A.columns[k]];
    Offset place = begin;
    for (Ordinal column = 0; column < A.num_cols; ++column) {
      const Offset count = of_part[column];
      of_part[column] = place;
      place += count;
    }
    if (begin == end) return;
    // Start positions of columns advance, entry by entry, to their ends.
    Ordinal row = row_of_entry(A.row_offsets, begin, 0, A.num_rows - 1);
    for (Offset k = begin; k < end; ++k) {
      while (A.row_offsets[row + 1] <= k) ++row;
      to.place(of_part[A.columns[k]]++, row, A.values, k);
    }
  }

  Offset blocks() const { return (A.num_cols + merge_trans_columns - 1) / merge_trans_columns; }

  void operator()(MergeColumns, const Offset index) const {
    const Offset left = index / blocks() * width;
    const Offset right = left + width / 2;
    const Offset first = index % blocks() * merge_trans_columns;
    const Offset last = std::min<Offset>(first + merge_trans_columns, A.num_cols);
    // The merged part begins where the left part begins.
    Offset place = column_begin(left, first) + column_begin(right, first) - part_begin(right);
    for (Offset column = first; column < last; ++column)
      for (const Offset part : {left, right})
        for (Offset k = column_begin(part, column); k < column_end(part, column); ++k)
          to.place(place++, from.columns[k], from.values, k);
  }

  void operator()(MergeEnds, const Offset index) const {
    const Offset left = index / A.num_cols * width;
    const Offset column = index % A.num_cols;
    const Offset right = left + width / 2;
    ends[left * A.num_cols + column] += column_end(right, column) - part_begin(right);
  }

  void operator()(StoreOffsets, const Offset column) const {
    T.row_offsets[column] = column_begin(0, column);
    if (column == A.num_cols - 1) T.row_offsets[column + 1] = A.nonzeros;
  }

  template <class ExecutionSpace>
  void run(const ExecutionSpace& exec) const {
    int rounds = 0;
    while (Offset(1) << rounds < parts) ++rounds;
    TransposeMerge work = *this;
    work.to = rounds % 2 == 0 ? T.entries : other;
    work.from = rounds % 2 == 0 ? other : T.entries;
    Kokkos::parallel_for("Tomokkos::transpose::merge_trans::transpose_part",
                         task_range<TransposePart>(exec, parts), work);
    for (int round = 0; round < rounds; ++round) {
      std::swap(work.from, work.to);
      work.width *= 2;
      const Offset merged = parts / work.width;
      // Dynamic schedule: blocks of columns have different numbers of entries.
      Kokkos::parallel_for(
          "Tomokkos::transpose::merge_trans::merge_columns",
          Kokkos::RangePolicy<ExecutionSpace, MergeColumns, Kokkos::IndexType<Offset>,
                              Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, merged * blocks()),
          work);
      Kokkos::parallel_for("Tomokkos::transpose::merge_trans::merge_ends",
                           task_range<MergeEnds>(exec, merged * A.num_cols), work);
    }
    Kokkos::parallel_for("Tomokkos::transpose::merge_trans::store_offsets",
                         task_range<StoreOffsets>(exec, A.num_cols), work);
  }
};

}  // namespace Tomokkos::Impl
