// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <algorithm>
#include <impl/Tomokkos_DisjointSets.hpp>
#include <impl/Tomokkos_HalfEdges.hpp>
#include <string>
#include <utility>

namespace Tomokkos {
namespace {

using Impl::from_vertex;
using Impl::HalfEdges;
using Impl::to_vertex;

void find_components(const TriangleMesh& mesh, MeshTopology& topology) {
  Impl::DisjointSets sets(mesh.vertices.size());
  std::vector<bool> referenced(mesh.vertices.size(), false);
  for (const Triangle& triangle : mesh.triangles) {
    sets.unite(triangle[0], triangle[1]);
    sets.unite(triangle[0], triangle[2]);
    for (const Ordinal v : triangle) referenced[static_cast<std::size_t>(v)] = true;
  }
  Offset num_referenced = 0;
  for (Ordinal v = 0; v < topology.num_vertices; ++v) {
    if (!referenced[static_cast<std::size_t>(v)]) {
      if (!topology.unreferenced_vertex) topology.unreferenced_vertex = v;
      continue;
    }
    ++num_referenced;
    if (sets.find(v) == v) ++topology.num_components;
  }
  topology.euler_characteristic = num_referenced - topology.num_edges + topology.num_triangles;
  for (Ordinal t = 0; t < topology.num_triangles && topology.num_components > 1; ++t) {
    if (sets.find(mesh.triangles[static_cast<std::size_t>(t)][0]) ==
        sets.find(mesh.triangles[0][0]))
      continue;
    topology.separate_triangle = t;
    break;
  }
}

/// Finds two triangles with the same corners. They share all their edges.
std::optional<std::array<Ordinal, 2>> find_duplicates(const TriangleMesh& mesh,
                                                      const HalfEdges& half_edges) {
  const auto ordered = [&](std::size_t t) {
    std::array<Ordinal, 3> edges{half_edges.edge[3 * t], half_edges.edge[3 * t + 1],
                                 half_edges.edge[3 * t + 2]};
    std::sort(edges.begin(), edges.end());
    return edges;
  };
  std::vector<std::pair<std::array<Ordinal, 3>, Ordinal>> crowded;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    // Across an edge with two triangles there is only one candidate.
    bool decided = false;
    for (std::size_t k = 0; k < 3 && !decided; ++k) {
      const Ordinal twin = half_edges.twin[3 * t + k];
      decided = twin != HalfEdges::not_manifold;
      if (twin < 0 || ordered(static_cast<std::size_t>(twin / 3)) != ordered(t)) continue;
      return std::array<Ordinal, 2>{static_cast<Ordinal>(t), twin / 3};
    }
    if (!decided) crowded.emplace_back(ordered(t), static_cast<Ordinal>(t));
  }
  std::sort(crowded.begin(), crowded.end());
  for (std::size_t k = 1; k < crowded.size(); ++k) {
    if (crowded[k].first == crowded[k - 1].first)
      return std::array<Ordinal, 2>{crowded[k - 1].second, crowded[k].second};
  }
  return std::nullopt;
}

/// Finds vertices with several fans, by joining the corners at a vertex over its edges.
void find_fans(const TriangleMesh& mesh, const HalfEdges& half_edges, MeshTopology& topology) {
  Impl::DisjointSets corners(half_edges.twin.size());
  const auto num_half_edges = static_cast<Ordinal>(half_edges.twin.size());
  for (Ordinal h = 0; h < num_half_edges; ++h) {
    const Ordinal twin = half_edges.twin[static_cast<std::size_t>(h)];
    if (twin < h) continue;
    const bool same_sense = from_vertex(mesh, h) == from_vertex(mesh, twin);
    corners.unite(h, same_sense ? twin : Impl::next_half_edge(twin));
    corners.unite(Impl::next_half_edge(h), same_sense ? Impl::next_half_edge(twin) : twin);
  }
  std::vector<bool> has_fan(mesh.vertices.size(), false);
  for (Ordinal h = 0; h < num_half_edges; ++h) {
    if (corners.find(h) != h) continue;
    const Ordinal v = from_vertex(mesh, h);
    if (has_fan[static_cast<std::size_t>(v)] &&
        (!topology.non_manifold_vertex || v < *topology.non_manifold_vertex))
      topology.non_manifold_vertex = v;
    has_fan[static_cast<std::size_t>(v)] = true;
  }
}

/// Traces the borders. In a manifold, every border vertex has two neighbours on the border.
void trace_borders(const TriangleMesh& mesh, const HalfEdges& half_edges, MeshTopology& topology) {
  constexpr Ordinal none = -1;
  // Next and previous vertex along the half-edges if triangles are consistently oriented; otherwise
  // in any order.
  std::vector<std::array<Ordinal, 2>> neighbours(mesh.vertices.size(), {none, none});
  const auto add = [&](Ordinal v, std::size_t slot, Ordinal neighbour) {
    auto& slots = neighbours[static_cast<std::size_t>(v)];
    slots[slots[slot] == none ? slot : 1 - slot] = neighbour;
  };
  const auto num_half_edges = static_cast<Ordinal>(half_edges.twin.size());
  for (Ordinal h = 0; h < num_half_edges; ++h) {
    if (half_edges.twin[static_cast<std::size_t>(h)] != HalfEdges::at_border) continue;
    add(from_vertex(mesh, h), 0, to_vertex(mesh, h));
    add(to_vertex(mesh, h), 1, from_vertex(mesh, h));
  }
  for (Ordinal first = 0; first < topology.num_vertices; ++first) {
    if (neighbours[static_cast<std::size_t>(first)][0] == none) continue;
    std::vector<Ordinal> loop;
    Ordinal previous = neighbours[static_cast<std::size_t>(first)][1];
    for (Ordinal v = first; v != none;) {
      auto& slots = neighbours[static_cast<std::size_t>(v)];
      if (slots[0] == none) break;
      const Ordinal next = slots[slots[0] == previous ? 1 : 0];
      slots = {none, none};
      loop.push_back(v);
      previous = v;
      v = next;
    }
    topology.border_loops.push_back(std::move(loop));
  }
}

}  // namespace

