// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of the sections of a configuration, called by `read_run_config` and wherever a single
// section is needed.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos {

inline constexpr long long max_ordinal = std::numeric_limits<Ordinal>::max();

/// \brief Names of the sections of a configuration.
inline std::vector<std::string_view> document_keys() {
  return {"run", "problem", "operator", "solver", "output", "bench"};
}

/// \brief Values of `problem.type`, separated by commas.
inline std::string problem_kinds() {
  std::vector<std::string_view> names;
  for (const auto& [kind, name] : EnumNames<ProblemKind>::names) names.push_back(name);
  return join_names(names);
}

/// \brief Reads one section and checks it against the preceding sections.
///
/// \param scalar default precision; in `read_solver` the precision of the run
RunSection read_run(const ConfigReader& root, const char* scalar = "float");
ProblemSection read_problem(const ConfigReader& root, ProblemKind kind, ConfigUse use);
SolverSection read_solver(const ConfigReader& root, const ProblemSection& problem, ConfigUse use,
                          std::string_view scalar);
OperatorWish read_operator(const ConfigReader& root, const RunSection& run,
                           const ProblemSection& problem, const SolverSection& solver);
OutputSection read_output(const ConfigReader& root, const RunConfig& config,
                          const std::string& name);

/// \brief Refuses keys that have no effect with the chosen storage of a chart's matrix.
void check_chart_form(const ConfigReader& root, const RunConfig& config);

/// \brief Reads a constant or the name of a `.npy` file.
ConstantOrFile read_constant_or_file(const ConfigReader& reader, std::string_view key,
                                     NumberRange range);

/// \brief Reads the section `stencil` of \p parent.
///
/// \throws ConfigError also for more unknowns than a 32-bit index can number
StencilRows read_stencil(const ConfigReader& parent);

/// \brief Name of the ranges of rows that a solver uses, for messages.
inline std::string row_ranges_of(const SolverSection& solver) {
  return solver.kind() == SolverKind::sart ? "the views of sart" : "the subsets (solver.subsets)";
}

/// \brief Reads an angle with or without a unit.
ConfigAngle read_angle(const ConfigNode& node, const std::string& path);

/// \brief True when \p key has the value `auto`.
bool is_auto(const ConfigReader& reader, std::string_view key);

}  // namespace Tomokkos
