// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <array>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Correct orientation of the triangles of a chart.
enum class ChartOrientation {
  counter_clockwise,  ///< orientation of the surface seen from outside: positive areas
  majority            ///< orientation of most triangles
};

/// \brief Distortion of each triangle by a map from a surface to the plane.
struct ChartDistortion {
  /// Ratio sigma1 / sigma2 >= 1 of the singular values of the Jacobian of the map, which is linear
  /// on the triangle. 1 if angles are preserved, infinite if the triangle has no area in the chart.
  std::vector<double> singular_value_ratio;
  /// Largest |angle in the chart - angle on the surface| of the three corners, in degrees. Angles
  /// are between 0 and 180 for either orientation. The angle at a corner between sides of length 0
  /// is 0.
  std::vector<double> angle_distortion;
};

/// \brief Relative size of each triangle in a chart.
struct AreaScales {
  /// Absolute area in the chart divided by the area on the surface, divided by the median over all
  /// triangles. 1 everywhere if the chart preserves proportions of areas.
  std::vector<double> relative;
  /// The median itself; 0 without triangles.
  double median = 0;
};

/// \brief Fractions of the triangles for the quantiles in `ChartQuality`.
inline constexpr std::array<double, 5> chart_quantiles{0.0, 0.05, 0.5, 0.95, 1.0};

/// \brief Measures of the quality of a chart.
struct ChartQuality {
  Offset num_triangles = 0;
  /// Number of triangles with the wrong sign of their area in the chart: flipped, without area, or
  /// not finite.
  Offset flips = 0;
  /// +1 if counter-clockwise is correct, otherwise -1.
  int sense = 1;
  /// Quantiles at `chart_quantiles`: of n sorted values, the one with index round(q (n - 1)), from
  /// 0. Zeros without triangles.
  std::array<double, 5> singular_value_ratio{};
  std::array<double, 5> angle_distortion{};
  /// Quantiles of `AreaScales::relative`. A chart that preserves angles may still squeeze whole
  /// regions, which only areas show.
  std::array<double, 5> area_scale{};
  /// Signed area of the chart.
  double area = 0;
  /// Energy of least squares conformal maps, computed by rows. With a triangle (i, j, k) placed in
  /// the plane at z_i = 0, z_j = (a, 0), z_k = (c, d): sum of (R^2 + I^2) / (2 A),
  /// R = (c-a) u_i - d v_i - c u_j + d v_j + a u_k, I = d u_i + (c-a) v_i - d u_j - c v_j + a v_k,
  /// A = a d / 2 the area on the surface. Equals 4 times the Dirichlet energy minus the signed area
  /// of the chart.
  double lscm_energy = 0;
  /// Energy as above, computed by cotangents: sum over triangles and their sides of cot(angle
  /// opposite) |side in the chart|^2, minus 4 times the signed area of the chart. Subject to
  /// cancellation: the rounding error is of the order of 1e-16 times 8 areas of the chart.
  double lscm_energy_by_cotangents = 0;
};

/// \brief Computes the distortion of every triangle by the map from vertex i to \p uv[i].
///
/// \pre Triangles have an area on the surface.
/// \throws DimensionMismatch unless there is one coordinate pair per vertex
///
/// Cost: one pass on the calling thread.
ChartDistortion chart_distortion(const TriangleMesh& mesh, std::span<const Point2> uv);

/// \brief Computes the area scales of the map from vertex i to \p uv[i]. Same requirements and
/// errors as `chart_distortion`.
AreaScales area_scales(const TriangleMesh& mesh, std::span<const Point2> uv);

/// \brief Computes flips, distortion and energies of the map from vertex i to \p uv[i]. Throws like
/// `chart_distortion`.
ChartQuality chart_quality(const TriangleMesh& mesh, std::span<const Point2> uv,
                           ChartOrientation sense = ChartOrientation::counter_clockwise);

/// \brief Marks the triangles of the chart that count as flipped for the correct orientation \p
/// sense (+1 or -1).
std::vector<bool> flipped_triangles(const TriangleMesh& mesh, std::span<const Point2> uv,
                                    int sense = 1);

}  // namespace Tomokkos
