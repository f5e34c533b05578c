// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How visits of rows are spread over threads: rows that may run at once, and levels of such rows
// one after the other.
#pragma once

#include <Tomokkos_ResidentTeams.hpp>
#include <Tomokkos_Views.hpp>
#include <impl/Tomokkos_KaczmarzRows.hpp>

namespace Tomokkos::Impl {

/// Threads of a team of warps, each with a row of its own: rows have a few hundred entries, so that
/// some teams share a multiprocessor.
inline constexpr int row_team_threads = 256;

/// Threads of a host that wait for each other in one launch; Kokkos makes no larger teams there.
inline constexpr int most_host_team_threads = 64;

/// `work.by_thread(first + i)`.
template <class Work>
struct RowsByThreads {
  Work work;
  Offset first;
  KOKKOS_FUNCTION void operator()(const Offset i) const { work.by_thread(first + i); }
};

/// `work.by_warp(first + i, lane)` for `i < count`.
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

/// Rows `first`, ..., `first + count - 1` of \p work at once.
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

/// All levels by one thread: the index is there for the policy alone.
template <class Work>
struct LevelsByThread {
  Work work;
  Offset count;
  KOKKOS_FUNCTION void operator()(const Offset) const {
    for (Offset visit = 0; visit < count; ++visit) work.by_thread(visit);
  }
};

/// All levels by one team of threads of a host, that wait for each other after each.
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

/// The most threads of such a team on a device: warps that keep the entries of a row have registers
/// for half as many as a multiprocessor has.
inline constexpr int most_level_threads = 512;

/// All levels by warps that stay on the device. What a warp needs of the next row but x is on its
/// way while it waits for the others.
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
    // Neighbouring rows to different multiprocessors: narrow levels keep all of them busy.
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

/// Warps of a resident team: as many as a level of usual width keeps busy, and 4 at least, which
/// hide some of each other's waiting.
inline int resident_level_threads(double mean_width, int teams) {
  int threads = 4 * warp_lanes;
  while (threads < most_level_threads && mean_width > 1.0 * teams * threads / warp_lanes)
    threads *= 2;
  return threads;
}

/// True where the levels are so narrow that one launch of resident teams has a warp for each row.
inline bool levels_are_narrow(double mean_width, int teams) {
  return mean_width <= 1.0 * teams * most_level_threads / warp_lanes;
}

}  // namespace Tomokkos::Impl
