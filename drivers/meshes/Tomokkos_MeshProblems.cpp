// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_MeshSource.hpp>
#include <Tomokkos_Parameterization.hpp>
#include <Tomokkos_SmoothingRun.hpp>
#include <cctype>
#include <utility>

namespace Tomokkos {

namespace {

/// The reason why a mesh cannot be flattened; null where it can.
ConfigNode refusal_node(const LoadedMesh& loaded, const MeshTopology& topology) {
  try {
    check_parameterizable(loaded.mesh, topology, loaded.name);
  } catch (const InputError& error) {
    return ConfigNode::text(error.what());
  }
  return {};
}

}  // namespace

void add_mesh_info(const std::string& file, ConfigNode& node) {
  MeshConfig config;
  config.file = file;
  const LoadedMesh loaded = load_mesh(config);
  const MeshTopology topology = mesh_topology(loaded.mesh);
  std::string format = config.file.extension().string().substr(1);
  for (char& c : format) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  node.set("format", ConfigNode::text(format));
  const ConfigNode mesh = mesh_node(loaded, topology);
  for (const auto& entry : mesh.entries())
    if (entry.key != "name") node.set(entry.key, entry.value);
  const BoundingBox box = bounding_box(loaded.mesh);
  node.set("low", ConfigNode::numbers(box.low));
  node.set("high", ConfigNode::numbers(box.high));
  node.set("cannot_be_flattened", refusal_node(loaded, topology));
}

template <class ExecutionSpace, class Scalar>
int run_mesh_problem(const RunConfig& config, bool quiet, bool resume) {
  if (config.problem.kind == ProblemKind::parameterization)
    return Parameterization<ExecutionSpace, Scalar>(config, quiet, resume).run();
  return SmoothingRun<ExecutionSpace, Scalar>(config, quiet, resume).run();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template int run_mesh_problem<SPACE, SCALAR>(const RunConfig&, bool, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
