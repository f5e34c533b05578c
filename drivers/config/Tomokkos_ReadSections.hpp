// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readers of the sections of a configuration, called by `read_run_config` and by those who need
// one alone.
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

/// \brief The sections of a configuration.
inline std::vector<std::string_view> document_keys() {
  return {"run", "problem", "operator", "solver", "output", "bench"};
}

/// \brief The values of `problem.type`.
inline std::string problem_kinds() {
  std::vector<std::string_view> names;
  for (const auto& [kind, name] : EnumNames<ProblemKind>::names) names.push_back(name);
  return join_names(names);
}

/// \brief The sections, checked against those before them.
///
/// \param scalar precision by default; in `read_solver` that of the run
RunSection read_run(const ConfigReader& root, const char* scalar = "float");
ProblemSection read_problem(const ConfigReader& root, ProblemKind kind, ConfigUse use);
SolverSection read_solver(const ConfigReader& root, const ProblemSection& problem, ConfigUse use,
                          std::string_view scalar);
OperatorSection read_operator(const ConfigReader& root, const RunSection& run,
                              const ProblemSection& problem, const SolverSection& solver);
OutputSection read_output(const ConfigReader& root, const RunConfig& config,
                          const std::string& name);

/// \brief True for solvers that measure the rule `stop.ncp`.
inline bool measures_ncp(SolverKind kind) {
  return task_of(kind) == SolverTask::least_squares || kind == SolverKind::sirt ||
         kind == SolverKind::art || is_sart(kind);
}

/// \brief True for solvers that measure the rule `stop.monotone_error`.
inline bool measures_monotone_error(const SolverSection& solver) {
  return solver.kind() == SolverKind::sirt && solver.subsets() == 1;
}

/// \brief Refuses what the form of a chart's matrix makes idle.
void check_chart_form(const ConfigReader& root, const RunConfig& config);

/// \brief A number everywhere, or a `.npy` file.
ConstantOrFile read_constant_or_file(const ConfigReader& reader, std::string_view key,
                                     NumberRange range);

/// \brief The section `stencil` of \p parent. Throws `ConfigError` also for more points than an
/// index counts.
StencilRows read_stencil(const ConfigReader& parent);

/// \brief What the ranges of rows of a solver are, in messages.
inline std::string row_ranges_of(const SolverSection& solver) {
  return solver.kind() == SolverKind::sart ? "the views of sart" : "solver.subsets";
}

/// \brief An angle with or without a unit.
ConfigAngle read_angle(const ConfigNode& node, const std::string& path);

/// \brief True when \p key is there and says `auto`.
bool is_auto(const ConfigReader& reader, std::string_view key);

}  // namespace Tomokkos
