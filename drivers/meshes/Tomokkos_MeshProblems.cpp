// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MeshOutput.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_MeshSource.hpp>
#include <Tomokkos_Parameterization.hpp>
#include <Tomokkos_SmoothingRun.hpp>
#include <cctype>

namespace Tomokkos {

namespace {

/// Reason why a mesh cannot be flattened; null if it can.
Description refusal_description(const LoadedMesh& loaded, const MeshTopology& topology) {
  try {
    check_parameterizable(loaded.mesh, topology, loaded.name);
  } catch (const InputError& error) {
    return Description(error.what());
  }
  return {};
}

}  // namespace

void add_mesh_info(const std::string& file, Description& result) {
  MeshConfig config;
  config.file = file;
  const LoadedMesh loaded = load_mesh(config);
  const MeshTopology topology = mesh_topology(loaded.mesh);
  std::string format = config.file.extension().string().substr(1);
  for (char& c : format) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  result.set("format", format);
  const Description mesh = mesh_description(loaded, topology);
  for (std::size_t i = 0; i < mesh.items().size(); ++i)
    if (mesh.names()[i] != "name") result.set(mesh.names()[i], mesh.items()[i]);
  const BoundingBox box = bounding_box(loaded.mesh);
  result.set("low", box.low);
  result.set("high", box.high);
  result.set("cannot_be_flattened", refusal_description(loaded, topology));
}

template <class ExecutionSpace, class Scalar>
int run_mesh_problem(const RunConfig& config, const RunOptions& options) {
  require_replaceable_meshes(config.problem, config.output);
  if (config.problem.kind == ProblemKind::parameterization)
    return Parameterization<ExecutionSpace, Scalar>(config, options).run();
  return SmoothingRun<ExecutionSpace, Scalar>(config, options).run();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template int run_mesh_problem<SPACE, SCALAR>(const RunConfig&, const RunOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
