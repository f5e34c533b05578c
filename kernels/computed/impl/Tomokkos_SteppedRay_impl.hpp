// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward kernels of stepped products: a thread sums the pixels of a ray.
#pragma once

#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_FanTable_impl.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_SteppedCopies_impl.hpp>
#include <impl/Tomokkos_StripWeights_impl.hpp>

namespace Tomokkos::Impl {

/// Lines of the image whose sum is formed in the precision of the vectors.
constexpr int lines_of_chunk = 16;

/// Weights of the two pixels of a line near a ray of `line` or `linear`.
template <class Scalar>
struct RayWeights {
  /// Pixels of a line, and the first of them relative to the position of the ray.
  static constexpr int pixels = 2, first = 0;
  /// A ray has no weight in a line where it is so far outside of the image.
  static constexpr double reach = 1;

  Scalar fall;

  KOKKOS_FUNCTION RayWeights(const ViewSteps&, const RaySteps& ray)
      : fall(static_cast<Scalar>(ray.fall)) {}

  KOKKOS_FORCEINLINE_FUNCTION void at(Scalar f, Scalar (&weights)[pixels]) const {
    weights[0] = clamped(multiply_add(-fall, f - Scalar(1.5), Scalar(0.5)));
    weights[1] = 1 - weights[0];
  }
};

/// Weights of the four pixels of a line near a ray of `strip`.
template <class Scalar>
struct RayStripWeights {
  static constexpr int pixels = 4, first = -1;
  static constexpr double reach = 2;

  TrapezoidTail<Scalar> part;
  Scalar area;

  KOKKOS_FUNCTION RayStripWeights(const ViewSteps& view, const RaySteps&) {
    const StripSides sides(view);
    part = strip_in_line<Scalar>(sides);
    area = static_cast<Scalar>(sides.area_in_line());
  }

  KOKKOS_FORCEINLINE_FUNCTION void at(Scalar f, Scalar (&weights)[pixels]) const {
    pixels_of_strip(part, area, f, weights);
  }
};

/// Keeps the lines in which the ray may have a weight.
template <class Weights>
KOKKOS_FUNCTION void clip_ray(double start, double step, Ordinal across, Ordinal& begin,
                              Ordinal& end) {
  const double least = -Weights::reach, most = across - 1 + Weights::reach;
  if (step == 0) {
    if (!(start > least && start < most)) end = begin;
    return;
  }
  const double enters = (least - start) / step, leaves = (most - start) / step;
  const double low = enters < leaves ? enters : leaves, high = enters < leaves ? leaves : enters;
  // The margins hold one line more on each side.
  if (!(low < end) || !(high > begin - 1)) {
    end = begin;
    return;
  }
  if (low > begin) begin = static_cast<Ordinal>(low);
  if (high < end - 1) end = static_cast<Ordinal>(high) + 1;
}

/// Sums of the pixels near a ray in some lines. A host adds to several sums, since an addition
/// takes longer than a load.
template <class ExecutionSpace, class Weights, class Scalar, int count, int plane>
struct LineSums {
  static constexpr bool on_host = is_host_space<ExecutionSpace>;
  static constexpr int pixels = Weights::pixels, of_lines = on_host ? 2 : 1;

  Scalar sums[of_lines][on_host ? pixels : 1][count] = {};

  /// \param from first line, \p pitch the distance of the next one, \p n the number of lines
  KOKKOS_FORCEINLINE_FUNCTION void add(const Weights& of_ray, Track<Scalar> track,
                                       const Scalar* from, Offset pitch, int n, Offset plane_size) {
    if constexpr (on_host) {
      // The weights of all lines first: these loops use the registers for several lines.
      Ordinal index[lines_of_chunk];
      Scalar weights[pixels][lines_of_chunk];
      TOMOKKOS_SIMD
      for (int j = 0; j < lines_of_chunk; ++j) {
        const Track<Scalar> at = track.moved(j);
        index[j] = at.index();
        Scalar of_line[pixels];
        of_ray.at(at.fraction(), of_line);
        for (int pixel = 0; pixel < pixels; ++pixel) weights[pixel][j] = of_line[pixel];
      }
      for (int j = 0; j < n; ++j)
        for (int pixel = 0; pixel < pixels; ++pixel)
          add_weighted<plane>(weights[pixel][j],
                              from + j * pitch + static_cast<Offset>(index[j] + pixel) * plane,
                              plane_size, sums[j % of_lines][pixel]);
    } else {
      for (int j = 0; j < n; ++j) {
        const Scalar* const p = from + static_cast<Offset>(track.index()) * plane;
        Scalar weights[pixels];
        of_ray.at(track.fraction(), weights);
        TOMOKKOS_UNROLL
        for (int pixel = pixels - 1; pixel >= 0; --pixel)
          add_weighted<plane>(weights[pixel], p + pixel * plane, plane_size, sums[0][0]);
        track.advance();
        from += pitch;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION double total(int v) const {
    Scalar total = 0;
    for (const auto& of_line : sums)
      for (const auto& of_pixel : of_line) total += of_pixel[v];
    return static_cast<double>(total);
  }
};

/// Sums the pixels of a ray.
template <class ExecutionSpace, Beam beam, class Weights, class Scalar, int count, int plane>
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
    clip_ray<Weights>(ray.start, ray.step, across, begin, end);
    const Weights of_ray(view, ray);
    double sums[count] = {};
    for (Ordinal line = begin; line < end; line += lines_of_chunk) {
      const double at = ray.start + line * ray.step;
      // The track moves by at most 16 to either side.
      const double first = Impl::floor(at) - 32;
      const Track<Scalar> track(at - first, ray.step);
      const Scalar* from = origin + static_cast<Offset>(first + Weights::first) * plane +
                           static_cast<Offset>(line) * pitch;
      const int n = end - line < lines_of_chunk ? end - line : lines_of_chunk;
      LineSums<ExecutionSpace, Weights, Scalar, count, plane> chunk;
      chunk.add(of_ray, track, from, pitch, n, plane_size);
      for (int v = 0; v < count; ++v) sums[v] += chunk.total(v);
    }
    for (int v = 0; v < count; ++v) sums[v] *= ray.scale;
    write_sums<count>(alpha, sums, beta, y + static_cast<Offset>(i) * vectors);
  }
};

/// Where the rays of a range are summed.
template <class Scalar, int count>
struct RaySums {
  RowRange range;
  Ordinal vectors;
  Scalar alpha, beta;
  Scalar* y;  // from the first vector

