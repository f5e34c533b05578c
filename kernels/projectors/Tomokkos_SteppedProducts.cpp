// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, for the exact weights and so that on a host a
// vector has the same bits alone and among others.
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <algorithm>
#include <impl/Tomokkos_ComputedRanges_impl.hpp>
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
      span = std::max(span, longest_strip * std::fabs(view.per_row));
  const Ordinal of_strips = static_cast<Ordinal>(span) + 2 * most_taps(A) + 5;
  const Ordinal of_windows =
      has_windows<typename MemorySpace::execution_space, float> ? window_margin : 0;
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
  return A.scan.detector_width >= A.volume.pixel;
}

/// Calls action(range of rows) for the runs of a range whose views are left to exact weights.
template <class MemorySpace, class Action>
void for_exact_runs(const ComputedProjection<MemorySpace>& A, RowRange rows, const Action& action) {
  const RunRange runs = runs_of(A, rows);
  for (Ordinal i = runs.begin; i < runs.end; ++i) {
    const ViewRows& run = A.runs_on_host[static_cast<std::size_t>(i)];
    if (A.steps_on_host[static_cast<std::size_t>(run.view)].is_exact)
      action(RowRange{std::max(run.begin, rows.begin), std::min(run.end, rows.end)});
  }
}

/// Values of the copy of rays for the runs of a range.
template <class MemorySpace>
Offset size_of_rays(const ComputedProjection<MemorySpace>& A, Ordinal runs) {
  return static_cast<Offset>(ray_pitch(A)) * runs;
}

/// Copies the group of `count` vectors of X from the vector \p first on.
template <int count, class ExecutionSpace, class Scalar, class In>
void copy_image(const ExecutionSpace& exec,
                const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                Ordinal first, const In& X) {
  const ImageCopy image = image_copy(A);
  constexpr int plane = plane_vectors<ExecutionSpace, Scalar, count>;
  for (const bool by_rows : {true, false})
    copy_lines(exec, "Tomokkos::stepped::copy_image", by_rows ? image.rows : image.columns,
               image.pitch(by_rows),
               CopyImage<Scalar, count, plane>{image, by_rows, static_cast<Ordinal>(X.extent(1)),
                                               A.pixels.from_natural.data(), X.data() + first,
                                               work.image.data() + first * image.size(),
                                               plane * image.size()});
}

/// Sums the rays of a group of vectors whose image was copied.
template <Beam beam, int count, class ExecutionSpace, class Scalar, class Out>
void sum_rays(const ExecutionSpace& exec,
              const ComputedProjection<typename ExecutionSpace::memory_space>& A,
              const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
              Ordinal first, Scalar alpha, Scalar beta, const Out& Y, RowRange rows) {
  const auto vectors = static_cast<Ordinal>(Y.extent(1));
  const ImageCopy image = image_copy(A);
  constexpr int plane = plane_vectors<ExecutionSpace, Scalar, count>;
  const Scalar* const copy = work.image.data() + first * image.size();
  if constexpr (has_windows<ExecutionSpace, Scalar>) {
    using Rays = WindowRays<ExecutionSpace, beam, count>;
    static_assert(Rays::plane == plane);
    const std::size_t bytes = Rays::bytes(image);
    if (std::max(image.rows, image.columns) <= Rays::longest_line &&
        fits_multiprocessor(exec, Rays::Shape::teams, bytes)) {
      const Rays sum{{},
                     stepped_scan(A),
                     A.steps.data(),
                     A.runs.data(),
                     A.rays.from_natural.data(),
                     rows,
                     runs_of(A, rows),
                     vectors,
                     image,
                     alpha,
                     beta,
                     copy,
                     plane * image.size(),
                     Y.data() + first};
      const auto teams = 2 * static_cast<int>(sum.blocks()) * static_cast<int>(sum.groups());
      Kokkos::parallel_for("Tomokkos::stepped::product",
                           typename Rays::Policy(exec, teams, Rays::threads)
                               .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes))),
                           sum);
      return;
    }
  }
  Kokkos::parallel_for(
      "Tomokkos::stepped::product", ordinals(exec, rows.end - rows.begin),
      SteppedRay<beam, Scalar, count, plane>{
          stepped_scan(A), A.steps.data(), A.rays.to_natural.data(), rows.begin, vectors, image,
          alpha, beta, copy, plane * image.size(), Y.data() + first});
}

