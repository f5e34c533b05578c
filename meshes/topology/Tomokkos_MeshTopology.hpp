// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief How the triangles of a mesh join. Indices count from 0, messages from 1.
struct MeshTopology {
  Ordinal num_vertices = 0;
  Ordinal num_triangles = 0;
  Ordinal num_edges = 0;
  /// Pieces that share no vertex; a vertex without triangles is none.
  Ordinal num_components = 0;
  /// Vertices with triangles, less edges, plus triangles.
  Offset euler_characteristic = 0;
  /// Handles of all components: (2 components - borders - euler_characteristic) / 2. -1 where it
  /// has no meaning: not manifold, or not orientable.
  Offset genus = -1;
  /// Every border as the list of its vertices, from the lowest and along the half-edge that leaves
  /// it (with the surface on the left, where the triangles agree). Ordered by their first vertices.
  /// Empty for meshes that are not manifold.
  std::vector<std::vector<Ordinal>> border_loops;

  // What is wrong with it; the first that was found of each kind.

  /// A vertex without triangles.
  std::optional<Ordinal> unreferenced_vertex;
  /// A triangle in another component than the first one.
  std::optional<Ordinal> separate_triangle;
  /// Two triangles with the same corners.
  std::optional<std::array<Ordinal, 2>> duplicate_triangles;
  /// The ends of an edge with more than two triangles.
  std::optional<std::array<Ordinal, 2>> non_manifold_edge;
  /// A vertex whose triangles are not one fan. Not looked for where there is such an edge.
  std::optional<Ordinal> non_manifold_vertex;
  /// Neighbours that pass their edge in the same sense: one of them is turned over.
  std::optional<std::array<Ordinal, 2>> disagreeing_triangles;
  /// Neighbours that disagree however triangles are turned: the surface has one side.
  std::optional<std::array<Ordinal, 2>> one_sided_triangles;

  bool is_manifold() const { return !non_manifold_edge && !non_manifold_vertex; }
  bool is_closed() const { return is_manifold() && border_loops.empty(); }
};

/// \brief Looks how the triangles of \p mesh join; no mesh that passes `check_mesh` is refused.
///
/// Cost: linear, on the calling thread; about 50 bytes of memory per triangle.
MeshTopology mesh_topology(const TriangleMesh& mesh);

/// \brief Throws `InputError` unless \p mesh can be flattened: one component, manifold, oriented,
/// with a border, of triangles that have an area. Several borders are fine.
///
/// What is refused, in this order: unreferenced vertex, duplicate face, non-manifold edge,
/// non-manifold vertex, several components, not orientable, faces that disagree (`orient` helps),
/// closed surface, zero-area face (its height is below 1e-14 of its longest side).
///
/// \param topology of this mesh
/// \param name of the mesh, the beginning of the message
void check_parameterizable(const TriangleMesh& mesh, const MeshTopology& topology,
                           std::string_view name);

/// \brief The same, and `check_mesh` before; returns the topology.
MeshTopology check_parameterizable(const TriangleMesh& mesh, std::string_view name);

/// \brief Turns triangles over, by swapping their last two corners, until neighbours agree. Each
/// component keeps the sense that most of its triangles have, or that of its first where they are
/// even.
///
/// Returns the number of triangles turned. Throws `InputError`, and changes nothing, for a
/// duplicate face, a non-manifold edge and a surface that is not orientable.
Ordinal orient(TriangleMesh& mesh, std::string_view name);

/// \brief The longest border by the sum of its edges; of equals, the one with the first vertex in
/// the lexicographic order of coordinates. Throws `Error` when there is none.
const std::vector<Ordinal>& longest_border(const TriangleMesh& mesh, const MeshTopology& topology);

/// \brief The two vertices that are held when a mesh is flattened: the farthest pair, in Euclidean
/// distance, on the longest border.
///
/// Exact. Of pairs that are equally far, the first in the lexicographic order of coordinates; the
/// vertex that comes first in it is named first. So the choice does not depend on how vertices are
/// numbered, unless several have the same coordinates.
///
/// Cost: boxes around stretches of the border are compared and discarded; nearly linear on borders
/// as they occur (a circle, whose points have many partners equally far, included).
std::array<Ordinal, 2> pins(const TriangleMesh& mesh, const MeshTopology& topology);

}  // namespace Tomokkos
