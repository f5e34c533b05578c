// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row-wise products of CSR, with a thread or a team member per row.
#pragma once

#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_Spmv.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Bounds of the rows of a product, and destination of their results.
template <class Scalar>
struct CsrRows {
  const Offset* row_offsets;
  Scalar* y;
  Scalar alpha, beta;
  Ordinal num_rows;
  /// True if each (sorted) row is restricted to the columns [first_column, last_column).
  bool restricted;
  Ordinal first_column, last_column;

  KOKKOS_FORCEINLINE_FUNCTION void bounds(const CsrStreams<Scalar>& A, Ordinal row, Offset& begin,
                                          Offset& end) const {
    begin = row_offsets[row];
    end = row_offsets[row + 1];
    if (restricted) {
      begin = A.lower_bound(begin, end, first_column);
      end = A.lower_bound(begin, end, last_column);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(Ordinal row, Scalar sum) const {
    y[row] = combine(alpha, sum, beta, y[row]);
  }

  /// Data that a thread reads of its row before the row is summed, and accumulates afterwards.
  /// Empty for the plain product.
  struct Own {};
  struct Gathered {};
  static constexpr bool has_dot = false;
  KOKKOS_FORCEINLINE_FUNCTION Own own(Ordinal) const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(Ordinal row, Scalar sum, Own, Gathered&) const {
    store(row, sum);
  }
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Member&, const Gathered&) const {}
};

/// \brief Rows of `y = A x` with partial sums of `x . y`, for a square A.
///
/// Each warp whose threads store rows (on a host each tile) forms one sum in double. Sums over
/// whole teams would need barriers, which cost a product of short rows more than reading more sums.
template <class Scalar>
struct CsrRowsWithDot {
  const Offset* row_offsets;
  Scalar* y;
  const Scalar* x;
  double* sums;
  Ordinal num_rows;
  int sums_per_team;

  using Own = Scalar;
  using Gathered = double;
  static constexpr bool has_dot = true;
  KOKKOS_FORCEINLINE_FUNCTION Own own(Ordinal row) const { return x[row]; }
  KOKKOS_FORCEINLINE_FUNCTION void store(Ordinal row, Scalar sum, Own own, double& gathered) const {
    y[row] = sum;
    gathered = multiply_add(static_cast<double>(sum), static_cast<double>(own), gathered);
  }
  /// Writes the sum of each warp. All threads of a team call it; they form whole warps of one lane
  /// each.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Member& member, double gathered) const {
    const int warp = member.team_rank() / warp_lanes;
    if (warp >= sums_per_team) return;
    const double sum = sum_over_lanes(gathered, 1, warp_lanes);
    if (member.team_rank() % warp_lanes == 0)
      sums[static_cast<Offset>(member.league_rank()) * sums_per_team + warp] = sum;
  }
};

/// \brief Multiplies by `scalar` and forms `x . y`: a thread per row, in teams.
///
/// \tparam teams minimum number of teams that share a multiprocessor
template <class ExecutionSpace, class Scalar, int teams>
struct SpmvScalarWithDot {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<spmv_dot_threads, teams>>;
  using Member = typename Policy::member_type;

  CsrStreams<Scalar> A;
  CsrRowsWithDot<Scalar> rows;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset row =
        static_cast<Offset>(member.league_rank()) * member.team_size() + member.team_rank();
    double gathered = 0;
    if (row < rows.num_rows) {
      const auto own = rows.own(static_cast<Ordinal>(row));
      rows.store(static_cast<Ordinal>(row),
                 row_sum(A, rows.row_offsets[row], rows.row_offsets[row + 1]), own, gathered);
    }
    rows.finish(member, gathered);
  }
};

/// \brief Multiplies by `scalar`: a thread per row.
template <class Scalar>
struct SpmvScalar {
  CsrStreams<Scalar> A;
  CsrRows<Scalar> rows;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Offset begin, end;
    rows.bounds(A, row, begin, end);
    rows.store(row, row_sum(A, begin, end));
  }
};

/// \brief Multiplies by `merge_path` on a host with tiles of whole rows: a thread per tile.
template <class Scalar>
struct SpmvRowTiles {
  CsrStreams<Scalar> A;
  CsrRows<Scalar> rows;
  const Ordinal* tile_rows;

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Offset tile) const {
    for (Ordinal row = tile_rows[tile]; row < tile_rows[tile + 1]; ++row)
      rows.store(row, row_sum(A, rows.row_offsets[row], rows.row_offsets[row + 1]));
  }
};

/// \brief Multiplies like `SpmvRowTiles` and forms `x . y`, one sum per tile.
template <class Scalar>
struct SpmvRowTilesWithDot {
  CsrStreams<Scalar> A;
  CsrRowsWithDot<Scalar> rows;
  const Ordinal* tile_rows;

  void operator()(const Offset tile) const {
    double gathered = 0;
    for (Ordinal row = tile_rows[tile]; row < tile_rows[tile + 1]; ++row)
      rows.store(row, row_sum(A, rows.row_offsets[row], rows.row_offsets[row + 1]), rows.own(row),
                 gathered);
    rows.sums[tile] = gathered;
  }
};

/// \brief Multiplies by `team_vector` in packs, and on hosts: a team member per row, whose vector
/// lanes share the nonzeros.
template <class ExecutionSpace, class Scalar>
struct SpmvTeamVector {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;

