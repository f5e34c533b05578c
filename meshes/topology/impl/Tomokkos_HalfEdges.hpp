// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <array>
#include <optional>
#include <vector>

namespace Tomokkos::Impl {

/// \brief Sides of all triangles and their connections.
///
/// Half-edge h = 3 t + k leads from corner k of triangle t to the next corner. Edges are numbered
/// in the order of (lower end, higher end).
struct HalfEdges {
  static constexpr Ordinal at_border = -1;
  static constexpr Ordinal not_manifold = -2;

  Ordinal num_edges = 0;
  /// Edge of every half-edge.
  std::vector<Ordinal> edge;
  /// Other half-edge of the same edge, or the reason why there is none.
  std::vector<Ordinal> twin;
  /// Ends of the first edge with more than two triangles.
  std::optional<std::array<Ordinal, 2>> edge_of_three_sides;
};

/// \brief Creates the half-edges of a mesh with valid indices. Cost: linear; 24 bytes per triangle
/// for the result, and the same amount of temporary memory.
HalfEdges make_half_edges(const TriangleMesh& mesh);

inline Ordinal from_vertex(const TriangleMesh& mesh, Ordinal half_edge) {
  return mesh
      .triangles[static_cast<std::size_t>(half_edge / 3)][static_cast<std::size_t>(half_edge % 3)];
}

inline Ordinal next_half_edge(Ordinal half_edge) {
  return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

inline Ordinal to_vertex(const TriangleMesh& mesh, Ordinal half_edge) {
  return from_vertex(mesh, next_half_edge(half_edge));
}

/// \brief Triangles to flip for a consistent orientation.
struct Orientation {
  /// 1 for triangles to flip; chosen so that most triangles of a component are 0.
  std::vector<signed char> turned;
  Ordinal num_turned = 0;
  /// First neighbours that disagree in the current orientation, and in any orientation.
  std::optional<std::array<Ordinal, 2>> disagreeing;
  std::optional<std::array<Ordinal, 2>> one_sided;
};

Orientation find_orientation(const TriangleMesh& mesh, const HalfEdges& half_edges);

}  // namespace Tomokkos::Impl
