// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Smoothing.hpp>

namespace Tomokkos {

Point3 roughness(const TriangleMesh& mesh, const VertexRings& rings,
                 std::span<const double> weights) {
  require_equal("vertices of the mesh", static_cast<long long>(mesh.vertices.size()), "rings",
                rings.num_vertices());
  if (!weights.empty())
    require_equal("number of weights", static_cast<long long>(weights.size()), "vertices",
                  rings.num_vertices());
  Point3 sums{};
  for (Ordinal v = 0; v < rings.num_vertices(); ++v) {
    const auto k = static_cast<std::size_t>(v);
    const auto ring = rings[v];
    if (ring.empty()) continue;
    const auto valence = static_cast<double>(ring.size());
    const double weight = (weights.empty() ? 1.0 : weights[k]) / (1 + 1 / valence);
    for (std::size_t d = 0; d < 3; ++d) {
      // Sums differences, so that a common offset of all vertices costs no digits.
      double row = 0;
      for (const Ordinal j : ring)
        row += mesh.vertices[k][d] - mesh.vertices[static_cast<std::size_t>(j)][d];
      row /= valence;
      sums[d] += weight * row * row;
    }
  }
  return sums;
}

}  // namespace Tomokkos
