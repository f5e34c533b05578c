// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Finds, for every vertex, the lowest vertex with exactly the same coordinates (possibly
/// itself). 0 and -0 are the same coordinate.
///
/// Cost: linear, on the calling thread; about 12 bytes of memory per vertex.
std::vector<Ordinal> first_coinciding_vertices(const TriangleMesh& mesh);

/// \brief Result of `weld_vertices`.
struct Welding {
  /// Number of vertices that were merged into an earlier one.
  Ordinal joined_vertices = 0;
  /// Number of triangles removed because two of their corners became one vertex.
  Ordinal removed_triangles = 0;
  /// New vertex of each vertex of the original mesh.
  std::vector<Ordinal> vertex;
};

/// \brief Merges vertices with exactly the same coordinates, such as repeated corners of faces or
/// vertices along a seam. The remaining vertices keep their order. Triangles with two equal corners
/// have no area and are removed.
///
/// Requires a mesh that passes `check_mesh`. Cost: linear, on the calling thread.
Welding weld_vertices(TriangleMesh& mesh);

}  // namespace Tomokkos
