// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Charts and smoothings in a single call: a flat mesh keeps its shape, a linear surface stays as it
// is, and locked vertices keep every bit.
#include <gtest/gtest.h>

#include <Tomokkos_ChartQuality.hpp>
#include <Tomokkos_Flatten.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <Tomokkos_Smooth.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "MeshTesting.hpp"

using namespace Tomokkos;
using Testing::flat_grid;

namespace {

SystemSettings settings_for(Ordering order = Ordering::natural) {
  PcgParams params;
  params.stop = PcgParams::relative(1e-13);
  SystemSettings settings = system_settings(params);
  settings.task.wish.ordering.rows = settings.task.wish.ordering.columns = order;
  settings.name = "the grid";
  return settings;
}

/// Turns a flat mesh in space, which charts of its own plane do not notice.
TriangleMesh turned(TriangleMesh mesh) {
  for (Point3& v : mesh.vertices) v = {v[0], 0.6 * v[1] - 0.8 * v[2], 0.8 * v[1] + 0.6 * v[2]};
  return mesh;
}

TEST(Flatten, a_flat_mesh_keeps_its_angles_and_its_size_in_every_form_and_order) {
  const TriangleMesh mesh = turned(flat_grid(7, 9));
  const ChartPins fixed = place_pins(mesh, pins(mesh, mesh_topology(mesh)));
  for (const ChartForm form : {ChartForm::shared, ChartForm::complex, ChartForm::equations})
    for (const Ordering order : {Ordering::natural, Ordering::rcm}) {
      const auto [chart, solved] =
          flatten<TestSpace, double>(TestSpace(), mesh, fixed, form, settings_for(order));
      ASSERT_EQ(chart.size(), mesh.vertices.size());
      ASSERT_EQ(solved.results.size(), 1u);
      const ChartQuality quality = chart_quality(mesh, chart);
      EXPECT_EQ(quality.flips, 0);
      EXPECT_LT(quality.angle_distortion.back(), 1e-6);
      EXPECT_NEAR(quality.area, area(mesh), 1e-8 * area(mesh));
      for (std::size_t pin = 0; pin < 2; ++pin)
        EXPECT_EQ(chart[static_cast<std::size_t>(fixed.vertices[pin])], fixed.positions[pin]);
    }
}

TEST(Smooth, a_rough_grid_becomes_smoother_and_locked_vertices_stay) {
  TriangleMesh rough = flat_grid(8, 8);
  add_noise(rough, 0.4, 1);
  const VertexRings rings = vertex_rings(rough);
  const std::vector<char> locked = lock_border(rough);
  std::vector<TriangleMesh> results;
  for (const Ordering order : {Ordering::natural, Ordering::rcm}) {
    TriangleMesh mesh = rough;
    const auto solved =
        smooth<TestSpace, double>(TestSpace(), mesh, rings, locked, settings_for(order));
    EXPECT_EQ(solved.columns, 3);
    EXPECT_EQ(solved.statistics.rows, num_vertices(rough) - num_locked(locked));
    const Point3 before = roughness(rough, rings), after = roughness(mesh, rings);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_LT(after[d], before[d]) << d;
    for (std::size_t v = 0; v < locked.size(); ++v)
      EXPECT_TRUE(locked[v] == 0 || mesh.vertices[v] == rough.vertices[v]) << v;
    results.push_back(std::move(mesh));
  }
  for (std::size_t v = 0; v < locked.size(); ++v)
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_NEAR(results[0].vertices[v][d], results[1].vertices[v][d], 1e-9) << v;
}

TEST(Smooth, nothing_is_solved_if_all_vertices_are_locked) {
  TriangleMesh mesh = flat_grid(4, 4);
  add_noise(mesh, 0.4, 1);
  const TriangleMesh before = mesh;
  SolveOutcome outcome;
  SystemObserver<TestSpace, double> observer;
  observer.outcome = &outcome;
  const auto solved = smooth<TestSpace, double>(TestSpace(), mesh, vertex_rings(mesh),
                                                std::vector<char>(mesh.vertices.size(), 1),
                                                settings_for(), observer);
  EXPECT_EQ(mesh.vertices, before.vertices);
  ASSERT_EQ(outcome.results.size(), 3u);
  EXPECT_EQ(solved.results.front().reason, StopReason::zero_rhs);
}

}  // namespace
