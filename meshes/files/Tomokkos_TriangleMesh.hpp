// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MeshShape.hpp>
#include <Tomokkos_Types.hpp>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace Tomokkos {

using Point2 = std::array<double, 2>;
using Point3 = std::array<double, 3>;
using Triangle = std::array<Ordinal, 3>;

/// \brief A surface of triangles in host memory, as files hold it: nothing is known of how the
/// triangles join.
///
/// A triangle names its three corners counter-clockwise as seen from outside, by indices from 0.
/// Readers and generators give meshes whose indices are in range, whose coordinates are finite and
/// whose triangles have three different corners; `check_mesh` makes sure of others.
struct TriangleMesh {
  std::vector<Point3> vertices;
  std::vector<Triangle> triangles;
};

Ordinal num_vertices(const TriangleMesh& mesh);
Ordinal num_triangles(const TriangleMesh& mesh);

/// \brief (q - p) x (r - p) of the corners p, q, r of a triangle: normal to it, twice its area
/// long.
Point3 area_vector(const TriangleMesh& mesh, Ordinal triangle);

/// \brief Area of one triangle.
double area(const TriangleMesh& mesh, Ordinal triangle);

/// \brief Area of all triangles.
double area(const TriangleMesh& mesh);

/// \brief Scalar product.
inline double dot(const Point3& p, const Point3& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }

/// \brief Vector product.
inline Point3 cross(const Point3& p, const Point3& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

/// \brief Euclidean distance.
double distance(const Point3& p, const Point3& q);

/// \brief Mean length of the sides of all triangles, where an inner edge counts twice.
double mean_edge_length(const TriangleMesh& mesh);

/// \brief A box along the axes.
struct BoundingBox {
  Point3 low;
  Point3 high;
};

/// \brief The smallest box around all vertices; of no vertices, zeros.
BoundingBox bounding_box(const TriangleMesh& mesh);

/// \brief Throws `InputError` unless all coordinates are finite, all indices in range, the three
/// corners of every triangle different, and the counts within `Ordinal` and `max_triangles`.
///
/// The message begins with \p name, a file or what a mesh is called, and counts from 1.
void check_mesh(const TriangleMesh& mesh, std::string_view name);

}  // namespace Tomokkos
