// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems on meshes. A program built without meshes refuses them.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunOptions.hpp>
#include <string>

namespace Tomokkos {

/// \brief Runs a problem of type parameterization or smoothing, and returns the exit status.
template <class ExecutionSpace, class Scalar>
int run_mesh_problem(const RunConfig& config, const RunOptions& options);

/// \brief Adds vertices, borders and bounding box of a mesh, and the reason if it cannot be
/// flattened.
///
/// \throws InputError
void add_mesh_info(const std::string& file, Description& result);

}  // namespace Tomokkos
