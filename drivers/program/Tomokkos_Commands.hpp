// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of the program, and what they share with `tomokkos-bench`: command line, signals and
// standard output.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace Tomokkos {

class RunRanks;
class RunRecorder;

// Each stores its exit status in \p exit_status.
void add_run_command(CLI::App& app, int& exit_status);
void add_compare_command(CLI::App& app, int& exit_status);
void add_convert_command(CLI::App& app, int& exit_status);
void add_info_command(CLI::App& app, int& exit_status);
void add_help_command(CLI::App& app, int& exit_status);

/// \brief Adds the option `--set` to \p command. \p note completes its help.
void add_settings(CLI::App& command, std::vector<std::string>& settings,
                  const std::string& note = "");

/// \brief Turns the signals of writes beyond a limit or to a closed pipe into errors of the write,
/// and removes temporary files when a signal ends the program.
void prepare_signals();

/// \brief Prints an error in the command line to standard error and returns `exit_bad_input`.
///
/// With several processes, only the first one reports the error, and the launcher ends the others.
/// They report it as well if the launcher does not end them, or if the first process is another
/// program or late.
int refuse_usage(const std::string& message);

/// \brief Refuses \p command if several processes were started, because each would write the same
/// files. Returns `exit_done` for a single process.
int refuse_several_processes(const std::string& command);

/// \brief Environment variable with the version of the program that started the benchmark program.
inline constexpr const char* started_by = "TOMOKKOS_STARTED_BY";

/// \brief Parses the command line of \p app and returns the exit status. Callbacks of \p app store
/// theirs in \p exit_status.
///
/// \param describe_error converts the message of the parser
int run_command_line(CLI::App& app, int argc, char** argv, int& exit_status,
                     std::string (*describe_error)(const std::string& message));

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

/// \brief Settings of a run that are not part of its configuration.
struct RunOptions {
  bool quiet = false;      ///< print only errors
  bool resume = false;     ///< continue from the checkpoint in the output directory
  bool overwrite = false;  ///< replace the checkpoint of another run
  /// Processes that share the run; must outlive it. Null: a single process, which mesh problems
  /// accept.
  const RunRanks* ranks = nullptr;
  RunRecorder* recorder = nullptr;  ///< records products and iterates; null: nothing is recorded
};

/// \brief Performs the run of \p config on its backend and in its precision.
///
/// \return exit status
/// \throws ConfigError, InputError, MemoryError if the run cannot start
int run_configuration(const RunConfig& config, const RunOptions& options);

/// \brief True for the extensions of configuration files, `.yaml` and `.yml`.
bool is_config_file(const std::string& file);

}  // namespace Tomokkos
