// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, for the exact weights and so that on a host a
// vector has the same bits alone and among others.
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <algorithm>
#include <cstdint>
#include <impl/Tomokkos_ComputedOrbits_impl.hpp>
#include <impl/Tomokkos_ComputedRanges_impl.hpp>
#include <impl/Tomokkos_HostRays_impl.hpp>
#include <impl/Tomokkos_SteppedPixels_impl.hpp>
#include <impl/Tomokkos_SteppedRay_impl.hpp>
#include <impl/Tomokkos_WindowFan_impl.hpp>
#include <impl/Tomokkos_WindowPixels_impl.hpp>
#include <impl/Tomokkos_WindowRays_impl.hpp>

namespace Tomokkos {
namespace Impl {

template <class MemorySpace>
SteppedScan stepped_scan(const ComputedProjection<MemorySpace>& A) {
  return {A.volume, A.scan, A.projector};
}

/// Calls action(integral constant of the beam).
template <class Action>
void with_beam(Beam beam, const Action& action) {
  if (beam == Beam::fan)
    action(std::integral_constant<Beam, Beam::fan>());
  else
    action(std::integral_constant<Beam, Beam::parallel>());
}

template <class MemorySpace>
ImageCopy image_copy(const ComputedProjection<MemorySpace>& A) {
  return {A.volume.rows, A.volume.columns};
}

template <class MemorySpace>
int most_taps(const ComputedProjection<MemorySpace>& A) {
  int taps = 1;
  for (const ViewSteps& view : A.steps_on_host) taps = std::max(taps, view.taps);
  return taps;
}

/// True for the kernels that keep windows of their input in scratch memory.
template <class ExecutionSpace, class Scalar>
constexpr bool has_windows = !is_host_space<ExecutionSpace> && std::is_same_v<Scalar, float>;

/// Zeros on each side of the rays of a view for the kernels with windows.
constexpr Ordinal window_margin = 104;

/// Zeros on each side of the rays of a view: as many as the pixels of a strip can read outside. A
/// window that is not all zeros must fit.
template <class MemorySpace>
Ordinal ray_margin(const ComputedProjection<MemorySpace>& A) {
  double span = 0;
  if (A.scan.beam == Beam::parallel)
    for (const ViewSteps& view : A.steps_on_host)
      span = std::max(
          span, longest_strip<typename MemorySpace::execution_space> * std::fabs(view.per_row));
  const Ordinal of_strips = static_cast<Ordinal>(span) + 2 * most_taps(A) + 5;
  using Space = typename MemorySpace::execution_space;
  Ordinal of_windows = has_windows<Space, float> ? window_margin : 0;
#ifdef TOMOKKOS_HAVE_HOST_LANES
  of_windows = host_window + 4;
#endif
  static_assert(WindowTile<1, 64>::rays + line_unit <= window_margin);
  return whole_units(std::max(of_strips, of_windows));
}

template <class MemorySpace>
Ordinal ray_pitch(const ComputedProjection<MemorySpace>& A) {
  return whole_units(A.scan.detectors + 2 * ray_margin(A));
}

template <class MemorySpace>
FanTable fan_table(const ComputedProjection<MemorySpace>& A) {
  return {A.scan.views.count(), A.scan.detectors};
}

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

/// Values of the copy of rays for the runs of a range.
template <class MemorySpace>
Offset size_of_rays(const ComputedProjection<MemorySpace>& A, Ordinal runs) {
  return static_cast<Offset>(ray_pitch(A)) * runs;
}

/// Copies the group of `count` vectors of X from the vector \p first on.
template <int count, int plane, class ExecutionSpace, class Scalar, class In>
void copy_image(const ExecutionSpace& exec,
                const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                Ordinal first, const In& X) {
  const ImageCopy image = image_copy(A);
  for (const bool by_rows : {true, false})
    copy_lines(exec, "Tomokkos::stepped::copy_image", by_rows ? image.rows : image.columns,
               image.pitch(by_rows),
               CopyImage<Scalar, count, plane>{image, by_rows, static_cast<Ordinal>(X.extent(1)),
                                               A.pixels.from_natural.data(), X.data() + first,
                                               work.image.data() + first * image.size(),
                                               plane * image.size()});
}

/// Returns what sums the rays of a range that have exact weights.
template <Beam beam, int count, class ExecutionSpace, class Scalar, class In>
auto exact_rays(const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                Ordinal first, const In& X, RowRange rows) {
  using Exact = ExactRays<ExecutionSpace, beam, Scalar, count>;
  const ComputedRays all(A);
  const Exact of{all.scan, reinterpret_cast<const typename Exact::Projector*>(all.lines),
                 all.columns, X.data() + first};
  if constexpr (beam == Beam::fan)
    return ExactFanRays<ExecutionSpace, Scalar, count>{of, all.rays, fan_table(A),
                                                       work.slopes.data()};
  else
    return ExactParallelRays<ExecutionSpace, Scalar, count>{
        of, A.exact_runs.data(), runs_of(A.exact_runs_on_host, rows), A.scan.detectors};
}

/// True if values can be loaded `count` at a time, from the vector \p first on.
template <int count, class In>
bool is_aligned(const In& X, Ordinal first) {
  return static_cast<int>(X.extent(1)) % count == 0 &&
         reinterpret_cast<std::uintptr_t>(X.data() + first) % (count * sizeof(*X.data())) == 0;
}

/// Sums the rays of a range for a group of vectors with windows of the image. Returns false if
/// these do not fit into scratch memory.
template <Beam beam, class Weights, int count, class ExecutionSpace, class In>
bool sum_window_rays(const ExecutionSpace& exec,
                     const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                     const SteppedWorkspace<float, typename ExecutionSpace::memory_space>& work,
                     Ordinal first, const In& X, const RaySums<float, count>& to) {
  const ImageCopy image = image_copy(A);
  const auto exact = exact_rays<beam, count, ExecutionSpace>(A, work, first, X, to.range);
  using Rays = WindowRays<ExecutionSpace, beam, Weights, count, std::remove_cv_t<decltype(exact)>>;
  using Tiles = CopyImageTiles<ExecutionSpace, count, Rays::plane>;
  const std::size_t bytes = Rays::bytes(image);
  if (std::max(image.rows, image.columns) > Rays::longest_line ||
      !fits_multiprocessor(exec, Rays::Shape::teams, bytes))
    return false;
  static_assert(sizeof(Rays) <= direct_functor_bytes);
  const int parts = to.beta == 0.0F ? Rays::parts_of(image) : 1;
  float* const copy = work.image.data() + first * image.size();
  const Offset plane_size = Rays::plane * image.size();
  const Tiles tiles{image,
                    to.vectors,
                    A.pixels.from_natural.data(),
                    X.data() + first,
                    copy,
                    plane_size,
                    to.y,
                    parts > 1 ? to.range.end - to.range.begin : 0,
                    is_aligned<Rays::plane>(X, first)};
  Kokkos::parallel_for("Tomokkos::stepped::copy_image",
                       typename Tiles::Policy(exec, tiles.teams(), Tiles::threads)
                           .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Tiles::bytes))),
                       tiles);
  const RunRange runs = runs_of(A, to.range);
  const GroupsOfSides sides(runs.begin, runs.end, Rays::views, [&](Ordinal run, bool by_rows) {
    const Ordinal index = A.runs_on_host[static_cast<std::size_t>(run)].view;
    const ViewSteps& view = A.steps_on_host[static_cast<std::size_t>(index)];
    return beam == Beam::fan || (view.by_rows == by_rows && !view.is_exact);
  });
  const Rays sum{{},
                 stepped_scan(A),
                 A.steps.data(),
                 A.runs.data(),
                 A.rays.from_natural.data(),
                 runs,
                 sides,
                 image,
                 copy,
                 plane_size,
                 to,
                 parts,
                 exact,
                 A.projector == Projector::line ? Rays::teams_of(exact, to.range) : 0};
  if (sum.teams() > 0)
    Kokkos::parallel_for("Tomokkos::stepped::product",
                         typename Rays::Policy(exec, sum.teams(), Rays::threads)
                             .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes))),
                         sum);
  return true;
}

