// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChartQuality.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <limits>

#include "FileTesting.hpp"
#include "MeshTesting.hpp"
#include "TestData.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Flat grid with triangles of many shapes.
/// \param turned whether the grid is rotated in space
TriangleMesh crooked_grid(bool turned) {
  TriangleMesh mesh = flat_grid(9, 7);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-0.3, 0.3);
  for (Point3& p : mesh.vertices) {
    p[0] += uniform(random);
    p[1] += uniform(random);
  }
  if (!turned) return mesh;
  const Point3 x{2.0 / 3, -1.0 / 3, 2.0 / 3}, y{2.0 / 3, 2.0 / 3, -1.0 / 3};
  for (Point3& p : mesh.vertices)
    p = {x[0] * p[0] + y[0] * p[1] + 5, x[1] * p[0] + y[1] * p[1] - 1, x[2] * p[0] + y[2] * p[1]};
  return mesh;
}

/// Chart of the grid: its image in the plane under the matrix [m00 m01; m10 m11] and a translation.
std::vector<Point2> image(double m00, double m01, double m10, double m11) {
  std::vector<Point2> uv;
  for (const Point3& p : crooked_grid(false).vertices)
    uv.push_back({m00 * p[0] + m01 * p[1] + 0.5, m10 * p[0] + m11 * p[1] - 3});
  return uv;
}

TEST(ChartQuality, similarities_have_no_distortion) {
  for (const bool turned : {false, true}) {
    const TriangleMesh mesh = crooked_grid(turned);
    const ChartQuality quality = chart_quality(mesh, image(3, -4, 4, 3));
    EXPECT_EQ(quality.num_triangles, 126);
    EXPECT_EQ(quality.flips, 0);
    EXPECT_EQ(quality.sense, 1);
    for (const double ratio : quality.singular_value_ratio) EXPECT_NEAR(ratio, 1, 1e-12);
    for (const double angle : quality.angle_distortion) EXPECT_NEAR(angle, 0, 1e-12 * 180);
    for (const double scale : quality.area_scale) EXPECT_NEAR(scale, 1, 1e-12);
    EXPECT_NEAR(quality.area, 25 * area(mesh), 1e-10);
    EXPECT_NEAR(quality.lscm_energy, 0, 1e-20 * quality.area);
    EXPECT_NEAR(quality.lscm_energy_by_cotangents, 0, 1e-12 * quality.area);
  }
}

TEST(ChartQuality, reflections_flip_every_triangle) {
  const TriangleMesh mesh = crooked_grid(true);
  const std::vector<Point2> uv = image(-1, 0, 0, 1);
  const ChartQuality quality = chart_quality(mesh, uv);
  EXPECT_EQ(quality.flips, quality.num_triangles);
  EXPECT_NEAR(quality.area, -area(mesh), 1e-12);
  // Angles are preserved, but the map reverses the orientation and is therefore not conformal:
  // E = 4 (Dirichlet energy - signed area) = 8 area.
  EXPECT_NEAR(quality.singular_value_ratio[4], 1, 1e-12);
  EXPECT_NEAR(quality.angle_distortion[4], 0, 1e-10);
  EXPECT_NEAR(quality.lscm_energy, 8 * area(mesh), 1e-10);
  EXPECT_NEAR(quality.lscm_energy_by_cotangents, 8 * area(mesh), 1e-10);
  const ChartQuality majority = chart_quality(mesh, uv, ChartOrientation::majority);
  EXPECT_EQ(majority.flips, 0);
  EXPECT_EQ(majority.sense, -1);
}

TEST(ChartQuality, stretches_and_shears_have_the_expected_ratio) {
  const TriangleMesh mesh = crooked_grid(true);
  const double surface = area(mesh);
  // Singular values 2 and 0.5: E = 2 (4 + 0.25) area - 4 area.
  const ChartQuality stretched = chart_quality(mesh, image(2, 0, 0, 0.5));
  for (const double ratio : stretched.singular_value_ratio) EXPECT_NEAR(ratio, 4, 1e-11);
  EXPECT_NEAR(stretched.lscm_energy, 4.5 * surface, 1e-10);
  EXPECT_NEAR(stretched.lscm_energy_by_cotangents, 4.5 * surface, 1e-10);
  // The shear (1 s; 0 1) has the singular values (sqrt(s^2 + 4) +- s) / 2.
  const double s = 0.75, root = std::sqrt(s * s + 4);
  const ChartQuality sheared = chart_quality(mesh, image(1, s, 0, 1));
  for (const double ratio : sheared.singular_value_ratio)
    EXPECT_NEAR(ratio, (root + s) / (root - s), 1e-11);
  EXPECT_NEAR(sheared.lscm_energy, 2 * s * s * surface, 1e-10);
  EXPECT_NEAR(sheared.lscm_energy_by_cotangents, 2 * s * s * surface, 1e-10);
}

