// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposition on a GPU with a workspace of a few bytes per column. Entries claim positions in
// their column by integer atomics, with one launch per block of rows. A column is therefore ordered
// by blocks, and only the entries of one block are in their order of arrival. Sorting each column,
// which is already nearly sorted, gives the unique result, the same on every run. Blocks are chosen
// so that a column has few entries in each.
#pragma once

#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <algorithm>
#include <impl/Tomokkos_SortEntries_impl.hpp>
#include <impl/Tomokkos_TransposeArrays.hpp>

namespace Tomokkos::Impl {

/// Entries per column and block for which the sort of a column is efficient.
inline constexpr Offset transpose_entries_per_block = 8;
/// Maximum number of launches of the placing kernel; each costs a few microseconds.
inline constexpr Offset transpose_max_blocks = 128;

template <class ExecutionSpace, class Value>
struct TransposeClaims {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int members = transpose_claim_members;
  static constexpr int lanes = transpose_claim_lanes;

  TransposeSource<Value> A;
  TransposeEntries<Value> entries;
  /// Number of entries counted so far, or the next free position, in each column.
  Offset* next;
  Ordinal first_row, last_row;
  bool count_only;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset row =
        first_row + static_cast<Offset>(member.league_rank()) * members + member.team_rank();
    if (row >= last_row) return;
    const Offset begin = A.row_offsets[row];
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, A.row_offsets[row + 1] - begin),
                         [&](const Offset k) { visit(static_cast<Ordinal>(row), begin + k); });
  }

  KOKKOS_FUNCTION void visit(Ordinal row, Offset k) const {
    const Offset position = Kokkos::atomic_fetch_add(&next[A.columns[k]], Offset(1));
    if (!count_only) entries.place(position, row, A.values, k);
  }

  void launch(const ExecutionSpace& exec, Offset first, Offset last) const {
    if (first >= last) return;
    TransposeClaims work = *this;
    work.first_row = static_cast<Ordinal>(first);
    work.last_row = static_cast<Ordinal>(last);
    const int teams = static_cast<int>((last - first - 1) / members + 1);
    Kokkos::parallel_for(
        count_only ? "Tomokkos::transpose::claims::count" : "Tomokkos::transpose::claims::place",
        Policy(exec, teams, members, lanes), work);
  }
};

/// Arrays of a whole transposition by claims.
template <class Value>
struct TransposeClaimsWork {
  TransposeSource<Value> A;
  TransposeTarget<Value> T;
  Offset* next;
  char* unsorted;

  static TransposeClaimsWork over(const TransposeSource<Value>& A, const TransposeTarget<Value>& T,
                                  const TransposeOptions&, MemoryPieces& pieces) {
    TransposeClaimsWork work{A, T, nullptr, nullptr};
    work.next = pieces.take<Offset>(A.num_cols);
    work.unsorted = pieces.take<char>(A.num_cols);
    return work;
  }

  template <class ExecutionSpace>
  void run(const ExecutionSpace& exec) const {
    using Claims = TransposeClaims<ExecutionSpace, Value>;
    using Counts = Kokkos::View<Offset*, typename ExecutionSpace::memory_space>;
    const Counts counts(T.row_offsets, static_cast<std::size_t>(A.num_cols));
    Kokkos::deep_copy(exec, counts, Offset(0));
    Claims{A, T.entries, T.row_offsets, 0, 0, true}.launch(exec, 0, A.num_rows);
    scan_counts(exec, T.row_offsets, A.num_cols);
    Kokkos::deep_copy(exec, Counts(next, static_cast<std::size_t>(A.num_cols)), counts);
    const Offset blocks = std::clamp<Offset>(
        A.nonzeros / A.num_cols / transpose_entries_per_block, 1,
        std::min<Offset>(transpose_max_blocks, std::max<Ordinal>(A.num_rows, 1)));
    const Offset rows_per_block = (A.num_rows + blocks - 1) / blocks;
    for (Offset first = 0; first < A.num_rows; first += rows_per_block)
      Claims{A, T.entries, next, 0, 0, false}.launch(
          exec, first, std::min<Offset>(first + rows_per_block, A.num_rows));
    sort_rows(exec, RowsToSort<Value>{T.row_offsets, T.entries.columns, T.entries.values, unsorted},
              A.num_cols);
  }
};

}  // namespace Tomokkos::Impl
