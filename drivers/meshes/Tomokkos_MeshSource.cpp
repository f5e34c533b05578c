// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_MeshSource.hpp>
#include <algorithm>
#include <cmath>
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
  // A file named by a configuration is reported with its place there.
  std::error_code error;
  const std::string place = prefix_of(config.position);
  if (!place.empty() && !std::filesystem::is_regular_file(config.file, error))
    throw ConfigError(place + "problem.mesh: " + config.file.string() + ": no such file");
  MeshFileContents contents = read_mesh(config.file);
  result.name = config.file.string();
  result.mesh = std::move(contents.mesh);
  result.num_polygons = contents.num_polygons;
  return result;
}

}  // namespace

Ordinal LoadedMesh::num_named_vertices() const {
  return welding ? static_cast<Ordinal>(welding->vertex.size()) : num_vertices(mesh);
}

Ordinal LoadedMesh::named_vertex(Ordinal name) const {
  return welding ? welding->vertex[static_cast<std::size_t>(name)] : name;
}

LoadedMesh load_mesh(const MeshConfig& config) {
  try {
    LoadedMesh result = read_or_generate(config);
    if (config.weld) result.welding = weld_vertices(result.mesh);
    if (config.refine > 0) result.mesh = refine(result.mesh, config.refine);
    if (config.noise > 0) add_noise(result.mesh, config.noise, config.seed);
    check_mesh(result.mesh, result.name);
    result.summary = summarize_mesh(result.mesh);
    return result;
  } catch (const Refused& error) {
    throw ConfigError(prefix_of(config.position) + "problem.mesh: " + error.what());
  }
}

void require_usable_size(const LoadedMesh& loaded, bool single_precision) {
  const double largest = single_precision ? 1e12 : 1e70;
  const BoundingBox box = bounding_box(loaded.mesh);
  double coordinate = 0, extent = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    coordinate = std::max({coordinate, std::abs(box.low[k]), std::abs(box.high[k])});
    extent = std::max(extent, box.high[k] - box.low[k]);
  }
  const std::string range = std::string("; ") + (single_precision ? "in single precision a" : "a") +
                            " mesh must lie between " + describe_number(1 / largest) + " and " +
                            describe_number(largest) + ": choose another unit of length";
  if (coordinate > largest)
    throw InputError(loaded.name + ": the mesh is too large: it has a coordinate of " +
                     describe_number(coordinate) + range);
  if (extent > 0 && extent < 1 / largest)
    throw InputError(loaded.name + ": the mesh is too small: it is only " +
                     describe_number(extent) + " long" + range);
}

std::string describe_welding(const LoadedMesh& loaded) {
  if (!loaded.welding || loaded.welding->joined_vertices == 0) return "";
  const auto counted = [](Ordinal count, const char* one, const char* many) {
    return std::to_string(count) + (count == 1 ? one : many);
  };
  std::string text = counted(loaded.welding->joined_vertices, " vertex was", " vertices were") +
                     " joined to earlier ones at the same place";
  if (loaded.welding->removed_triangles > 0)
    text += ", " +
            counted(loaded.welding->removed_triangles, " triangle without area was",
                    " triangles without area were") +
            " removed";
  return text;
}

Description mesh_description(const LoadedMesh& mesh, const MeshTopology& topology) {
  Description result = Description::map();
  result.set("name", mesh.name);
  result.set("vertices", num_vertices(mesh.mesh));
  result.set("triangles", num_triangles(mesh.mesh));
  result.set("polygons_cut", mesh.num_polygons);
  if (mesh.welding) {
    result.set("joined_vertices", mesh.welding->joined_vertices);
    result.set("removed_triangles", mesh.welding->removed_triangles);
  }
  result.set("coinciding_vertices", mesh.summary.coinciding_vertices);
  result.set("components", topology.num_components);
  result.set("border_loops", mesh.summary.borders);
  if (topology.genus >= 0) result.set("genus", topology.genus);
  return result;
}

}  // namespace Tomokkos
