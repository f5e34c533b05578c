// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums: mirrored rays rely on it.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <impl/Tomokkos_RayBlock_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>

namespace Tomokkos {
namespace Impl {

template <class RayProjector, class MemorySpace>
struct CountKernel {
  RayBlock<MemorySpace> rays;
  Kokkos::View<Offset*, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    CountNonzeros visit{rays.positions.data()};
    rays.template trace<RayProjector>(row, visit);
    counts(row) = visit.count;
  }
};

template <class RayProjector, class MemorySpace>
struct SumKernel {
  RayBlock<MemorySpace> rays;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Offset& sum) const {
    CountNonzeros visit{rays.positions.data()};
    rays.template trace<RayProjector>(row, visit);
    sum += visit.count;
  }
};

template <class RayProjector, class Scalar, class MemorySpace>
struct FillKernel {
  RayBlock<MemorySpace> rays;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Offset begin = row_offsets(row);
    StoreNonzeros<Scalar> visit{rays.positions.data(), columns.data() + begin,
                                values.data() + begin};
    rays.template trace<RayProjector>(row, visit);
  }
};

template <class RayProjector, class ExecutionSpace, class MemorySpace>
auto count_rays(const ExecutionSpace& exec, const RayBlock<MemorySpace>& rays, Ordinal num_rows) {
  return [=](const Kokkos::View<Offset*, MemorySpace>& counts) {
    Kokkos::parallel_for(
        "Tomokkos::system_matrix::count",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, num_rows),
        CountKernel<RayProjector, MemorySpace>{rays, counts});
  };
}

template <class RayProjector, class Scalar, class ExecutionSpace, class MemorySpace>
auto fill_rays(const ExecutionSpace& exec, const RayBlock<MemorySpace>& rays, Ordinal num_rows) {
  return [=](const CsrArrays<Scalar, MemorySpace>& arrays) {
    Kokkos::parallel_for(
        "Tomokkos::system_matrix::fill",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, num_rows),
        FillKernel<RayProjector, Scalar, MemorySpace>{rays, arrays.row_offsets, arrays.columns,
                                                      arrays.values});
  };
}