  KOKKOS_FORCEINLINE_FUNCTION Scalar* of_row(Ordinal row) const {
    return y + static_cast<Offset>(row - range.begin) * vectors;
  }
};

/// Sums rays with exact weights. The lanes of a member share the lines of the image that a ray
/// crosses, or the pixels of each line.
template <class ExecutionSpace, Beam beam, class Scalar, int count>
struct ExactRays {
  static constexpr int lanes = is_host_space<ExecutionSpace> ? 1 : warp_lanes;

  using Sums = RaySums<Scalar, count>;
  using Projector = LineProjector<beam>;

  ScanParameters scan;
  const Projector* lines;  // of rows
  const Ordinal* columns;  // of natural pixels
  const Scalar* x;         // from the first vector

  /// Sums the ray of a row.
  KOKKOS_FUNCTION void sum_ray(const Sums& to, Ordinal row, int lane) const {
    const Projector& projector = lines[row];
    const PixelBand band(scan, projector);
    const IndexRange image_rows = band.rows(scan);
    WeightedSums<Scalar, count> sums{x, to.vectors};
    auto entry = [&](Ordinal pixel, double weight) {
      if (!is_stored(weight)) return;
      const Ordinal column = column_of(columns, pixel);
      if (column >= 0) sums(column, weight);
    };
    if (image_rows.last - image_rows.first >= lanes) {
      for (Ordinal r = image_rows.first + lane; r <= image_rows.last; r += lanes)
        band.visit_row(scan, projector, r, entry);
    } else {
      for (Ordinal r = image_rows.first; r <= image_rows.last; ++r)
        band.visit_row(scan, projector, r, entry, lane, lanes);
    }
    for (int v = 0; v < count; ++v) sums.sums[v] = sum_over_lanes(sums.sums[v], 1, lanes);
    if (lane == 0) write_sums<count>(to.alpha, sums.sums, to.beta, to.of_row(row));
  }
};

/// The rays of a parallel beam in a range that have exact weights: those of whole views.
template <class ExecutionSpace, class Scalar, int count>
struct ExactParallelRays : ExactRays<ExecutionSpace, Beam::parallel, Scalar, count> {
  const ViewRows* exact_runs;
  RunRange runs;
  Ordinal detectors;

  /// Visits of members: each sums a ray.
  KOKKOS_FUNCTION Ordinal visits(RowRange) const { return (runs.end - runs.begin) * detectors; }
  KOKKOS_FUNCTION void visit(const RaySums<Scalar, count>& to, Ordinal index, int lane) const {
    const ViewRows run = exact_runs[runs.begin + index / detectors];
    const Ordinal begin = run.begin > to.range.begin ? run.begin : to.range.begin;
    const Ordinal end = run.end < to.range.end ? run.end : to.range.end;
    const Ordinal row = begin + index % detectors;
    if (row < end) this->sum_ray(to, row, lane);
  }
};

/// The rays of a fan beam in a range that have exact weights: those with zeros in the table.
template <class ExecutionSpace, class Scalar, int count>
struct ExactFanRays : ExactRays<ExecutionSpace, Beam::fan, Scalar, count> {
  const Ordinal* rays;  // of rows; null: natural order
  FanTable table;
  const Scalar* slopes;

  using ExactRays<ExecutionSpace, Beam::fan, Scalar, count>::lanes;

  /// Visits of members: each looks at as many rows as it has lanes.
  KOKKOS_FUNCTION Ordinal visits(RowRange range) const {
    return (range.end - range.begin - 1) / lanes + 1;
  }
  KOKKOS_FUNCTION void visit(const RaySums<Scalar, count>& to, Ordinal index, int lane) const {
    const Ordinal first = to.range.begin + index * lanes;
    const Ordinal own = first + lane;
    bool is_exact = false;
    if (own < to.range.end) {
      const Ordinal ray = rays == nullptr ? own : rays[own];
      const Offset in_table =
          table.of_view(ray / table.detectors) + 2 * static_cast<Offset>(ray % table.detectors);
      is_exact = slopes[in_table + 1] == 0;
    }
    for (unsigned left = warp_ballot(is_exact); left != 0; left &= left - 1)
      this->sum_ray(to, first + lowest_lane(left), lane);
  }
};

/// Sums rays with exact weights in a launch of their own.
template <class ExecutionSpace, class Exact>
struct ExactTeams {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int members = is_host_space<ExecutionSpace> ? 1 : 4;

  Exact exact;
  typename Exact::Sums to;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int rank = team.team_rank();
    const Ordinal index = team.league_rank() * members + rank / Exact::lanes;
    if (index < exact.visits(to.range)) exact.visit(to, index, rank % Exact::lanes);
  }
};

}  // namespace Tomokkos::Impl
