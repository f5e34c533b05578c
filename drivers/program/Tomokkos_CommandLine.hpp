// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command line, signals and standard output of the programs of this project.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace Tomokkos {

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
                     std::string (*describe_error)(const CLI::App&, const std::string&));

}  // namespace Tomokkos
