// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on meshes, which a program built without them refuses.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>

namespace Tomokkos {

/// \brief Runs a problem of type parameterization or smoothing, and returns the exit status.
///
/// \param resume goes on from the checkpoint in the output directory
template <class ExecutionSpace, class Scalar>
int run_mesh_problem(const RunConfig& config, bool quiet, bool resume);

/// \brief Adds vertices, borders and the box of a mesh, and what keeps it from being flattened.
/// Throws `InputError`.
void add_mesh_info(const std::string& file, Description& result);

}  // namespace Tomokkos
