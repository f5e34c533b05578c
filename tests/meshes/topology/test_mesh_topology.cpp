// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshSummary.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <Tomokkos_WeldVertices.hpp>

#include "FileTesting.hpp"
#include "MeshTesting.hpp"
#include "TestData.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

template <class... Pieces>
void refuse(const TriangleMesh& mesh, const Pieces&... pieces) {
  expect_input_error([&] { check_parameterizable(mesh, "a mesh"); }, "a mesh: ", pieces...);
}

void add(TriangleMesh& mesh, const TriangleMesh& other) {
  const Ordinal first = num_vertices(mesh);
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Triangle& t : other.triangles)
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

TEST(MeshTopology, disks_have_one_border) {
  const MeshTopology topology = check_parameterizable(flat_grid(3, 5), "grid");
  EXPECT_EQ(topology.num_vertices, 24);
  EXPECT_EQ(topology.num_triangles, 30);
  EXPECT_EQ(topology.num_edges, 3 * 6 + 4 * 5 + 15);
  EXPECT_EQ(topology.num_components, 1);
  EXPECT_EQ(topology.euler_characteristic, 1);
  EXPECT_EQ(topology.genus, 0);
  ASSERT_EQ(topology.border_loops.size(), 1u);
  // The loop runs counter-clockwise from the vertex with the lowest number.
  EXPECT_EQ(topology.border_loops[0],
            (std::vector<Ordinal>{0, 1, 2, 3, 4, 5, 11, 17, 23, 22, 21, 20, 19, 18, 12, 6}));
}

TEST(MeshTopology, handles_and_holes_are_counted) {
  TriangleMesh mesh = torus(7, 9);
  EXPECT_EQ(mesh_topology(mesh).euler_characteristic, 0);
  EXPECT_EQ(mesh_topology(mesh).genus, 1);
  EXPECT_TRUE(mesh_topology(mesh).is_closed());
  mesh.triangles.erase(mesh.triangles.begin() + 60);
  mesh.triangles.erase(mesh.triangles.begin() + 10);
  const MeshTopology open = mesh_topology(mesh);
  EXPECT_EQ(open.border_loops.size(), 2u);
  EXPECT_EQ(open.border_loops[0].size(), 3u);
  EXPECT_EQ(open.genus, 1);
  add(mesh, tetrahedron());
  const MeshTopology two = mesh_topology(mesh);
  EXPECT_EQ(two.num_components, 2);
  EXPECT_EQ(two.genus, 1);
  EXPECT_EQ(two.border_loops.size(), 2u);
}

TEST(MeshTopology, the_numbering_of_vertices_does_not_matter) {
  TriangleMesh mesh = flat_grid(6, 6);
  mesh.triangles.erase(mesh.triangles.begin() + 30);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const MeshTopology topology = check_parameterizable(shuffled(mesh, seed), "shuffled");
    EXPECT_EQ(topology.num_edges, 6 * 7 * 2 + 36);
    EXPECT_EQ(topology.euler_characteristic, 0);
    EXPECT_EQ(topology.border_loops.size(), 2u);
  }
}

TEST(MeshTopology, empty_meshes_have_no_edges_and_no_components) {
  const MeshTopology nothing = mesh_topology({});
  EXPECT_EQ(nothing.num_edges, 0);
  EXPECT_EQ(nothing.num_components, 0);
  refuse({}, "no faces");
}

TEST(MeshSummary, counts_the_parts) {
  TriangleMesh mesh = torus(7, 9);
  EXPECT_EQ(describe_mesh(summarize_mesh(mesh)),
            "63 vertices, 126 triangles, 1 component, 0 borders");
  mesh.triangles.erase(mesh.triangles.begin() + 60);
  mesh.triangles.erase(mesh.triangles.begin() + 10);
  add(mesh, tetrahedron());
  mesh.vertices.push_back({1, 0, 0});  // coincides with a corner of the tetrahedron, no triangles
  const MeshSummary summary = summarize_mesh(mesh);
  EXPECT_EQ(summary.vertices, 68);
  EXPECT_EQ(summary.triangles, 128);
  EXPECT_EQ(summary.components, 2);
  EXPECT_EQ(summary.borders, 2);
  EXPECT_EQ(summary.coinciding_vertices, 1);
  EXPECT_EQ(describe_mesh(summary),
            "68 vertices, 128 triangles, 2 components, 2 borders, 1 vertex coincides with an "
            "earlier one");
  EXPECT_EQ(describe_mesh(summarize_mesh({})), "0 vertices, 0 triangles, 0 components, 0 borders");
  // Three faces share an edge, so the border is a single piece.
  TriangleMesh book;
  book.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
  book.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
  EXPECT_EQ(summarize_mesh(book).borders, 1);
}

