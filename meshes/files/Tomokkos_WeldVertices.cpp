// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_WeldVertices.hpp>
#include <bit>
#include <cstdint>

namespace Tomokkos {
namespace {

std::uint64_t hash_of(const Point3& p) {
  std::uint64_t hash = 0;
  for (const double x : p) {
    // Adding 0 turns -0 into 0. The multiplications mix all bits (splitmix64).
    hash = (hash ^ std::bit_cast<std::uint64_t>(x + 0.0)) + 0x9e3779b97f4a7c15U;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
    hash ^= hash >> 31;
  }
  return hash;
}

}  // namespace

std::vector<Ordinal> first_coinciding_vertices(const TriangleMesh& mesh) {
  constexpr Ordinal none = -1;
  const std::size_t n = mesh.vertices.size();
  std::vector<Ordinal> first(n);
  // Hash table with linear probing, at most half full.
  const std::size_t size = std::bit_ceil(2 * n + 1);
  std::vector<Ordinal> table(size, none);
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t place = hash_of(mesh.vertices[v]) & (size - 1);
    while (table[place] != none &&
           mesh.vertices[static_cast<std::size_t>(table[place])] != mesh.vertices[v])
      place = (place + 1) & (size - 1);
    if (table[place] == none) table[place] = static_cast<Ordinal>(v);
    first[v] = table[place];
  }
  return first;
}

Welding weld_vertices(TriangleMesh& mesh) {
  Welding result;
  result.vertex = first_coinciding_vertices(mesh);
  std::size_t kept = 0;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const auto first = static_cast<std::size_t>(result.vertex[v]);
    if (first != v) {
      // Earlier vertices already have their new numbers.
      result.vertex[v] = result.vertex[first];
      ++result.joined_vertices;
      continue;
    }
    mesh.vertices[kept] = mesh.vertices[v];
    result.vertex[v] = static_cast<Ordinal>(kept++);
  }
  mesh.vertices.resize(kept);
  std::size_t left = 0;
  for (Triangle t : mesh.triangles) {
    for (Ordinal& v : t) v = result.vertex[static_cast<std::size_t>(v)];
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles[left++] = t;
  }
  result.removed_triangles = static_cast<Ordinal>(mesh.triangles.size() - left);
  mesh.triangles.resize(left);
  return result;
}

}  // namespace Tomokkos
