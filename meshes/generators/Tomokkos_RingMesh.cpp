// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_Philox.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_GeneratedMesh.hpp>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace Tomokkos {
namespace Impl {

void check_mesh_size(const MeshSize& size) {
  require((size.vertices == 0) != (size.triangles == 0),
          "the size of a mesh must be either a number of vertices or a number of triangles");
  require(size.triangles == 0 || size.triangles >= 2, "a mesh needs at least 2 triangles");
  require(size.vertices == 0 || size.vertices >= 4, "a mesh needs at least 4 vertices");
  if (std::max(size.triangles, size.vertices) > max_triangles)
    throw Refused(Impl::text("a mesh of {}{}; at most {} triangles are possible",
                             std::max(size.triangles, size.vertices),
                             size.triangles > 0 ? " triangles" : " vertices", max_triangles));
}

TriangleMesh reserve_generated(Offset num_vertices, Offset num_triangles) {
  if (num_triangles > max_triangles || num_vertices > std::numeric_limits<Ordinal>::max())
    throw Refused(Impl::text("a mesh of {} triangles; at most {} are possible", num_triangles,
                             max_triangles));
  MemoryNeed()
      .add(static_cast<std::uint64_t>(num_vertices), sizeof(Point3))
      .add(static_cast<std::uint64_t>(num_triangles), sizeof(Triangle))
      .require_available(Impl::text("making a mesh of {} triangles", num_triangles));
  TriangleMesh mesh;
  mesh.vertices.reserve(static_cast<std::size_t>(num_vertices));
  mesh.triangles.reserve(static_cast<std::size_t>(num_triangles));
  return mesh;
}

}  // namespace Impl

namespace {

/// Vertices on rings around a pole. Ring k has about k times as many vertices as the first one.
struct Rings {
  Offset count;
  double growth;

  Offset size(Offset ring) const {
    return std::max<Offset>(3, std::llround(growth * static_cast<double>(ring)));
  }
};

Rings make_rings(const MeshSize& size) {
  Impl::check_mesh_size(size);
  // count rings hold growth count (count + 1) / 2 vertices and growth count^2 triangles. With six
  // additional vertices on each ring, triangles are nearly equilateral.
  const bool by_vertices = size.vertices > 0;
  const auto items = static_cast<double>(by_vertices ? size.vertices - 1 : size.triangles);
  const Offset count =
      std::max<Offset>(1, std::llround(std::sqrt(items / (by_vertices ? 3.0 : 6.0))));
  const auto n = static_cast<double>(count);
  return {count, items / (by_vertices ? 0.5 * n * (n + 1) : n * n)};
}

/// Appends the vertices of ring \p k and their angles (ascending, within one turn).
template <class Place>
void add_ring(const Rings& rings, Offset k, std::uint64_t seed, const Place& place,
              TriangleMesh& mesh, std::vector<double>& angles) {
  const Offset size = rings.size(k);
  const double step = 2 * std::numbers::pi / static_cast<double>(size);
  // Rings are rotated against each other, by less than would distort the first triangles.
  const double phase =
      0.5 * CounterRandom(seed, Impl::shape_draws + static_cast<std::uint64_t>(k)).uniform();
  angles.clear();
  for (Offset i = 0; i < size; ++i) {
    double radius = static_cast<double>(k), column = static_cast<double>(i) + phase;
    if (k < rings.count) {
      CounterRandom random(seed, Impl::vertex_draws + mesh.vertices.size());
      radius += 0.3 * (random.uniform() - 0.5);
      column += 0.3 * (random.uniform() - 0.5);
    }
    angles.push_back(step * column);
    mesh.vertices.push_back(place(radius / static_cast<double>(rings.count), angles.back()));
  }
}

/// Creates the triangles between two rings, always advancing to the vertex with the smaller angle.
void zip(const std::vector<double>& inner, Ordinal inner_begin, const std::vector<double>& outer,
         Ordinal outer_begin, TriangleMesh& mesh) {
  const auto at = [](const std::vector<double>& ring, std::size_t i) {
    return ring[i % ring.size()] + (i < ring.size() ? 0.0 : 2 * std::numbers::pi);
  };
  const auto vertex = [](const std::vector<double>& ring, Ordinal begin, std::size_t i) {
    return begin + static_cast<Ordinal>(i % ring.size());
  };
  for (std::size_t i = 0, j = 0; i < inner.size() || j < outer.size();) {
    const Ordinal p = vertex(inner, inner_begin, i), q = vertex(outer, outer_begin, j);
    const bool on_outer =
        j < outer.size() && (i == inner.size() || at(outer, j + 1) <= at(inner, i + 1));
    if (on_outer) {
      mesh.triangles.push_back({p, q, vertex(outer, outer_begin, ++j)});
    } else {
      mesh.triangles.push_back({p, q, vertex(inner, inner_begin, ++i)});
    }
  }
}

template <class Place>
TriangleMesh make_ring_mesh(const MeshSize& size, std::uint64_t seed, const Place& place) {
  const Rings rings = make_rings(size);
  Offset num_vertices = 1, num_triangles = rings.size(1);
  for (Offset k = 1; k <= rings.count; ++k) {
    num_vertices += rings.size(k);
    if (k < rings.count) num_triangles += rings.size(k) + rings.size(k + 1);
  }
  TriangleMesh mesh = Impl::reserve_generated(num_vertices, num_triangles);
  mesh.vertices.push_back(place(0, 0));
  std::vector<double> angles, inner;
  Ordinal inner_begin = 0;
  for (Offset k = 1; k <= rings.count; ++k) {
    const auto begin = static_cast<Ordinal>(mesh.vertices.size());
    add_ring(rings, k, seed, place, mesh, angles);
    if (k == 1) {
      const auto length = static_cast<Ordinal>(angles.size());
      for (Ordinal i = 0; i < length; ++i)
        mesh.triangles.push_back({0, begin + i, begin + (i + 1) % length});
    } else {
      zip(inner, inner_begin, angles, begin, mesh);
    }
    inner.swap(angles);
    inner_begin = begin;
  }
  return mesh;
}

}  // namespace

TriangleMesh cap(const MeshSize& size, std::uint64_t seed, double half_angle) {
  require(half_angle > 0 && half_angle <= 175,
          "the half angle of a cap must be positive and at most 175 degrees");
  return make_ring_mesh(size, seed, [&](double radius, double azimuth) {
    const double polar = radius * half_angle * std::numbers::pi / 180;
    return Point3{std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth),
                  std::cos(polar)};
  });
}

TriangleMesh disk(const MeshSize& size, std::uint64_t seed) {
  return make_ring_mesh(size, seed, [](double radius, double azimuth) {
    return Point3{radius * std::cos(azimuth), radius * std::sin(azimuth), 0};
  });
}

}  // namespace Tomokkos
