// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_MeshConfig.hpp>
#include <Tomokkos_MeshSummary.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <Tomokkos_TriangleMesh.hpp>
#include <Tomokkos_WeldVertices.hpp>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief The mesh of a run.
struct LoadedMesh {
  TriangleMesh mesh;
  std::string name;         ///< for messages: the file, or what was generated
  Offset num_polygons = 0;  ///< faces of the file that were cut into triangles
  MeshSummary summary;
  /// What joining the vertices of the file did, where the configuration asks for it.
  std::optional<Welding> welding;

  /// \brief Vertices whose numbers a configuration may name: those of the file, if they were
  /// joined, else those of the mesh.
  Ordinal num_named_vertices() const;
  /// \brief The vertex of the mesh that a configuration calls \p name, both from 0.
  Ordinal named_vertex(Ordinal name) const;
};

/// \brief Reads or generates the mesh, joins its vertices, refines it, adds noise.
///
/// \throw InputError as `read_mesh` does, ConfigError with `problem.mesh` for sizes that no mesh
/// can have, MemoryError.
LoadedMesh load_mesh(const MeshConfig& config);

/// \brief Throws `InputError` for a mesh whose coordinates are so large, or whose extent is so
/// small, that areas and squares of lengths leave the range of numbers: beyond 1e70 and 1e-70, in
/// single precision 1e12 and 1e-12.
void require_usable_size(const LoadedMesh& mesh, bool single_precision);

/// \brief Says how many vertices were joined, and how many triangles removed; empty where none.
std::string describe_welding(const LoadedMesh& mesh);

/// \brief `{name, vertices, triangles, polygons_cut, joined_vertices, removed_triangles,
/// coinciding_vertices, components, border_loops, genus}`; what was joined and removed only where
/// the configuration asks for it, the genus where it has a meaning.
Description mesh_description(const LoadedMesh& mesh, const MeshTopology& topology);

}  // namespace Tomokkos