MeshTopology mesh_topology(const TriangleMesh& mesh) {
  MeshTopology topology;
  topology.num_vertices = num_vertices(mesh);
  topology.num_triangles = num_triangles(mesh);
  const HalfEdges half_edges = Impl::make_half_edges(mesh);
  topology.num_edges = half_edges.num_edges;
  topology.non_manifold_edge = half_edges.edge_of_three_sides;
  find_components(mesh, topology);
  topology.duplicate_triangles = find_duplicates(mesh, half_edges);
  const Impl::Orientation orientation = Impl::find_orientation(mesh, half_edges);
  topology.disagreeing_triangles = orientation.disagreeing;
  topology.one_sided_triangles = orientation.one_sided;
  if (topology.non_manifold_edge) return topology;
  find_fans(mesh, half_edges, topology);
  if (topology.non_manifold_vertex) return topology;
  trace_borders(mesh, half_edges, topology);
  if (!topology.one_sided_triangles) {
    const auto borders = static_cast<Offset>(topology.border_loops.size());
    topology.genus =
        (2 * Offset{topology.num_components} - borders - topology.euler_characteristic) / 2;
  }
  return topology;
}

Ordinal orient(TriangleMesh& mesh, std::string_view name) {
  const HalfEdges half_edges = Impl::make_half_edges(mesh);
  const auto pair = [](const std::array<Ordinal, 2>& two) {
    return Impl::text("{} and {}", two[0] + 1, two[1] + 1);
  };
  // A repeated face also causes non-manifold edges, so it is reported first as the actual cause.
  if (const auto duplicates = find_duplicates(mesh, half_edges))
    throw InputError(std::string(name) + ": duplicate face: the triangles " + pair(*duplicates) +
                     " have the same corners; remove one of them");
  if (half_edges.edge_of_three_sides)
    throw InputError(std::string(name) +
                     ": non-manifold edge: more than two faces meet at the edge "
                     "between the vertices " +
                     pair(*half_edges.edge_of_three_sides));
  const Impl::Orientation orientation = Impl::find_orientation(mesh, half_edges);
  if (orientation.one_sided)
    throw InputError(std::string(name) + ": not orientable: the triangles " +
                     pair(*orientation.one_sided) + " disagree in every orientation");
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (orientation.turned[t] == 1) std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
  }
  return orientation.num_turned;
}

}  // namespace Tomokkos
