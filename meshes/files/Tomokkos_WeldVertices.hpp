// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <vector>

namespace Tomokkos {

/// \brief For every vertex the lowest vertex with exactly the same coordinates: itself, unless an
/// earlier one coincides with it. 0 and -0 are the same coordinate.
///
/// Cost: linear, on the calling thread; about 12 bytes of memory per vertex.
std::vector<Ordinal> first_coinciding_vertices(const TriangleMesh& mesh);

/// \brief What `weld_vertices` did.
struct Welding {
  /// Vertices that were joined to an earlier one.
  Ordinal joined_vertices = 0;
  /// Triangles that were removed because two of their corners became one vertex.
  Ordinal removed_triangles = 0;
  /// The vertex that now stands for each vertex of the mesh as it was.
  std::vector<Ordinal> vertex;
};

/// \brief Joins vertices that coincide exactly, as files that repeat the corners of every face or
/// the vertices along a seam have them. The vertices that are left keep their order; triangles of
/// which two corners become one have no area and are removed.
///
/// Expects a mesh that passes `check_mesh`. Cost: linear, on the calling thread.
Welding weld_vertices(TriangleMesh& mesh);

}  // namespace Tomokkos
