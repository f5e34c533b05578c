// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of runs as input: what they tell, and their configuration, which runs again.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>

namespace Tomokkos {

/// \brief True for the report of a run: a configuration with what came of it.
bool is_report(const ConfigNode& document);

/// \brief Throws `ConfigError` unless \p config, read from the report \p file, puts its results
/// somewhere else than that run did: `output.directory` of \p root must have been given anew, and
/// be another folder than that of the report, links included.
void require_other_folder(const std::string& file, const ConfigNode& root,
                          const RunConfig& config);

/// \brief Adds what a report tells in short: what ran where, how it ended, its main figures.
void add_report_info(const ConfigNode& report, Description& description);

/// \brief True for a checkpoint among the `.npz` files. Throws `InputError` for a damaged archive.
bool is_checkpoint(const std::string& file);

/// \brief Adds solver, iteration, shape and identity of a checkpoint. Throws `InputError`.
void add_checkpoint_info(const std::string& file, Description& description);

}  // namespace Tomokkos
