// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MeshSummary.hpp>
#include <Tomokkos_Text.hpp>
#include <Tomokkos_WeldVertices.hpp>
#include <impl/Tomokkos_DisjointSets.hpp>
#include <impl/Tomokkos_HalfEdges.hpp>
#include <vector>

namespace Tomokkos {
namespace {

/// Sets of vertices. Vertices that belong to no set are not counted.
class Pieces {
 public:
  explicit Pieces(std::size_t num_vertices) : sets_(num_vertices), member_(num_vertices, false) {}

  void connect(Ordinal v, Ordinal w) {
    sets_.unite(v, w);
    member_[static_cast<std::size_t>(v)] = member_[static_cast<std::size_t>(w)] = true;
  }

  Ordinal count() {
    Ordinal result = 0;
    for (std::size_t v = 0; v < member_.size(); ++v)
      if (member_[v] && sets_.find(static_cast<Ordinal>(v)) == static_cast<Ordinal>(v)) ++result;
    return result;
  }

 private:
  Impl::DisjointSets sets_;
  std::vector<bool> member_;
};

std::string counted(Ordinal count, const char* one, const char* many) {
  return Impl::text("{} {}", count, count == 1 ? one : many);
}

}  // namespace

MeshSummary summarize_mesh(const TriangleMesh& mesh) {
  MeshSummary summary;
  summary.vertices = num_vertices(mesh);
  summary.triangles = num_triangles(mesh);
  Pieces components(mesh.vertices.size());
  for (const Triangle& t : mesh.triangles) {
    components.connect(t[0], t[1]);
    components.connect(t[0], t[2]);
  }
  summary.components = components.count();
  const Impl::HalfEdges half_edges = Impl::make_half_edges(mesh);
  Pieces borders(mesh.vertices.size());
  for (Ordinal h = 0; h < static_cast<Ordinal>(half_edges.twin.size()); ++h)
    if (half_edges.twin[static_cast<std::size_t>(h)] == Impl::HalfEdges::at_border)
      borders.connect(Impl::from_vertex(mesh, h), Impl::to_vertex(mesh, h));
  summary.borders = borders.count();
  const std::vector<Ordinal> first = first_coinciding_vertices(mesh);
  for (std::size_t v = 0; v < first.size(); ++v)
    if (first[v] != static_cast<Ordinal>(v)) ++summary.coinciding_vertices;
  return summary;
}

std::string weld_hint(Ordinal coinciding_vertices) {
  if (coinciding_vertices == 0) return "";
  return ". " + counted(coinciding_vertices, "vertex has", "vertices have") +
         " exactly the position of an earlier one; problem.mesh: {file: NAME, weld: true} merges "
         "them, "
         "which may connect the pieces";
}

std::string describe_mesh(const MeshSummary& summary) {
  std::string text = counted(summary.vertices, "vertex", "vertices") + ", " +
                     counted(summary.triangles, "triangle", "triangles") + ", " +
                     counted(summary.components, "component", "components") + ", " +
                     counted(summary.borders, "border", "borders");
  if (summary.coinciding_vertices > 0)
    text += ", " + counted(summary.coinciding_vertices, "vertex coincides", "vertices coincide") +
            " with an earlier one";
  return text;
}

}  // namespace Tomokkos
