// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward kernels of stepped products: a thread sums the pixels of a ray.
#pragma once

#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_FanTable_impl.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_SteppedCopies_impl.hpp>

namespace Tomokkos::Impl {

/// Lines of the image whose sum is formed in the precision of the vectors.
constexpr int lines_of_chunk = 16;

/// Sums the pixels of a ray.
template <Beam beam, class Scalar, int count, int plane>
struct SteppedRay {
  SteppedScan scan;
  const ViewSteps* steps;
  const Ordinal* rays;  // of rows; null: natural order
  Ordinal first_row;
  Ordinal vectors;
  ImageCopy image;
  Scalar alpha, beta;
  const Scalar* copy;  // of the group
  Offset plane_size;
  Scalar* y;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal row = first_row + i;
    const Ordinal natural = rays == nullptr ? row : rays[row];
    const ViewSteps& view = steps[natural / scan.detectors];
    const Ordinal detector = natural % scan.detectors;
    RaySteps ray{view.is_exact, view.by_rows, view.start + detector * view.per_element,
                 view.step,     view.scale,   view.fall};
    if constexpr (beam == Beam::fan) ray = fan_steps(scan, view.cosine, view.sine, detector);
    if (ray.is_exact) return;
    const Ordinal lines = ray.by_rows ? image.rows : image.columns;
    const Ordinal across = ray.by_rows ? image.columns : image.rows;
    const Offset pitch = static_cast<Offset>(image.pitch(ray.by_rows)) * plane;
    const Scalar* const origin = copy + image.lines(ray.by_rows) * plane;
    Ordinal begin = 0, end = lines;
    clip(ray.start, ray.step, across, begin, end);
    const auto fall = static_cast<Scalar>(ray.fall);
    double sums[count] = {};
    for (Ordinal line = begin; line < end; line += lines_of_chunk) {
      const double at = ray.start + line * ray.step;
      // The track moves by at most 16 to either side.
      const double first = Impl::floor(at) - 32;
      Track<Scalar> track(at - first, ray.step);
      const Scalar* from =
          origin + static_cast<Offset>(first) * plane + static_cast<Offset>(line) * pitch;
      const int n = end - line < lines_of_chunk ? end - line : lines_of_chunk;
      Scalar chunk[count] = {};
      for (int j = 0; j < n; ++j) {
        const Scalar* const p = from + static_cast<Offset>(track.index()) * plane;
        const Scalar weight =
            clamped(multiply_add(-fall, track.fraction() - Scalar(1.5), Scalar(0.5)));
        for (int v = 0; v < count; ++v) {
          const Scalar* const of = p + v / plane * plane_size + v % plane;
          chunk[v] = multiply_add(weight, of[0], multiply_add(1 - weight, of[plane], chunk[v]));
        }
        track.advance();
        from += pitch;
      }
      for (int v = 0; v < count; ++v) sums[v] += static_cast<double>(chunk[v]);
    }
    for (int v = 0; v < count; ++v) sums[v] *= ray.scale;
    write_sums<count>(alpha, sums, beta, y + static_cast<Offset>(i) * vectors);
  }

  /// Keeps the lines in which the ray is between -1 and \p across.
  KOKKOS_FUNCTION static void clip(double start, double step, Ordinal across, Ordinal& begin,
                                   Ordinal& end) {
    if (step == 0) {
      if (!(start > -1 && start < across)) end = begin;
      return;
    }
    const double enters = (-1 - start) / step, leaves = (across - start) / step;
    const double low = enters < leaves ? enters : leaves, high = enters < leaves ? leaves : enters;
    // The margins hold one line more on each side.
    if (!(low < end) || !(high > begin - 1)) {
      end = begin;
      return;
    }
    if (low > begin) begin = static_cast<Ordinal>(low);
    if (high < end - 1) end = static_cast<Ordinal>(high) + 1;
  }
};

/// Sums rays with exact weights. Threads share the rows of the image that a ray crosses, or the
/// pixels of each row.
template <class ExecutionSpace, Beam beam, class Scalar, int count>
struct ExactRays {
  ComputedRays rays;
  Ordinal first_row;  // of y
  Ordinal vectors;
  Scalar alpha, beta;
  const Scalar* x;  // from the first vector
  Scalar* y;

