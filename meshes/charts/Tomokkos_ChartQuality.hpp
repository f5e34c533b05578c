// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <array>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Which sense of the triangles of a chart is right.
enum class ChartSense {
  counter_clockwise,  ///< that of the surface seen from outside: positive areas
  majority            ///< the one that more triangles have
};

/// \brief What a map of a surface to the plane does to each triangle.
struct ChartDistortion {
  /// sigma1 / sigma2 >= 1, the singular values of the Jacobian of the map, linear on the triangle;
  /// 1 where angles are kept, infinite where the triangle of the chart has no area.
  std::vector<double> singular_value_ratio;
  /// The largest |angle in the chart - angle on the surface| of the three corners, in degrees.
  /// Angles are between 0 and 180, whatever the sense; the angle at a corner whose sides have no
  /// length is 0.
  std::vector<double> angle_distortion;
};

/// \brief How much larger or smaller each triangle is in a chart.
struct AreaScales {
  /// Area in the chart, whatever its sign, over the area on the surface, divided by the median of
  /// all triangles: 1 everywhere where a chart keeps proportions of areas.
  std::vector<double> relative;
  /// The median itself; 0 for no triangles.
  double median = 0;
};

/// \brief The shares of the triangles at which `ChartQuality` states quantiles.
inline constexpr std::array<double, 5> chart_quantiles{0.0, 0.05, 0.5, 0.95, 1.0};

/// \brief A chart in numbers.
struct ChartQuality {
  Offset num_triangles = 0;
  /// Triangles whose area in the chart has not the right sign: turned over, without area, not
  /// finite.
  Offset flips = 0;
  /// +1 where counter-clockwise is right, -1 else.
  int sense = 1;
  /// At `chart_quantiles`: of n sorted values the one with index round(q (n - 1)), from 0. Zeros
  /// for no triangles.
  std::array<double, 5> singular_value_ratio{};
  std::array<double, 5> angle_distortion{};
  /// Of `AreaScales::relative`. A chart that keeps angles may still squeeze whole regions, which
  /// only areas show.
  std::array<double, 5> area_scale{};
  /// Signed area of the chart.
  double area = 0;
  /// Energy of least squares conformal maps by its rows. With a triangle (i, j, k) laid into the
  /// plane at z_i = 0, z_j = (a, 0), z_k = (c, d): sum of (R^2 + I^2) / (2 A),
  /// R = (c-a) u_i - d v_i - c u_j + d v_j + a u_k, I = d u_i + (c-a) v_i - d u_j - c v_j + a v_k,
  /// A = a d / 2 the area on the surface. Equals 4 times the Dirichlet energy less the signed area
  /// of the chart.
  double lscm_energy = 0;
  /// The same by cotangents: sum over triangles and their sides of
  /// cot(angle opposite) |side in the chart|^2, less 4 times the signed area of the chart. It
  /// cancels: its rounding error is of the order of 1e-16 times 8 areas of the chart.
  double lscm_energy_by_cotangents = 0;
};

/// \brief Distortion of every triangle of the map that sends vertex i to \p uv[i].
///
/// Triangles must have an area on the surface. Throws `DimensionMismatch` unless there is one
/// coordinate pair per vertex. Cost: one pass on the calling thread.
ChartDistortion chart_distortion(const TriangleMesh& mesh, std::span<const Point2> uv);

/// \brief Scales of the areas of the map that sends vertex i to \p uv[i]. Requires and throws as
/// `chart_distortion`.
AreaScales area_scales(const TriangleMesh& mesh, std::span<const Point2> uv);

/// \brief Flips, distortion and energies of the map that sends vertex i to \p uv[i]. Throws as
/// `chart_distortion`.
ChartQuality chart_quality(const TriangleMesh& mesh, std::span<const Point2> uv,
                           ChartSense sense = ChartSense::counter_clockwise);

/// \brief For every triangle of the chart, whether it counts as a flip where \p sense (+1 or -1) is
/// right.
std::vector<bool> flipped_triangles(const TriangleMesh& mesh, std::span<const Point2> uv,
                                    int sense = 1);

}  // namespace Tomokkos
