// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <string>

namespace Tomokkos {

/// \brief A mesh in numbers, of any mesh that passes `check_mesh`.
struct MeshSummary {
  Ordinal vertices = 0;
  Ordinal triangles = 0;
  /// Pieces that share no vertex; a vertex without triangles is none.
  Ordinal components = 0;
  /// Connected pieces of the edges that belong to one triangle only: the border loops of a
  /// manifold.
  Ordinal borders = 0;
  /// Vertices with the coordinates of an earlier one; `weld_vertices` joins them.
  Ordinal coinciding_vertices = 0;
};

/// \brief Counts the parts of \p mesh. Cost: linear, on the calling thread; about 50 bytes of
/// memory per triangle.
MeshSummary summarize_mesh(const TriangleMesh& mesh);

/// \brief The counts for a person: `"2500 vertices, 4802 triangles, 1 component, 1 border"`, and
/// the number of vertices that coincide with others where there are any.
std::string describe_mesh(const MeshSummary& summary);

/// \brief Continues a message about pieces that do not hang together where \p coinciding_vertices
/// may be the reason; empty for none.
std::string weld_hint(Ordinal coinciding_vertices);

}  // namespace Tomokkos
