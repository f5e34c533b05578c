// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_TriangleMesh.hpp>
#include <algorithm>
#include <cmath>
#include <string>

namespace Tomokkos {
namespace {

const Point3& corner(const TriangleMesh& mesh, Ordinal triangle, std::size_t k) {
  return mesh
      .vertices[static_cast<std::size_t>(mesh.triangles[static_cast<std::size_t>(triangle)][k])];
}

Point3 difference(const Point3& p, const Point3& q) {
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}

double length(const Point3& p) { return std::hypot(p[0], p[1], p[2]); }

}  // namespace

Ordinal num_vertices(const TriangleMesh& mesh) {
  return static_cast<Ordinal>(mesh.vertices.size());
}

Ordinal num_triangles(const TriangleMesh& mesh) {
  return static_cast<Ordinal>(mesh.triangles.size());
}

Point3 area_vector(const TriangleMesh& mesh, Ordinal triangle) {
  const Point3& p = corner(mesh, triangle, 0);
  const Point3 a = difference(corner(mesh, triangle, 1), p);
  const Point3 b = difference(corner(mesh, triangle, 2), p);
  return cross(a, b);
}

double area(const TriangleMesh& mesh, Ordinal triangle) {
  return 0.5 * length(area_vector(mesh, triangle));
}

double area(const TriangleMesh& mesh) {
  double sum = 0;
  for (Ordinal t = 0; t < num_triangles(mesh); ++t) sum += area(mesh, t);
  return sum;
}

double distance(const Point3& p, const Point3& q) { return length(difference(p, q)); }

double mean_edge_length(const TriangleMesh& mesh) {
  double sum = 0;
  for (Ordinal t = 0; t < num_triangles(mesh); ++t) {
    for (std::size_t k = 0; k < 3; ++k)
      sum += distance(corner(mesh, t, k), corner(mesh, t, (k + 1) % 3));
  }
  return mesh.triangles.empty() ? 0.0 : sum / (3.0 * static_cast<double>(mesh.triangles.size()));
}

BoundingBox bounding_box(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return {};
  BoundingBox box{mesh.vertices.front(), mesh.vertices.front()};
  for (const Point3& p : mesh.vertices) {
    for (std::size_t k = 0; k < 3; ++k) {
      box.low[k] = std::min(box.low[k], p[k]);
      box.high[k] = std::max(box.high[k], p[k]);
    }
  }
  return box;
}

void check_mesh(const TriangleMesh& mesh, std::string_view name) {
  const auto fail = [&](const std::string& message) {
    throw InputError(std::string(name) + ": " + message);
  };
  constexpr auto most_vertices = static_cast<std::size_t>(std::numeric_limits<Ordinal>::max());
  if (mesh.vertices.size() > most_vertices)
    fail(Impl::text("{} vertices; at most {} are possible", mesh.vertices.size(), most_vertices));
  if (mesh.triangles.size() > static_cast<std::size_t>(max_triangles))
    fail(Impl::text("{} triangles; at most {} are possible", mesh.triangles.size(), max_triangles));
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Point3& p = mesh.vertices[i];
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
      fail(Impl::text("vertex {} has a coordinate that is not finite", i + 1));
  }
  const Ordinal vertices = num_vertices(mesh);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& corners = mesh.triangles[t];
    for (const Ordinal v : corners) {
      if (v < 0 || v >= vertices)
        fail(Impl::text("triangle {} names vertex {}, which is not in 1 ... {}", t + 1,
                        static_cast<Offset>(v) + 1, vertices));
    }
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
      fail(Impl::text("triangle {} names a vertex twice", t + 1));
  }
}

}  // namespace Tomokkos
