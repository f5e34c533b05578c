// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces drivers/meshes in a program built without meshes.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MeshProblems.hpp>

namespace Tomokkos {

namespace {

constexpr const char* reason =
    "this program was built without meshes; build Tomokkos with TOMOKKOS_ENABLE_MESHES=ON";

}  // namespace

void add_mesh_info(const std::string& file, Description&) {
  throw InputError(file + ": " + reason);
}

template <class ExecutionSpace, class Scalar>
int run_mesh_problem(const RunConfig& config, const RunOptions&) {
  throw ConfigError("problem.type: " + std::string(to_string(config.problem.kind)) + ": " + reason);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template int run_mesh_problem<SPACE, SCALAR>(const RunConfig&, const RunOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
