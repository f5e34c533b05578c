// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rays of a scan, and the pixels that each of them visits.
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <impl/Tomokkos_ProjectorLine_impl.hpp>
#include <impl/Tomokkos_ProjectorLinear_impl.hpp>
#include <impl/Tomokkos_ProjectorStrip_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>
#include <vector>

namespace Tomokkos::Impl {

/// Band of pixels around a ray: those that may have a weight.
struct PixelBand {
  BandEdge lower, upper;

  template <class RayProjector>
  KOKKOS_FUNCTION PixelBand(const ScanParameters& scan, const RayProjector& projector)
      : lower(projector.lower(scan)), upper(projector.upper(scan)) {}

  /// Returns the rows of the image that the band crosses.
  KOKKOS_FUNCTION IndexRange rows(const ScanParameters& scan) const {
    IndexRange rows{0, scan.rows - 1};
    lower.clip_rows(rows);
    upper.clip_rows(rows);
    return rows;
  }

  /// Visits the pixels of row \p row of the image from the left, or only every \p stride-th from
  /// the pixel \p first of them on.
  template <class RayProjector, class Visitor>
  KOKKOS_FUNCTION void visit_row(const ScanParameters& scan, const RayProjector& projector,
                                 Ordinal row, Visitor& visit, Ordinal first = 0,
                                 Ordinal stride = 1) const {
    const double y = scan.y(row);
    IndexRange columns{0, scan.columns - 1};
    lower.clip_columns(y, columns);
    upper.clip_columns(y, columns);
    const Ordinal row_begin = row * scan.columns;
    for (Ordinal column = columns.first + first; column <= columns.last; column += stride)
      visit(row_begin + column, projector.weight(scan.x(column), y));
  }
};

/// Visits the pixels that may have a weight in one ray, rows from the top, columns from the left.
/// This is the order of the matrix.
template <class RayProjector, class Visitor>
KOKKOS_INLINE_FUNCTION void trace_ray(const ScanParameters& scan, const RayProjector& projector,
                                      Visitor& visit) {
  const PixelBand band(scan, projector);
  const IndexRange rows = band.rows(scan);
  for (Ordinal row = rows.first; row <= rows.last; ++row)
    band.visit_row(scan, projector, row, visit);
}

/// Rays of some rows, and their views.
template <class MemorySpace>
struct RayBlock {
  ScanParameters scan;
  Ordinal first_ray;
  Ordinal first_view;
  Kokkos::View<const ViewRays*, MemorySpace> views;
  Kokkos::View<const double*, MemorySpace> tangents;  ///< see `arc_tangents`
  /// Ray of each row; empty: `first_ray` and the following ones.
  Kokkos::View<const Ordinal*, MemorySpace> rays = {};
  /// Columns of the pixels, see `column_of`; empty: natural order.
  Kokkos::View<const Ordinal*, MemorySpace> positions = {};

  template <class RayProjector, class Visitor>
  KOKKOS_FUNCTION void trace(Ordinal row, Visitor& visit) const {
    const Ordinal ray = rays.data() == nullptr ? first_ray + row : rays(row);
    const Ordinal view = ray / scan.detectors;
    const RayProjector projector(scan, views(view - first_view), ray % scan.detectors);
    trace_ray(scan, projector, visit);
  }
};

/// Calls \p action with a null pointer to the projector type for this beam and model.
template <class Action>
auto with_projector(Beam beam, Projector projector, const Action& action) {
  const bool fan = beam == Beam::fan;
  switch (projector) {
    case Projector::line:
      if (fan) return action(static_cast<LineProjector<Beam::fan>*>(nullptr));
      return action(static_cast<LineProjector<Beam::parallel>*>(nullptr));
    case Projector::linear:
      if (fan) return action(static_cast<LinearProjector<Beam::fan>*>(nullptr));
      return action(static_cast<LinearProjector<Beam::parallel>*>(nullptr));
    case Projector::strip:
      if (fan) return action(static_cast<StripProjector<Beam::fan>*>(nullptr));
      return action(static_cast<StripProjector<Beam::parallel>*>(nullptr));
  }
  throw Refused("unknown projector");
}

/// Checks the range of rays and copies their views to the device.
template <class ExecutionSpace>
RayBlock<typename ExecutionSpace::memory_space> make_ray_block(const ExecutionSpace& exec,
                                                               const VolumeGeometry& volume,
                                                               const ScanGeometry& scan,
                                                               RowRange rows) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto num_rays = static_cast<Ordinal>(scan.num_rays());
  if (rows.begin < 0 || rows.end < rows.begin || rows.end > num_rays)
    throw Refused(Impl::text(
        "rays {} to {} (excluded) were requested, but the scan has rays 0 to {} (excluded)",
        rows.begin, rows.end, num_rays));
  const Ordinal first_view = rows.begin / scan.detectors;
  const Ordinal last_view =
      rows.end == rows.begin ? first_view : (rows.end - 1) / scan.detectors + 1;
  // A vector, because a host View would be filled by a kernel on Kokkos' default host instance.
  std::vector<ViewRays> views;
  views.reserve(static_cast<std::size_t>(last_view - first_view));
  for (Ordinal view = first_view; view < last_view; ++view)
    views.push_back(rays_of_view(volume, scan, view));
  const std::vector<double> tangents = arc_tangents(scan);
  RayBlock<MemorySpace> block{make_scan_parameters(volume, scan), rows.begin, first_view,
                              copy_of(exec, "Tomokkos::RayBlock::views", views),
                              copy_of(exec, "Tomokkos::RayBlock::tangents", tangents)};
  if (!tangents.empty()) block.scan.tangents = block.tangents.data();
  // The host copies are destroyed at the end of this function.
  Impl::fence(exec, "make_ray_block: views have arrived");
  return block;
}

}  // namespace Tomokkos::Impl
