// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <string>

namespace Tomokkos {

/// \brief Counts of the parts of a mesh that passes `check_mesh`.
struct MeshSummary {
  Ordinal vertices = 0;
  Ordinal triangles = 0;
  /// Number of components that share no vertex; vertices without triangles do not count.
  Ordinal components = 0;
  /// Number of connected pieces of edges with a single triangle; for a manifold, the border loops.
  Ordinal borders = 0;
  /// Number of vertices with the coordinates of an earlier one; `weld_vertices` merges them.
  Ordinal coinciding_vertices = 0;
};

/// \brief Counts the vertices, triangles, components and borders of \p mesh, and vertices at the
/// same place.
///
/// Runs on the calling thread in linear time. Needs about 50 bytes of memory per triangle.
MeshSummary summarize_mesh(const TriangleMesh& mesh);

/// \brief Formats the counts for messages:
/// `"2500 vertices, 4802 triangles, 1 component, 1 border"`, and the number of coinciding vertices
/// if there are any.
std::string describe_mesh(const MeshSummary& summary);

/// \brief Second half of a message about separate pieces if \p coinciding_vertices may be the
/// cause; empty for 0.
std::string weld_hint(Ordinal coinciding_vertices);

}  // namespace Tomokkos