  CsrStreams<Scalar> A;
  CsrRows<Scalar> rows;
  int rows_per_team;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset first = static_cast<Offset>(member.league_rank()) * rows_per_team;
    for (int i = member.team_rank(); i < rows_per_team; i += member.team_size()) {
      if (first + i >= rows.num_rows) return;
      const auto row = static_cast<Ordinal>(first + i);
      Offset begin, end;
      rows.bounds(A, row, begin, end);
      const Scalar sum = vector_row_sum(member, A, begin, end);
      Kokkos::single(Kokkos::PerThread(member), [&]() { rows.store(row, sum); });
    }
  }
};

/// \brief Multiplies by `team_vector` entry by entry on a GPU: \p lanes neighbouring threads of a
/// team per row.
template <class ExecutionSpace, class Scalar, int lanes, class Rows>
struct SpmvLanes {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;

  CsrStreams<Scalar> A;
  Rows rows;
  int rows_per_team;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset first = static_cast<Offset>(member.league_rank()) * rows_per_team;
    const int lane = member.team_rank() % lanes;
    typename Rows::Gathered gathered{};
    // All lanes of a row leave the loop together.
    for (int i = member.team_rank() / lanes; i < rows_per_team; i += member.team_size() / lanes) {
      if (first + i >= rows.num_rows) break;
      const auto row = static_cast<Ordinal>(first + i);
      const Offset begin = rows.row_offsets[row], end = rows.row_offsets[row + 1];
      const Scalar sum = lane_sum<lanes>(A.columns + begin, A.values + begin, A.x - A.column_shift,
                                         static_cast<int>(end - begin), lane);
      const Scalar total = sum_over_lanes(sum, 1, lanes);
      if (lane == 0) rows.store(row, total, rows.own(row), gathered);
    }
    rows.finish(member, gathered);
  }
};

template <class ExecutionSpace, class Scalar>
void launch_spmv_scalar(const ExecutionSpace& exec, const CsrStreams<Scalar>& A,
                        const CsrRows<Scalar>& rows) {
  Kokkos::parallel_for("Tomokkos::spmv::csr::scalar",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, rows.num_rows),
                       SpmvScalar<Scalar>{A, rows});
}

/// Returns the number of teams with `rows_per_team` rows each.
inline int spmv_league(const SpmvOptions& options, Ordinal num_rows) {
  return static_cast<int>((static_cast<Offset>(num_rows) + options.rows_per_team - 1) /
                          options.rows_per_team);
}

template <class ExecutionSpace, class Scalar>
void launch_spmv_scalar(const ExecutionSpace& exec, const CsrStreams<Scalar>& A,
                        const CsrRowsWithDot<Scalar>& rows) {
  const auto launch = [&](const auto& functor) {
    const int league = static_cast<int>(
        (static_cast<Offset>(rows.num_rows) + spmv_dot_threads - 1) / spmv_dot_threads);
    Kokkos::parallel_for(
        "Tomokkos::spmv::csr::scalar",
        typename std::decay_t<decltype(functor)>::Policy(exec, league, spmv_dot_threads), functor);
  };
  // The dot must not reduce the number of resident threads below that of the plain product.
  if (teams_fit(device_traits(exec), spmv_dot_teams, spmv_dot_threads, 0))
    launch(SpmvScalarWithDot<ExecutionSpace, Scalar, spmv_dot_teams>{A, rows});
  else
    launch(SpmvScalarWithDot<ExecutionSpace, Scalar, 1>{A, rows});
}

template <class ExecutionSpace, class Scalar>
void launch_spmv_team_vector(const ExecutionSpace& exec, const SpmvOptions& options,
                             const CsrStreams<Scalar>& A, const CsrRows<Scalar>& rows) {
  using Functor = SpmvTeamVector<ExecutionSpace, Scalar>;
  Kokkos::parallel_for("Tomokkos::spmv::csr::team_vector",
                       typename Functor::Policy(exec, spmv_league(options, rows.num_rows),
                                                options.team_size, options.vector_length),
                       Functor{A, rows, options.rows_per_team});
}

template <int lanes, class ExecutionSpace, class Scalar, class Rows>
void launch_spmv_lanes(const ExecutionSpace& exec, const SpmvOptions& options,
                       const CsrStreams<Scalar>& A, const Rows& rows) {
  if constexpr (lanes > 1) {
    if (options.vector_length < lanes) {
      launch_spmv_lanes<lanes / 2>(exec, options, A, rows);
      return;
    }
  }
  using Functor = SpmvLanes<ExecutionSpace, Scalar, lanes, Rows>;
  const typename Functor::Policy policy(exec, spmv_league(options, rows.num_rows),
                                        options.team_size * lanes, 1);
  Kokkos::parallel_for("Tomokkos::spmv::csr::team_vector", policy,
                       Functor{A, rows, options.rows_per_team});
}

/// \brief Launches a row-wise product by the variant that replaces the plan's variant when there
/// are no tiles.
template <class ExecutionSpace, class Scalar>
void launch_spmv_by_rows(const ExecutionSpace& exec, const SpmvOptions& options,
                         const CsrStreams<Scalar>& A, const CsrRows<Scalar>& rows) {
  const bool by_teams =
      options.variant == SpmvVariant::team_vector || options.variant == SpmvVariant::crs_vector ||
      options.variant == SpmvVariant::spmv4gpu ||
      (options.variant == SpmvVariant::merge_path && !is_host_space<ExecutionSpace>);
  if constexpr (!is_host_space<ExecutionSpace>) {
    if (by_teams && options.entries_per_load == 1 && !rows.restricted) {
      launch_spmv_lanes<32>(exec, options, A, rows);
      return;
    }
  }
  if (by_teams)
    launch_spmv_team_vector(exec, options, A, rows);
  else
    launch_spmv_scalar(exec, A, rows);
}

}  // namespace Tomokkos::Impl
