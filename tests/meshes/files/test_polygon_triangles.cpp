// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_PolygonTriangles.hpp>
#include <cmath>
#include <numbers>
#include <sstream>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

using Polygon = std::vector<Point2>;

/// Places a polygon in a plane of space that is parallel to no axis.
std::vector<Point3> in_space(const Polygon& polygon, double turn) {
  const double c = std::cos(turn), s = std::sin(turn);
  const Point3 u{c, s * 0.6, s * 0.8}, v{-s, c * 0.6, c * 0.8}, offset{3, -1, 0.5};
  std::vector<Point3> points;
  for (const auto& [x, y] : polygon)
    points.push_back({offset[0] + x * u[0] + y * v[0], offset[1] + x * u[1] + y * v[1],
                      offset[2] + x * u[2] + y * v[2]});
  return points;
}

double cross_of(const Point2& a, const Point2& b, const Point2& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

double area_of(const Polygon& polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i)
    twice += cross_of({0, 0}, polygon[i], polygon[(i + 1) % polygon.size()]);
  return 0.5 * twice;
}

/// Checks that the triangles of a counter-clockwise polygon are n - 2, each of positive area, with
/// the area of the polygon as sum, and that each side of the polygon is a side of one triangle.
/// Positive triangles with the same total cannot overlap within a simple polygon.
void check_division(const Polygon& polygon, const std::vector<Triangle>& triangles) {
  const std::size_t n = polygon.size();
  ASSERT_EQ(triangles.size(), n - 2);
  double sum = 0;
  std::vector<int> sides(n, 0);
  for (const Triangle& t : triangles) {
    const auto at = [&](std::size_t k) { return polygon[static_cast<std::size_t>(t[k])]; };
    const double area = 0.5 * cross_of(at(0), at(1), at(2));
    EXPECT_GT(area, 0.0) << t[0] << " " << t[1] << " " << t[2];
    sum += std::abs(area);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto from = static_cast<std::size_t>(t[k]),
                 to = static_cast<std::size_t>(t[(k + 1) % 3]);
      if (to == (from + 1) % n) ++sides[from];
    }
  }
  EXPECT_NEAR(sum, area_of(polygon), 1e-12 * sum);
  EXPECT_EQ(sides, std::vector<int>(n, 1));
}

/// Checks all first corners, both orientations and some directions in space.
void check_all_ways(const Polygon& polygon) {
  ASSERT_GT(area_of(polygon), 0);
  Polygon turned = polygon;
  for (std::size_t first = 0; first < polygon.size(); ++first) {
    SCOPED_TRACE(first);
    for (const double turn : {0.0, 0.3, 2.0}) {
      std::vector<Triangle> triangles;
      ASSERT_EQ(divide_polygon(in_space(turned, turn), triangles), PolygonFault::none);
      check_division(turned, triangles);
      // Turned over, the triangles have the other orientation.
      Polygon mirrored(turned.rbegin(), turned.rend());
      triangles.clear();
      ASSERT_EQ(divide_polygon(in_space(mirrored, turn), triangles), PolygonFault::none);
      for (Triangle& t : triangles) {
        for (Ordinal& v : t) v = static_cast<Ordinal>(turned.size()) - 1 - v;
        std::swap(t[1], t[2]);
      }
      check_division(turned, triangles);
    }
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
  }
}

PolygonFault fault_of(const std::vector<Point3>& corners) {
  std::vector<Triangle> triangles;
  const PolygonFault fault = divide_polygon(corners, triangles);
  EXPECT_EQ(triangles.empty(), fault != PolygonFault::none);
  return fault;
}

const Polygon dart{{0, 0}, {2, 0}, {2, 2}, {1.6, 0.4}};

TEST(PolygonTriangles, concave_polygons_are_divided_without_overlap) {
  check_all_ways(dart);
  check_all_ways({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}});
  // A comb, and the letter U with a step.
  check_all_ways({{0, 0}, {7, 0}, {7, 3}, {6, 1}, {5, 3}, {4, 1}, {3, 3}, {2, 1}, {1, 3}, {0, 1}});
  check_all_ways(
      {{0, 0}, {4, 0}, {4, 3}, {3, 3}, {3, 1}, {2, 1}, {2, 0.5}, {1, 0.5}, {1, 3}, {0, 3}});
}

