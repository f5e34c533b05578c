// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposition on host threads by a counting sort. The rows form contiguous parts of about equal
// numbers of nonzeros. Each part counts its entries per column. Sums over (column, part) give the
// begin of each part within each column. Each part then places its rows in order, one band of
// columns after another. The positions of a band, and the cache lines of the result behind them,
// thus stay in the cache while all rows pass. The result depends neither on the parts nor on the
// bands.
#pragma once

#include <algorithm>
#include <impl/Tomokkos_TransposeArrays.hpp>

namespace Tomokkos::Impl {

template <class Value>
struct TransposeBanded {
  TransposeSource<Value> A;
  TransposeTarget<Value> T;
  Offset parts;
  Offset band_columns;
  /// For each part: entries of each column, then entries of the column in earlier parts.
  Ordinal* before;
  /// For each part: position of the next entry in each column of the band. Unused with one band.
  Offset* places;
  /// Position in each row at which the next band continues. Unused with one band.
  Offset* cursors;

  struct Count {};
  struct SumColumn {};
  struct PlaceInBands {};
  struct PlaceAtOnce {};

  static TransposeBanded over(const TransposeSource<Value>& A, const TransposeTarget<Value>& T,
                              const TransposeOptions& chosen, MemoryPieces& pieces) {
    TransposeBanded work{A, T, chosen.parts, chosen.band_columns, nullptr, nullptr, nullptr};
    work.before = pieces.take<Ordinal>(work.parts * A.num_cols);
    if (!work.has_bands()) return work;
    work.places = pieces.take<Offset>(work.parts * work.band_columns);
    work.cursors = pieces.take<Offset>(A.num_rows);
    return work;
  }

  bool has_bands() const { return band_columns < A.num_cols; }

  Ordinal part_begin(Offset part) const {
    if (part == parts) return A.num_rows;
    const Offset target = A.nonzeros / parts * part;
    return static_cast<Ordinal>(
        std::lower_bound(A.row_offsets, A.row_offsets + A.num_rows, target) - A.row_offsets);
  }

  void operator()(Count, const Offset part, int& unsorted) const {
    Ordinal* const counts = before + part * A.num_cols;
    std::fill_n(counts, A.num_cols, 0);
    const Ordinal last = part_begin(part + 1);
    for (Ordinal row = part_begin(part); row < last; ++row) {
      const Offset end = A.row_offsets[row + 1];
      Ordinal previous = -1;
      for (Offset k = A.row_offsets[row]; k < end; ++k) {
        const Ordinal column = A.columns[k];
        if (column < previous) unsorted = 1;
        previous = column;
        ++counts[column];
      }
      if (has_bands()) cursors[row] = A.row_offsets[row];
    }
  }

  /// Computes the length of a row of the transpose, and the number of entries before each part.
  void operator()(SumColumn, const Offset column) const {
    Ordinal length = 0;
    for (Offset part = 0; part < parts; ++part) {
      Ordinal& of_part = before[part * A.num_cols + column];
      const Ordinal count = of_part;
      of_part = length;
      length += count;
    }
    T.row_offsets[column] = length;
  }

  void operator()(PlaceInBands, const Offset part) const {
    const Ordinal* const of_part = before + part * A.num_cols;
    Offset* const next = places + part * band_columns;
    const Ordinal first = part_begin(part);
    const Ordinal last = part_begin(part + 1);
    for (Offset begin = 0; begin < A.num_cols; begin += band_columns) {
      const Offset end = std::min<Offset>(begin + band_columns, A.num_cols);
      for (Offset column = begin; column < end; ++column)
        next[column - begin] = T.row_offsets[column] + of_part[column];
      for (Ordinal row = first; row < last; ++row) {
        const Offset row_end = A.row_offsets[row + 1];
        Offset k = cursors[row];
        for (; k < row_end && A.columns[k] < end; ++k)
          T.entries.place(next[A.columns[k] - begin]++, row, A.values, k);
        cursors[row] = k;
      }
    }
  }

  /// Places rows that are unsorted, or too short for bands.
  void operator()(PlaceAtOnce, const Offset part) const {
    Ordinal* const next = before + part * A.num_cols;
    const Ordinal last = part_begin(part + 1);
    for (Ordinal row = part_begin(part); row < last; ++row)
      for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
        const Ordinal column = A.columns[k];
        T.entries.place(T.row_offsets[column] + next[column]++, row, A.values, k);
      }
  }

  template <class ExecutionSpace>
  void run(const ExecutionSpace& exec) const {
    int unsorted = 0;
    Kokkos::parallel_reduce("Tomokkos::transpose::banded::count", task_range<Count>(exec, parts),
                            *this, Kokkos::Sum<int>(unsorted));
    fence(exec, "transpose: whether rows are sorted");
    Kokkos::parallel_for("Tomokkos::transpose::banded::sum_column",
                         task_range<SumColumn>(exec, A.num_cols), *this);
    scan_counts(exec, T.row_offsets, A.num_cols);
    if (has_bands() && unsorted == 0)
      Kokkos::parallel_for("Tomokkos::transpose::banded::place_in_bands",
                           task_range<PlaceInBands>(exec, parts), *this);
    else
      Kokkos::parallel_for("Tomokkos::transpose::banded::place_at_once",
                           task_range<PlaceAtOnce>(exec, parts), *this);
  }
};

}  // namespace Tomokkos::Impl
