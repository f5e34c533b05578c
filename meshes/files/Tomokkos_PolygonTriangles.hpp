// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <cstddef>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Reasons why a polygon is not divided into triangles.
enum class PolygonFault {
  none,
  no_area,   ///< all corners lie on a line, or parts of opposite orientation cancel
  crossing,  ///< crosses or touches itself in the plane of best fit
  too_large  ///< not convex, with more than `most_concave_corners` corners
};

/// \brief Largest number of corners of a polygon that is not convex. The division of such a polygon
/// takes a time that grows with the square of this number.
inline constexpr std::size_t most_concave_corners = 30000;

/// \brief Divides a polygon in space into n - 2 triangles that do not overlap.
///
/// The polygon is projected onto its plane of best fit, whose normal is its area vector. If the fan
/// about the first corner divides the projection, as it does for each convex polygon, the result is
/// this fan. Otherwise corners are cut off one by one (ear clipping). A skew quadrilateral, whose
/// sides may cross in the projection alone, is its fan. Triangles are oriented like the polygon. A triangle without area results only from corners that coincide with their
/// successor.
///
/// \param corners at least three, with finite coordinates
/// \param[out] triangles positions of corners in the polygon; appended. Unchanged by a fault
PolygonFault divide_polygon(std::span<const Point3> corners, std::vector<Triangle>& triangles);

}  // namespace Tomokkos
