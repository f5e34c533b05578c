// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposition on a GPU. Entries claim positions in their column by integer atomics, one block of
// rows per launch: so a column comes out in the order of the blocks, and only entries of one block
// stand in the order in which they happened to arrive. A sort of each column, nearly sorted as it
// is, then fixes the one possible order: the result is the same on every run. Blocks are chosen so
// that a column holds few entries of each.
#pragma once

#include <Tomokkos_LaunchConfig.hpp>
#include <algorithm>
#include <impl/Tomokkos_CsrBuild_impl.hpp>

namespace Tomokkos::Impl {

/// Entries of one column per block that the sort of a column is made for.
inline constexpr Offset transpose_entries_per_block = 8;
/// Most launches of the placing kernel; each costs a few microseconds.
inline constexpr Offset transpose_max_blocks = 128;

template <class ExecutionSpace, class Scalar>
struct TransposeByClaims {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int members = transpose_claim_members;
  static constexpr int lanes = transpose_claim_lanes;

  CsrMatrix<Scalar, MemorySpace> A;
  /// Entries met so far, or the next free position, of each column.
  Kokkos::View<Offset*, MemorySpace> next;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;
  Ordinal first_row, last_row;
  bool count_only;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset row =
        first_row + static_cast<Offset>(member.league_rank()) * members + member.team_rank();
    if (row >= last_row) return;
    const Offset begin = A.row_offsets(row);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, A.row_offsets(row + 1) - begin),
                         [&](const Offset k) { visit(static_cast<Ordinal>(row), begin + k); });
  }

  KOKKOS_FUNCTION void visit(Ordinal row, Offset k) const {
    const Offset position = Kokkos::atomic_fetch_add(&next(A.columns(k)), Offset(1));
    if (count_only) return;
    columns(position) = row;
    values(position) = A.values(k);
  }
};

/// \brief Sorts short or nearly sorted rows, a thread each. A row that takes too many steps is left
/// to `SortRowsByTeams`: it stays a permutation of what it was, and is marked.
template <class Scalar, class MemorySpace>
struct SortRowsByThreads {
  Kokkos::View<Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;
  Kokkos::View<char*, MemorySpace> unsorted;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& left) const {
    const Offset begin = row_offsets(row);
    const Offset end = row_offsets(row + 1);
    Offset budget = 1024 + 2 * transpose_entries_per_block * (end - begin);
    for (Offset k = begin + 1; k < end && budget > 0; ++k) {
      const Ordinal column = columns(k);
      if (columns(k - 1) < column) continue;
      const Scalar value = values(k);
      Offset hole = k;
      for (; hole > begin && columns(hole - 1) > column; --hole, --budget) {
        columns(hole) = columns(hole - 1);
        values(hole) = values(hole - 1);
      }
      columns(hole) = column;
      values(hole) = value;
    }
    unsorted(row) = budget > 0 ? 0 : 1;
    if (budget <= 0) ++left;
  }
};

/// \brief Sorts the marked rows, a team each, by a bitonic network in place (in its form for any
/// length: the first step of each merge compares mirrored positions, so entries beyond the end
/// count as infinite without existing).
template <class ExecutionSpace, class Scalar>
struct SortRowsByTeams {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int team_size = transpose_sort_threads;

  Kokkos::View<Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;
  Kokkos::View<char*, MemorySpace> unsorted;

  KOKKOS_FUNCTION void order(Offset begin, Offset low, Offset high, Offset length) const {
    if (high >= length) return;
    const Ordinal first = columns(begin + low);
    const Ordinal second = columns(begin + high);
    if (first <= second) return;
    columns(begin + low) = second;
    columns(begin + high) = first;
    const Scalar value = values(begin + low);
    values(begin + low) = values(begin + high);
    values(begin + high) = value;
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal row = member.league_rank();
    if (unsorted(row) == 0) return;
    const Offset begin = row_offsets(row);
    const Offset length = row_offsets(row + 1) - begin;
    Offset padded = 1;
    while (padded < length) padded *= 2;
    for (Offset merged = 2; merged <= padded; merged *= 2) {
      for (Offset distance = merged / 2; distance > 0; distance /= 2) {
        for (Offset pair = member.team_rank(); pair < padded / 2; pair += member.team_size()) {
          const Offset group = pair / distance;
          const Offset within = pair % distance;
          const Offset low = group * 2 * distance + within;
          const Offset high = distance == merged / 2
                                  ? group * 2 * distance + 2 * distance - 1 - within
                                  : low + distance;
          order(begin, low, high, length);
        }
        member.team_barrier();
      }
    }
  }
};

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> transpose_by_claims(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Claims = TransposeByClaims<ExecutionSpace, Scalar>;
  const auto size = static_cast<Offset>(A.num_cols);
  const auto arrays = allocate_csr<Scalar, MemorySpace>(exec, A.num_cols, A.num_nonzeros());
  const auto next =
      allocate<Kokkos::View<Offset*, MemorySpace>>(exec, "Tomokkos::transpose::next", size);
  const auto unsorted =
      allocate<Kokkos::View<char*, MemorySpace>>(exec, "Tomokkos::transpose::unsorted", size);

  const auto visit_rows = [&](const Claims& claims) {
    if (claims.first_row >= claims.last_row) return;
    const int teams = (claims.last_row - claims.first_row - 1) / Claims::members + 1;
    Kokkos::parallel_for(
        claims.count_only ? "Tomokkos::transpose::count" : "Tomokkos::transpose::place",
        typename Claims::Policy(exec, teams, Claims::members, Claims::lanes), claims);
  };
  Kokkos::deep_copy(exec, arrays.row_offsets, Offset(0));
  visit_rows({A, arrays.row_offsets, arrays.columns, arrays.values, 0, A.num_rows, true});
  exclusive_scan(exec, "Tomokkos::transpose::offsets", arrays.row_offsets);
  Kokkos::deep_copy(exec, next,
                    Kokkos::subview(arrays.row_offsets, std::make_pair(Offset(0), size)));
  const Offset column_length = size > 0 ? A.num_nonzeros() / size : 0;
  const Offset blocks =
      std::clamp<Offset>(column_length / transpose_entries_per_block, 1,
                         std::min<Offset>(transpose_max_blocks, std::max(A.num_rows, 1)));
  const Offset rows_per_block = (A.num_rows + blocks - 1) / blocks;
  for (Offset first = 0; first < A.num_rows; first += rows_per_block)
    visit_rows({A, next, arrays.columns, arrays.values, static_cast<Ordinal>(first),
                static_cast<Ordinal>(std::min<Offset>(first + rows_per_block, A.num_rows)), false});

  Ordinal left = 0;
  Kokkos::parallel_reduce("Tomokkos::transpose::sort",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_cols),
                          SortRowsByThreads<Scalar, MemorySpace>{arrays.row_offsets, arrays.columns,
                                                                 arrays.values, unsorted},
                          Kokkos::Sum<Ordinal>(left));
  fence(exec, "transpose: rows left to sort");
  if (left > 0) {
    using Sort = SortRowsByTeams<ExecutionSpace, Scalar>;
    Kokkos::parallel_for("Tomokkos::transpose::sort_long_rows",
                         typename Sort::Policy(exec, A.num_cols, Sort::team_size),
                         Sort{arrays.row_offsets, arrays.columns, arrays.values, unsorted});
  }
  return arrays.matrix(A.num_cols, A.num_rows);
}

}  // namespace Tomokkos::Impl
