// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands of the program. Each stores its exit status in \p exit_status.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace Tomokkos {

void add_run_command(CLI::App& app, int& exit_status);
void add_compare_command(CLI::App& app, int& exit_status);
void add_convert_command(CLI::App& app, int& exit_status);
void add_info_command(CLI::App& app, int& exit_status);
void add_help_command(CLI::App& app, int& exit_status);

/// \brief Replaces this process by the benchmark program, with \p arguments. Returns only if that
/// fails, with `exit_bad_input`.
///
/// \param command that needs the program, for the message
int replace_by_bench(const std::string& command, std::vector<std::string> arguments);

/// \brief Loads a configuration file and applies the `--set` options. For the report of a run,
/// loads the configuration in it and sets \p from_report to true.
ConfigNode load_config(const std::string& file, const std::vector<std::string>& settings,
                       bool* from_report = nullptr);

/// \brief Stem of a configuration file, which names its default output directory.
std::string config_name(const std::string& file);

/// \brief Reads the configuration \p root of a run, which was loaded from \p file.
RunConfig read_config(const ConfigNode& root, const std::string& file);

/// \brief True for the extensions of configuration files, `.yaml` and `.yml`.
bool is_config_file(const std::string& file);

}  // namespace Tomokkos
