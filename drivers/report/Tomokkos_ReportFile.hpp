// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading reports and checkpoints of runs: their summary, and the configuration to run again.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief True if \p document is the report of a run.
bool is_report(const ConfigNode& document);

/// \brief Kind of a report, which may replace another report.
extern const OutputKind report_output;

/// \brief Names of the files that a report lists; none if it cannot be read.
std::vector<std::string> files_of_report(const std::filesystem::path& report);

/// \brief Checks that the folder \p results of a configuration \p root, read from the report \p
/// file, does not overwrite the results of that run. `output.directory` must have been given again
/// and differ from the folder of the report, also through links.
///
/// \throws ConfigError otherwise
void require_other_folder(const std::string& file, const ConfigNode& root,
                          const std::filesystem::path& results);

/// \brief Adds a summary of a report: solver, machine, result and main figures.
void add_report_info(const ConfigNode& report, Description& description);

/// \brief Adds solver, iteration, shape and identity of a checkpoint.
///
/// \throws InputError
void add_checkpoint_info(const std::string& file, Description& description);

}  // namespace Tomokkos
