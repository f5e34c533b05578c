// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segments of the rows of a CSR matrix: a warp per row on GPUs, a thread per row on hosts.
#pragma once

#include <Tomokkos_Views.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>

namespace Tomokkos::Impl {

/// Rows per team, one warp each.
inline constexpr int segment_rows_of_team = 16;

/// Visits the segments of all rows. `visits.of_row(row)` returns an object with the callbacks of a
/// row:
///  - `opens(j, tile)` and `closes(j, length)` for its segment j;
///  - `takes(k, t, j, i)` for entry k, which is in tile t and is the i-th entry of segment j;
///  - `ends(count)` with the number of its segments.
/// Any lane of a warp may call them, in any order.
template <class ExecutionSpace, class Visits>
struct VisitSegments {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Ordinal rows, tile;
  Visits visits;

  KOKKOS_FUNCTION void operator()(const Offset row) const {
    const auto visit = visits.of_row(row);
    const Offset begin = row_offsets(row), end = row_offsets(row + 1);
    Offset opened = begin;
    Ordinal current = -1, count = 0;
    for (Offset k = begin; k < end; ++k) {
      const Ordinal t = columns(k) / tile;
      if (t != current) {
        if (count > 0) visit.closes(count - 1, static_cast<Ordinal>(k - opened));
        visit.opens(count++, t);
        opened = k;
        current = t;
      }
      visit.takes(k, t, count - 1, static_cast<Ordinal>(k - opened));
    }
    if (count > 0) visit.closes(count - 1, static_cast<Ordinal>(end - opened));
    visit.ends(count);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int rank = member.team_rank(), lane = rank % warp_lanes;
    const Offset row = Offset{member.league_rank()} * segment_rows_of_team + rank / warp_lanes;
    if (row >= rows) return;
    const auto visit = visits.of_row(row);
    const Offset begin = row_offsets(row), end = row_offsets(row + 1);
    const unsigned before_lane = (1U << lane) - 1U, up_to_lane = before_lane << 1 | 1U;
    Offset opened = begin;
    Ordinal count = 0;
    for (Offset first = begin; first < end; first += warp_lanes) {
      const Offset k = first + lane;
      const Ordinal t = k < end ? columns(k) / tile : -1;
      const bool opens = k < end && (k == begin || columns(k - 1) / tile != t);
      const unsigned heads = warp_ballot(opens);
      const Ordinal j = count + static_cast<Ordinal>(count_lanes(heads & up_to_lane)) - 1;
      if (opens) {
        if (j > 0)
          visit.closes(j - 1,
                       static_cast<Ordinal>(k - last_head(heads & before_lane, first, opened)));
        visit.opens(j, t);
      }
      if (k < end)
        visit.takes(k, t, j,
                    static_cast<Ordinal>(k - last_head(heads & up_to_lane, first, opened)));
      opened = last_head(heads, first, opened);
      count += static_cast<Ordinal>(count_lanes(heads));
    }
    if (lane > 0) return;
    if (count > 0) visit.closes(count - 1, static_cast<Ordinal>(end - opened));
    visit.ends(count);
  }

 private:
  KOKKOS_FUNCTION static Offset last_head(unsigned heads, Offset first, Offset otherwise) {
    return heads != 0 ? first + highest_lane(heads) : otherwise;
  }
};

template <class ExecutionSpace, class MemorySpace, class Visits>
void visit_segments(const ExecutionSpace& exec, const std::string& label,
                    const Kokkos::View<const Offset*, MemorySpace>& row_offsets,
                    const Kokkos::View<const Ordinal*, MemorySpace>& columns, Ordinal tile,
                    const Visits& visits) {
  const auto rows = static_cast<Ordinal>(row_offsets.extent(0)) - 1;
  if (rows <= 0) return;
  const VisitSegments<ExecutionSpace, Visits> visit{row_offsets, columns, rows, tile, visits};
  if constexpr (is_host_space<ExecutionSpace>)
    Kokkos::parallel_for(label, element_range(exec, static_cast<std::size_t>(rows)), visit);
  else
    Kokkos::parallel_for(
        label,
        Kokkos::TeamPolicy<ExecutionSpace>(exec, (rows - 1) / segment_rows_of_team + 1,
                                           segment_rows_of_team * warp_lanes),
        visit);
}

}  // namespace Tomokkos::Impl
