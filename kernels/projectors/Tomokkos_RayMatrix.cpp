// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, so that every backend gives the same bits.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_RayMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PairRays_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>

namespace Tomokkos {
namespace Impl {

inline constexpr const char* ray_matrix_label = "Tomokkos::ray_matrix";

/// Shifts and directions up to this many pixels are rounding errors.
inline constexpr double negligible_pixels = 0x1p-40;

/// Coordinate, and its change along the ray, in pixels from the upper left corner of the image. A
/// ray that rounding alone turns away from an axis, or moves off a grid line, lies on it.
struct RayCoordinate {
  double begin, change;

  KOKKOS_FUNCTION RayCoordinate(double start, double end) : begin(start), change(end - start) {
    if (Impl::fabs(change) > negligible_pixels * (1 + Impl::fabs(start))) return;
    change = 0;
    begin = 0.5 * (start + end);
    const double line = Impl::floor(begin + 0.5);
    if (Impl::fabs(begin - line) <= negligible_pixels * (1 + Impl::fabs(start))) begin = line;
  }
  KOKKOS_FUNCTION double at(double t) const { return begin + t * change; }
  KOKKOS_FUNCTION RayPart in_cell(double per_change, Ordinal cell) const {
    return part_between(begin, per_change, cell, cell + 1.0);
  }
};

/// Returns the cells that a coordinate touches in a part of its ray.
KOKKOS_INLINE_FUNCTION IndexRange cells_between(const RayCoordinate& x, double begin, double end,
                                                Ordinal count) {
  Hull hull;
  hull.add(x.at(begin));
  hull.add(x.at(end));
  return hull.cells(count);
}

/// Rays of some rows. The ray is traced row by row of the image, from the top, in each row from the
/// left. The pixels on both sides of a border use the same t for it, so the lengths of a ray add up
/// to its length within the image.
template <class MemorySpace>
struct EndedRays {
  Ordinal image_rows, image_columns;
  double left, top;      // of the image
  double width, height;  // of a pixel
  Kokkos::View<const RayEnds*, MemorySpace> ends;
  /// Ray of each row from `first_row` on; empty: row and ray are the same.
  Kokkos::View<const Ordinal*, MemorySpace> rays = {};
  Ordinal first_row = 0;
  /// Columns of the pixels, see `column_of`; empty: natural order.
  Kokkos::View<const Ordinal*, MemorySpace> positions = {};

