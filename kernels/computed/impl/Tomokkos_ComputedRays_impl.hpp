// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that products with computed weights read. Two functions visit entries: those of a ray,
// pixel by pixel, and those of a pixel, ray by ray.
#pragma once

#include <Tomokkos_ComputedProjection.hpp>
#include <impl/Tomokkos_RayBlock_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>

namespace Tomokkos::Impl {

/// Runs of a `ComputedProjection`, `end` excluded.
struct RunRange {
  Ordinal begin, end;
};

/// Pointers to the arrays of a `ComputedProjection`.
struct ComputedRays {
  ScanParameters scan;
  const ViewRays* views;
  const ViewRows* runs;
  const Ordinal* rays;     // of rows; null: natural order
  const Ordinal* rows;     // of natural rays
  const Ordinal* pixels;   // of columns; null: natural order
  const Ordinal* columns;  // of natural pixels
  const double* lines;

  template <class MemorySpace>
  explicit ComputedRays(const ComputedProjection<MemorySpace>& A)
      : scan(make_scan_parameters(A.volume, A.scan)),
        views(A.views.data()),
        runs(A.runs.data()),
        rays(A.rays.to_natural.data()),
        rows(A.rays.from_natural.data()),
        pixels(A.pixels.to_natural.data()),
        columns(A.pixels.from_natural.data()),
        lines(A.lines.data()) {
    if (A.tangents.extent(0) > 0) scan.tangents = A.tangents.data();
  }

  /// Positions on the detector of a view that differ by less, in elements, count as equal.
  KOKKOS_FUNCTION double margin_of(const ViewRays& view) const {
    return 0x1p-20 + 0x1p-44 * (Impl::fabs(view.center_index) +
                                (1.0 * scan.rows + scan.columns) / Impl::fabs(view.width));
  }

  KOKKOS_FUNCTION Ordinal ray_of(Ordinal row) const { return rays == nullptr ? row : rays[row]; }

  template <class RayProjector>
  KOKKOS_FUNCTION const RayProjector& projector_of(Ordinal row) const {
    return reinterpret_cast<const RayProjector*>(lines)[row];
  }

  /// Calls visit(column, weight) for the entries of a row, in the order of the natural pixels.
  template <class RayProjector, class Visitor>
  KOKKOS_FUNCTION void visit_row(Ordinal row, Visitor& visit) const {
    auto entry = [&](Ordinal pixel, double weight) {
      if (!is_stored(weight)) return;
      const Ordinal column = column_of(columns, pixel);
      if (column >= 0) visit(column, weight);
    };
    trace_ray(scan, projector_of<RayProjector>(row), entry);
  }

  /// Calls visit(row, weight) for the entries of a column in \p range, run after run.
  /// \param of_range the runs with rows of the range
  template <class RayProjector, class Visitor>
  KOKKOS_FUNCTION void visit_column(Ordinal column, RowRange range, RunRange of_range,
                                    Visitor& visit) const {
    const Ordinal pixel = pixels == nullptr ? column : pixels[column];
    const double x = scan.x(pixel % scan.columns), y = scan.y(pixel / scan.columns);
    for (Ordinal i = of_range.begin; i < of_range.end; ++i) {
      const ViewRows run = runs[i];
      const Ordinal begin = run.begin > range.begin ? run.begin : range.begin;
      const Ordinal end = run.end < range.end ? run.end : range.end;
      const ViewRays& view = views[run.view];
      const IndexRange near = RayProjector::detectors_near(scan, view, x, y, margin_of(view));
      const Ordinal first_ray = run.view * scan.detectors;
      for (Ordinal detector = near.first; detector <= near.last; ++detector) {
        const Ordinal ray = first_ray + detector;
        const Ordinal row = rows == nullptr ? ray : rows[ray];
        if (row < begin || row >= end) continue;
        const double weight = projector_of<RayProjector>(row).weight(x, y);
        if (is_stored(weight)) visit(row, weight);
      }
    }
  }
};

}  // namespace Tomokkos::Impl
