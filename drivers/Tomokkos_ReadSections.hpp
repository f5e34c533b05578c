// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readers of the sections of a configuration, called by `read_run_config` and by those who need
// one alone.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RunConfig.hpp>

namespace Tomokkos {

RunSection read_run(const ConfigReader& root);
ProblemSection read_problem(const ConfigReader& root, ConfigUse use);
SolverSection read_solver(const ConfigReader& root, const ProblemSection& problem, ConfigUse use);

/// \brief True when \p key is there and says `auto`.
bool is_auto(const ConfigReader& reader, std::string_view key);

}  // namespace Tomokkos
