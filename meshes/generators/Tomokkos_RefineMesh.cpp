// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <impl/Tomokkos_HalfEdges.hpp>
#include <limits>
#include <string>

namespace Tomokkos {
namespace {

TriangleMesh refine_once(const TriangleMesh& mesh) {
  const std::uint64_t num_triangles = 4 * static_cast<std::uint64_t>(mesh.triangles.size());
  if (num_triangles > static_cast<std::uint64_t>(max_triangles))
    throw Refused(Impl::text("refinement makes {} triangles; at most {} are possible",
                             num_triangles, max_triangles));
  // The half-edges of the coarse mesh exist at the same time.
  Impl::MemoryNeed()
      .add(num_triangles, sizeof(Triangle) + sizeof(Point3) / 2)
      .add(mesh.triangles.size(), 48)
      .require_available(Impl::text("refinement to {} triangles", num_triangles));
  const Impl::HalfEdges half_edges = Impl::make_half_edges(mesh);
  const Offset num_vertices =
      static_cast<Offset>(mesh.vertices.size()) + static_cast<Offset>(half_edges.num_edges);
  if (num_vertices > std::numeric_limits<Ordinal>::max())
    throw Refused(Impl::text("refinement makes {} vertices; at most {} are possible", num_vertices,
                             std::numeric_limits<Ordinal>::max()));
  TriangleMesh result;
  result.vertices = mesh.vertices;
  result.vertices.resize(static_cast<std::size_t>(num_vertices));
  result.triangles.reserve(num_triangles);
  const auto old_vertices = static_cast<Ordinal>(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& corners = mesh.triangles[t];
    Triangle middles;
    for (std::size_t k = 0; k < 3; ++k) {
      middles[k] = old_vertices + half_edges.edge[3 * t + k];
      const Point3& p = mesh.vertices[static_cast<std::size_t>(corners[k])];
      const Point3& q = mesh.vertices[static_cast<std::size_t>(corners[(k + 1) % 3])];
      for (std::size_t x = 0; x < 3; ++x)
        result.vertices[static_cast<std::size_t>(middles[k])][x] = 0.5 * p[x] + 0.5 * q[x];
    }
    for (std::size_t k = 0; k < 3; ++k)
      result.triangles.push_back({corners[k], middles[k], middles[(k + 2) % 3]});
    result.triangles.push_back(middles);
  }
  return result;
}

}  // namespace

TriangleMesh refine(const TriangleMesh& mesh, int levels) {
  require(levels >= 0, "the number of refinements must not be negative");
  // Checked before anything is created.
  std::uint64_t triangles = mesh.triangles.size();
  for (int level = 0; level < levels && triangles > 0; ++level) {
    triangles *= 4;
    require(
        triangles <= static_cast<std::uint64_t>(max_triangles),
        Impl::text("{} levels of refinement make more than {} triangles", levels, max_triangles));
  }
  TriangleMesh result = mesh;
  for (int level = 0; level < levels; ++level) result = refine_once(result);
  return result;
}

}  // namespace Tomokkos
