// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readers of the sections of a configuration, called by `read_run_config` and by those who need
// one alone.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief The sections of a configuration.
inline std::vector<std::string_view> document_keys() {
  return {"run", "problem", "operator", "solver", "output", "bench"};
}

/// \brief The keys of `run`.
inline std::vector<std::string_view> run_keys() {
  return {"backend", "scalar", "threads", "seed", "deterministic"};
}

RunSection read_run(const ConfigReader& root);
ProblemSection read_problem(const ConfigReader& root, ConfigUse use);
SolverSection read_solver(const ConfigReader& root, const ProblemSection& problem, ConfigUse use);

/// \brief `problem` and `solver` of `problem.type: linear_system`.
ProblemSection read_linear_system(const ConfigReader& root, ConfigUse use);
SolverSection read_linear_solver(const ConfigReader& root);

/// \brief A number everywhere, or a `.npy` file.
ConstantOrFile read_constant_or_file(const ConfigReader& reader, std::string_view key,
                                     NumberRange range);

/// \brief True when \p key is there and says `auto`.
bool is_auto(const ConfigReader& reader, std::string_view key);

}  // namespace Tomokkos
