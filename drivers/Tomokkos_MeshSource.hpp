// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MeshConfig.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <Tomokkos_TriangleMesh.hpp>
#include <string>

namespace Tomokkos {

/// \brief The mesh of a run.
struct LoadedMesh {
  TriangleMesh mesh;
  std::string name;         ///< for messages: the file, or what was generated
  Offset num_polygons = 0;  ///< faces of the file that were cut into triangles
};

/// \brief Reads or generates the mesh, refines it, adds noise.
///
/// \throw InputError as `read_mesh` does, ConfigError with `problem.mesh` for sizes that no mesh
/// can have, MemoryError.
LoadedMesh load_mesh(const MeshConfig& config);

/// \brief `{name, vertices, triangles, polygons_cut, components, border_loops, genus}`; the last
/// two are left out where they have no meaning.
ConfigNode mesh_node(const LoadedMesh& mesh, const MeshTopology& topology);

}  // namespace Tomokkos
