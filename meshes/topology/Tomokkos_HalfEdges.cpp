// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <impl/Tomokkos_HalfEdges.hpp>
#include <utility>

namespace Tomokkos::Impl {
namespace {

/// Half-edge in the bucket of its lower end.
struct Side {
  Ordinal higher_end;
  Ordinal half_edge;
  bool operator<(const Side& other) const {
    return std::pair(higher_end, half_edge) < std::pair(other.higher_end, other.half_edge);
  }
};

void join(const std::vector<Side>& sides, std::size_t begin, std::size_t end, Ordinal lower_end,
          HalfEdges& result) {
  for (std::size_t k = begin; k < end; ++k) {
    const auto h = static_cast<std::size_t>(sides[k].half_edge);
    result.edge[h] = result.num_edges;
    if (end - begin == 1) result.twin[h] = HalfEdges::at_border;
    if (end - begin == 2) result.twin[h] = sides[begin + end - 1 - k].half_edge;
    if (end - begin > 2) result.twin[h] = HalfEdges::not_manifold;
  }
  if (end - begin > 2 && !result.edge_of_three_sides)
    result.edge_of_three_sides = {lower_end, sides[begin].higher_end};
  ++result.num_edges;
}

}  // namespace

HalfEdges make_half_edges(const TriangleMesh& mesh) {
  const auto num_half_edges = static_cast<Ordinal>(3 * mesh.triangles.size());
  const auto lower_end = [&](Ordinal h) {
    return static_cast<std::size_t>(std::min(from_vertex(mesh, h), to_vertex(mesh, h)));
  };
  // Sorts by the lower ends into buckets, which are short and therefore cheap to sort.
  std::vector<Ordinal> starts(mesh.vertices.size() + 1, 0);
  for (Ordinal h = 0; h < num_half_edges; ++h) ++starts[lower_end(h) + 1];
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) starts[v + 1] += starts[v];
  std::vector<Side> sides(static_cast<std::size_t>(num_half_edges));
  {
    std::vector<Ordinal> next(starts.begin(), starts.end() - 1);
    for (Ordinal h = 0; h < num_half_edges; ++h) {
      const Ordinal higher_end = std::max(from_vertex(mesh, h), to_vertex(mesh, h));
      sides[static_cast<std::size_t>(next[lower_end(h)]++)] = {higher_end, h};
    }
  }
  HalfEdges result;
  result.edge.resize(sides.size());
  result.twin.resize(sides.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const auto begin = static_cast<std::size_t>(starts[v]);
    const auto end = static_cast<std::size_t>(starts[v + 1]);
    std::sort(sides.begin() + starts[v], sides.begin() + starts[v + 1]);
    for (std::size_t k = begin; k < end;) {
      std::size_t stop = k + 1;
      while (stop < end && sides[stop].higher_end == sides[k].higher_end) ++stop;
      join(sides, k, stop, static_cast<Ordinal>(v), result);
      k = stop;
    }
  }
  return result;
}

Orientation find_orientation(const TriangleMesh& mesh, const HalfEdges& half_edges) {
  constexpr signed char unknown = -1;
  Orientation result;
  result.turned.assign(mesh.triangles.size(), unknown);
  std::vector<Ordinal> reached;
  for (Ordinal first = 0; first < num_triangles(mesh); ++first) {
    if (result.turned[static_cast<std::size_t>(first)] != unknown) continue;
    // Component: all triangles reachable from its first one over edges with two triangles.
    reached.assign(1, first);
    result.turned[static_cast<std::size_t>(first)] = 0;
    Ordinal num_turned = 0;
    for (std::size_t done = 0; done < reached.size(); ++done) {
      const Ordinal t = reached[done];
      const signed char turned = result.turned[static_cast<std::size_t>(t)];
      num_turned += turned;
      for (Ordinal h = 3 * t; h < 3 * t + 3; ++h) {
        const Ordinal twin = half_edges.twin[static_cast<std::size_t>(h)];
        if (twin < 0) continue;
        const Ordinal neighbour = twin / 3;
        const bool agrees = from_vertex(mesh, h) != from_vertex(mesh, twin);
        if (!agrees && !result.disagreeing) result.disagreeing = {t, neighbour};
        const auto needed = static_cast<signed char>(agrees ? turned : 1 - turned);
        signed char& other = result.turned[static_cast<std::size_t>(neighbour)];
        if (other == unknown) {
          other = needed;
          reached.push_back(neighbour);
        } else if (other != needed && !result.one_sided) {
          result.one_sided = {t, neighbour};
        }
      }
    }
    const auto size = static_cast<Ordinal>(reached.size());
    const bool most_turned = num_turned > size - num_turned;
    result.num_turned += most_turned ? size - num_turned : num_turned;
    if (!most_turned) continue;
    for (const Ordinal t : reached) {
      signed char& turned = result.turned[static_cast<std::size_t>(t)];
      turned = static_cast<signed char>(1 - turned);
    }
  }
  return result;
}

}  // namespace Tomokkos::Impl
