// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by symmetry, and the workspace of stepped products. Compiled without contraction of
// products and sums, so that on a host a vector has the same bits alone and among others.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <algorithm>
#include <impl/Tomokkos_ComputedOrbits_impl.hpp>
#include <impl/Tomokkos_ComputedRanges_impl.hpp>
#include <impl/Tomokkos_SteppedGroups_impl.hpp>

namespace Tomokkos {
namespace Impl {

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
  Impl::sum_rays<ExecutionSpace, Scalar>(exec, A, work, alpha, {X.data(), vectors, vectors}, beta,
                                         {Y.data(), vectors, vectors}, rows);
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
  Impl::sum_pixels<ExecutionSpace, Scalar>(exec, A, work, alpha, {X.data(), vectors, vectors}, beta,
                                           {Y.data(), vectors, vectors}, rows);
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
  Impl::sum_pixels<ExecutionSpace, Scalar>(exec, A, work, Scalar(1), {values.data(), 1, 1},
                                           Scalar(0), {Y.data() + column, columns, 1},
                                           {0, A.num_rows});
}

#define TOMOKKOS_INSTANTIATE(MEMORY, SCALAR)                                                      \
  template bool multiplies_by_symmetry<SCALAR>(const ComputedProjection<MEMORY>&, int, RowRange); \
  template std::size_t stepped_workspace_values<SCALAR>(const ComputedProjection<MEMORY>&, int);
TOMOKKOS_FOR_EACH_MEMORY_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
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
