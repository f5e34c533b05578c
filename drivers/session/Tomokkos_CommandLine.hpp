// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command line, signals and standard output of the programs of this project.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace Tomokkos {

/// \brief Makes writes beyond a limit, or into a pipe that nobody reads, errors of the write, and
/// removes temporary files where a signal ends the program.
void prepare_signals();

/// \brief Tells on the standard error what is wrong with the command line, and returns
/// `exit_bad_input`.
///
/// A wrong command line is wrong for all of several processes. The first one tells it, and the
/// launcher ends the others. Where it does not, or where the first one is another program or late,
/// they tell it, too.
int refuse_usage(const std::string& message);

/// \brief Refuses \p command where several processes were started, each of which would do it by
/// itself, to the same files. Returns `exit_done` where one was.
int refuse_several_processes(const std::string& command);

/// \brief Variable of the environment in which a program tells the one that it becomes who it is.
inline constexpr const char* started_by = "TOMOKKOS_STARTED_BY";

/// \brief Parses the command line of \p app and returns the exit status. Callbacks of \p app leave
/// theirs in \p exit_status.
///
/// \param describe_error makes the message from that of the parser
int run_command_line(CLI::App& app, int argc, char** argv, int& exit_status,
                     std::string (*describe_error)(const CLI::App&, const std::string&));

/// \brief Returns \p exit_status, or a failure where what was printed could not be written, as on a
/// full disk under `tomokkos info A.mtx > a.yaml`.
int checked_output(int exit_status);

}  // namespace Tomokkos
