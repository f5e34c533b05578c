// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of pixels: stepped products with A^T.
//
// Compiled without contraction of products and sums, for the exact weights and so that on a host a
// vector has the same bits alone and among others.
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <impl/Tomokkos_ComputedRanges_impl.hpp>
#include <impl/Tomokkos_SteppedGroups_impl.hpp>
#include <impl/Tomokkos_WindowFan_impl.hpp>
#include <impl/Tomokkos_WindowPixels_impl.hpp>

namespace Tomokkos::Impl {

static_assert(WindowTile<1, 64>::rays + line_unit <= window_margin);

/// True if windows of back products with a parallel beam are wide enough.
template <class Tile, class MemorySpace>
bool fits_tile(const ComputedProjection<MemorySpace>& A) {
  if (most_taps(A) > 1) return false;
  return std::all_of(A.steps_on_host.begin(), A.steps_on_host.end(),
                     [](const ViewSteps& view) { return Tile::span(view) <= Tile::rays; });
}

/// True if the rays of a square of four pixels are four neighbours.
template <class MemorySpace>
bool fits_squares(const ComputedProjection<MemorySpace>& A) {
  // Elements that are at least as wide as a pixel.
  return std::all_of(A.steps_on_host.begin(), A.steps_on_host.end(), [](const ViewSteps& view) {
    return std::hypot(view.per_column, view.per_row) <= 1 + 1e-12;
  });
}

/// True if opposite corners of a square of four pixels are at least one ray apart in every view.
template <class MemorySpace>
bool has_distant_corners(const ComputedProjection<MemorySpace>& A) {
  return std::all_of(A.steps_on_host.begin(), A.steps_on_host.end(), [](const ViewSteps& view) {
    return std::fabs(view.per_column) + std::fabs(view.per_row) >= 1 - 1e-9;
  });
}

#ifdef TOMOKKOS_HAVE_HOST_LANES
/// True if the lanes of a host sum the pixels: their positions are not too far apart, and no pixel
/// has further rays.
template <class MemorySpace>
bool sums_pixels_by_lanes(const ComputedProjection<MemorySpace>& A) {
  if (A.scan.beam == Beam::fan) return false;
  double apart = 0;
  for (const ViewSteps& view : A.steps_on_host) apart = std::max(apart, std::fabs(view.per_row));
  return A.projector == Projector::strip
             ? HostPixels<HostPixelStripWeights, 1>::serves(apart)
             : most_taps(A) == 1 && HostPixels<HostPixelWeights, 1>::serves(apart);
}

/// Sums the pixels of a group of vectors with the lanes of a host.
template <class Weights, int count, class ExecutionSpace, class Out>
void sum_pixels_by_lanes(const ExecutionSpace& exec,
                         const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                         const SteppedWorkspace<float, typename ExecutionSpace::memory_space>& work,
                         Ordinal first, float alpha, float beta, const Out& Y, RowRange rows) {
  using Pixels = HostPixels<Weights, count>;
  const RunRange runs = runs_of(A, rows);
  const Offset size = size_of_rays(A, runs.end - runs.begin);
  Kokkos::parallel_for("Tomokkos::stepped::transposed_product",
                       ordinals(exec, Pixels::tiles(A.volume)),
                       Pixels{A.steps.data(), A.runs.data(), A.pixels.from_natural.data(), runs,
                              A.volume.rows, A.volume.columns, A.scan.detectors, ray_margin(A),
                              ray_pitch(A), static_cast<Ordinal>(Y.extent(1)), alpha, beta,
                              work.rays.data() + first * size, size, Y.data() + first});
}
#endif

/// Copies the rays of a group of `count` vectors of X.
template <int count, class ExecutionSpace, class Scalar, class In>
void copy_rays(const ExecutionSpace& exec,
               const ComputedProjection<typename ExecutionSpace::memory_space>& A,
               const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
               Ordinal first, const In& X, RowRange rows) {
  const RunRange runs = runs_of(A, rows);
  const Ordinal num_runs = runs.end - runs.begin, pitch = ray_pitch(A);
  const Offset size = size_of_rays(A, num_runs);
  const auto copy = [&](auto beam, auto plane) {
    copy_lines(exec, "Tomokkos::stepped::copy_rays", num_runs, pitch,
               CopyRays<beam(), Scalar, count, plane()>{
                   stepped_scan(A), A.steps.data(), A.runs.data(), A.rays.from_natural.data(),
                   ray_margin(A), pitch, rows, runs, static_cast<Ordinal>(X.extent(1)),
                   X.data() + first, work.rays.data() + first * size, plane() * size});
  };
  with_beam(A.scan.beam, [&](auto beam) {
#ifdef TOMOKKOS_HAVE_HOST_LANES
    if constexpr (has_host_lanes<ExecutionSpace, Scalar> && beam() == Beam::parallel)
      if (sums_pixels_by_lanes(A)) return copy(beam, std::integral_constant<int, 1>());
#endif
    copy(beam, std::integral_constant<int, plane_vectors<ExecutionSpace, Scalar, count>>());
  });
}

/// Views of a fan beam for back products.
template <class MemorySpace, class Scalar>
FanViews<Scalar> fan_views(const ComputedProjection<MemorySpace>& A,
                           const SteppedWorkspace<Scalar, MemorySpace>& work) {
  const SteppedScan scan = stepped_scan(A);
  return {ComputedRays(A), scan,
          A.steps.data(),  ray_margin(A),
          most_taps(A),    static_cast<Scalar>(scan.reach() * (1 + 0x1p-20)),
          fan_table(A),    work.slopes.data()};
}

/// Scratch memory of a team that sums a tile, with what alignment takes.
template <class Tile>
constexpr std::size_t tile_bytes = Tile::bytes + 64;

inline int tiles_of(const VolumeGeometry& volume, Ordinal width, Ordinal height) {
  return ((volume.columns - 1) / width + 1) * ((volume.rows - 1) / height + 1);
}

/// Launches a team for each tile of the image.
template <class Tile, class Sums, class ExecutionSpace>
void launch_tiles(const ExecutionSpace& exec, const VolumeGeometry& volume, const Sums& sums) {
  constexpr std::size_t bytes = tile_bytes<Tile>;
  Kokkos::parallel_for(
      "Tomokkos::stepped::transposed_product",
      typename Sums::Policy(exec, tiles_of(volume, Tile::width, Tile::height), Sums::threads)
          .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes))),
      sums);
}