/// Sums the rays that `sum_rays` leaves out, which have exact weights.
template <Beam beam, int count, class ExecutionSpace, class Scalar, class In, class Out>
void sum_exact_rays(const ExecutionSpace& exec,
                    const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                    const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                    Ordinal first, Scalar alpha, const In& X, Scalar beta, const Out& Y,
                    RowRange rows) {
  if (A.projector != Projector::line) return;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const ExactRays<ExecutionSpace, beam, Scalar, count> sum{
      ComputedRays(A),  rows.begin,      static_cast<Ordinal>(X.extent(1)), alpha, beta,
      X.data() + first, Y.data() + first};
  constexpr auto label = "Tomokkos::stepped::exact_rays";
  if constexpr (beam == Beam::fan) {
    using Rays = ExactFanRays<ExecutionSpace, Scalar, count>;
    constexpr int rows_of_team = Rays::members * Rays::lanes;
    Kokkos::parallel_for(label,
                         Policy(exec, (rows.end - rows.begin - 1) / rows_of_team + 1, rows_of_team),
                         Rays{sum, A.scan.detectors, fan_table(A), work.slopes.data(), rows});
  } else {
    using Rays = ExactParallelRays<ExecutionSpace, Scalar, count>;
    ExactRanges ranges;
    const auto launch = [&]() {
      if (ranges.count == 0) return;
      Kokkos::parallel_for(label,
                           Policy(exec, ranges.rows(), Rays::threads)
                               .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Rays::bytes))),
                           Rays{sum, ranges});
      ranges.count = 0;
    };
    for_exact_runs(A, rows, [&](RowRange run) {
      ranges.ranges[ranges.count++] = run;
      if (ranges.count == ExactRanges::most) launch();
    });
    launch();
  }
}