TEST(ChartQuality, angle_distortion_of_a_known_triangle_is_right) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  mesh.triangles = {{0, 1, 2}};
  // 90, 45, 45 degrees become 60, 60, 60; then 120, 30, 30.
  const auto distortion = [&](double height) {
    const std::vector<Point2> uv{{0, height}, {-1, 0}, {1, 0}};
    return chart_distortion(mesh, uv).angle_distortion[0];
  };
  EXPECT_NEAR(distortion(std::sqrt(3.0)), 30, 1e-12);
  EXPECT_NEAR(distortion(std::sqrt(1.0 / 3)), 30, 1e-12);
  EXPECT_NEAR(distortion(0), 90, 1e-12);
}

TEST(ChartQuality, quantiles_are_taken_over_the_triangles) {
  // Each of the 21 triangles is stretched by a different amount.
  TriangleMesh mesh;
  std::vector<Point2> uv;
  for (int t = 0; t < 21; ++t) {
    const Ordinal first = num_vertices(mesh);
    mesh.vertices.insert(mesh.vertices.end(), {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
    mesh.triangles.push_back({first, first + 1, first + 2});
    const double stretch = 1 + (t * 8) % 21;
    uv.insert(uv.end(), {{0, 0}, {stretch, 0}, {0, 1}});
  }
  const ChartQuality quality = chart_quality(mesh, uv);
  const std::array<double, 5> expected{1, 2, 11, 20, 21};
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(quality.singular_value_ratio[k], expected[k], 1e-12);
}

TEST(ChartQuality, areas_are_compared_with_the_median) {
  // The chart is three times as large as the surface. In addition, one triangle has 9 times the
  // area, and another has a quarter of it and is mirrored.
  TriangleMesh mesh;
  std::vector<Point2> uv;
  for (const double size : {1.0, 1.0, 1.0, 3.0, -0.5}) {
    const Ordinal first = num_vertices(mesh);
    mesh.vertices.insert(mesh.vertices.end(), {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}});
    mesh.triangles.push_back({first, first + 1, first + 2});
    uv.insert(uv.end(), {{0, 0}, {3 * size, 0}, {0, 3 * std::abs(size)}});
  }
  const AreaScales scales = area_scales(mesh, uv);
  EXPECT_NEAR(scales.median, 9, 1e-12);
  const std::vector<double> expected{1, 1, 1, 9, 0.25};
  for (std::size_t t = 0; t < 5; ++t) EXPECT_NEAR(scales.relative[t], expected[t], 1e-12) << t;
  const ChartQuality quality = chart_quality(mesh, uv);
  EXPECT_NEAR(quality.area_scale[0], 0.25, 1e-12);
  EXPECT_NEAR(quality.area_scale[2], 1, 1e-12);
  EXPECT_NEAR(quality.area_scale[4], 9, 1e-12);
  // A chart that collapses to a point has no scale to compare with, so its relative scales count as
  // infinite.
  std::fill(uv.begin(), uv.end(), Point2{1, 1});
  EXPECT_EQ(chart_quality(mesh, uv).area_scale[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(area_scales({}, {}).median, 0);
}

TEST(ChartQuality, flipped_flat_and_non_finite_triangles_are_counted) {
  const TriangleMesh mesh = flat_grid(4, 4);
  std::vector<Point2> uv;
  for (const Point3& p : mesh.vertices) uv.push_back({p[0], p[1]});
  EXPECT_EQ(chart_quality(mesh, uv).flips, 0);
  std::vector<Point2> folded = uv;
  // Move an inner vertex beyond the far corner of its neighbours.
  folded[12] = {3.5, 3.6};
  const ChartQuality quality = chart_quality(mesh, folded);
  const std::vector<bool> flipped = flipped_triangles(mesh, folded);
  EXPECT_GT(quality.flips, 0);
  EXPECT_LT(quality.flips, 6);
  EXPECT_EQ(std::count(flipped.begin(), flipped.end(), true), quality.flips);
  std::vector<Point2> flat = uv;
  flat[0] = flat[1];
  EXPECT_EQ(chart_quality(mesh, flat).flips, 1);
  EXPECT_EQ(chart_quality(mesh, flat).singular_value_ratio[4],
            std::numeric_limits<double>::infinity());
  std::vector<Point2> unknown = uv;
  unknown[0][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(chart_quality(mesh, unknown).flips, 2);
  EXPECT_EQ(chart_quality(mesh, unknown).angle_distortion[4],
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(chart_quality({}, {}).flips, 0);
  uv.pop_back();
  EXPECT_THROW(chart_quality(mesh, uv), DimensionMismatch);
}

TEST(ChartQuality, both_energies_agree_on_any_map) {
  for (const char* name : {"demosthenes-low-res", "hand_lowres", "cat_head"}) {
    SCOPED_TRACE(name);
    const TriangleMesh mesh =
        read_mesh(test_data_path("meshes/" + std::string(name) + ".obj")).mesh;
    std::vector<Point2> uv;
    for (const Point3& p : mesh.vertices)
      uv.push_back({p[0] + 0.2 * p[1] * p[1], p[2] - p[0] * p[1]});
    const ChartQuality quality = chart_quality(mesh, uv);
    EXPECT_GT(quality.lscm_energy, 0);
    EXPECT_NEAR(quality.lscm_energy_by_cotangents / quality.lscm_energy, 1, 1e-10);
  }
}

}  // namespace
