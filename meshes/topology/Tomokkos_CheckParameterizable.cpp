// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshSummary.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <algorithm>
#include <cmath>
#include <string>

namespace Tomokkos {
namespace {

/// Height over the longest side divided by that side; 0 if all corners coincide.
double relative_height(const TriangleMesh& mesh, const Triangle& triangle) {
  std::array<Point3, 3> sides;
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Point3& p = mesh.vertices[static_cast<std::size_t>(triangle[k])];
    const Point3& q = mesh.vertices[static_cast<std::size_t>(triangle[(k + 1) % 3])];
    for (std::size_t x = 0; x < 3; ++x) {
      sides[k][x] = q[x] - p[x];
      largest = std::max(largest, std::abs(sides[k][x]));
    }
  }
  if (largest == 0) return 0;
  // Scaled to prevent overflow and underflow of squares.
  double longest = 0;
  for (Point3& side : sides) {
    for (double& x : side) x /= largest;
    longest = std::max(longest, side[0] * side[0] + side[1] * side[1] + side[2] * side[2]);
  }
  const Point3 &a = sides[0], &b = sides[1];
  return std::hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                    a[0] * b[1] - a[1] * b[0]) /
         longest;
}

}  // namespace

void check_parameterizable(const TriangleMesh& mesh, const MeshTopology& topology,
                           std::string_view name) {
  const auto refuse = [&](const std::string& message) {
    throw InputError(std::string(name) + ": " + message);
  };
  const auto number = [](Ordinal index) { return std::to_string(static_cast<Offset>(index) + 1); };
  const auto both = [&](const std::array<Ordinal, 2>& two) {
    return number(two[0]) + " and " + number(two[1]);
  };
  if (mesh.triangles.empty()) refuse("no faces: there is nothing to flatten");
  if (topology.unreferenced_vertex)
    refuse("unreferenced vertex: no face has vertex " + number(*topology.unreferenced_vertex));
  if (topology.duplicate_triangles)
    refuse("duplicate face: the triangles " + both(*topology.duplicate_triangles) +
           " have the same corners; remove one of them");
  if (topology.non_manifold_edge)
    refuse("non-manifold edge: more than two faces meet at the edge between the vertices " +
           both(*topology.non_manifold_edge));
  if (topology.non_manifold_vertex)
    refuse("non-manifold vertex: the faces around vertex " + number(*topology.non_manifold_vertex) +
           " are not one fan");
  if (topology.num_components > 1)
    refuse(
        Impl::text("several components: the faces form {} separate pieces; triangle {} is not "
                   "connected to triangle 1{}",
                   topology.num_components, number(topology.separate_triangle.value_or(0)),
                   weld_hint(summarize_mesh(mesh).coinciding_vertices)));
  if (topology.one_sided_triangles)
    refuse("not orientable: the surface has only one side; the triangles " +
           both(*topology.one_sided_triangles) + " disagree in every orientation");
  if (topology.disagreeing_triangles)
    refuse("inconsistently oriented faces: the triangles " + both(*topology.disagreeing_triangles) +
           " pass their common edge in the same direction, so one of them must be flipped");
  if (topology.border_loops.empty())
    refuse("closed surface: it has no border, and must be cut before it can be flattened");
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (!(relative_height(mesh, mesh.triangles[t]) > 1e-14))
      refuse("zero-area face: the corners of triangle " + number(static_cast<Ordinal>(t)) +
             " lie on one line");
  }
}

MeshTopology check_parameterizable(const TriangleMesh& mesh, std::string_view name) {
  check_mesh(mesh, name);
  MeshTopology topology = mesh_topology(mesh);
  check_parameterizable(mesh, topology, name);
  return topology;
}

}  // namespace Tomokkos
