// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands of the program. Each leaves its exit status in the variable it was given.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace Tomokkos {

void add_run_command(CLI::App& app, int& exit_status);
void add_convert_command(CLI::App& app, int& exit_status);
void add_info_command(CLI::App& app, int& exit_status);
void add_help_command(CLI::App& app, int& exit_status);

/// \brief Names the command `bench` for `--help`.
void describe_bench_command(CLI::App& app);

/// \brief Replaces this process by the program of the benchmarks. Returns `exit_bad_input` where
/// there is none.
int replace_by_bench(int argc, char** argv);

/// \brief A configuration file as plain data with the `--set`s of the command line applied. Of the
/// report of a run its configuration, and then \p from_report is true.
ConfigNode load_config(const std::string& file, const std::vector<std::string>& settings,
                       bool* from_report = nullptr);

/// \brief The stem of a configuration file: the name of its default output directory.
std::string config_name(const std::string& file);

/// \brief True for the endings of configuration files, `.yaml` and `.yml`.
bool is_config_file(const std::string& file);

}  // namespace Tomokkos
