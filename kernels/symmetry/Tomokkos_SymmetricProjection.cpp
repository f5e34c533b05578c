// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_TracedRows_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Rows of the whole matrix: the stored row and the map of each ray.
template <class Scalar, class MemorySpace>
struct ImagesOfRows {
  SymmetricProjection<Scalar, MemorySpace> A;

  KOKKOS_FUNCTION Ordinal stored_row(Ordinal ray) const {
    return A.symmetry.slots(ray) / static_cast<Ordinal>(num_square_symmetries);
  }
  KOKKOS_FUNCTION Ordinal column(Ordinal ray, Offset e) const {
    const unsigned map = static_cast<unsigned>(A.symmetry.slots(ray)) % num_square_symmetries;
    return A.symmetry.column_of(
        symmetric_pixel(A.symmetry.side, map, A.symmetry.pixels.to_natural(A.stored.columns(e))));
  }
  KOKKOS_FUNCTION Offset length(Ordinal ray) const {
    const Ordinal row = stored_row(ray);
    return A.stored.row_offsets(row + 1) - A.stored.row_offsets(row);
  }
};

template <class Scalar, class MemorySpace>
struct CountImageRow {
  ImagesOfRows<Scalar, MemorySpace> images;
  Kokkos::View<Offset*, MemorySpace> counts;
  KOKKOS_FUNCTION void operator()(const Ordinal ray) const { counts(ray) = images.length(ray); }
};

/// Sums the nonzeros, the empty rows, and the squares of the lengths minus an integer. Integer sums
/// are exact in any order.
template <class Scalar, class MemorySpace>
struct SumImageRows {
  ImagesOfRows<Scalar, MemorySpace> images;
  Offset centre;
  KOKKOS_FUNCTION void operator()(const Ordinal ray, Offset& nonzeros, Offset& empty,
                                  Offset& squares) const {
    const Offset length = images.length(ray);
    nonzeros += length;
    empty += length == 0 ? 1 : 0;
    squares += (length - centre) * (length - centre);
  }
};

/// Writes a row of the whole matrix, with entries in the order of the stored row.
template <class Scalar, class MemorySpace>
struct ExpandImageRow {
  ImagesOfRows<Scalar, MemorySpace> images;
  CsrArrays<Scalar, MemorySpace> arrays;

  KOKKOS_FUNCTION void operator()(const Ordinal ray) const {
    Offset to = arrays.row_offsets(ray);
    const Offset begin = images.A.stored.row_offsets(images.stored_row(ray));
    for (Offset e = begin; e < begin + images.length(ray); ++e, ++to) {
      arrays.columns(to) = images.column(ray, e);
      arrays.values(to) = images.A.stored.values(e);
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
SymmetricProjection<Scalar, typename ExecutionSpace::memory_space> build_symmetric_projection(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, const std::vector<char>& ray_mask, const std::vector<char>& pixel_mask) {
  Impl::ScopedRegion region("Tomokkos::build_symmetric_projection");
  constexpr Ordinal tile = 8;
  const RayOrbits orbits = kept_orbits(find_ray_orbits(volume, scan), ray_mask);
  require_symmetric_pixels(volume.rows, pixel_mask);
  std::vector<Ordinal> pixels = tiled_order(volume.rows, volume.columns, tile, tile);
  if (!pixel_mask.empty())
    pixels.erase(std::remove_if(pixels.begin(), pixels.end(),
                                [&](Ordinal pixel) {
                                  return pixel_mask[static_cast<std::size_t>(pixel)] == 0;
                                }),
                 pixels.end());
  SymmetricProjection<Scalar, typename ExecutionSpace::memory_space> result;
  result.symmetry = make_ray_symmetry(exec, volume.rows, orbits, pixels);
  const auto stored_rays =
      make_index_map(exec, static_cast<Ordinal>(scan.num_rays()), orbits.stored);
  result.stored = build_mapped_system_matrix<ExecutionSpace, Scalar>(
      exec, volume, scan, projector, stored_rays, result.symmetry.pixels);
  return result;
}

template <class ExecutionSpace, class Scalar>
RowStatistics expanded_statistics(
    const ExecutionSpace& exec,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A) {
  // The shortest and the longest row are stored rows, and the mean of the stored rows is close to
  // the mean of all.
  RowStatistics result = row_statistics<ExecutionSpace, Scalar>(exec, A.stored);
  result.rows = A.num_rows();
  result.columns = A.num_cols();
  if (result.rows == 0) return result;
  const auto centre = static_cast<Offset>(result.mean);
  Offset empty = 0, squares = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::symmetric::statistics",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, A.num_rows()),
      Impl::SumImageRows<Scalar, typename ExecutionSpace::memory_space>{{A}, centre},
      Kokkos::Sum<Offset>(result.nonzeros), Kokkos::Sum<Offset>(empty),
      Kokkos::Sum<Offset>(squares));
  Impl::fence(exec, "expanded_statistics: the sums have arrived");
  result.mean = static_cast<double>(result.nonzeros) / result.rows;
  const double shift = result.mean - static_cast<double>(centre);
  const double variance = static_cast<double>(squares) / result.rows - shift * shift;
  result.sigma = variance > 0 ? std::sqrt(variance) : 0;
  result.empty_rows = static_cast<Ordinal>(empty);
  return result;
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> expanded_projection(
    const ExecutionSpace& exec,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Impl::ScopedRegion region("Tomokkos::expanded_projection");
  const Impl::ImagesOfRows<Scalar, MemorySpace> images{A};
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> rays(exec, 0, A.num_rows());
  return Impl::build_rows<Scalar>(
      exec, "Tomokkos::symmetric", A.num_rows(), A.num_cols(), true,
      [&](const Kokkos::View<Offset*, MemorySpace>& counts) {
        Kokkos::parallel_for("Tomokkos::symmetric::count", rays,
                             Impl::CountImageRow<Scalar, MemorySpace>{images, counts});
      },
      [&](const Impl::CsrArrays<Scalar, MemorySpace>& arrays) {
        Kokkos::parallel_for("Tomokkos::symmetric::expand", rays,
                             Impl::ExpandImageRow<Scalar, MemorySpace>{images, arrays});
      });
}

template <class ExecutionSpace, class Scalar>
void validate(const ExecutionSpace& exec,
              const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A) {
  validate(exec, A.symmetry);
  validate(exec, A.stored);
  require_equal("rows of the stored matrix", A.stored.num_rows, "stored rays",
                A.symmetry.num_stored);
  require_equal("columns of the stored matrix", A.stored.num_cols, "pixels",
                A.symmetry.num_pixels());
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template SymmetricProjection<SCALAR, SPACE::memory_space>                                      \
  build_symmetric_projection<SPACE, SCALAR>(const SPACE&, const VolumeGeometry&,                 \
                                            const ScanGeometry&, Projector,                      \
                                            const std::vector<char>&, const std::vector<char>&); \
  template CsrMatrix<SCALAR, SPACE::memory_space> expanded_projection<SPACE, SCALAR>(            \
      const SPACE&, const SymmetricProjection<SCALAR, SPACE::memory_space>&);                    \
  template RowStatistics expanded_statistics<SPACE, SCALAR>(                                     \
      const SPACE&, const SymmetricProjection<SCALAR, SPACE::memory_space>&);                    \
  template void validate<SPACE, SCALAR>(const SPACE&,                                            \
                                        const SymmetricProjection<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
