// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChartQuality.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <set>

#include "FileTesting.hpp"
#include "MeshTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::vector<MeshShape> shapes{MeshShape::hills, MeshShape::cap, MeshShape::disk,
                                    MeshShape::swiss_roll};

TEST(Refinement, results_beyond_the_range_of_an_index_are_refused_at_once) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  EXPECT_THROW(refine(mesh, 40), Error);
}

TEST(MeshGenerators, shapes_are_disks_of_the_requested_size) {
  for (const MeshShape shape : shapes) {
    for (const Offset count : {4, 10, 100, 3000, 40000}) {
      SCOPED_TRACE(std::string(to_string(shape)) + " " + std::to_string(count));
      for (const MeshSize& size : {MeshSize{.vertices = count}, MeshSize{.triangles = count}}) {
        const TriangleMesh mesh = generate_mesh(shape, size, 7);
        const MeshTopology topology = check_parameterizable(mesh, "made");
        EXPECT_EQ(topology.border_loops.size(), 1u);
        EXPECT_EQ(topology.genus, 0);
        const auto actual =
            static_cast<double>(size.vertices > 0 ? topology.num_vertices : topology.num_triangles);
        const double row = 3 * std::sqrt(static_cast<double>(count));
        EXPECT_NEAR(actual, static_cast<double>(count), row);
      }
    }
  }
}

TEST(MeshGenerators, the_seed_determines_the_mesh) {
  for (const MeshShape shape : shapes) {
    SCOPED_TRACE(to_string(shape));
    const TriangleMesh mesh = generate_mesh(shape, {.triangles = 500}, 3);
    const TriangleMesh again = generate_mesh(shape, {.triangles = 500}, 3);
    const TriangleMesh other = generate_mesh(shape, {.triangles = 500}, 4);
    EXPECT_EQ(mesh.vertices, again.vertices);
    EXPECT_EQ(mesh.triangles, again.triangles);
    EXPECT_NE(mesh.vertices, other.vertices);
    EXPECT_NE(mesh.triangles, other.triangles);
  }
}

TEST(MeshGenerators, vertices_differ_in_their_number_of_triangles) {
  for (const MeshShape shape : shapes) {
    const TriangleMesh mesh = generate_mesh(shape, {.triangles = 5000});
    std::vector<int> valence(mesh.vertices.size());
    for (const Triangle& triangle : mesh.triangles) {
      for (const Ordinal v : triangle) ++valence[static_cast<std::size_t>(v)];
    }
    EXPECT_GE(std::set<int>(valence.begin(), valence.end()).size(), 6u) << to_string(shape);
    EXPECT_LE(*std::max_element(valence.begin(), valence.end()), 9);
    // No triangle has two sides on the border. The corner between them would have one triangle
    // only.
    EXPECT_EQ(std::count(valence.begin(), valence.end(), 1), 0);
  }
}

TEST(MeshGenerators, hills_are_a_height_field) {
  const TriangleMesh mesh = hills({.triangles = 20000}, 5);
  std::vector<Point2> uv;
  double highest = -10, lowest = 10;
  for (const Point3& p : mesh.vertices) {
    uv.push_back({p[0], p[1]});
    highest = std::max(highest, p[2]);
    lowest = std::min(lowest, p[2]);
  }
  const ChartQuality quality = chart_quality(mesh, uv);
  EXPECT_EQ(quality.flips, 0);
  EXPECT_NEAR(quality.area, 4, 1e-12);
  EXPECT_GT(highest - lowest, 0.15);
  EXPECT_LT(highest - lowest, 2);
}

TEST(MeshGenerators, caps_lie_on_the_sphere) {
  for (const double half_angle : {10.0, 60.0, 150.0}) {
    const TriangleMesh mesh = cap({.triangles = 20000}, 1, half_angle);
    for (const Point3& p : mesh.vertices) ASSERT_NEAR(std::hypot(p[0], p[1], p[2]), 1, 1e-14);
    const double exact = 2 * M_PI * (1 - std::cos(half_angle * M_PI / 180));
    EXPECT_NEAR(area(mesh) / exact, 1, 2e-3);
    for (Ordinal t = 0; t < num_triangles(mesh); ++t) {
      const Point3 normal = area_vector(mesh, t);
      const Point3& p =
          mesh.vertices[static_cast<std::size_t>(mesh.triangles[static_cast<std::size_t>(t)][0])];
      ASSERT_GT(normal[0] * p[0] + normal[1] * p[1] + normal[2] * p[2], 0) << t;
    }
    // The whole border is at the same height.
    const MeshTopology topology = mesh_topology(mesh);
    for (const Ordinal v : topology.border_loops[0])
      ASSERT_NEAR(mesh.vertices[static_cast<std::size_t>(v)][2], std::cos(half_angle * M_PI / 180),
                  1e-14);
  }
  EXPECT_NEAR(area(disk({.triangles = 20000})), M_PI, 2e-3);
  const TriangleMesh flat = disk({.triangles = 3000});
  for (Ordinal t = 0; t < num_triangles(flat); ++t) ASSERT_GT(area_vector(flat, t)[2], 0);
  EXPECT_THROW(cap({.triangles = 100}, 1, 180), Error);
  EXPECT_THROW(cap({.triangles = 100}, 1, 0), Error);
}

