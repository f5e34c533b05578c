// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_MeshSummary.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <Tomokkos_ProblemConfig.hpp>
#include <Tomokkos_TriangleMesh.hpp>
#include <Tomokkos_WeldVertices.hpp>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Mesh of a run.
struct LoadedMesh {
  TriangleMesh mesh;
  std::string name;         ///< name for messages: the file, or the generated shape
  Offset num_polygons = 0;  ///< number of faces of the file that were cut into triangles
  MeshSummary summary;
  /// Result of joining the vertices of the file. Empty: not requested.
  std::optional<Welding> welding;

  /// \brief Number of vertices that a configuration may refer to: those of the file if vertices
  /// were joined, otherwise those of the mesh.
  Ordinal num_named_vertices() const;
  /// \brief Vertex of the mesh that a configuration calls \p name, both numbered from 0.
  Ordinal named_vertex(Ordinal name) const;
};

/// \brief Reads or generates the mesh, joins its vertices, refines it, adds noise.
///
/// \throws InputError as `read_mesh`; ConfigError with `problem.mesh` for a file that does not
/// exist and for sizes that no mesh can have; MemoryError
LoadedMesh load_mesh(const MeshConfig& config);

/// \brief Refuses a mesh whose coordinates are so large, or whose extent is so small, that areas
/// and squared lengths overflow or underflow: beyond 1e70 and 1e-70, in single precision 1e12 and
/// 1e-12.
///
/// \throws InputError
void require_usable_size(const LoadedMesh& mesh, bool single_precision);

/// \brief Describes how many vertices were joined and triangles removed; empty if none.
std::string describe_welding(const LoadedMesh& mesh);

/// \brief Describes a mesh: `{name, vertices, triangles, polygons_cut, joined_vertices,
/// removed_triangles, coinciding_vertices, components, border_loops, genus}`. `joined_vertices` and
/// `removed_triangles` only if joining was requested, `genus` only if it is defined.
Description mesh_description(const LoadedMesh& mesh, const MeshTopology& topology);

}  // namespace Tomokkos