TEST(PolygonTriangles, spirals_are_divided_without_overlap) {
  Polygon spiral;
  constexpr int steps = 40;
  const auto point = [](int i, double width) {
    const double angle = 0.35 * i, radius = 1 + 0.2 * angle + width;
    return Point2{radius * std::cos(angle), radius * std::sin(angle)};
  };
  for (int i = 0; i < steps; ++i) spiral.push_back(point(i, 0.5));
  for (int i = steps - 1; i >= 0; --i) spiral.push_back(point(i, 0));
  check_all_ways(spiral);
}

TEST(PolygonTriangles, corners_on_straight_sides_give_no_flat_triangle) {
  check_all_ways({{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}});
  check_all_ways({{0, 0}, {1, 0}, {3, 0}, {2, 1}, {0, 3}, {0, 2}, {0, 1}});
  check_all_ways(
      {{0, 0}, {0.1, 0}, {0.3, 0}, {1, 0}, {1, 0.7}, {0.3, 0.7}, {0.3, 1}, {0, 1}, {0, 0.4}});
}

TEST(PolygonTriangles, convex_polygons_and_others_seen_from_the_first_corner_give_its_fan) {
  Polygon circle;
  for (int i = 0; i < 1000; ++i)
    circle.push_back(
        {std::cos(0.002 * std::numbers::pi * i), std::sin(0.002 * std::numbers::pi * i)});
  Polygon seen = dart;
  std::rotate(seen.begin(), seen.begin() + 3, seen.end());
  for (const Polygon& polygon : {circle, seen}) {
    std::vector<Triangle> triangles;
    ASSERT_EQ(divide_polygon(in_space(polygon, 0.3), triangles), PolygonFault::none);
    for (Ordinal k = 0; k < static_cast<Ordinal>(triangles.size()); ++k)
      EXPECT_EQ(triangles[static_cast<std::size_t>(k)], (Triangle{0, k + 1, k + 2}));
  }
  // Not planar, of any size.
  for (const double size : {1e-300, 1.0, 1e300}) {
    std::vector<Triangle> triangles;
    const std::vector<Point3> saddle{{0, 0, 0}, {size, 0, 0}, {size, size, size / 2}, {0, size, 0}};
    ASSERT_EQ(divide_polygon(saddle, triangles), PolygonFault::none);
    EXPECT_EQ(triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  }
}

TEST(PolygonTriangles, an_overlapping_fan_has_another_area) {
  double sum = 0;
  for (const Triangle& t : {Triangle{0, 1, 2}, Triangle{0, 2, 3}})
    sum += std::abs(0.5 * cross_of(dart[static_cast<std::size_t>(t[0])],
                                   dart[static_cast<std::size_t>(t[1])],
                                   dart[static_cast<std::size_t>(t[2])]));
  EXPECT_GT(sum, 1.1 * area_of(dart));
}

TEST(PolygonTriangles, polygons_that_cannot_be_divided_are_named) {
  const auto fault = [](const Polygon& polygon) { return fault_of(in_space(polygon, 0.4)); };
  EXPECT_EQ(fault({{0, 0}, {2, 2}, {2, 0}, {0, 1}}), PolygonFault::crossing);
  EXPECT_EQ(fault({{0, 0}, {1, 1}, {1, 0}, {0, 1}}), PolygonFault::no_area);
  EXPECT_EQ(fault({{0, 0}, {1, 0}, {3, 0}, {2, 0}}), PolygonFault::no_area);
  EXPECT_EQ(fault({{0, 0}, {1, 1}, {0, 0}, {1, 1}}), PolygonFault::no_area);
  EXPECT_EQ(fault_of({4, Point3{0, 0, 0}}), PolygonFault::no_area);
  // A pentagram turns twice around its centre: all fan triangles are positive, and overlap.
  Polygon star;
  for (int i = 0; i < 5; ++i)
    star.push_back({std::cos(0.8 * std::numbers::pi * i), std::sin(0.8 * std::numbers::pi * i)});
  EXPECT_EQ(fault(star), PolygonFault::crossing);
  // A corner on another side, and a side that goes back on itself.
  EXPECT_EQ(fault({{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}), PolygonFault::crossing);
  EXPECT_EQ(fault({{0, 0}, {2, 0}, {3, 0}, {2, 0}, {2, 2}, {0, 2}}), PolygonFault::crossing);
  Polygon large(most_concave_corners + 1);
  for (std::size_t i = 0; i < large.size(); ++i)
    large[i] = {static_cast<double>(i), i % 2 == 0 ? 0.0 : 1.0};
  large.front() = {0, -1};
  large.back() = {static_cast<double>(large.size()), -1};
  EXPECT_EQ(fault(large), PolygonFault::too_large);
}

TEST(PolygonTriangles, skew_quadrilaterals_are_their_fan) {
  // Seen from above it is a square; only in the plane of best fit do its sides cross.
  const std::vector<Point3> corners{{0, 0, 0}, {1, 0, 1}, {1, 1, -1}, {0, 1, 2}};
  std::vector<Triangle> triangles;
  EXPECT_EQ(divide_polygon(corners, triangles), PolygonFault::none);
  EXPECT_EQ(triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  // Nearly flat, the same crossing is a fault.
  const std::vector<Point3> bow_tie{{0, 0, 0}, {1, 1, 0.01}, {1, 0, 0}, {0, 1.5, 0}};
  EXPECT_EQ(divide_polygon(bow_tie, triangles), PolygonFault::crossing);
}

TEST(PolygonTriangles, a_corner_may_coincide_with_the_next) {
  for (std::size_t twice = 0; twice < dart.size(); ++twice) {
    Polygon polygon = dart;
    polygon.insert(polygon.begin() + static_cast<std::ptrdiff_t>(twice), dart[twice]);
    std::vector<Triangle> triangles;
    ASSERT_EQ(divide_polygon(in_space(polygon, 0.2), triangles), PolygonFault::none);
    ASSERT_EQ(triangles.size(), 3u);
    double sum = 0;
    for (const Triangle& t : triangles)
      sum += std::abs(0.5 * cross_of(polygon[static_cast<std::size_t>(t[0])],
                                     polygon[static_cast<std::size_t>(t[1])],
                                     polygon[static_cast<std::size_t>(t[2])]));
    EXPECT_NEAR(sum, area_of(dart), 1e-14);
  }
}

/// Contents of a file with a polygon as its only face.
std::string mesh_text(const std::string& name, const Polygon& polygon, bool face_first = false) {
  std::ostringstream vertices, face;
  const std::size_t n = polygon.size();
  const bool is_obj = name.ends_with(".obj");
  for (const auto& [x, y] : polygon) vertices << (is_obj ? "v " : "") << x << " " << y << " 0\n";
  if (is_obj)
    face << "f";
  else
    face << n;
  for (std::size_t i = 0; i < n; ++i) face << " " << i + (is_obj ? 1 : 0);
  face << "\n";
  if (is_obj) return face_first ? face.str() + vertices.str() : vertices.str() + face.str();
  if (name.ends_with(".off"))
    return "OFF\n" + std::to_string(n) + " 1 0\n" + vertices.str() + face.str();
  const std::string of_vertices = "element vertex " + std::to_string(n) +
                                  "\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string of_faces = "element face 1\nproperty list uchar int vertex_indices\n";
  return "ply\nformat ascii 1.0\n" +
         (face_first ? of_faces + of_vertices : of_vertices + of_faces) + "end_header\n" +
         (face_first ? face.str() + vertices.str() : vertices.str() + face.str());
}

TEST(PolygonTriangles, readers_divide_concave_faces_and_refuse_crossing_ones_with_their_line) {
  const TemporaryFolder folder;
  const Polygon crossing{{0, 0}, {2, 2}, {2, 0}, {0, 1}};
  const auto check = [&](const std::string& name, bool face_first, const char* place) {
    SCOPED_TRACE(name);
    write_bytes(folder / name, mesh_text(name, dart, face_first));
    const MeshFileContents contents = read_mesh(folder / name);
    check_division(dart, contents.mesh.triangles);
    EXPECT_EQ(contents.num_polygons, 1);
    write_bytes(folder / name, mesh_text(name, crossing, face_first));
    expect_input_error([&] { read_mesh(folder / name); }, name, place, "face 1 with 4 corners",
                       "crosses");
    write_bytes(folder / name, mesh_text(name, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}, face_first));
    expect_input_error([&] { read_mesh(folder / name); }, name, place, "no area");
  };
  check("a.obj", false, ":5: ");
  check("b.obj", true, ":1: ");
  check("a.off", false, ":7: ");
  check("a.ply", false, ":14: ");
  check("b.ply", true, ":10: ");
}

}  // namespace
