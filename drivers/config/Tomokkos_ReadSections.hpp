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

/// \brief `operator.symmetry`, or what says the same: `format: scsr` with `stored_format`.
void read_symmetry(const ConfigReader& reader, const ProblemSection& problem,
                   const SolverSection& solver, OperatorSection& result);

/// \brief Refuses a product by atomics where the bits are to repeat.
void check_repeats(const ConfigReader& reader, const RunSection& run, const char* key,
                   SpmvVariant variant);

/// \brief `operator.transpose`, `transpose_variant` and `transpose_format`, once the format is
/// known.
void read_transpose(const ConfigReader& reader, const RunSection& run, const SolverSection& section,
                    OperatorSection& result);

/// \brief `operator.transpose_format` of scsr, once its format and its transpose are known.
void read_transpose_format(const ConfigReader& reader, const SolverSection& solver,
                           OperatorSection& result);

/// \brief The rest of `operator` for `format: block_circulant`.
void read_circulant_operator(const ConfigReader& reader, const ProblemSection& problem,
                             const SolverSection& solver, OperatorSection& result);

/// \brief What the ranges of rows of a solver are, in messages.
inline std::string row_ranges_of(const SolverSection& solver) {
  return solver.kind() == SolverKind::sart ? "the views of sart" : "solver.subsets";
}

/// \brief The keys of `operator` that belong to block-circulant matrices.
inline std::vector<std::string_view> circulant_keys() { return {"blocks", "circulant_order"}; }

/// \brief `operator` of a block-circulant matrix again.
ConfigNode circulant_operator_node(const OperatorSection& section, SolverKind solver);

/// \brief An angle with or without a unit.
ConfigAngle read_angle(const ConfigNode& node, const std::string& path);

/// \brief True when \p key is there and says `auto`.
bool is_auto(const ConfigReader& reader, std::string_view key);

}  // namespace Tomokkos