/// Sums the rays of a range that have exact weights.
template <Beam beam, int count, class ExecutionSpace, class Scalar, class In>
void sum_exact_rays(const ExecutionSpace& exec,
                    const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                    const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                    Ordinal first, const In& X, const RaySums<Scalar, count>& to) {
  const auto exact = exact_rays<beam, count, ExecutionSpace>(A, work, first, X, to.range);
  const Ordinal visits = exact.visits(to.range);
  if (visits == 0) return;
  using Exact = std::remove_cv_t<decltype(exact)>;
  using Teams = ExactTeams<ExecutionSpace, Exact>;
  Kokkos::parallel_for("Tomokkos::stepped::exact_rays",
                       Kokkos::TeamPolicy<ExecutionSpace>(exec, (visits - 1) / Teams::members + 1,
                                                          Teams::members * Exact::lanes),
                       Teams{exact, to});
}

#ifdef TOMOKKOS_HAVE_HOST_LANES
/// Sums the rays of a range with the lanes of a host. Returns false if they are too far apart.
template <class Weights, int count, class ExecutionSpace, class In>
bool sum_rays_by_lanes(const ExecutionSpace& exec,
                       const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                       const SteppedWorkspace<float, typename ExecutionSpace::memory_space>& work,
                       Ordinal first, const In& X, const RaySums<float, count>& to) {
  using Rays = HostRays<Weights, count>;
  double apart = 0;
  for (const ViewSteps& view : A.steps_on_host)
    apart = std::max(apart, std::fabs(view.per_element));
  const int rays = Rays::rays_of_block(apart);
  if (rays == 0) return false;
  copy_image<count, 1>(exec, A, work, first, X);
  const ImageCopy image = image_copy(A);
  const RunRange runs = runs_of(A, to.range);
  const Ordinal blocks = (A.scan.detectors - 1) / rays + 1;
  Kokkos::parallel_for(
      "Tomokkos::stepped::product", ordinals(exec, (runs.end - runs.begin) * blocks),
      Rays{A.steps.data(), A.runs.data(), A.rays.from_natural.data(), runs, A.scan.detectors,
           blocks, rays, image, work.image.data() + first * image.size(), image.size(), to});
  return true;
}

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

