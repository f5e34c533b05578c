// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Connections between the triangles of a mesh, and its defects. Indices start at 0, numbers
/// in messages at 1.
struct MeshTopology {
  Ordinal num_vertices = 0;
  Ordinal num_triangles = 0;
  Ordinal num_edges = 0;
  /// Number of components that share no vertex; vertices without triangles do not count.
  Ordinal num_components = 0;
  /// Vertices with triangles, minus edges, plus triangles.
  Offset euler_characteristic = 0;
  /// Number of handles of all components: (2 components - borders - euler_characteristic) / 2. -1
  /// if undefined: not manifold or not orientable.
  Offset genus = -1;
  /// Vertices of every border, from the lowest one along the half-edge that leaves it (with the
  /// surface on the left, if the triangles are consistently oriented). Ordered by their first
  /// vertices. Empty for meshes that are not manifold.
  std::vector<std::vector<Ordinal>> border_loops;

  // Defects: the first one found of each kind; empty if there is none.

  /// Vertex without triangles.
  std::optional<Ordinal> unreferenced_vertex;
  /// Triangle in another component than the first triangle.
  std::optional<Ordinal> separate_triangle;
  /// Two triangles with the same corners.
  std::optional<std::array<Ordinal, 2>> duplicate_triangles;
  /// Ends of an edge with more than two triangles.
  std::optional<std::array<Ordinal, 2>> non_manifold_edge;
  /// Vertex whose triangles are not one fan. Not determined if there is a non-manifold edge.
  std::optional<Ordinal> non_manifold_vertex;
  /// Neighbours that pass their common edge in the same direction: one of them is flipped.
  std::optional<std::array<Ordinal, 2>> disagreeing_triangles;
  /// Neighbours that disagree in every orientation: the surface has only one side.
  std::optional<std::array<Ordinal, 2>> one_sided_triangles;

  bool is_manifold() const { return !non_manifold_edge && !non_manifold_vertex; }
  bool is_closed() const { return is_manifold() && border_loops.empty(); }
};

/// \brief Analyses how the triangles of \p mesh are connected. Accepts every mesh that passes
/// `check_mesh`.
///
/// Cost: linear, on the calling thread; about 50 bytes of memory per triangle.
MeshTopology mesh_topology(const TriangleMesh& mesh);

/// \brief Checks that \p mesh can be flattened: one component, manifold, oriented, with at least
/// one border, and all triangles with an area.
///
/// Defects are checked in this order: unreferenced vertex, duplicate face, non-manifold edge,
/// non-manifold vertex, several components, not orientable, inconsistently oriented faces (`orient`
/// corrects them), closed surface, zero-area face (height below 1e-14 of its longest side).
///
/// \param topology topology of this mesh
/// \param name name of the mesh, the beginning of the message
/// \throws InputError for the first defect
void check_parameterizable(const TriangleMesh& mesh, const MeshTopology& topology,
                           std::string_view name);

/// \brief Calls `check_mesh`, then `check_parameterizable`. Returns the topology.
MeshTopology check_parameterizable(const TriangleMesh& mesh, std::string_view name);

/// \brief Flips triangles, by swapping their last two corners, until neighbours are consistently
/// oriented. Each component keeps the orientation of most of its triangles, or in a tie that of its
/// first.
///
/// \return the number of flipped triangles
/// \throws InputError for a duplicate face, a non-manifold edge or a surface that is not
/// orientable; the mesh is then unchanged
Ordinal orient(TriangleMesh& mesh, std::string_view name);

/// \brief Finds the longest border by the sum of its edges. In a tie, the one with the first vertex
/// in the lexicographic order of coordinates.
///
/// \throws Error if there is no border
const std::vector<Ordinal>& longest_border(const TriangleMesh& mesh, const MeshTopology& topology);

/// \brief Chooses the two vertices that are fixed when a mesh is flattened: the farthest pair, in
/// Euclidean distance, on the longest border.
///
/// The result is exact. Ties are resolved by the lexicographic order of coordinates, and the first
/// vertex in this order comes first. So the choice does not depend on the numbering of vertices,
/// unless several have the same coordinates.
///
/// Cost: compares and discards boxes around sections of the border; nearly linear for common
/// borders, including a circle, where many pairs are equally far apart.
std::array<Ordinal, 2> pins(const TriangleMesh& mesh, const MeshTopology& topology);

}  // namespace Tomokkos
