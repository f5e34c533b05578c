// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant `staged`: the product of CSR for short rows on a GPU. Lanes that share a row would idle
// if it has few entries, and a thread per row would read the matrix in strides. A team therefore
// copies the entries of a block of rows into scratch memory, with adjacent 16-byte copies by
// adjacent lanes that bypass the registers. Then adjacent threads sum adjacent rows; in matrices of
// grids these use adjacent entries of x.
#pragma once

#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <impl/Tomokkos_SpmvCsr_impl.hpp>
#include <impl/Tomokkos_StageEntries_impl.hpp>

namespace Tomokkos::Impl {

/// Gathers that a thread starts before it uses the first one. The compiler orders the loads by
/// register use, so neighbouring numbers differ by up to 15 %. Measured with the same matrix as
/// `staged_teams`.
template <class Scalar, bool with_dot>
inline constexpr int staged_gathers = sizeof(Scalar) > 4 ? (with_dot ? 6 : 7) : (with_dot ? 4 : 6);

/// Processes a block of rows with a team.
///
/// \tparam teams minimum number of teams that share a multiprocessor
template <class ExecutionSpace, class Scalar, int teams, class Rows>
struct SpmvStaged {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<staged_threads, teams>>;
  using Member = typename Policy::member_type;

  CsrStreams<Scalar> A;
  Rows rows;
  int rows_per_team;
  /// Entries that the scratch memory holds, a multiple of a pack.
  int capacity;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    constexpr int unroll = staged_gathers<Scalar, Rows::has_dot>;
    const int members = member.team_size();
    auto* const values =
        static_cast<Scalar*>(member.team_shmem().get_shmem_aligned(capacity * sizeof(Scalar), 16));
    auto* const columns = static_cast<Ordinal*>(
        member.team_shmem().get_shmem_aligned(capacity * sizeof(Ordinal), 16));
    auto* const partial =
        static_cast<Scalar*>(member.team_shmem().get_shmem_aligned(members * sizeof(Scalar), 16));
    const Ordinal first = member.league_rank() * rows_per_team;
    const int count = rows.num_rows - first < rows_per_team ? rows.num_rows - first : rows_per_team;
    // Several threads share a row if there are more threads than rows.
    const int row = member.team_rank() % rows_per_team;
    const int part = member.team_rank() / rows_per_team;
    const int parts = members / rows_per_team;
    const bool works = row < count && part < parts;
    const Offset row_begin = works ? rows.row_offsets[first + row] : 0;
    const Offset row_end = works ? rows.row_offsets[first + row + 1] : 0;
    const Offset end = rows.row_offsets[first + count];
    const bool keeps = works && part == 0;
    const auto own = keeps ? rows.own(first + row) : typename Rows::Own{};

    Scalar sum[unroll] = {};
    for (Offset chunk = rows.row_offsets[first] / pack_size * pack_size; chunk < end;
         chunk += capacity) {
      const Offset chunk_end = chunk + capacity < end ? chunk + capacity : end;
      stage_entries<1>(member, EntryStreams<Scalar>{A.columns, A.values, A.nonzeros, A.aligned},
                       chunk, chunk_end, columns, values);
      member.team_barrier();
      const Offset from = row_begin > chunk ? row_begin : chunk;
      const Offset to = row_end < chunk_end ? row_end : chunk_end;
      const int high = from < to ? static_cast<int>(to - chunk) : 0;
      int k = (from < to ? static_cast<int>(from - chunk) : 0) + part;
      for (; k + (unroll - 1) * parts < high; k += unroll * parts) {
        Scalar gathered[unroll];
        for (int i = 0; i < unroll; ++i) gathered[i] = load_gathered(A.x + columns[k + i * parts]);
        for (int i = 0; i < unroll; ++i) sum[i] += values[k + i * parts] * gathered[i];
      }
      for (; k < high; k += parts) sum[0] += values[k] * load_gathered(A.x + columns[k]);
      member.team_barrier();
    }

    Scalar total = 0;
    for (int i = 0; i < unroll; ++i) total += sum[i];
    if (parts > 1) {
      partial[member.team_rank()] = total;
      member.team_barrier();
      if (part == 0)
        for (int other = 1; other < parts; ++other) total += partial[row + other * rows_per_team];
    }
    typename Rows::Gathered gathered{};
    if (keeps) rows.store(first + row, total, own, gathered);
    rows.finish(member, gathered);
  }
};

template <class ExecutionSpace, class Scalar, class Rows>
void launch_spmv_staged(const ExecutionSpace& exec, const SpmvOptions& options,
                        const CsrStreams<Scalar>& A, const Rows& rows) {
  const int league = spmv_league(options, rows.num_rows);
  const auto capacity = static_cast<int>(options.items_per_tile);
  const auto launch = [&](const auto& functor) {
    typename std::decay_t<decltype(functor)>::Policy policy(exec, league, options.team_size);
    policy.set_scratch_size(
        0, Kokkos::PerTeam(staged_scratch_bytes(capacity, options.team_size, sizeof(Scalar))));
    Kokkos::parallel_for("Tomokkos::spmv::csr::staged", policy, functor);
  };
  constexpr int teams = staged_teams(sizeof(Scalar), Rows::has_dot);
  if (staged_teams_fit(device_traits(exec), sizeof(Scalar)))
    launch(
        SpmvStaged<ExecutionSpace, Scalar, teams, Rows>{A, rows, options.rows_per_team, capacity});
  else  // a GPU with less scratch memory
    launch(SpmvStaged<ExecutionSpace, Scalar, 1, Rows>{A, rows, options.rows_per_team, capacity});
}

}  // namespace Tomokkos::Impl
