// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, for the exact weights and so that a vector has
// the same bits alone and among others.
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <algorithm>
#include <impl/Tomokkos_ComputedRanges_impl.hpp>
#include <impl/Tomokkos_SteppedPixels_impl.hpp>
#include <impl/Tomokkos_SteppedRay_impl.hpp>

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

/// Zeros on each side of the rays of a view: as many as the pixels of a strip can read outside.
template <class MemorySpace>
Ordinal ray_margin(const ComputedProjection<MemorySpace>& A) {
  double span = 0;
  if (A.scan.beam == Beam::parallel)
    for (const ViewSteps& view : A.steps_on_host)
      span = std::max(span, longest_strip * std::fabs(view.per_row));
  return static_cast<Ordinal>(span) + 2 * most_taps(A) + 5;
}

/// Calls action(range of rows) for the runs of a range whose views are left to exact weights.
template <class MemorySpace, class Action>
void for_exact_runs(const ComputedProjection<MemorySpace>& A, RowRange rows, const Action& action) {
  const auto [first, last] = runs_of(A, rows);
  for (Ordinal i = first; i < last; ++i) {
    const ViewRows& run = A.runs_on_host[static_cast<std::size_t>(i)];
    if (A.steps_on_host[static_cast<std::size_t>(run.view)].is_exact)
      action(RowRange{std::max(run.begin, rows.begin), std::min(run.end, rows.end)});
  }
}

/// Values of the copy of rays for the runs of a range.
template <class MemorySpace>
Offset size_of_rays(const ComputedProjection<MemorySpace>& A, Ordinal runs) {
  return static_cast<Offset>(A.scan.detectors + 2 * ray_margin(A)) * runs;
}

}  // namespace Impl

template <class MemorySpace>
std::size_t stepped_workspace_values(const ComputedProjection<MemorySpace>& A, int vectors) {
  if (!A.is_stepped()) return 0;
  const Offset of_vector = Impl::image_copy(A).size() +
                           Impl::size_of_rays(A, static_cast<Ordinal>(A.runs_on_host.size()));
  const Offset slopes = A.scan.beam == Beam::fan ? 2 * A.scan.num_rays() + A.scan.detectors : 0;
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
  const Offset rays = A.scan.num_rays();
  const auto slopes = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::SteppedWorkspace::slopes",
      static_cast<std::size_t>(2 * rays + A.scan.detectors));
  Kokkos::parallel_for(
      "Tomokkos::stepped::slopes",
      Impl::element_range(exec, static_cast<std::size_t>(rays + A.scan.detectors)),
      Impl::FanSlopes<Scalar>{Impl::stepped_scan(A), A.steps.data(), rays, slopes.data()});
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
  const auto vectors = static_cast<Ordinal>(X.extent(1));
  const Impl::ImageCopy image = Impl::image_copy(A);
  Kokkos::parallel_for("Tomokkos::stepped::copy_image",
                       Impl::element_range(exec, static_cast<std::size_t>(image.size())),
                       Impl::CopyImage<Scalar>{image, vectors, A.pixels.from_natural.data(),
                                               X.data(), work.image.data()});
  Impl::with_beam(A.scan.beam, [&](auto beam) {
    Impl::for_groups_of_vectors(vectors, [&](auto count, Ordinal first) {
      Kokkos::parallel_for(
          "Tomokkos::stepped::product", Impl::ordinals(exec, rows.end - rows.begin),
          Impl::SteppedRay<beam(), Scalar, count()>{
              Impl::stepped_scan(A), A.steps.data(), A.rays.to_natural.data(), rows.begin, vectors,
              image, alpha, beta, work.image.data() + first, Y.data() + first});
      if (beam() == Beam::parallel || A.projector != Projector::line) return;
      Kokkos::parallel_for(
          "Tomokkos::stepped::exact_rays", Impl::ordinals(exec, rows.end - rows.begin),
          Impl::ExactFanRay<Scalar, count()>{Impl::stepped_scan(A),
                                             A.steps.data(),
                                             {Impl::ComputedRays(A), rows.begin, vectors, alpha,
                                              beta, X.data() + first, Y.data() + first}});
    });
  });
  Impl::for_exact_runs(A, rows, [&](RowRange run) {
    computed_product<ExecutionSpace, Scalar>(
        exec, A, alpha, X, beta,
        MultiVectorView<Scalar, typename ExecutionSpace::memory_space>(
            Y.data() + static_cast<Offset>(run.begin - rows.begin) * vectors,
            static_cast<std::size_t>(run.end - run.begin), X.extent(1)),
        run);
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
  const auto [first_run, last_run] = Impl::runs_of(A, rows);
  const Ordinal margin = Impl::ray_margin(A);
  const Impl::SteppedScan scan = Impl::stepped_scan(A);
  Impl::with_beam(A.scan.beam, [&, first_run = first_run, last_run = last_run](auto beam) {
    const auto size = static_cast<std::size_t>(Impl::size_of_rays(A, last_run - first_run));
    Kokkos::parallel_for("Tomokkos::stepped::copy_rays", Impl::element_range(exec, size),
                         Impl::CopyRays<beam(), Scalar>{
                             scan, A.steps.data(), A.runs.data(), A.rays.from_natural.data(),
                             margin, rows, first_run, vectors, X.data(), work.rays.data()});
  });
  const int taps = Impl::most_taps(A);
  Impl::for_groups_of_vectors(vectors, [&, first_run = first_run, last_run = last_run](
                                           auto count, Ordinal first) {
    const Ordinal strips = (A.volume.rows - 1) / Impl::strip_of(count()) + 1;
    const auto launch = [&](const auto& views) {
      using Views = std::remove_cvref_t<decltype(views)>;
      Kokkos::parallel_for("Tomokkos::stepped::transposed_product",
                           Impl::ordinals(exec, strips * A.volume.columns),
                           Impl::SteppedPixels<Views, Scalar, count()>{
                               views, A.runs.data(), A.pixels.from_natural.data(), first_run,
                               last_run, A.volume.rows, A.volume.columns, A.scan.detectors, margin,
                               vectors, alpha, beta, work.rays.data() + first, Y.data() + first});
    };
    if (A.scan.beam == Beam::fan)
      launch(Impl::FanViews<Scalar>{Impl::ComputedRays(A), scan, A.steps.data(), margin, taps,
                                    static_cast<Scalar>(scan.reach() * (1 + 0x1p-20)),
                                    work.slopes.data(),
                                    work.slopes.data() + 2 * A.scan.num_rays()});
    else if (taps == 1)
      launch(Impl::ParallelViews<Scalar, true>{A.steps.data(), A.scan.detectors, margin, taps});
    else
      launch(Impl::ParallelViews<Scalar, false>{A.steps.data(), A.scan.detectors, margin, taps});
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