/// Copies the rays of a group of `count` vectors of X.
template <int count, class ExecutionSpace, class Scalar, class In>
void copy_rays(const ExecutionSpace& exec,
               const ComputedProjection<typename ExecutionSpace::memory_space>& A,
               const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
               Ordinal first, const In& X, RowRange rows) {
  constexpr int plane = plane_vectors<ExecutionSpace, Scalar, count>;
  const RunRange runs = runs_of(A, rows);
  const Ordinal num_runs = runs.end - runs.begin, pitch = ray_pitch(A);
  const Offset size = size_of_rays(A, num_runs);
  with_beam(A.scan.beam, [&](auto beam) {
    copy_lines(exec, "Tomokkos::stepped::copy_rays", num_runs, pitch,
               CopyRays<beam(), Scalar, count, plane>{
                   stepped_scan(A), A.steps.data(), A.runs.data(), A.rays.from_natural.data(),
                   ray_margin(A), pitch, rows, runs, static_cast<Ordinal>(X.extent(1)),
                   X.data() + first, work.rays.data() + first * size, plane * size});
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
    const double nearest = scan.source - A.volume.radius() / A.volume.pixel;
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
  if constexpr (count >= 4) {
    return fits_squares(A) && sum(static_cast<WindowSquares<ExecutionSpace, count>*>(nullptr));
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
  constexpr int plane = plane_vectors<ExecutionSpace, Scalar, count>;
  const RunRange runs = runs_of(A, rows);
  const Offset size = size_of_rays(A, runs.end - runs.begin);
  const Ordinal strips = (A.volume.rows - 1) / strip_of(count) + 1, margin = ray_margin(A);
  const int taps = most_taps(A);
  const auto launch = [&](const auto& views) {
    using Views = std::remove_cvref_t<decltype(views)>;
    Kokkos::parallel_for(
        "Tomokkos::stepped::transposed_product", ordinals(exec, strips * A.volume.columns),
        SteppedPixels<Views, Scalar, count, plane>{
            views, A.runs.data(), A.pixels.from_natural.data(), runs, A.volume.rows,
            A.volume.columns, margin, ray_pitch(A), static_cast<Ordinal>(Y.extent(1)), alpha, beta,
            work.rays.data() + first * size, plane * size, Y.data() + first});
  };
  if (A.scan.beam == Beam::fan)
    launch(fan_views(A, work));
  else if (taps == 1)
    launch(ParallelViews<Scalar, true>{A.steps.data(), A.scan.detectors, margin, taps});
  else
    launch(ParallelViews<Scalar, false>{A.steps.data(), A.scan.detectors, margin, taps});
}

}  // namespace Impl

template <class MemorySpace>
std::size_t stepped_workspace_values(const ComputedProjection<MemorySpace>& A, int vectors) {
  if (!A.is_stepped()) return 0;
  const Offset of_vector = Impl::image_copy(A).size() +
                           Impl::size_of_rays(A, static_cast<Ordinal>(A.runs_on_host.size()));
  const Offset slopes = A.scan.beam == Beam::fan ? Impl::fan_table(A).size() : 0;
  return static_cast<std::size_t>(of_vector * vectors + slopes);
}

template <class ExecutionSpace, class Scalar>
void reserve_stepped_workspace(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    int vectors, SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work) {
  const auto grow = [&](auto& values, const char* label, Offset size) {
    const auto needed = static_cast<std::size_t>(size) * static_cast<std::size_t>(vectors);
    if (values.extent(0) >= needed) return;
    values = {};
    values = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(exec, label, needed);
  };
  grow(work.image, "Tomokkos::SteppedWorkspace::image", Impl::image_copy(A).size());
  grow(work.rays, "Tomokkos::SteppedWorkspace::rays",
       Impl::size_of_rays(A, static_cast<Ordinal>(A.runs_on_host.size())));
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
  Impl::with_beam(A.scan.beam, [&](auto beam) {
    Impl::for_groups_of_vectors(vectors, [&](auto count, Ordinal first) {
      Impl::copy_image<count()>(exec, A, work, first, X);
      Impl::sum_rays<beam(), count()>(exec, A, work, first, alpha, beta, Y, rows);
      Impl::sum_exact_rays<beam(), count()>(exec, A, work, first, alpha, X, beta, Y, rows);
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
  Impl::for_groups_of_vectors(vectors, [&](auto count, Ordinal first) {
    Impl::copy_rays<count()>(exec, A, work, first, X, rows);
    Impl::sum_pixels<count()>(exec, A, work, first, alpha, beta, Y, rows);
  });
  Impl::for_exact_runs(A, rows, [&](RowRange run) {
    computed_transposed_product<ExecutionSpace, Scalar>(
        exec, A, alpha,
        MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>(
            X.data() + static_cast<Offset>(run.begin - rows.begin) * vectors,
            static_cast<std::size_t>(run.end - run.begin), X.extent(1)),
        Scalar(1), Y, run);
  });
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                             \
  template std::size_t stepped_workspace_values(const ComputedProjection<SPACE::memory_space>&, \
                                                int);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  template void reserve_stepped_workspace<SPACE, SCALAR>(                                      \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&, int,                       \
      SteppedWorkspace<SCALAR, SPACE::memory_space>&);                                         \
  template void stepped_product<SPACE, SCALAR>(                                                \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                            \
      const SteppedWorkspace<SCALAR, SPACE::memory_space>&, SCALAR,                            \
      const InputMultiVector<SPACE, SCALAR>&, SCALAR, const OutputMultiVector<SPACE, SCALAR>&, \
      RowRange);                                                                               \
  template void stepped_transposed_product<SPACE, SCALAR>(                                     \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                            \
      const SteppedWorkspace<SCALAR, SPACE::memory_space>&, SCALAR,                            \
      const InputMultiVector<SPACE, SCALAR>&, SCALAR, const OutputMultiVector<SPACE, SCALAR>&, \
      RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
