// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row-wise products of CSR: a thread per row, or a team member per row.
#pragma once

#include <Tomokkos_Spmv.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Where the rows of a product begin and end, and where their results go.
template <class Scalar>
struct CsrRows {
  const Offset* row_offsets;
  Scalar* y;
  Scalar alpha, beta;
  Ordinal num_rows;
  /// Restricts each (sorted) row to the columns [first_column, last_column).
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
};

/// \brief `scalar`: a thread per row.
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

/// \brief `merge_path` on a host where its tiles take whole rows: a thread per tile.
template <class Scalar>
struct SpmvRowTiles {
  CsrStreams<Scalar> A;
  CsrRows<Scalar> rows;
  const Ordinal* tile_rows;

  // For hosts alone, hence without a mark for devices.
  void operator()(const Offset tile) const {
    for (Ordinal row = tile_rows[tile]; row < tile_rows[tile + 1]; ++row)
      rows.store(row, row_sum(A, rows.row_offsets[row], rows.row_offsets[row + 1]));
  }
};

/// \brief `team_vector`: a team member per row, its vector lanes over the nonzeros.
template <class ExecutionSpace, class Scalar, bool in_packs>
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
      const Scalar sum = vector_row_sum<in_packs>(member, A, begin, end);
      Kokkos::single(Kokkos::PerThread(member), [&]() { rows.store(row, sum); });
    }
  }
};

template <class ExecutionSpace, class Scalar>
void launch_spmv_scalar(const ExecutionSpace& exec, const CsrStreams<Scalar>& A,
                        const CsrRows<Scalar>& rows) {
  Kokkos::parallel_for("Tomokkos::spmv::csr::scalar",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, rows.num_rows),
                       SpmvScalar<Scalar>{A, rows});
}

template <class ExecutionSpace, class Scalar>
void launch_spmv_team_vector(const ExecutionSpace& exec, const SpmvOptions& options,
                             const CsrStreams<Scalar>& A, const CsrRows<Scalar>& rows) {
  const auto teams = static_cast<int>(
      (static_cast<Offset>(rows.num_rows) + options.rows_per_team - 1) / options.rows_per_team);
  const auto launch = [&](const auto& functor) {
    using Functor = std::decay_t<decltype(functor)>;
    Kokkos::parallel_for(
        "Tomokkos::spmv::csr::team_vector",
        typename Functor::Policy(exec, teams, options.team_size, options.vector_length), functor);
  };
  // A host sums a row in one way.
  if (is_host_space<ExecutionSpace> || options.entries_per_load == 1)
    launch(SpmvTeamVector<ExecutionSpace, Scalar, false>{A, rows, options.rows_per_team});
  else if constexpr (!is_host_space<ExecutionSpace>)
    launch(SpmvTeamVector<ExecutionSpace, Scalar, true>{A, rows, options.rows_per_team});
}

/// \brief A row-wise product by whatever variant of the plan works without tiles.
template <class ExecutionSpace, class Scalar>
void launch_spmv_by_rows(const ExecutionSpace& exec, const SpmvOptions& options,
                         const CsrStreams<Scalar>& A, const CsrRows<Scalar>& rows) {
  const bool by_teams =
      options.variant == SpmvVariant::team_vector || options.variant == SpmvVariant::crs_vector ||
      options.variant == SpmvVariant::spmv4gpu ||
      (options.variant == SpmvVariant::merge_path && !is_host_space<ExecutionSpace>);
  if (by_teams)
    launch_spmv_team_vector(exec, options, A, rows);
  else
    launch_spmv_scalar(exec, A, rows);
}

}  // namespace Tomokkos::Impl
