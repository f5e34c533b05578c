// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of rays: stepped products with A.
//
// Compiled without contraction of products and sums, for the exact weights and so that on a host a
// vector has the same bits alone and among others.
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <cstdint>
#include <impl/Tomokkos_ComputedRanges_impl.hpp>
#include <impl/Tomokkos_SteppedGroups_impl.hpp>
#include <impl/Tomokkos_SteppedRay_impl.hpp>
#include <impl/Tomokkos_WindowRays_impl.hpp>

namespace Tomokkos::Impl {

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
  if (std::max(image.rows, image.columns) > Rays::longest_line ||
      !fits_multiprocessor(exec, Rays::Shape::teams, Rays::threads, Rays::bytes))
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
                             .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Rays::bytes))),
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
#endif

/// Sums the rays of a range for a group of vectors.
template <Beam beam, int count, class ExecutionSpace, class Scalar, class In>
void sum_rays_of_group(const ExecutionSpace& exec,
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

template <class ExecutionSpace, class Scalar>
void sum_rays(const ExecutionSpace& exec,
              const ComputedProjection<typename ExecutionSpace::memory_space>& A,
              const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
              Scalar alpha, SteppedVectors<const Scalar> X, Scalar beta, SteppedVectors<Scalar> Y,
              RowRange rows) {
  with_beam(A.scan.beam, [&](auto beam) {
    for_groups_of_vectors(X.count, [&](auto count, Ordinal first) {
      sum_rays_of_group<beam()>(
          exec, A, work, first, X,
          RaySums<Scalar, count()>{rows, Y.stride, alpha, beta, Y.data() + first});
    });
  });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template void sum_rays<SPACE, SCALAR>(                                                          \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                               \
      const SteppedWorkspace<SCALAR, SPACE::memory_space>&, SCALAR, SteppedVectors<const SCALAR>, \
      SCALAR, SteppedVectors<SCALAR>, RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Impl
