// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations of `single_reduction` by teams that stay on the device: two barriers per iteration
// replace the launches, and every team keeps the scalars.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_ResidentTeams.hpp>
#include <impl/Tomokkos_PcgSingleKernels.hpp>

namespace Tomokkos::Impl {

/// Entries of its first row that a lane keeps: every `lanes`th entry, and the position of the rest.
template <class Scalar>
struct KeptEntries {
  Ordinal columns[resident_entries] = {};
  Scalar values[resident_entries] = {};
  int count = 0;
  Offset rest = 0, end = 0;
};

/// Runs `steps` iterations of one column: `PcgAdvanceAll`, the product, `PcgMeasureAll` and
/// `PcgUpdateAll` in sequence. A team works on its own rows. Only u and sums pass between teams:
/// the product needs entries of u that other teams have computed. A finished recursion is left
/// unchanged. The residual of the given system is measured at the last iterate if
/// `measure.measures`.
template <class Scalar, class MemorySpace>
struct PcgResident {
  static constexpr int num_sums = 4;
  static constexpr int num_scalars = static_cast<int>(PcgScalar::count);
  static_assert(num_scalars + 2 <= resident_scratch);

  const Offset* row_offsets;
  const Ordinal* columns;
  const Scalar* values;
  Offset rows;
  int lanes;  // neighbouring threads that share a row of the product
  int first;  // 0, or -1 to form w = A u again before the first iteration
  int steps;
  int log_pitch;  // distance between the records of consecutive iterates
  PcgAdvanceAll<Scalar, MemorySpace> advance;
  PcgMeasureAll<Scalar, MemorySpace> measure;
  PcgUpdateAll<MemorySpace> update;  // parameters for the first iterate
  VectorView<Scalar, MemorySpace> image;

  template <class Grid>
  KOKKOS_FUNCTION void operator()(Grid& grid) const {
    const Offset begin = rows * grid.team() / grid.num_teams();
    const Offset end = rows * (grid.team() + 1) / grid.num_teams();
    double* const own = grid.scratch();
    for (int i = grid.thread(); i < num_scalars; i += grid.num_threads())
      own[i] = update.at.values(i);
    grid.team_barrier();
    PcgAdvanceAll<Scalar, MemorySpace> moves = advance;
    moves.alpha = of_team(own, PcgScalar::alpha);
    moves.beta = of_team(own, PcgScalar::beta);
    PcgMeasureAll<Scalar, MemorySpace> measures = measure;
    PcgUpdateAll<MemorySpace> updates = update;
    updates.at = {VectorView<double, MemorySpace>(own, num_scalars), 1};
    const KeptEntries<Scalar> kept = first_entries(grid, begin, end);
    const double& fault = own[static_cast<int>(PcgScalar::fault)];  // same in all teams
    for (int k = first; k < steps && fault == 0; ++k) {
      if (k >= 0)
        for (Offset row = begin + grid.thread(); row < end; row += grid.num_threads()) moves(row);
      grid.barrier();
      measures.measures = measure.measures && k == steps - 1;
      updates.look = measures.measures ? update.look : PcgLook::none;
      Sums<num_sums> sums;
      multiply(grid, begin, end, kept, measures, sums);
      if (k < 0) {  // other teams may still read the u that the next iteration changes
        grid.barrier();
        continue;
      }
      grid.sum(sums, measures.measures ? num_sums : num_sums - 1, lanes);
      if (grid.thread() == 0) {
        updates.iteration = update.iteration + k;
        // All teams compute the same values; the first one writes them.
        updates.logged_rho = record(grid, update.logged_rho, k, own + num_scalars);
        updates.logged_residual = record(grid, update.logged_residual, k, own + num_scalars + 1);
        updates(0, sums);
      }
      grid.team_barrier();
    }
    if (grid.team() > 0) return;
    for (int i = grid.thread(); i < num_scalars; i += grid.num_threads())
      update.at.values(i) = own[i];
  }

 private:
  KOKKOS_FUNCTION static VectorView<const double, MemorySpace> of_team(const double* own,
                                                                       PcgScalar which) {
    return VectorView<const double, MemorySpace>(own + static_cast<int>(which), 1);
  }

  template <class Grid>
  KOKKOS_FUNCTION VectorView<double, MemorySpace> record(
      const Grid& grid, const VectorView<double, MemorySpace>& first, int k, double* aside) const {
    return VectorView<double, MemorySpace>(grid.team() == 0 ? first.data() + k * log_pitch : aside,
                                           1);
  }

  template <class Grid>
  KOKKOS_FUNCTION KeptEntries<Scalar> first_entries(const Grid& grid, Offset begin,
                                                    Offset end) const {
    KeptEntries<Scalar> kept;
    const Offset row = begin + grid.thread() / lanes;
    if (row >= end) return kept;
    kept.rest = row_offsets[row] + grid.thread() % lanes;
    kept.end = row_offsets[row + 1];
    for (int i = 0; i < resident_entries; ++i) {
      if (kept.rest >= kept.end) continue;
      kept.columns[i] = columns[kept.rest];
      kept.values[i] = values[kept.rest];
      kept.rest += lanes;
      ++kept.count;
    }
    return kept;
  }

  /// Computes `w = A u` and its sums in the rows of the team.
  template <class Grid>
  KOKKOS_FUNCTION void multiply(Grid& grid, Offset begin, Offset end,
                                const KeptEntries<Scalar>& kept,
                                const PcgMeasureAll<Scalar, MemorySpace>& measures,
                                Sums<num_sums>& sums) const {
    const int lane = grid.thread() % lanes, group = grid.thread() / lanes;
    const Scalar* const u = measures.preconditioned.data();
    // All threads run equally many rounds, because the lanes of a row sum together.
    for (Offset first = begin; first < end; first += grid.num_threads() / lanes) {
      const Offset row = first + group;
      Scalar sum = 0;
      Offset k = 0, last = 0;
      if (first == begin) {
        for (int i = 0; i < resident_entries; ++i)
          if (i < kept.count) sum += kept.values[i] * u[kept.columns[i]];
        k = kept.rest;
        last = kept.end;
      } else if (row < end) {
        k = row_offsets[row] + lane;
        last = row_offsets[row + 1];
      }
      for (; k < last; k += lanes) sum += values[k] * u[columns[k]];
      sum = grid.sum_lanes(sum, lanes);
      if (row < end && lane == 0) {
        image(row) = sum;
        measures({row, 0, row}, sums);
      }
    }
  }
};

}  // namespace Tomokkos::Impl
