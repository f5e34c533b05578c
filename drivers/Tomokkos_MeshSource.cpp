// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshSource.hpp>
#include <typeinfo>
#include <utility>

namespace Tomokkos {

namespace {

LoadedMesh read_or_generate(const MeshConfig& config) {
  LoadedMesh result;
  if (config.file.empty()) {
    result.name = std::string(to_string(config.shape));
    result.mesh = generate_mesh(config.shape, config.size, config.seed);
    return result;
  }
  MeshFileContents contents = read_mesh(config.file);
  result.name = config.file.string();
  result.mesh = std::move(contents.mesh);
  result.num_polygons = contents.num_polygons;
  return result;
}

}  // namespace

LoadedMesh load_mesh(const MeshConfig& config) {
  try {
    LoadedMesh result = read_or_generate(config);
    if (config.refine > 0) result.mesh = refine(result.mesh, config.refine);
    if (config.noise > 0) add_noise(result.mesh, config.noise, config.seed);
    check_mesh(result.mesh, result.name);
    return result;
  } catch (const Error& error) {
    // Files and memory have errors of their own.
    if (typeid(error) != typeid(Error)) throw;
    throw ConfigError(prefix_of(config.position) + "problem.mesh: " + error.what());
  }
}

ConfigNode mesh_node(const LoadedMesh& mesh, const MeshTopology& topology) {
  ConfigNode node = ConfigNode::map();
  node.set("name", ConfigNode::text(mesh.name));
  node.set("vertices", ConfigNode::integer(num_vertices(mesh.mesh)));
  node.set("triangles", ConfigNode::integer(num_triangles(mesh.mesh)));
  node.set("polygons_cut", ConfigNode::integer(mesh.num_polygons));
  node.set("components", ConfigNode::integer(topology.num_components));
  if (topology.is_manifold())
    node.set("border_loops", ConfigNode::integer(topology.border_loops.size()));
  if (topology.genus >= 0) node.set("genus", ConfigNode::integer(topology.genus));
  return node;
}

}  // namespace Tomokkos
