// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidate pixels of a ray: those with centres in a band around it. The two edges of the band are
// computed in plain double and are deliberately a little too far out. The weights decide which
// candidates count.
#pragma once

#include <impl/Tomokkos_RayReduction_impl.hpp>

namespace Tomokkos::Impl {

/// Half the diagonal of a pixel in half pixels, rounded up.
constexpr double half_diagonal = 1.4142135623730954;

/// Range of the indices first, ..., last; empty if last < first.
struct IndexRange {
  Ordinal first;
  Ordinal last;

  /// Keeps the indices >= \p limit.
  KOKKOS_FUNCTION void keep_from(double limit) {
    if (!(limit <= last)) {
      last = first - 1;
    } else if (limit > first) {
      const auto below = static_cast<Ordinal>(limit);
      first = below < limit ? below + 1 : below;
    }
  }

  /// Keeps the indices <= \p limit.
  KOKKOS_FUNCTION void keep_up_to(double limit) {
    if (!(limit >= first)) {
      last = first - 1;
    } else if (limit < last) {
      last = static_cast<Ordinal>(limit);
    }
  }

  KOKKOS_FUNCTION void clear() { last = first - 1; }
};

/// Edge of the half-plane of pixel centres with normal_x x + normal_y y >= bound, in half pixels of
/// the image. Normals have unit length.
class BandEdge {
 public:
  KOKKOS_FUNCTION BandEdge(const ScanParameters& scan, FramePoint normal, double bound)
      : normal_x_(is_negligible(normal.x) ? 0.0 : normal.x),
        normal_y_(is_negligible(normal.y) ? 0.0 : normal.y),
        inverse_x_(normal_x_ == 0.0 ? 0.0 : 1.0 / normal_x_),
        half_width_(scan.columns - 1.0),
        half_height_(scan.rows - 1.0),
        // A margin larger than the rounding of the expressions below.
        bound_(bound - 0x1p-46 * (1.0 * scan.rows + scan.columns + Impl::fabs(bound))) {}

  /// Keeps the image rows with a centre on this side of the edge.
  KOKKOS_FUNCTION void clip_rows(IndexRange& rows) const {
    const double least = bound_ - Impl::fabs(normal_x_) * half_width_;
    if (normal_y_ == 0.0) {
      if (least > 0) rows.clear();
      return;
    }
    // Row 0 is at the top: y = half_height - 2 row.
    const double limit = (half_height_ - least / normal_y_) * 0.5;
    if (normal_y_ > 0) {
      rows.keep_up_to(limit);
    } else {
      rows.keep_from(limit);
    }
  }

  /// Keeps the columns whose centres at height \p y are on this side of the edge.
  KOKKOS_FUNCTION void clip_columns(double y, IndexRange& columns) const {
    const double least = bound_ - normal_y_ * y;
    if (normal_x_ == 0.0) {
      if (least > 0) columns.clear();
      return;
    }
    const double limit = (half_width_ + least * inverse_x_) * 0.5;
    if (normal_x_ > 0) {
      columns.keep_from(limit);
    } else {
      columns.keep_up_to(limit);
    }
  }

 private:
  /// Such a component changes the sum by less than the margin of the bound, for any image.
  KOKKOS_FUNCTION static bool is_negligible(double component) {
    return Impl::fabs(component) < 0x1p-60;
  }

  double normal_x_;
  double normal_y_;
  double inverse_x_;
  double half_width_;
  double half_height_;
  double bound_;
};

/// Makes the edge towards small values of the line with normal (a, b) of a frame.
KOKKOS_INLINE_FUNCTION BandEdge lower_edge(const ScanParameters& scan, const Line& line,
                                           double bound) {
  return {scan, from_frame(line.symmetry, line.a, line.b), bound};
}

/// Makes the edge towards large values of the line.
KOKKOS_INLINE_FUNCTION BandEdge upper_edge(const ScanParameters& scan, const Line& line,
                                           double bound) {
  return {scan, from_frame(line.symmetry, -line.a, -line.b), -bound};
}

/// Returns the elements of the detector whose rays, or strips with \p beyond = 0.5, come closer
/// than \p reach to the point (\p x, \p y) of the image, and perhaps some more. Positions are in
/// elements when they are compared, with a tolerance of \p margin.
template <Beam beam>
KOKKOS_INLINE_FUNCTION IndexRange detectors_near_point(const ScanParameters& scan,
                                                       const ViewRays& rays, double x, double y,
                                                       double reach, double beyond, double margin) {
  const ViewDirection& view = rays.direction;
  double position, distance;
  if constexpr (beam == Beam::parallel) {
    const FramePoint at = to_frame(view.symmetry, x, y);
    position = view.a * at.x + view.b * at.y;
    distance = reach;
  } else {
    const FanFrame frame = fan_frame(view);
    const FramePoint at = to_frame(frame.symmetry, x, y);
    // Distance from the source along the central ray.
    const double depth = rays.source_to_origin - (view.b * at.x - view.a * at.y);
    const double shift = frame.orientation * rays.source_shift;
    const double s = rays.source_to_detector * (view.a * at.x + view.b * at.y - shift) / depth;
    position = frame.orientation * s;
    // The ray to a position that differs by d passes at d depth / |(distance, position)|.
    const double length = Impl::sqrt(rays.source_to_detector * rays.source_to_detector + s * s);
    if (!(depth > reach)) return {0, scan.detectors - 1};
    distance = reach * length / (depth - reach);
  }
  const double center = position / rays.width + rays.center_index;
  IndexRange range{0, scan.detectors - 1};
  if (scan.tangents == nullptr) {
    const double elements = distance / Impl::fabs(rays.width) + (beyond + margin);
    range.keep_from(center - elements);
    range.keep_up_to(center + elements);
  } else {
    const double elements = distance / Impl::fabs(rays.width);
    const auto index_on_arc = [&](double index) {
      return scan.arc_center +
             Impl::atan((index - scan.arc_center) * scan.arc_step) / scan.arc_step;
    };
    range.keep_from(index_on_arc(center - elements) - (beyond + margin));
    range.keep_up_to(index_on_arc(center + elements) + (beyond + margin));
  }
  return range;
}

}  // namespace Tomokkos::Impl
