// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Text.hpp>
#include <Tomokkos_VertexRings.hpp>
#include <algorithm>
#include <impl/Tomokkos_DisjointSets.hpp>
#include <string>

namespace Tomokkos {

VertexRings vertex_rings(const TriangleMesh& mesh) {
  const std::size_t n = mesh.vertices.size();
  Impl::MemoryNeed()
      .add(mesh.triangles.size(), 6 * sizeof(Ordinal))
      .add(n, 2 * sizeof(Offset))
      .require_available(Impl::text("listing the neighbours of {} vertices", n));
  VertexRings rings;
  rings.offsets.assign(n + 1, 0);
  // Every triangle adds two neighbours to each of its corners, so inner edges occur twice.
  for (const Triangle& triangle : mesh.triangles)
    for (const Ordinal v : triangle) rings.offsets[static_cast<std::size_t>(v) + 1] += 2;
  for (std::size_t v = 0; v < n; ++v) rings.offsets[v + 1] += rings.offsets[v];
  rings.neighbours.resize(6 * mesh.triangles.size());
  std::vector<Offset> next(rings.offsets.begin(), rings.offsets.end() - 1);
  for (const Triangle& triangle : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      Offset& place = next[static_cast<std::size_t>(triangle[k])];
      rings.neighbours[static_cast<std::size_t>(place++)] = triangle[(k + 1) % 3];
      rings.neighbours[static_cast<std::size_t>(place++)] = triangle[(k + 2) % 3];
    }
  // Removes duplicates and closes the gaps.
  Offset end = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const auto first = rings.neighbours.begin() + rings.offsets[v];
    const auto last = rings.neighbours.begin() + rings.offsets[v + 1];
    std::sort(first, last);
    const auto stop = std::unique(first, last);
    rings.offsets[v] = end;
    end = std::copy(first, stop, rings.neighbours.begin() + end) - rings.neighbours.begin();
  }
  rings.offsets[n] = end;
  rings.neighbours.resize(static_cast<std::size_t>(end));
  return rings;
}

std::vector<Ordinal> connected_pieces(const VertexRings& rings) {
  Impl::DisjointSets sets(static_cast<std::size_t>(rings.num_vertices()));
  for (Ordinal v = 0; v < rings.num_vertices(); ++v)
    for (const Ordinal neighbour : rings[v]) sets.unite(v, neighbour);
  std::vector<Ordinal> pieces(static_cast<std::size_t>(rings.num_vertices()));
  for (Ordinal v = 0; v < rings.num_vertices(); ++v)
    pieces[static_cast<std::size_t>(v)] = sets.find(v);
  return pieces;
}

}  // namespace Tomokkos