TEST(WeldVertices, joins_vertices_that_coincide_exactly) {
  const TriangleMesh grid = flat_grid(3, 5);
  TriangleMesh mesh = torn_apart(grid);
  EXPECT_EQ(summarize_mesh(mesh).components, 30);
  EXPECT_EQ(summarize_mesh(mesh).coinciding_vertices, 90 - 24);
  const TriangleMesh apart = mesh;
  const Welding welding = weld_vertices(mesh);
  EXPECT_EQ(welding.joined_vertices, 90 - 24);
  EXPECT_EQ(welding.removed_triangles, 0);
  ASSERT_EQ(welding.vertex.size(), 90u);
  for (std::size_t v = 0; v < 90; ++v)
    EXPECT_EQ(mesh.vertices[static_cast<std::size_t>(welding.vertex[v])], apart.vertices[v]) << v;
  EXPECT_EQ(describe_mesh(summarize_mesh(mesh)),
            "24 vertices, 30 triangles, 1 component, 1 border");
  EXPECT_EQ(check_parameterizable(mesh, "welded").num_edges, 3 * 6 + 4 * 5 + 15);
  EXPECT_EQ(weld_vertices(mesh).joined_vertices, 0);
}

TEST(WeldVertices, ignores_the_sign_of_zero_and_compares_all_digits) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, -0.0}, {1 + 1e-15, 0, 0}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 2}, {0, 3, 2}};
  const Welding welding = weld_vertices(mesh);
  EXPECT_EQ(welding.vertex, (std::vector<Ordinal>{0, 1, 2, 0, 3}));
  EXPECT_EQ(welding.joined_vertices, 1);
  // The third triangle had two corners at the same position.
  EXPECT_EQ(welding.removed_triangles, 1);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 3, 2}}));
}

TEST(CheckParameterizable, every_defect_is_named) {
  TriangleMesh mesh = flat_grid(2, 2);
  mesh.vertices.push_back({5, 5, 5});
  refuse(mesh, "unreferenced vertex", "vertex 10");

  mesh = flat_grid(2, 2);
  mesh.triangles.push_back({4, 0, 1});
  refuse(mesh, "duplicate face", "triangles 1 and 9");

  mesh = flat_grid(2, 2);
  // Use three copies of a face, so that no edge has exactly two triangles.
  mesh.triangles = {{0, 1, 4}, {4, 1, 0}, {0, 1, 4}};
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
  mesh.triangles.insert(mesh.triangles.end(), {{0, 1, 2}, {0, 2, 3}});
  refuse(mesh, "duplicate face", "triangles 1 and 2");

  mesh = flat_grid(2, 2);
  mesh.vertices.push_back({0.5, 0.5, 1});
  mesh.triangles.push_back({0, 4, 9});
  refuse(mesh, "non-manifold edge", "vertices 1 and 5");

  mesh = flat_grid(2, 2);
  mesh.vertices.insert(mesh.vertices.end(), {{1, 1, 1}, {1, 2, 1}});
  mesh.triangles.push_back({4, 9, 10});
  refuse(mesh, "non-manifold vertex", "vertex 5");

  // Two tetrahedra touch at a vertex, around which their faces form two closed fans.
  mesh = tetrahedron();
  TriangleMesh other = tetrahedron();
  add(mesh, other);
  for (Triangle& t : mesh.triangles) {
    for (Ordinal& v : t) v = v >= 4 ? (v == 4 ? 0 : v - 1) : v;
  }
  mesh.vertices.erase(mesh.vertices.begin() + 4);
  for (std::size_t v = 4; v < 7; ++v) mesh.vertices[v][0] -= 3;
  refuse(mesh, "non-manifold vertex", "vertex 1");

  mesh = flat_grid(2, 2);
  add(mesh, flat_grid(1, 1));
  refuse(mesh, "several components", "2 separate pieces", "triangle 9",
         "4 vertices have exactly the position of an earlier one", "weld: true");
  mesh = flat_grid(2, 2);
  TriangleMesh above = flat_grid(1, 1);
  for (Point3& p : above.vertices) p[2] = 1e-15;
  add(mesh, above);
  EXPECT_EQ(message_of<InputError>([&] { check_parameterizable(mesh, "a mesh"); }),
            "a mesh: several components: the faces form 2 separate pieces; triangle 9 is not "
            "connected to triangle 1");

  mesh = flat_grid(2, 2);
  std::swap(mesh.triangles[2][0], mesh.triangles[2][1]);
  refuse(mesh, "inconsistently oriented", "3");

  refuse(tetrahedron(), "closed surface");

  mesh = flat_grid(2, 2);
  mesh.vertices[4] = {0.5, 0, 0};
  refuse(mesh, "zero-area face", "triangle 1 ");
  mesh.vertices[4] = {0.5, 1e-16, 0};
  refuse(mesh, "zero-area face", "triangle 1 ");
  mesh.vertices[4] = {0.5, 1e-10, 0};
  check_parameterizable(mesh, "thin");
}

