// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_Lscm.hpp>
#include <Tomokkos_MeshSummary.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <Tomokkos_ProblemConfig.hpp>
#include <Tomokkos_VertexRings.hpp>
#include <Tomokkos_WeldVertices.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Mesh of a run.
struct LoadedMesh {
  TriangleMesh mesh;
  std::string name;         ///< name for messages: the file, or the generated shape
  Offset num_polygons = 0;  ///< number of faces of the file that were cut into triangles
  MeshSummary summary;
  /// Result of joining the vertices of the file. Empty: not requested.
  std::optional<Welding> welding;
  MeshTopology topology;  ///< set by `load_chart_mesh` and `load_smoothing_mesh`

  Ordinal turned = 0;        ///< of a chart: number of triangles that were turned over
  ChartPins pins{};          ///< of a chart
  VertexRings rings;         ///< of a smoothing
  std::vector<char> locked;  ///< of a smoothing: nonzero for fixed vertices; see `choose_locks`

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

/// \brief Loads the mesh of a chart, gives its triangles one orientation and chooses the pins.
///
/// \throws InputError for a mesh that cannot be flattened; ConfigError for pins that it does not
/// have; the errors of `load_mesh` and `require_usable_size`
LoadedMesh load_chart_mesh(const ProblemSection& problem, bool single_precision);

/// \brief Loads the mesh of a smoothing with its topology and its rings.
///
/// \throws the errors of `load_mesh`
LoadedMesh load_smoothing_mesh(const ProblemSection& problem);

/// \brief Selects the vertices that a smoothing of \p loaded keeps fixed. \p seed draws a share of
/// them.
///
/// \throws ConfigError if there is no border to fix; InputError as `check_locks` and `read_locks`
std::vector<char> choose_locks(const LocksConfig& locks, std::uint64_t seed,
                               const LoadedMesh& loaded);

/// \brief Refuses a mesh whose coordinates are so large, or whose extent is so small, that areas
/// and squared lengths overflow or underflow: beyond 1e70 and 1e-70, in single precision 1e12 and
/// 1e-12.
///
/// \throws InputError
void require_usable_size(const LoadedMesh& mesh, bool single_precision);

/// \brief Describes a mesh: `{name, vertices, triangles, polygons_cut, joined_vertices,
/// removed_triangles, coinciding_vertices, components, border_loops, genus}`. `joined_vertices` and
/// `removed_triangles` only if joining was requested, `genus` only if it is defined.
Description mesh_description(const LoadedMesh& mesh);

}  // namespace Tomokkos