TEST(MeshGenerators, swiss_rolls_can_be_unrolled) {
  const TriangleMesh mesh = swiss_roll({.triangles = 50000});
  // The distance to the axis gives the length along the spiral.
  std::vector<Point2> uv;
  for (const Point3& p : mesh.vertices) {
    const double t = std::hypot(p[0], p[2]);
    uv.push_back({0.5 * (t * std::sqrt(1 + t * t) + std::asinh(t)), p[1]});
  }
  const ChartQuality quality = chart_quality(mesh, uv);
  EXPECT_EQ(quality.flips, 0);
  EXPECT_LT(quality.singular_value_ratio[4], 1.01);
  EXPECT_NEAR(quality.area / area(mesh), 1, 1e-3);
}

TEST(MeshGenerators, impossible_sizes_are_refused) {
  for (const MeshShape shape : shapes) {
    EXPECT_THROW(generate_mesh(shape, {}), Error);
    EXPECT_THROW(generate_mesh(shape, {.vertices = 3}), Error);
    EXPECT_THROW(generate_mesh(shape, {.triangles = 1}), Error);
    EXPECT_THROW(generate_mesh(shape, {.triangles = -5}), Error);
    EXPECT_THROW(generate_mesh(shape, {.vertices = 100, .triangles = 100}), Error);
    EXPECT_THROW(generate_mesh(shape, {.triangles = Offset{1} << 40}), Error);
    EXPECT_THROW(generate_mesh(shape, {.vertices = max_triangles}), Error);
  }
  const NarrowAddressSpace narrow(std::uint64_t{1} << 30);
  EXPECT_THROW(hills({.triangles = 300000000}), MemoryError);
}

TEST(Refine, keeps_the_surface_and_its_topology) {
  const TriangleMesh coarse = hills({.triangles = 300}, 2);
  const MeshTopology before = mesh_topology(coarse);
  const TriangleMesh fine = refine(coarse);
  const MeshTopology after = check_parameterizable(fine, "fine");
  EXPECT_EQ(after.num_triangles, 4 * before.num_triangles);
  EXPECT_EQ(after.num_vertices, before.num_vertices + before.num_edges);
  EXPECT_EQ(after.euler_characteristic, before.euler_characteristic);
  EXPECT_EQ(after.border_loops[0].size(), 2 * before.border_loops[0].size());
  EXPECT_NEAR(area(fine), area(coarse), 1e-12);
  EXPECT_TRUE(std::equal(coarse.vertices.begin(), coarse.vertices.end(), fine.vertices.begin()));
  for (Ordinal t = 0; t < num_triangles(coarse); ++t) {
    for (Ordinal k = 0; k < 4; ++k) ASSERT_NEAR(area(fine, 4 * t + k), area(coarse, t) / 4, 1e-15);
  }
  const TriangleMesh twice = refine(coarse, 2);
  EXPECT_EQ(twice.vertices, refine(fine).vertices);
  EXPECT_EQ(twice.triangles, refine(fine).triangles);
  EXPECT_EQ(refine(coarse, 0).triangles, coarse.triangles);
  EXPECT_TRUE(mesh_topology(refine(torus(5, 6))).is_closed());
}

TEST(Refine, too_many_triangles_are_refused) {
  EXPECT_THROW(refine(tetrahedron(), -1), Error);
  TriangleMesh mesh = tetrahedron();
  const NarrowAddressSpace narrow(std::uint64_t{1} << 29);
  EXPECT_THROW(refine(mesh, 20), Error);
}

TEST(AddNoise, adds_the_requested_amount) {
  const TriangleMesh mesh = hills({.vertices = 40000});
  TriangleMesh noisy = mesh;
  add_noise(noisy, 0.25, 9);
  double sum = 0, squares = 0;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    for (std::size_t x = 0; x < 3; ++x) {
      const double change = noisy.vertices[v][x] - mesh.vertices[v][x];
      sum += change;
      squares += change * change;
    }
  }
  const auto count = 3.0 * static_cast<double>(mesh.vertices.size());
  const double expected = 0.25 * mean_edge_length(mesh);
  EXPECT_NEAR(std::sqrt(squares / count) / expected, 1, 0.01);
  EXPECT_NEAR(sum / count / expected, 0, 0.01);
  EXPECT_EQ(noisy.triangles, mesh.triangles);
  TriangleMesh still = mesh;
  add_noise(still, 0);
  EXPECT_EQ(still.vertices, mesh.vertices);
  EXPECT_THROW(add_noise(still, -1), Error);
}

}  // namespace