  template <class Visitor>
  KOKKOS_FUNCTION void trace(Ordinal row, Visitor& visit) const {
    const RayEnds& ray = ends(rays.data() == nullptr ? row : rays(first_row + row));
    const RayCoordinate x((ray.start_x - left) / width, (ray.end_x - left) / width);
    const RayCoordinate y((top - ray.start_y) / height, (top - ray.end_y) / height);
    const double per_x = inverse_or_zero(x.change), per_y = inverse_or_zero(y.change);
    const double dx = x.change * width, dy = y.change * height;
    const double length = Impl::sqrt(dx * dx + dy * dy);
    const double least = negligible_pixels * smaller(width, height);
    const IndexRange rows = cells_between(y, 0, 1, image_rows);
    for (Ordinal i = rows.first; i <= rows.last; ++i) {
      const RayPart in_row = y.in_cell(per_y, i).clipped(0, 1);
      if (in_row.is_empty()) continue;
      const IndexRange columns = cells_between(x, in_row.begin, in_row.end, image_columns);
      for (Ordinal j = columns.first; j <= columns.last; ++j) {
        const RayPart part = x.in_cell(per_x, j).clipped(in_row.begin, in_row.end);
        if (part.is_empty()) continue;
        const double weight = length * in_row.share * part.share * (part.end - part.begin);
        if (weight > least) visit(i * image_columns + j, weight);
      }
    }
  }
};

/// Copies the rays of some rows to the device.
template <class ExecutionSpace>
auto make_ended_rays(const ExecutionSpace& exec, const VolumeGeometry& volume,
                     const std::vector<RayEnds>& rays, RowRange rows) {
  const std::vector<RayEnds> block(rays.begin() + rows.begin, rays.begin() + rows.end);
  EndedRays<typename ExecutionSpace::memory_space> result{
      volume.rows,
      volume.columns,
      volume.center_x - 0.5 * volume.columns * volume.pixel,
      volume.center_y + 0.5 * volume.rows * volume.pixel_height(),
      volume.pixel,
      volume.pixel_height(),
      copy_of(exec, "Tomokkos::RayMatrix::ends", block)};
  // The host copy is destroyed at the end of this function.
  fence(exec, "make_ended_rays: the rays have arrived");
  return result;
}

}  // namespace Impl

void check(const VolumeGeometry& volume, const std::vector<RayEnds>& rays) {
  check(volume);
  const double farthest = 1e9 * std::min(volume.pixel, volume.pixel_height());
  for (std::size_t row = 0; row < rays.size(); ++row) {
    const RayEnds& ray = rays[row];
    for (const double distance : {ray.start_x - volume.center_x, ray.start_y - volume.center_y,
                                  ray.end_x - volume.center_x, ray.end_y - volume.center_y})
      if (!(std::fabs(distance) <= farthest))
        throw Refused(
            Impl::text("ray {} has an end at a distance of {} from the centre of the "
                       "image; ends must be finite and within 1e9 pixels",
                       row, Impl::number_text(distance)));
    if (ray.start_x == ray.end_x && ray.start_y == ray.end_y)
      throw Refused(Impl::text("ray {} has length zero", row));
  }
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_ray_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const std::vector<RayEnds>& rays,
    RowRange rows) {
  Impl::ScopedRegion region("Tomokkos::build_ray_matrix");
  check(volume, rays);
  rows = Impl::resolved_rows(rows, static_cast<std::int64_t>(rays.size()));
  return Impl::build_traced_rows<Scalar>(
      exec, Impl::ray_matrix_label, Impl::make_ended_rays(exec, volume, rays, rows),
      rows.end - rows.begin, static_cast<Ordinal>(volume.num_pixels()));
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_mapped_ray_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const std::vector<RayEnds>& rays,
    const IndexMap<typename ExecutionSpace::memory_space>& ray_map,
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map, RowRange rows) {
  Impl::ScopedRegion region("Tomokkos::build_mapped_ray_matrix");
  check(volume, rays);
  const auto num_rays = static_cast<Ordinal>(rays.size());
  require_equal("indices of the ray map", ray_map.natural_size(), "rays", num_rays);
  require_equal("indices of the pixel map", pixel_map.natural_size(), "pixels of the volume",
                volume.num_pixels());
  rows = Impl::resolved_rows(rows, ray_map.size());
  auto mapped = Impl::make_ended_rays(exec, volume, rays, {0, num_rays});
  mapped.rays = ray_map.to_natural;
  mapped.first_row = rows.begin;
  mapped.positions = pixel_map.from_natural;
  return Impl::build_traced_rows<Scalar>(exec, Impl::ray_matrix_label, mapped,
                                         rows.end - rows.begin, pixel_map.size());
}

template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> ray_matrix_row_offsets(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const std::vector<RayEnds>& rays,
    RowRange rows) {
  Impl::ScopedRegion region("Tomokkos::ray_matrix_row_offsets");
  check(volume, rays);
  rows = Impl::resolved_rows(rows, static_cast<std::int64_t>(rays.size()));
  const auto offsets = Impl::count_traced_rows(exec, Impl::ray_matrix_label,
                                               Impl::make_ended_rays(exec, volume, rays, rows),
                                               rows.end - rows.begin);
  Impl::fence(exec, "ray_matrix_row_offsets: the offsets are complete");
  return offsets;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                     \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                               \
  build_ray_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const VolumeGeometry&, \
                                           const std::vector<RayEnds>&, RowRange);       \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                               \
  build_mapped_ray_matrix<ExecutionSpace, Scalar>(                                       \
      const ExecutionSpace&, const VolumeGeometry&, const std::vector<RayEnds>&,         \
      const IndexMap<ExecutionSpace::memory_space>&,                                     \
      const IndexMap<ExecutionSpace::memory_space>&, RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace)                                           \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                   \
  ray_matrix_row_offsets<ExecutionSpace>(const ExecutionSpace&, const VolumeGeometry&, \
                                         const std::vector<RayEnds>&, RowRange);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
