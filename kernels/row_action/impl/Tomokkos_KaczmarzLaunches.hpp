// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distribution of the visits of rows over threads: rows that may run concurrently, and successive
// levels of such rows.
#pragma once

#include <Tomokkos_ResidentTeams.hpp>
#include <Tomokkos_Views.hpp>
#include <impl/Tomokkos_KaczmarzRows.hpp>

namespace Tomokkos::Impl {

/// Number of threads of a team of warps, each with its own row. Rows have a few hundred entries, so
/// several teams share a multiprocessor.
inline constexpr int row_team_threads = 256;

/// Largest number of host threads that synchronise in one launch; Kokkos allows no larger teams
/// there.
inline constexpr int most_host_team_threads = 64;

/// Calls `work.by_thread(first + i)`.
template <class Work>
struct RowsByThreads {
  Work work;
  Offset first;
  KOKKOS_FUNCTION void operator()(const Offset i) const { work.by_thread(first + i); }
};

/// Calls `work.by_warp(first + i, lane)` for `i < count`.
template <class ExecutionSpace, class Work>
struct RowsByWarps {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  Work work;
  Offset first, count;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int warp = member.team_rank() / warp_lanes, lane = member.team_rank() % warp_lanes;
    const Offset i =
        static_cast<Offset>(member.league_rank()) * (row_team_threads / warp_lanes) + warp;
    if (i < count) work.by_warp(first + i, lane);
  }
};

/// Processes rows `first`, ..., `first + count - 1` of \p work concurrently.
template <class ExecutionSpace, class Work>
void visit_level(const ExecutionSpace& exec, const char* label, Offset first, Offset count,
                 const Work& work) {
  if (count == 0) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for(label, element_range(exec, static_cast<std::size_t>(count)),
                         RowsByThreads<Work>{work, first});
  } else {
    constexpr Offset warps = row_team_threads / warp_lanes;
    const int teams = static_cast<int>((count + warps - 1) / warps);
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<ExecutionSpace>(exec, teams, row_team_threads),
                         RowsByWarps<ExecutionSpace, Work>{work, first, count});
  }
}

/// Processes all levels with one thread. The policy requires the index, which is not used.
template <class Work>
struct LevelsByThread {
  Work work;
  Offset count;
  KOKKOS_FUNCTION void operator()(const Offset) const {
    for (Offset visit = 0; visit < count; ++visit) work.by_thread(visit);
  }
};

/// Processes all levels with one team of host threads, which synchronise after each level.
template <class ExecutionSpace, class Work>
struct LevelsByTeam {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  Work work;
  const Offset* offsets;
  Ordinal num_levels;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    for (Ordinal level = 0; level < num_levels; ++level) {
      for (Offset visit = offsets[level] + member.team_rank(); visit < offsets[level + 1];
           visit += member.team_size())
        work.by_thread(visit);
      member.team_barrier();
    }
  }
};

/// Largest number of threads of such a team on a device. Warps that keep the entries of a row in
/// registers allow half as many threads as a multiprocessor has.
inline constexpr int most_level_threads = 512;

/// Processes all levels with warps that stay on the device. A warp prefetches the next row, except
/// for x, while it waits for the others.
template <class Work>
struct LevelsByResidents {
  static constexpr int most_threads = most_level_threads;

  Work work;
  const Offset* offsets;
  Ordinal num_levels;

  template <class Grid>
  KOKKOS_FUNCTION void operator()(Grid& grid) const {
    const int lane = grid.thread() % warp_lanes;
    const Offset workers = static_cast<Offset>(grid.num_threads() / warp_lanes) * grid.num_teams();
    // Neighbouring rows use different multiprocessors, so that narrow levels keep all of them busy.
    const Offset worker =
        static_cast<Offset>(grid.thread() / warp_lanes) * grid.num_teams() + grid.team();
    FetchedRow<typename Work::Scalar> fetched;
    bool has_row = false;
    for (Ordinal level = 0; level < num_levels; ++level) {
      const Offset end = offsets[level + 1];
      Offset visit = offsets[level] + worker;
      if (level == 0 && visit < end) {
        fetched = work.fetch(visit, lane);
        has_row = true;
      }
      if (has_row) work.by_warp(fetched, lane);
      for (visit += workers; visit < end; visit += workers) work.by_warp(visit, lane);
      if (level + 1 == num_levels) return;
      const Offset next = end + worker;
      has_row = next < offsets[level + 2];
      if (has_row) fetched = work.fetch(next, lane);
      grid.barrier();
    }
  }
};

/// Returns the threads of a resident team: as many warps as a level of mean width keeps busy, but
/// at least 4 warps, which hide some of each other's latency.
inline int resident_level_threads(double mean_width, int teams) {
  int threads = 4 * warp_lanes;
  while (threads < most_level_threads && mean_width > 1.0 * teams * threads / warp_lanes)
    threads *= 2;
  return threads;
}

/// Returns whether the levels are so narrow that one launch of resident teams has a warp for each
/// row.
inline bool levels_are_narrow(double mean_width, int teams) {
  return mean_width <= 1.0 * teams * most_level_threads / warp_lanes;
}

}  // namespace Tomokkos::Impl
