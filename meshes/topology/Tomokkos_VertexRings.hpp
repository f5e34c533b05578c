// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief One-ring of every vertex: the other ends of its edges, each once, in ascending order. For
/// a border vertex this includes both neighbours along the border.
struct VertexRings {
  /// `num_vertices + 1` positions in `neighbours`.
  std::vector<Offset> offsets;
  std::vector<Ordinal> neighbours;

  Ordinal num_vertices() const { return static_cast<Ordinal>(offsets.size()) - 1; }
  /// \brief Ring of \p vertex; its length is the valence.
  std::span<const Ordinal> operator[](Ordinal vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {neighbours.data() + offsets[v], static_cast<std::size_t>(offsets[v + 1] - offsets[v])};
  }
};

/// \brief Computes the rings of a mesh with valid indices; triangles may be connected in any way.
///
/// Cost: nearly linear, on the calling thread; 24 bytes per triangle and 16 per vertex of temporary
/// memory.
///
/// \throws MemoryError if there is too little memory
VertexRings vertex_rings(const TriangleMesh& mesh);

/// \brief Finds, for every vertex, the lowest vertex of its connected component. A vertex without
/// edges is a component of its own. Linear.
std::vector<Ordinal> connected_pieces(const VertexRings& rings);

}  // namespace Tomokkos
