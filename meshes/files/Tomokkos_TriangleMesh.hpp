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

/// \brief Surface of triangles in host memory, as stored in files, without information about
/// neighbouring triangles.
///
/// Each triangle lists its three corners counter-clockwise as seen from outside, by indices from 0.
/// Meshes from readers and generators have valid indices, finite coordinates and three different
/// corners in each triangle. `check_mesh` checks other meshes.
struct TriangleMesh {
  std::vector<Point3> vertices;
  std::vector<Triangle> triangles;
};

Ordinal num_vertices(const TriangleMesh& mesh);
Ordinal num_triangles(const TriangleMesh& mesh);

/// \brief Area vector (q - p) x (r - p) of the corners p, q, r of a triangle: normal to it, with
/// twice its area as length.
Point3 area_vector(const TriangleMesh& mesh, Ordinal triangle);

/// \brief Area of one triangle.
double area(const TriangleMesh& mesh, Ordinal triangle);

/// \brief Total area of all triangles.
double area(const TriangleMesh& mesh);

/// \brief Scalar product.
inline double dot(const Point3& p, const Point3& q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

/// \brief Vector product.
inline Point3 cross(const Point3& p, const Point3& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

/// \brief Euclidean distance.
double distance(const Point3& p, const Point3& q);

/// \brief Mean length of the sides of all triangles. Inner edges count twice.
double mean_edge_length(const TriangleMesh& mesh);

/// \brief Axis-aligned box.
struct BoundingBox {
  Point3 low;
  Point3 high;
};

/// \brief Smallest box around all vertices; zeros without vertices.
BoundingBox bounding_box(const TriangleMesh& mesh);

/// \brief Checks that all coordinates are finite, all indices valid, the three corners of every
/// triangle different, and the counts within `Ordinal` and `max_triangles`.
///
/// \param name file or name of the mesh; begins the message, which counts from 1
/// \throws InputError otherwise
void check_mesh(const TriangleMesh& mesh, std::string_view name);

}  // namespace Tomokkos