/// Sums the pixels of tiles with windows of rays. Returns false if these would be too narrow, or do
/// not fit into scratch memory.
template <int count, class ExecutionSpace, class Out>
bool sum_tiles(const ExecutionSpace& exec,
               const ComputedProjection<typename ExecutionSpace::memory_space>& A,
               const SteppedWorkspace<float, typename ExecutionSpace::memory_space>& work,
               Ordinal first, float alpha, float beta, const Out& Y, RowRange rows) {
  const RunRange runs = runs_of(A, rows);
  const Offset size = size_of_rays(A, runs.end - runs.begin);
  const float* const copy = work.rays.data() + first * size;
  constexpr int plane = plane_vectors<ExecutionSpace, float, count>;
  const WindowSums to{A.pixels.from_natural.data(),
                      A.volume.rows,
                      A.volume.columns,
                      static_cast<Ordinal>(Y.extent(1)),
                      alpha,
                      beta,
                      Y.data() + first};
  // The kernels of a fan beam look at a view in any case.
  if (runs.begin == runs.end) return false;
  if (A.scan.beam == Beam::fan) {
    using Sums = WindowFan<ExecutionSpace, count>;
    const SteppedScan scan = stepped_scan(A);
    const double nearest = nearest_to_source(A.volume, scan);
    if (!fits_multiprocessor(exec, Sums::teams, Sums::threads, tile_bytes<Sums>) ||
        nearest < Sums::least_distance || most_taps(A) > Sums::most_taps ||
        Sums::span(scan, nearest) > Sums::rays)
      return false;
    launch_tiles<Sums>(
        exec, A.volume,
        Sums{fan_views(A, work), A.runs.data(), runs, ray_pitch(A), copy, plane * size, to});
    return true;
  }
  const auto sum = [&](auto* chosen) {
    using Sums = std::remove_pointer_t<decltype(chosen)>;
    using Tile = typename Sums::Tile;
    if (!fits_multiprocessor(exec, Sums::teams, Sums::threads, tile_bytes<Tile>) ||
        !fits_tile<Tile>(A))
      return false;
    launch_tiles<Tile>(exec, A.volume,
                       Sums{{{},
                             A.steps.data(),
                             A.runs.data(),
                             runs,
                             A.scan.detectors,
                             ray_margin(A),
                             ray_pitch(A),
                             copy,
                             plane * size},
                            to});
    return true;
  };
  if (A.projector == Projector::strip) {
    constexpr int strip = 16 / (count < 2 ? 2 : count);
    return sum(static_cast<WindowStrips<ExecutionSpace, count, strip, LoadedStripView>*>(nullptr));
  }
  if constexpr (count >= 4) {
    if (!fits_squares(A)) return false;
    return has_distant_corners(A)
               ? sum(static_cast<WindowSquares<ExecutionSpace, count, true>*>(nullptr))
               : sum(static_cast<WindowSquares<ExecutionSpace, count, false>*>(nullptr));
  } else {
    // The largest tiles of which every multiprocessor gets some.
    constexpr int enough = 512;
    if constexpr (count == 1)
      if (tiles_of(A.volume, 32, 64) >= enough &&
          sum(static_cast<WindowStrips<ExecutionSpace, count, 16>*>(nullptr)))
        return true;
    if (tiles_of(A.volume, 32, 32) >= enough)
      return sum(static_cast<WindowStrips<ExecutionSpace, count, 8>*>(nullptr));
    return sum(static_cast<WindowStrips<ExecutionSpace, count, 4>*>(nullptr));
  }
}

