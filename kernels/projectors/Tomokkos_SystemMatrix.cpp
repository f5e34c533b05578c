// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums: mirrored rays rely on it.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <impl/Tomokkos_RayBlock_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Rays of a block, traced by one projector.
template <class RayProjector, class MemorySpace>
struct ProjectedRays : RayBlock<MemorySpace> {
  template <class Visitor>
  KOKKOS_FUNCTION void trace(Ordinal row, Visitor& visit) const {
    RayBlock<MemorySpace>::template trace<RayProjector>(row, visit);
  }
};

inline constexpr const char* system_matrix_label = "Tomokkos::system_matrix";

/// Calls action(rays) with the rays of a block and the projector of the scan.
template <class MemorySpace, class Action>
auto with_projected_rays(const ScanGeometry& scan, Projector projector,
                         const RayBlock<MemorySpace>& rays, const Action& action) {
  return with_projector(scan.beam, projector, [&](auto* chosen) {
    return action(ProjectedRays<std::remove_pointer_t<decltype(chosen)>, MemorySpace>{rays});
  });
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_system_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, RowRange rows) {
  Impl::ScopedRegion region("Tomokkos::build_system_matrix");
  check(volume, scan, projector);
  rows = rows.resolved(static_cast<Ordinal>(scan.num_rays()));
  const auto rays = Impl::make_ray_block(exec, volume, scan, rows);
  const auto num_cols = static_cast<Ordinal>(volume.num_pixels());
  return Impl::with_projected_rays(scan, projector, rays, [&](const auto& projected) {
    return Impl::build_traced_rows<Scalar>(exec, Impl::system_matrix_label, projected,
                                           rows.end - rows.begin, num_cols);
  });
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_mapped_system_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, const IndexMap<typename ExecutionSpace::memory_space>& ray_map,
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map, RowRange rows,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& row_offsets) {
  Impl::ScopedRegion region("Tomokkos::build_mapped_system_matrix");
  check(volume, scan, projector);
  require_equal("indices of the ray map", ray_map.natural_size(), "rays of the scan",
                scan.num_rays());
  require_equal("indices of the pixel map", pixel_map.natural_size(), "pixels of the volume",
                volume.num_pixels());
  rows = Impl::resolved_rows(rows, ray_map.size());
  auto rays =
      Impl::make_ray_block(exec, volume, scan, RowRange{0, static_cast<Ordinal>(scan.num_rays())});
  rays.rays = Kokkos::subview(ray_map.to_natural, std::make_pair(rows.begin, rows.end));
  rays.positions = pixel_map.from_natural;
  return Impl::with_projected_rays(scan, projector, rays, [&](const auto& projected) {
    if (row_offsets.extent(0) == 0 || !pixel_map.is_permutation())
      return Impl::build_traced_rows<Scalar>(exec, Impl::system_matrix_label, projected,
                                             rows.end - rows.begin, pixel_map.size());
    return Impl::fill_traced_rows<Scalar>(
        exec, Impl::system_matrix_label, projected,
        Impl::known_offsets(exec, Impl::system_matrix_label, row_offsets, ray_map, rows),
        pixel_map.size());
  });
}

template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> system_matrix_row_offsets(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, RowRange rows) {
  Impl::ScopedRegion region("Tomokkos::system_matrix_row_offsets");
  check(volume, scan, projector);
  rows = Impl::resolved_rows(rows, scan.num_rays());
  const Ordinal num_rows = rows.end - rows.begin;
  const auto rays = Impl::make_ray_block(exec, volume, scan, rows);
  const auto offsets = Impl::with_projected_rays(scan, projector, rays, [&](const auto& projected) {
    return Impl::count_traced_rows(exec, Impl::system_matrix_label, projected, num_rows);
  });
  Impl::fence(exec, "system_matrix_row_offsets: the offsets are complete");
  return offsets;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                        \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                  \
  build_system_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const VolumeGeometry&, \
                                              const ScanGeometry&, Projector, RowRange);    \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                  \
  build_mapped_system_matrix<ExecutionSpace, Scalar>(                                       \
      const ExecutionSpace&, const VolumeGeometry&, const ScanGeometry&, Projector,         \
      const IndexMap<ExecutionSpace::memory_space>&,                                        \
      const IndexMap<ExecutionSpace::memory_space>&, RowRange,                              \
      const Kokkos::View<const Offset*, ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace)                                              \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                      \
  system_matrix_row_offsets<ExecutionSpace>(const ExecutionSpace&, const VolumeGeometry&, \
                                            const ScanGeometry&, Projector, RowRange);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