TEST(CheckParameterizable, scale_does_not_matter) {
  for (const double scale : {1e-300, 1e-160, 1.0, 1e160, 1e300}) {
    TriangleMesh mesh = flat_grid(2, 2);
    for (Point3& p : mesh.vertices) {
      for (double& x : p) x *= scale;
    }
    EXPECT_EQ(check_parameterizable(mesh, "scaled").border_loops.size(), 1u) << scale;
    EXPECT_EQ(pins(mesh, mesh_topology(mesh)), (std::array<Ordinal, 2>{0, 8})) << scale;
  }
}

TEST(CheckMesh, invalid_meshes_are_refused) {
  TriangleMesh mesh = flat_grid(1, 1);
  mesh.triangles[1][2] = 4;
  refuse(mesh, "triangle 2", "vertex 5", "1 ... 4");
  mesh.triangles[1][2] = -1;
  refuse(mesh, "triangle 2", "vertex 0");
  mesh.triangles[1][2] = mesh.triangles[1][0];
  refuse(mesh, "triangle 2", "twice");
  mesh = flat_grid(1, 1);
  mesh.vertices[2][1] = NAN;
  refuse(mesh, "vertex 3", "not finite");
}

TEST(Orient, follows_the_majority_in_each_component) {
  TriangleMesh mesh = flat_grid(4, 4);
  add(mesh, tetrahedron());
  const TriangleMesh oriented = mesh;
  for (const std::size_t t : {0, 3, 4, 17, 33})
    std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
  EXPECT_TRUE(mesh_topology(mesh).disagreeing_triangles);
  EXPECT_EQ(mesh_topology(mesh).genus, 0);
  EXPECT_EQ(orient(mesh, "mesh"), 5);
  EXPECT_EQ(mesh.triangles, oriented.triangles);
  EXPECT_EQ(orient(mesh, "mesh"), 0);
}

TEST(Orient, refuses_meshes_that_cannot_be_oriented) {
  // A strip of five triangles over five vertices, closed with a twist.
  TriangleMesh strip;
  strip.triangles = {{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 0}, {4, 0, 1}};
  for (int i = 0; i < 5; ++i)
    strip.vertices.push_back({std::cos(1.3 * i), std::sin(1.3 * i), 0.1 * i});
  refuse(strip, "not orientable");
  const MeshTopology topology = mesh_topology(strip);
  EXPECT_EQ(topology.euler_characteristic, 0);
  EXPECT_EQ(topology.genus, -1);
  ASSERT_EQ(topology.border_loops.size(), 1u);
  EXPECT_EQ(topology.border_loops[0].size(), 5u);
  expect_input_error([&] { orient(strip, "strip"); }, "strip: not orientable");

  TriangleMesh book;
  book.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
  book.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
  expect_input_error([&] { orient(book, "book"); }, "book: non-manifold edge", "1 and 2");

  TriangleMesh twice = flat_grid(2, 2);
  twice.triangles.push_back({4, 0, 1});
  expect_input_error([&] { orient(twice, "twice"); }, "twice: duplicate face", "1 and 9");
}