/// Sums the pixels of a group of vectors whose rays were copied.
template <int count, class ExecutionSpace, class Scalar, class Out>
void sum_pixels_of_group(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work, Ordinal first,
    Scalar alpha, Scalar beta, const Out& Y, RowRange rows) {
  if constexpr (has_windows<ExecutionSpace, Scalar>)
    if (sum_tiles<count>(exec, A, work, first, alpha, beta, Y, rows)) return;
#ifdef TOMOKKOS_HAVE_HOST_LANES
  if constexpr (has_host_lanes<ExecutionSpace, Scalar>) {
    if (sums_pixels_by_lanes(A))
      return A.projector == Projector::strip ? sum_pixels_by_lanes<HostPixelStripWeights, count>(
                                                   exec, A, work, first, alpha, beta, Y, rows)
                                             : sum_pixels_by_lanes<HostPixelWeights, count>(
                                                   exec, A, work, first, alpha, beta, Y, rows);
  }
#endif
  constexpr int plane = plane_vectors<ExecutionSpace, Scalar, count>;
  const RunRange runs = runs_of(A, rows);
  const Offset size = size_of_rays(A, runs.end - runs.begin);
  const Ordinal strips = (A.volume.rows - 1) / strip_of<ExecutionSpace>(count) + 1,
                margin = ray_margin(A);
  const int taps = most_taps(A);
  const auto launch = [&](const auto& views) {
    using Views = std::remove_cvref_t<decltype(views)>;
    Kokkos::parallel_for(
        "Tomokkos::stepped::transposed_product", ordinals(exec, strips * A.volume.columns),
        SteppedPixels<ExecutionSpace, Views, Scalar, count, plane>{
            views, A.runs.data(), A.pixels.from_natural.data(), runs, A.volume.rows,
            A.volume.columns, margin, ray_pitch(A), static_cast<Ordinal>(Y.extent(1)), alpha, beta,
            work.rays.data() + first * size, plane * size, Y.data() + first});
  };
  if (A.scan.beam == Beam::fan)
    launch(fan_views(A, work));
  else if (A.projector == Projector::strip)
    launch(StripViews<Scalar>{A.steps.data(), A.scan.detectors, margin});
  else if (taps == 1)
    launch(ParallelViews<Scalar, true>{A.steps.data(), A.scan.detectors, margin, taps});
  else
    launch(ParallelViews<Scalar, false>{A.steps.data(), A.scan.detectors, margin, taps});
}

template <class ExecutionSpace, class Scalar>
void sum_pixels(const ExecutionSpace& exec,
                const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                Scalar alpha, SteppedVectors<const Scalar> X, Scalar beta, SteppedVectors<Scalar> Y,
                RowRange rows) {
  ComputedRays exact(A);
  exact.runs = A.exact_runs.data();
  const RunRange exact_runs = runs_of(A.exact_runs_on_host, rows);
  for_groups_of_vectors(X.count, [&](auto count, Ordinal first) {
    copy_rays<count()>(exec, A, work, first, X, rows);
    sum_pixels_of_group<count()>(exec, A, work, first, alpha, beta, Y, rows);
    if (exact_runs.begin == exact_runs.end) return;
    Kokkos::parallel_for("Tomokkos::stepped::exact_pixels", ordinals(exec, A.num_cols),
                         ComputedColumnProduct<LineProjector<Beam::parallel>, Scalar, count()>{
                             exact, rows, exact_runs, Y.stride, alpha, Scalar(1), X.data() + first,
                             Y.data() + first});
  });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template void sum_pixels<SPACE, SCALAR>(                                                        \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                               \
      const SteppedWorkspace<SCALAR, SPACE::memory_space>&, SCALAR, SteppedVectors<const SCALAR>, \
      SCALAR, SteppedVectors<SCALAR>, RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Impl
