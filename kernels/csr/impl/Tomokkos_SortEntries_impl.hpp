// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts the entries of each row by column, in place.
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_Views.hpp>
#include <algorithm>
#include <array>
#include <impl/Tomokkos_TransposeArrays.hpp>
#include <utility>

namespace Tomokkos::Impl {

/// Threads that sort one long row. Long rows are few, so each gets a large team. Not measured.
inline constexpr int sort_threads = 512;

/// Rows that share one buffer on a host.
inline constexpr Offset host_sort_rows = 64;

/// Entries of that buffer. It is on the stack, because an allocation could fail in a parallel
/// region.
inline constexpr Offset host_sort_entries = 2048;

/// \brief Sorts columns and values in place by heap sort, for rows that do not fit the buffer.
template <class Scalar>
void heap_sort_entries(Ordinal* columns, Scalar* values, Offset count) {
  const auto exchange = [&](Offset a, Offset b) {
    std::swap(columns[a], columns[b]);
    std::swap(values[a], values[b]);
  };
  // Makes [root, end) a heap; the subtrees below the root already are heaps.
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

/// Sorts a block of rows with one host thread.
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

/// Rows that a GPU sorts. The kernel with one thread per row marks the rows that it leaves to
/// teams.
template <class Value>
struct RowsToSort {
  const Offset* row_offsets;
  Ordinal* columns;
  Value* values;
  char* unsorted;

  KOKKOS_FORCEINLINE_FUNCTION void exchange(Offset a, Offset b) const {
    const Ordinal column = columns[a];
    columns[a] = columns[b];
    columns[b] = column;
    if constexpr (has_value<Value>) {
      const Value value = values[a];
      values[a] = values[b];
      values[b] = value;
    }
  }
};

/// \brief Sorts short rows, one thread per row.
///
/// Long rows, and rows that need too many steps, are marked and left to `SortRowsByTeams`. Such a
/// row remains a permutation of its entries.
template <class Value>
struct SortRowsByThreads {
  /// Maximum number of entries of a row for a thread; steps allowed per row, and additionally per
  /// entry.
  static constexpr Offset most_entries = 256, steps = 1024, steps_per_entry = 16;

  RowsToSort<Value> rows;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& left) const {
    const Offset begin = rows.row_offsets[row];
    const Offset end = rows.row_offsets[row + 1];
    Offset budget = end - begin > most_entries ? 0 : steps + steps_per_entry * (end - begin);
    for (Offset k = begin + 1; k < end && budget > 0; ++k) {
      const Ordinal column = rows.columns[k];
      if (rows.columns[k - 1] < column) continue;
      Value value{};
      if constexpr (has_value<Value>) value = rows.values[k];
      Offset hole = k;
      for (; hole > begin && rows.columns[hole - 1] > column; --hole, --budget) {
        rows.columns[hole] = rows.columns[hole - 1];
        if constexpr (has_value<Value>) rows.values[hole] = rows.values[hole - 1];
      }
      rows.columns[hole] = column;
      if constexpr (has_value<Value>) rows.values[hole] = value;
    }
    rows.unsorted[row] = budget > 0 ? 0 : 1;
    if (budget <= 0) ++left;
  }
};

/// \brief Sorts the marked rows, one team per row, by a bitonic network.
///
/// This form of the network handles any length: the first step of each merge compares mirrored
/// positions, so entries after the end count as infinite without being stored. Rows that fit are
/// sorted in scratch memory.
template <class ExecutionSpace, class Value>
struct SortRowsByTeams {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;

  /// Entries of the scratch memory, 32 KiB: several teams share a multiprocessor.
  static constexpr int scratch_entries = 32768 / static_cast<int>(entry_bytes<Value>);

  RowsToSort<Value> rows;

