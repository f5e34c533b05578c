// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_MeshSource.hpp>
#include <Tomokkos_VertexLocks.hpp>
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

/// Pins of the configuration, or the farthest pair of vertices on the longest border.
ChartPins choose_pins(const LoadedMesh& loaded, const std::optional<PinsConfig>& chosen) {
  const TriangleMesh& mesh = loaded.mesh;
  if (!chosen) return place_pins(mesh, pins(mesh, loaded.topology));
  const auto refuse = [&](const std::string& message) {
    throw ConfigError(prefix_of(chosen->position) + "problem.pins: " + loaded.name + message);
  };
  std::array<Ordinal, 2> vertices = chosen->vertices;
  for (Ordinal& vertex : vertices) {
    if (vertex >= loaded.num_named_vertices())
      refuse(" has the vertices 1 to " + std::to_string(loaded.num_named_vertices()) +
             ", but not " + std::to_string(vertex + 1LL));
    vertex = loaded.named_vertex(vertex);
  }
  ChartPins result = place_pins(mesh, vertices);
  if (result.positions[0] == result.positions[1]) refuse(" has both vertices at the same point");
  if (chosen->positions) result.positions = *chosen->positions;
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

LoadedMesh load_chart_mesh(const ProblemSection& problem, bool single_precision) {
  LoadedMesh result = load_mesh(*problem.mesh);
  require_usable_size(result, single_precision);
  result.turned = orient(result.mesh, result.name);
  result.topology = check_parameterizable(result.mesh, result.name);
  result.pins = choose_pins(result, problem.pins);
  return result;
}

LoadedMesh load_smoothing_mesh(const ProblemSection& problem) {
  LoadedMesh result = load_mesh(*problem.mesh);
  result.topology = mesh_topology(result.mesh);
  result.rings = vertex_rings(result.mesh);
  return result;
}

std::vector<char> choose_locks(const LocksConfig& locks, std::uint64_t seed,
                               const LoadedMesh& loaded) {
  const Ordinal n = num_vertices(loaded.mesh);
  std::vector<char> result;
  switch (locks.rule) {
    case LockRule::share:
      result = lock_share(n, locks.share, seed);
      break;
    case LockRule::border:
      result = lock_border(loaded.mesh);
      if (num_locked(result) == 0)
        throw ConfigError(prefix_of(locks.position) + "problem.locked: border: " + loaded.name +
                          " is closed and has no border");
      break;
    case LockRule::file: {
      const std::vector<char> named = read_locks(locks.file, loaded.num_named_vertices());
      result.assign(static_cast<std::size_t>(n), 0);
      for (std::size_t v = 0; v < named.size(); ++v)
        if (named[v] != 0)
          result[static_cast<std::size_t>(loaded.named_vertex(static_cast<Ordinal>(v)))] = 1;
      break;
    }
  }
  check_locks(loaded.rings, result, loaded.name, loaded.summary.coinciding_vertices);
  return result;
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

Description mesh_description(const LoadedMesh& mesh) {
  Description result = describe_map({{"name", mesh.name},
                                     {"vertices", num_vertices(mesh.mesh)},
                                     {"triangles", num_triangles(mesh.mesh)},
                                     {"polygons_cut", mesh.num_polygons}});
  if (mesh.welding) {
    result.set("joined_vertices", mesh.welding->joined_vertices);
    result.set("removed_triangles", mesh.welding->removed_triangles);
  }
  result.set("coinciding_vertices", mesh.summary.coinciding_vertices);
  result.set("components", mesh.topology.num_components);
  result.set("border_loops", mesh.summary.borders);
  if (mesh.topology.genus >= 0) result.set("genus", mesh.topology.genus);
  return result;
}

}  // namespace Tomokkos
