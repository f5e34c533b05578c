// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ScanTrans (Wang, Liu, Hou, Feng: Parallel Transposition of Sparse Data Structures, ICS 2016) on
// host threads. The entries, rather than the rows, are divided into equal parts. Every entry stores
// its number among the entries of its column in its part. Sums over the parts of a column, and over
// the columns, give its position. Only these sums lie between reading and writing an entry, at the
// cost of a row and a number per entry.
#pragma once

#include <algorithm>
#include <impl/Tomokkos_TransposeArrays.hpp>

namespace Tomokkos::Impl {

template <class Value>
struct TransposeScan {
  TransposeSource<Value> A;
  TransposeTarget<Value> T;
  Offset parts;
  /// For each part: entries of each column, then entries of the column in earlier parts.
  Ordinal* inter;
  /// For each entry: number of entries of its column before it in its part; and its row.
  Ordinal* intra;
  Ordinal* rows;

  struct SpreadRows {};
  struct Count {};
  struct SumColumn {};
  struct Place {};

  static TransposeScan over(const TransposeSource<Value>& A, const TransposeTarget<Value>& T,
                            const TransposeOptions& chosen, MemoryPieces& pieces) {
    TransposeScan work{A, T, chosen.parts, nullptr, nullptr, nullptr};
    work.inter = pieces.take<Ordinal>(work.parts * A.num_cols);
    work.intra = pieces.take<Ordinal>(A.nonzeros);
    work.rows = pieces.take<Ordinal>(A.nonzeros);
    return work;
  }

  Offset part_begin(Offset part) const { return A.nonzeros * part / parts; }

  void operator()(SpreadRows, const Offset row) const {
    std::fill(rows + A.row_offsets[row], rows + A.row_offsets[row + 1], static_cast<Ordinal>(row));
  }

  void operator()(Count, const Offset part) const {
    Ordinal* const counts = inter + part * A.num_cols;
    std::fill_n(counts, A.num_cols, 0);
    const Offset end = part_begin(part + 1);
    for (Offset k = part_begin(part); k < end; ++k) intra[k] = counts[A.columns[k]]++;
  }

  void operator()(SumColumn, const Offset column) const {
    Ordinal length = 0;
    for (Offset part = 0; part < parts; ++part) {
      Ordinal& of_part = inter[part * A.num_cols + column];
      const Ordinal count = of_part;
      of_part = length;
      length += count;
    }
    T.row_offsets[column] = length;
  }

  void operator()(Place, const Offset part) const {
    const Ordinal* const before = inter + part * A.num_cols;
    const Offset end = part_begin(part + 1);
    for (Offset k = part_begin(part); k < end; ++k) {
      const Ordinal column = A.columns[k];
      T.entries.place(T.row_offsets[column] + before[column] + intra[k], rows[k], A.values, k);
    }
  }

  template <class ExecutionSpace>
  void run(const ExecutionSpace& exec) const {
    Kokkos::parallel_for("Tomokkos::transpose::scan_trans::spread_rows",
                         task_range<SpreadRows>(exec, A.num_rows), *this);
    Kokkos::parallel_for("Tomokkos::transpose::scan_trans::count", task_range<Count>(exec, parts),
                         *this);
    Kokkos::parallel_for("Tomokkos::transpose::scan_trans::sum_column",
                         task_range<SumColumn>(exec, A.num_cols), *this);
    scan_counts(exec, T.row_offsets, A.num_cols);
    Kokkos::parallel_for("Tomokkos::transpose::scan_trans::place", task_range<Place>(exec, parts),
                         *this);
  }
};

}  // namespace Tomokkos::Impl