/// Sums the rays of a range for a group of vectors.
template <Beam beam, int count, class ExecutionSpace, class Scalar, class In>
void sum_rays(const ExecutionSpace& exec,
              const ComputedProjection<typename ExecutionSpace::memory_space>& A,
              const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
              Ordinal first, const In& X, const RaySums<Scalar, count>& to) {
  const bool is_strip = A.projector == Projector::strip;
  if constexpr (has_windows<ExecutionSpace, Scalar>) {
    if constexpr (beam == Beam::parallel)
      if (is_strip && sum_window_rays<beam, WindowStripWeights, count>(exec, A, work, first, X, to))
        return;
    if (!is_strip && sum_window_rays<beam, WindowRayWeights, count>(exec, A, work, first, X, to))
      return;
  }
  const ImageCopy image = image_copy(A);
#ifdef TOMOKKOS_HAVE_HOST_LANES
  if constexpr (has_host_lanes<ExecutionSpace, Scalar> && beam == Beam::parallel) {
    const bool served = is_strip ? sum_rays_by_lanes<HostStripWeights>(exec, A, work, first, X, to)
                                 : sum_rays_by_lanes<HostRayWeights>(exec, A, work, first, X, to);
    if (served) {
      if (A.projector == Projector::line) sum_exact_rays<beam>(exec, A, work, first, X, to);
      return;
    }
  }
#endif
  constexpr int plane = plane_vectors<ExecutionSpace, Scalar, count>;
  copy_image<count, plane>(exec, A, work, first, X);
  const auto launch = [&]<class Weights>(const Weights*) {
    Kokkos::parallel_for("Tomokkos::stepped::product",
                         ordinals(exec, to.range.end - to.range.begin),
                         SteppedRay<ExecutionSpace, beam, Weights, Scalar, count, plane>{
                             stepped_scan(A), A.steps.data(), A.rays.to_natural.data(),
                             to.range.begin, to.vectors, image, to.alpha, to.beta,
                             work.image.data() + first * image.size(), plane * image.size(), to.y});
  };
  if (!is_strip)
    launch(static_cast<const RayWeights<Scalar>*>(nullptr));
  else if constexpr (beam == Beam::parallel)
    launch(static_cast<const RayStripWeights<Scalar>*>(nullptr));
  if (A.projector == Projector::line) sum_exact_rays<beam>(exec, A, work, first, X, to);
}

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
    if (!fits_multiprocessor(exec, Sums::teams, tile_bytes<Sums>) ||
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
    if (!fits_multiprocessor(exec, Sums::teams, tile_bytes<Tile>) || !fits_tile<Tile>(A))
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
void sum_pixels(const ExecutionSpace& exec,
                const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                Ordinal first, Scalar alpha, Scalar beta, const Out& Y, RowRange rows) {
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

/// A vector, or a column of a multivector.
template <class Scalar>
struct OneColumn {
  Scalar* values;
  Ordinal stride;

  Scalar* data() const { return values; }
  /// Vectors that lie side by side.
  Ordinal extent(int) const { return stride; }
};

/// Values of the images of pixels and of rays of the slices that are multiplied at once.
template <class MemorySpace>
std::pair<std::size_t, std::size_t> sizes_of_images(const ComputedProjection<MemorySpace>& A,
                                                    int vectors) {
  const ComputedOrbits<MemorySpace>& orbits = *A.orbits;
  const auto images = static_cast<std::size_t>(orbits.slices_at_once(vectors) * orbits.num_maps());
  return {images * static_cast<std::size_t>(orbits.stored.num_cols),
          images * static_cast<std::size_t>(orbits.stored.num_rows)};
}

/// Calls action(first slice, number of slices, images of pixels, images of rays) for the slices
/// that are multiplied at once.
template <class Scalar, class MemorySpace, class Action>
void for_images_of_slices(const ComputedOrbits<MemorySpace>& orbits,
                          const SteppedWorkspace<Scalar, MemorySpace>& work, Ordinal vectors,
                          const Action& action) {
  const auto most = static_cast<Ordinal>(orbits.slices_at_once(static_cast<int>(vectors)));
  using Images = MultiVectorView<Scalar, MemorySpace>;
  for (Ordinal first = 0; first < vectors; first += most) {
    const Ordinal count = std::min(most, vectors - first);
    const auto columns = static_cast<std::size_t>(count * orbits.num_maps());
    action(
        first, count,
        Images(work.pixel_images.data(), static_cast<std::size_t>(orbits.stored.num_cols), columns),
        Images(work.ray_images.data(), static_cast<std::size_t>(orbits.stored.num_rows), columns));
  }
}

template <class ExecutionSpace, class Functor>
void launch_images(const ExecutionSpace& exec, const char* label, std::size_t count,
                   const Functor& functor) {
  Kokkos::parallel_for(label, element_range(exec, count), functor);
}

/// Calls action(integral constant) for 1, 2, 4 or 8 maps.
template <class Action>
void with_number_of_maps(int maps, const Action& action) {
  if (maps == 8)
    action(std::integral_constant<int, 8>());
  else if (maps == 4)
    action(std::integral_constant<int, 4>());
  else if (maps == 2)
    action(std::integral_constant<int, 2>());
  else
    action(std::integral_constant<int, 1>());
}

/// `Y = alpha A X + beta Y` by the images of X and the stored views.
template <class ExecutionSpace, class Scalar>
void product_by_symmetry(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work, Scalar alpha,
    const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const auto& orbits = *A.orbits;
  const OrbitMaps maps(orbits.views.maps);
  const auto vectors = static_cast<Ordinal>(X.extent(1));
  const PixelTiles image{A.volume.rows, A.volume.columns};
  for_images_of_slices(
      orbits, work, vectors,
      [&](Ordinal first, Ordinal count, const auto& pixel_images, const auto& ray_images) {
        const OrbitSlices slices{A.pixels.from_natural.data(), vectors, first, count};
        with_number_of_maps(maps.count, [&](auto number) {
          launch_images(exec, "Tomokkos::stepped::expand_pixels", image.count(),
                        ExpandOrbitPixels<Scalar, number()>{image, maps, slices, X.data(),
                                                            pixel_images.data()});
        });
        stepped_product<ExecutionSpace, Scalar>(exec, orbits.stored, *work.stored, Scalar(1),
                                                pixel_images, Scalar(0), ray_images);
        launch_images(exec, "Tomokkos::stepped::gather_rays", static_cast<std::size_t>(A.num_rows),
                      GatherOrbitRays<Scalar>{orbits.images.data(),
                                              A.rays.to_natural.data(),
                                              A.scan.detectors,
                                              maps.count,
                                              {nullptr, vectors, first, count},
                                              ray_images.data(),
                                              Y.data(),
                                              alpha,
                                              beta});
      });
}

/// `Y = alpha A^T X + beta Y` likewise.
template <class ExecutionSpace, class Scalar>
void transposed_product_by_symmetry(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work, Scalar alpha,
    const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const auto& orbits = *A.orbits;
  const OrbitMaps maps(orbits.views.maps);
  const auto vectors = static_cast<Ordinal>(X.extent(1));
  const PixelTiles image{A.volume.rows, A.volume.columns};
  for_images_of_slices(
      orbits, work, vectors,
      [&](Ordinal first, Ordinal count, const auto& pixel_images, const auto& ray_images) {
        launch_images(
            exec, "Tomokkos::stepped::expand_rays",
            static_cast<std::size_t>(orbits.stored.num_rows) * static_cast<std::size_t>(maps.count),
            ExpandOrbitRays<Scalar>{orbits.offsets.data(),
                                    orbits.members.data(),
                                    A.scan.detectors,
                                    maps.count,
                                    {A.rays.from_natural.data(), vectors, first, count},
                                    X.data(),
                                    ray_images.data()});
        stepped_transposed_product<ExecutionSpace, Scalar>(
            exec, orbits.stored, *work.stored, Scalar(1), ray_images, Scalar(0), pixel_images);
        const OrbitSlices slices{A.pixels.from_natural.data(), vectors, first, count};
        with_number_of_maps(maps.count, [&](auto number) {
          launch_images(exec, "Tomokkos::stepped::fold_pixels", image.count(),
                        FoldOrbitPixels<Scalar, number()>{image, maps, slices, pixel_images.data(),
                                                          Y.data(), alpha, beta});
        });
      });
}

}  // namespace Impl

template <class Scalar, class MemorySpace>
bool multiplies_by_symmetry(const ComputedProjection<MemorySpace>& A, int vectors, RowRange rows) {
  if (!A.orbits || vectors < 1 || rows.size(A.num_rows) < A.num_rows) return false;
  using Space = typename MemorySpace::execution_space;
  // On a host a slice has the same bits alone and in a stack, and the lanes of one vector are as
  // fast as four vectors together.
  if (Impl::is_host_space<Space>)
    return !(Impl::has_host_lanes<Space, Scalar> && A.scan.beam == Beam::parallel &&
             A.projector != Projector::strip);
  constexpr double copies = 1.08;  // time that the images take besides the products
  return copies * A.orbits->views.cost(vectors) < A.orbits->views.cost_of_all(vectors);
}

template <class Scalar, class MemorySpace>
std::size_t stepped_workspace_values(const ComputedProjection<MemorySpace>& A, int vectors) {
  if (!A.is_stepped()) return 0;
  if (multiplies_by_symmetry<Scalar>(A, vectors)) {
    const auto [pixels, rays] = Impl::sizes_of_images(A, vectors);
    return pixels + rays +
           stepped_workspace_values<Scalar>(
               A.orbits->stored, A.orbits->slices_at_once(vectors) * A.orbits->num_maps());
  }
  const Offset of_vector = Impl::image_copy(A).size() +
                           Impl::size_of_rays(A, static_cast<Ordinal>(A.runs_on_host.size()));
  const Offset slopes = A.scan.beam == Beam::fan ? Impl::fan_table(A).size() : 0;
  return static_cast<std::size_t>(of_vector * vectors + slopes);
}

template <class ExecutionSpace, class Scalar>
void reserve_stepped_workspace(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    int vectors, SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
    RowRange rows) {
  using Values = Vector<Scalar, typename ExecutionSpace::memory_space>;
  const auto grow = [&](Values& values, const char* label, std::size_t needed) {
    if (values.extent(0) >= needed) return;
    values = {};
    values = allocate<Values>(exec, label, needed);
  };
  if (multiplies_by_symmetry<Scalar>(A, vectors, rows)) {
    const auto [pixels, rays] = Impl::sizes_of_images(A, vectors);
    grow(work.pixel_images, "Tomokkos::SteppedWorkspace::pixel_images", pixels);
    grow(work.ray_images, "Tomokkos::SteppedWorkspace::ray_images", rays);
    if (!work.stored)
      work.stored =
          std::make_shared<SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>>();
    reserve_stepped_workspace(exec, A.orbits->stored,
                              A.orbits->slices_at_once(vectors) * A.orbits->num_maps(),
                              *work.stored);
    return;
  }
  const auto of_vectors = [&](Offset size) {
    return static_cast<std::size_t>(size) * static_cast<std::size_t>(vectors);
  };
  grow(work.image, "Tomokkos::SteppedWorkspace::image", of_vectors(Impl::image_copy(A).size()));
  grow(work.rays, "Tomokkos::SteppedWorkspace::rays",
       of_vectors(Impl::size_of_rays(A, static_cast<Ordinal>(A.runs_on_host.size()))));
  if (A.scan.beam == Beam::parallel || work.slopes.extent(0) > 0) return;
  const Impl::FanTable table = Impl::fan_table(A);
  const auto slopes = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::SteppedWorkspace::slopes", static_cast<std::size_t>(table.size()));
  Kokkos::parallel_for(
      "Tomokkos::stepped::slopes",
      Impl::element_range(exec, static_cast<std::size_t>(table.elements() / 2 + table.pitch())),
      Impl::FanSlopes<Scalar>{Impl::stepped_scan(A), table, A.steps.data(), slopes.data()});
  Impl::fence(exec, "reserve_stepped_workspace: the slopes are complete");
  work.slopes = slopes;
}

template <class ExecutionSpace, class Scalar>
void stepped_product(const ExecutionSpace& exec,
                     const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                     const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                     Scalar alpha, const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
                     const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows) {
  rows = Impl::checked_product(A, X, Y, rows);
  if (rows.begin == rows.end) return;
  const auto vectors = static_cast<Ordinal>(X.extent(1));
  if (multiplies_by_symmetry<Scalar>(A, static_cast<int>(vectors), rows))
    return Impl::product_by_symmetry(exec, A, work, alpha, X, beta, Y);
  Impl::with_beam(A.scan.beam, [&](auto beam) {
    Impl::for_groups_of_vectors(vectors, [&](auto count, Ordinal first) {
      Impl::sum_rays<beam()>(
          exec, A, work, first, X,
          Impl::RaySums<Scalar, count()>{rows, vectors, alpha, beta, Y.data() + first});
    });
  });
}

template <class ExecutionSpace, class Scalar>
void stepped_transposed_product(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work, Scalar alpha,
    const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows) {
  rows = Impl::checked_transposed_product(A, X, Y, rows);
  const auto vectors = static_cast<Ordinal>(X.extent(1));
  if (multiplies_by_symmetry<Scalar>(A, static_cast<int>(vectors), rows))
    return Impl::transposed_product_by_symmetry(exec, A, work, alpha, X, beta, Y);
  Impl::ComputedRays exact(A);
  exact.runs = A.exact_runs.data();
  const Impl::RunRange exact_runs = Impl::runs_of(A.exact_runs_on_host, rows);
  Impl::for_groups_of_vectors(vectors, [&](auto count, Ordinal first) {
    Impl::copy_rays<count()>(exec, A, work, first, X, rows);
    Impl::sum_pixels<count()>(exec, A, work, first, alpha, beta, Y, rows);
    if (exact_runs.begin == exact_runs.end) return;
    Kokkos::parallel_for(
        "Tomokkos::stepped::exact_pixels", Impl::ordinals(exec, A.num_cols),
        Impl::ComputedColumnProduct<Impl::LineProjector<Beam::parallel>, Scalar, count()>{
            exact, rows, exact_runs, vectors, alpha, Scalar(1), X.data() + first,
            Y.data() + first});
  });
}

template <class ExecutionSpace, class Scalar>
void interpolate_views(const ExecutionSpace& exec,
                       const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                       const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                       const InputVector<ExecutionSpace, Scalar>& values,
                       const OutputMultiVector<ExecutionSpace, Scalar>& Y, Ordinal column) {
  require_equal("values", static_cast<long long>(values.extent(0)), "rays of the scan",
                static_cast<long long>(A.num_rows));
  require_equal("rows of the images", static_cast<long long>(Y.extent(0)), "pixels of the volume",
                static_cast<long long>(A.num_cols));
  const auto columns = static_cast<Ordinal>(Y.extent(1));
  require(column >= 0 && column < columns, "the images have no such column");
  const RowRange rows{0, A.num_rows};
  Impl::copy_rays<1>(exec, A, work, 0, Impl::OneColumn<const Scalar>{values.data(), 1}, rows);
  Impl::sum_pixels<1>(exec, A, work, 0, Scalar(1), Scalar(0),
                      Impl::OneColumn<Scalar>{Y.data() + column, columns}, rows);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  template bool multiplies_by_symmetry<SCALAR>(const ComputedProjection<SPACE::memory_space>&, \
                                               int, RowRange);                                 \
  template std::size_t stepped_workspace_values<SCALAR>(                                       \
      const ComputedProjection<SPACE::memory_space>&, int);                                    \
  template void reserve_stepped_workspace<SPACE, SCALAR>(                                      \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&, int,                       \
      SteppedWorkspace<SCALAR, SPACE::memory_space>&, RowRange);                               \
  template void stepped_product<SPACE, SCALAR>(                                                \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                            \
      const SteppedWorkspace<SCALAR, SPACE::memory_space>&, SCALAR,                            \
      const InputMultiVector<SPACE, SCALAR>&, SCALAR, const OutputMultiVector<SPACE, SCALAR>&, \
      RowRange);                                                                               \
  template void interpolate_views<SPACE, SCALAR>(                                              \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                            \
      const SteppedWorkspace<SCALAR, SPACE::memory_space>&, const InputVector<SPACE, SCALAR>&, \
      const OutputMultiVector<SPACE, SCALAR>&, Ordinal);                                       \
  template void stepped_transposed_product<SPACE, SCALAR>(                                     \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                            \
      const SteppedWorkspace<SCALAR, SPACE::memory_space>&, SCALAR,                            \
      const InputMultiVector<SPACE, SCALAR>&, SCALAR, const OutputMultiVector<SPACE, SCALAR>&, \
      RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