  /// Returns the part of thread \p rank of \p threads.
  KOKKOS_FUNCTION WeightedSums<Scalar, count> part_of_ray(Ordinal row, int rank,
                                                          int threads) const {
    const auto& projector = rays.template projector_of<LineProjector<beam>>(row);
    const PixelBand band(rays.scan, projector);
    const IndexRange lines = band.rows(rays.scan);
    WeightedSums<Scalar, count> sums{x, vectors};
    auto entry = [&](Ordinal pixel, double weight) {
      if (!is_stored(weight)) return;
      const Ordinal column = column_of(rays.columns, pixel);
      if (column >= 0) sums(column, weight);
    };
    if (lines.last - lines.first >= threads) {
      for (Ordinal line = lines.first + rank; line <= lines.last; line += threads)
        band.visit_row(rays.scan, projector, line, entry);
    } else {
      for (Ordinal line = lines.first; line <= lines.last; ++line)
        band.visit_row(rays.scan, projector, line, entry, rank, threads);
    }
    return sums;
  }

  KOKKOS_FUNCTION void write(Ordinal row, const double (&sums)[count]) const {
    write_sums<count>(alpha, sums, beta, y + static_cast<Offset>(row - first_row) * vectors);
  }
};

/// Ranges of rows that one launch sums.
struct ExactRanges {
  static constexpr int most = 8;
  RowRange ranges[most];
  int count = 0;

  KOKKOS_FUNCTION Ordinal row(Ordinal i) const {
    int range = 0;
    while (i >= ranges[range].end - ranges[range].begin) {
      i -= ranges[range].end - ranges[range].begin;
      ++range;
    }
    return ranges[range].begin + i;
  }
  Ordinal rows() const {
    Ordinal sum = 0;
    for (int i = 0; i < count; ++i) sum += ranges[i].end - ranges[i].begin;
    return sum;
  }
};

/// Sums all rays of some ranges, each with a team.
template <class ExecutionSpace, class Scalar, int count>
struct ExactParallelRays : ExactRays<ExecutionSpace, Beam::parallel, Scalar, count> {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int warps = is_host_space<ExecutionSpace> ? 1 : 4;
  static constexpr int threads = is_host_space<ExecutionSpace> ? 1 : warps * warp_lanes;
  static constexpr std::size_t bytes = warps * count * sizeof(double) + 32;

  ExactRanges ranges;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal row = ranges.row(team.league_rank());
    const int rank = team.team_rank();
    auto sums = this->part_of_ray(row, rank, threads);
    auto* const of_warps = static_cast<double*>(
        team.team_scratch(0).get_shmem_aligned(warps * count * sizeof(double), sizeof(double)));
    for (int v = 0; v < count; ++v) {
      const double of_warp = sum_over_lanes(sums.sums[v], 1, threads / warps);
      if (rank % warp_lanes == 0) of_warps[rank / warp_lanes * count + v] = of_warp;
    }
    team.team_barrier();
    if (rank != 0) return;
    for (int v = 0; v < count; ++v)
      for (int warp = 1; warp < warps; ++warp) of_warps[v] += of_warps[warp * count + v];
    for (int v = 0; v < count; ++v) sums.sums[v] = of_warps[v];
    this->write(row, sums.sums);
  }
};

/// Sums the rays of a fan beam in a range that have exact weights: those with zeros in the table.
/// Each member visits as many rows as it has lanes, and its lanes share each of these rays.
template <class ExecutionSpace, class Scalar, int count>
struct ExactFanRays : ExactRays<ExecutionSpace, Beam::fan, Scalar, count> {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int lanes = is_host_space<ExecutionSpace> ? 1 : warp_lanes;
  static constexpr int members = is_host_space<ExecutionSpace> ? 1 : 4;

  Ordinal detectors;
  FanTable table;
  const Scalar* slopes;
  RowRange rows;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int rank = team.team_rank(), lane = rank % lanes;
    const Ordinal first = rows.begin + team.league_rank() * members * lanes + rank - lane;
    const Ordinal own = first + lane;
    bool is_exact = false;
    if (own < rows.end) {
      const Ordinal ray = this->rays.ray_of(own);
      const Offset in_table =
          table.of_view(ray / detectors) + 2 * static_cast<Offset>(ray % detectors);
      is_exact = slopes[in_table + 1] == 0;
    }
    for (unsigned left = warp_ballot(is_exact); left != 0; left &= left - 1) {
      const Ordinal row = first + lowest_lane(left);
      auto sums = this->part_of_ray(row, lane, lanes);
      for (int v = 0; v < count; ++v) sums.sums[v] = sum_over_lanes(sums.sums[v], 1, lanes);
      if (lane == 0) this->write(row, sums.sums);
    }
  }
};

}  // namespace Tomokkos::Impl