template <class RayProjector, class Scalar, class ExecutionSpace, class MemorySpace>
CsrMatrix<Scalar, MemorySpace> build_ray_rows(const ExecutionSpace& exec,
                                              const RayBlock<MemorySpace>& rays, Ordinal num_rows,
                                              Ordinal num_cols) {
  return build_rows<Scalar>(exec, "Tomokkos::system_matrix", num_rows, num_cols,
                            rays.positions.data() != nullptr,
                            count_rays<RayProjector>(exec, rays, num_rows),
                            fill_rays<RayProjector, Scalar>(exec, rays, num_rows));
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
  return Impl::with_projector(scan.beam, projector, [&](auto* chosen) {
    return Impl::build_ray_rows<std::remove_pointer_t<decltype(chosen)>, Scalar>(
        exec, rays, rows.end - rows.begin, num_cols);
  });
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_mapped_system_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, const IndexMap<typename ExecutionSpace::memory_space>& ray_map,
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map) {
  Impl::ScopedRegion region("Tomokkos::build_mapped_system_matrix");
  check(volume, scan, projector);
  require_equal("indices of the ray map", ray_map.natural_size(), "rays of the scan",
                scan.num_rays());
  require_equal("indices of the pixel map", pixel_map.natural_size(), "pixels of the volume",
                volume.num_pixels());
  auto rays =
      Impl::make_ray_block(exec, volume, scan, RowRange{0, static_cast<Ordinal>(scan.num_rays())});
  rays.rays = ray_map.to_natural;
  rays.positions = pixel_map.from_natural;
  return Impl::with_projector(scan.beam, projector, [&](auto* chosen) {
    return Impl::build_ray_rows<std::remove_pointer_t<decltype(chosen)>, Scalar>(
        exec, rays, ray_map.size(), pixel_map.size());
  });
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> fill_mapped_system_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& row_offsets,
    const IndexMap<typename ExecutionSpace::memory_space>& ray_map,
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map, RowRange rows) {
  Impl::ScopedRegion region("Tomokkos::fill_mapped_system_matrix");
  check(volume, scan, projector);
  require_equal("row offsets", static_cast<long long>(row_offsets.extent(0)),
                "rays of the scan + 1", scan.num_rays() + 1);
  require_equal("indices of the ray map", ray_map.natural_size(), "rays of the scan",
                scan.num_rays());
  require_equal("indices of the pixel map", pixel_map.natural_size(), "pixels of the volume",
                volume.num_pixels());
  require(pixel_map.is_permutation(),
          "rows of known lengths need all pixels, but this map leaves pixels out");
  rows = rows.resolved(ray_map.size());
  if (rows.begin < 0 || rows.end < rows.begin || rows.end > ray_map.size())
    throw Refused(Impl::text(
        "rows {} to {} (excluded) were requested, but the map has rows 0 to {} (excluded)",
        rows.begin, rows.end, ray_map.size()));
  const Ordinal num_rows = rows.end - rows.begin;
  const auto block =
      Impl::mapped_offsets(exec, "Tomokkos::system_matrix", row_offsets, ray_map, rows);
  auto rays =
      Impl::make_ray_block(exec, volume, scan, RowRange{0, static_cast<Ordinal>(scan.num_rays())});
  rays.rays = Kokkos::subview(ray_map.to_natural, std::make_pair(rows.begin, rows.end));
  rays.positions = pixel_map.from_natural;
  return Impl::with_projector(scan.beam, projector, [&](auto* chosen) {
    return Impl::fill_rows<Scalar>(
        exec, block, pixel_map.size(), true,
        Impl::fill_rays<std::remove_pointer_t<decltype(chosen)>, Scalar>(exec, rays, num_rows));
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
  const auto offsets = Impl::with_projector(scan.beam, projector, [&](auto* chosen) {
    return Impl::count_rows(
        exec, "Tomokkos::system_matrix", num_rows,
        Impl::count_rays<std::remove_pointer_t<decltype(chosen)>>(exec, rays, num_rows));
  });
  Impl::fence(exec, "system_matrix_row_offsets: the offsets are complete");
  return offsets;
}

template <class ExecutionSpace>
Offset count_system_matrix_nonzeros(const ExecutionSpace& exec, const VolumeGeometry& volume,
                                    const ScanGeometry& scan, Projector projector, RowRange rows) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using RowPolicy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  Impl::ScopedRegion region("Tomokkos::count_system_matrix_nonzeros");
  check(volume, scan, projector);
  rows = rows.resolved(static_cast<Ordinal>(scan.num_rays()));
  const auto rays = Impl::make_ray_block(exec, volume, scan, rows);
  Offset nonzeros = 0;
  Impl::with_projector(scan.beam, projector, [&](auto* chosen) {
    using RayProjector = std::remove_pointer_t<decltype(chosen)>;
    Kokkos::parallel_reduce("Tomokkos::system_matrix::sum",
                            RowPolicy(exec, 0, rows.end - rows.begin),
                            Impl::SumKernel<RayProjector, MemorySpace>{rays}, nonzeros);
  });
  return nonzeros;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                        \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                  \
  build_system_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const VolumeGeometry&, \
                                              const ScanGeometry&, Projector, RowRange);    \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                  \
  build_mapped_system_matrix<ExecutionSpace, Scalar>(                                       \
      const ExecutionSpace&, const VolumeGeometry&, const ScanGeometry&, Projector,         \
      const IndexMap<ExecutionSpace::memory_space>&,                                        \
      const IndexMap<ExecutionSpace::memory_space>&);                                       \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                  \
  fill_mapped_system_matrix<ExecutionSpace, Scalar>(                                        \
      const ExecutionSpace&, const VolumeGeometry&, const ScanGeometry&, Projector,         \
      const Kokkos::View<const Offset*, ExecutionSpace::memory_space>&,                     \
      const IndexMap<ExecutionSpace::memory_space>&,                                        \
      const IndexMap<ExecutionSpace::memory_space>&, RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace)                                              \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                      \
  system_matrix_row_offsets<ExecutionSpace>(const ExecutionSpace&, const VolumeGeometry&, \
                                            const ScanGeometry&, Projector, RowRange);    \
  template Offset count_system_matrix_nonzeros<ExecutionSpace>(                           \
      const ExecutionSpace&, const VolumeGeometry&, const ScanGeometry&, Projector, RowRange);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