/// Finds the pins by comparing all pairs of border vertices, with the documented order for ties.
std::array<Ordinal, 2> pins_by_force(const TriangleMesh& mesh, const std::vector<Ordinal>& loop) {
  double best = -1;
  std::array<Ordinal, 2> result{};
  const auto point = [&](Ordinal v) { return mesh.vertices[static_cast<std::size_t>(v)]; };
  for (const Ordinal i : loop) {
    for (const Ordinal j : loop) {
      if (!(point(i) < point(j))) continue;
      const Point3 p = point(i), q = point(j);
      const double d = (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                       (p[2] - q[2]) * (p[2] - q[2]);
      if (d < best) continue;
      const bool earlier = std::pair(p, q) < std::pair(point(result[0]), point(result[1]));
      if (d > best || earlier) result = {i, j};
      best = d;
    }
  }
  return result;
}

/// A fan whose border is a curve with \p count points.
template <class Curve>
TriangleMesh fan(Ordinal count, const Curve& curve) {
  TriangleMesh mesh;
  for (Ordinal i = 0; i < count; ++i) mesh.vertices.push_back(curve(i));
  mesh.vertices.push_back({0.01, 0.02, 0.03});
  for (Ordinal i = 0; i < count; ++i)
    mesh.triangles.push_back({i, i + 1 < count ? i + 1 : 0, count});
  return mesh;
}

TEST(Pins, are_the_farthest_pair) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const Ordinal count : {3, 4, 17, 100, 1000}) {
    const std::vector<TriangleMesh> meshes{
        fan(count,
            [&](Ordinal) {
              return Point3{uniform(random), uniform(random), uniform(random)};
            }),
        // With whole numbers as coordinates, many pairs are equally far apart.
        fan(count,
            [&](Ordinal i) {
              return Point3{i % 4 + 0.0, i / 4 % 5 + 0.0, i / 20 + 0.0};
            }),
        fan(count, [&](Ordinal i) {
          const double a = 2 * M_PI * i / count;
          return Point3{std::cos(a), std::sin(a), 0.1 * std::sin(3 * a)};
        })};
    for (const TriangleMesh& mesh : meshes) {
      SCOPED_TRACE(count);
      const MeshTopology topology = mesh_topology(mesh);
      ASSERT_EQ(topology.border_loops.size(), 1u);
      const std::array<Ordinal, 2> found = pins(mesh, topology);
      EXPECT_EQ(found, pins_by_force(mesh, topology.border_loops[0]));
      std::vector<Ordinal> numbers;
      const TriangleMesh other = shuffled(mesh, 5, &numbers);
      const std::array<Ordinal, 2> there = pins(other, mesh_topology(other));
      EXPECT_EQ(there[0], numbers[static_cast<std::size_t>(found[0])]);
      EXPECT_EQ(there[1], numbers[static_cast<std::size_t>(found[1])]);
    }
  }
}

TEST(Pins, are_found_quickly_on_a_long_circle) {
  // There are 2e10 pairs, and 1e5 of them have equal distances up to rounding.
  constexpr Ordinal count = 200000;
  const TriangleMesh mesh = fan(count, [](Ordinal i) {
    const double a = 2 * M_PI * i / count;
    return Point3{std::cos(a), std::sin(a), 0};
  });
  const std::array<Ordinal, 2> found = pins(mesh, mesh_topology(mesh));
  EXPECT_NEAR(distance(mesh.vertices[static_cast<std::size_t>(found[0])],
                       mesh.vertices[static_cast<std::size_t>(found[1])]),
              2, 1e-15);
}

TEST(Pins, lie_on_the_longest_border) {
  TriangleMesh mesh = flat_grid(8, 8);
  mesh.triangles.erase(mesh.triangles.begin() + 60);
  // Bend the outer border so that one pair of its vertices is farther apart than all others.
  mesh.vertices[0] = {-0.1, -0.1, 0.3};
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::vector<Ordinal> numbers;
    const TriangleMesh other = shuffled(mesh, seed, &numbers);
    const MeshTopology topology = check_parameterizable(other, "shuffled");
    EXPECT_EQ(topology.border_loops.size(), 2u);
    EXPECT_EQ(longest_border(other, topology).size(), 32u);
    EXPECT_EQ(pins(other, topology), (std::array<Ordinal, 2>{numbers[0], numbers[80]}));
  }
  EXPECT_THROW(pins(tetrahedron(), mesh_topology(tetrahedron())), Error);
}

TEST(CheckParameterizable, files_of_other_programs_are_accepted_or_refused) {
  const auto load = [](const std::string& name) {
    return read_mesh(test_data_path("meshes/" + name + ".obj")).mesh;
  };
  for (const char* name : {"demosthenes-low-res", "hand_lowres", "cube_no_bottom", "cat_head"}) {
    SCOPED_TRACE(name);
    const MeshTopology topology = check_parameterizable(load(name), name);
    EXPECT_EQ(topology.border_loops.size(), 1u);
    EXPECT_EQ(topology.euler_characteristic, 1);
    EXPECT_EQ(topology.genus, 0);
  }
  const TriangleMesh holes = load("plane_holes");
  const MeshTopology topology = check_parameterizable(holes, "plane_holes");
  EXPECT_EQ(topology.border_loops.size(), 27u);
  EXPECT_EQ(pins(holes, topology), pins_by_force(holes, longest_border(holes, topology)));
  const auto refuse_file = [&](const char* name, const char* reason) {
    expect_input_error([&] { check_parameterizable(load(name), name); }, std::string(name) + ": ",
                       reason);
  };
  refuse_file("spot_low_resolution", "closed surface");
  refuse_file("wingnut", "closed surface");
  refuse_file("moebius", "not orientable");
  refuse_file("fan3", "non-manifold edge");
  refuse_file("hourglass_ico", "non-manifold vertex");
  refuse_file("triple_vierbein", "non-manifold");
  EXPECT_EQ(mesh_topology(load("spot_low_resolution")).genus, 0);
}

}  // namespace
