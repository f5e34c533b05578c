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
inline std::string problem_kinds() { return join_names(names_of<ProblemKind>()); }

/// \brief Reads the section `run`.
///
/// \param scalar default precision
RunSection read_run(const ConfigReader& root, const char* scalar = "float");

/// \brief Reads a constant or the name of a `.npy` file.
ConstantOrFile read_constant_or_file(const ConfigNode& node, const std::string& path,
                                     NumberRange range);

/// \brief Reads the section `stencil` of \p parent.
///
/// \throws ConfigError also for more unknowns than a 32-bit index can number
StencilRows read_stencil(const ConfigReader& parent);

/// \brief Reads an angle with or without a unit.
ConfigAngle read_angle(const ConfigNode& node, const std::string& path);

/// \brief True for the word `auto`.
inline bool is_auto(const ConfigNode& node) { return node.is_scalar() && node.scalar() == "auto"; }
inline bool is_auto(const ConfigReader& reader, std::string_view key) {
  return reader.has(key) && is_auto(*reader.find(key));
}

}  // namespace Tomokkos