  static std::size_t scratch_bytes() {
    return static_cast<std::size_t>(scratch_entries) * entry_bytes<Value> + 32;
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal row = member.league_rank();
    if (rows.unsorted[row] == 0) return;
    const Offset begin = rows.row_offsets[row];
    const Offset length = rows.row_offsets[row + 1] - begin;
    if (descents(member, begin, length) == 0) return;
    if (length > scratch_entries) {
      RowsToSort<Value> in_place = rows;
      in_place.columns += begin;
      if constexpr (has_value<Value>) in_place.values += begin;
      sort<Offset>(member, in_place, length);
      return;
    }
    const auto count = static_cast<int>(length);
    RowsToSort<Value> copy = rows;
    copy.columns = static_cast<Ordinal*>(
        member.team_shmem().get_shmem_aligned(scratch_entries * sizeof(Ordinal), 16));
    if constexpr (has_value<Value>)
      copy.values = static_cast<Value*>(
          member.team_shmem().get_shmem_aligned(scratch_entries * sizeof(Value), 16));
    for (int k = member.team_rank(); k < count; k += member.team_size()) {
      copy.columns[k] = rows.columns[begin + k];
      if constexpr (has_value<Value>) copy.values[k] = rows.values[begin + k];
    }
    member.team_barrier();
    sort<int>(member, copy, count);
    for (int k = member.team_rank(); k < count; k += member.team_size()) {
      rows.columns[begin + k] = copy.columns[k];
      if constexpr (has_value<Value>) rows.values[begin + k] = copy.values[k];
    }
  }

 private:
  /// Returns the number of entries of a row that follow a larger one.
  KOKKOS_FUNCTION Offset descents(const Member& member, Offset begin, Offset length) const {
    Offset found = 0;
    const Ordinal* const columns = rows.columns + begin;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, Offset{1}, length > 1 ? length : Offset{1}),
        [&](const Offset k, Offset& sum) { sum += columns[k - 1] > columns[k] ? 1 : 0; }, found);
    return found;
  }

  template <class Index>
  KOKKOS_FUNCTION static void sort(const Member& member, const RowsToSort<Value>& row,
                                   Index length) {
    Index padded = 1;
    while (padded < length) padded *= 2;
    for (Index merged = 2; merged <= padded; merged *= 2) {
      for (Index distance = merged / 2; distance > 0; distance /= 2) {
        for (Index pair = member.team_rank(); pair < padded / 2; pair += member.team_size()) {
          const Index within = pair & (distance - 1);
          const Index group = 2 * (pair - within);
          const Index low = group + within;
          const Index high =
              distance == merged / 2 ? group + 2 * distance - 1 - within : low + distance;
          if (high < length && row.columns[low] > row.columns[high]) row.exchange(low, high);
        }
        member.team_barrier();
      }
    }
  }
};

/// \brief Sorts rows with the GPU algorithm. One fence.
template <class ExecutionSpace, class Value>
void sort_rows(const ExecutionSpace& exec, const RowsToSort<Value>& rows, Ordinal num_rows) {
  Ordinal left = 0;
  Kokkos::parallel_reduce("Tomokkos::sort_entries::threads",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, num_rows),
                          SortRowsByThreads<Value>{rows}, Kokkos::Sum<Ordinal>(left));
  fence(exec, "sort_entries: rows left to sort");
  if (left == 0) return;
  using Sort = SortRowsByTeams<ExecutionSpace, Value>;
  typename Sort::Policy policy(exec, num_rows, is_host_space<ExecutionSpace> ? 1 : sort_threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Sort::scratch_bytes())));
  Kokkos::parallel_for("Tomokkos::sort_entries::teams", policy, Sort{rows});
}

/// \brief Sorts the entries of each row by column. For rows without duplicates the result is
/// unique. One fence on a GPU.
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
    sort_rows(exec,
              RowsToSort<Scalar>{arrays.row_offsets.data(), arrays.columns.data(),
                                 arrays.values.data(), unsorted.data()},
              num_rows);
  }
}

}  // namespace Tomokkos::Impl
