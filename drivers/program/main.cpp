// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_Launcher.hpp>
#include <Tomokkos_Version.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>

namespace {

// What could not be printed was not done: a full disk under `tomokkos info A.mtx > a.yaml`.
int checked_output(int exit_status) {
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0 && std::cout.good()) return exit_status;
  std::fputs("tomokkos: error: the standard output could not be written\n", stderr);
  return exit_status == Tomokkos::exit_done ? Tomokkos::exit_failed : exit_status;
}

// What is wrong with the command line is wrong for all of several processes. The first one tells
// it, and the launcher ends the others; where it does not, or the first one is another program or
// late, they tell it, too.
int refuse(const std::string& message) {
  if (Tomokkos::launched_rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  std::fprintf(stderr, "tomokkos: error: %s\n", message.c_str());
  return Tomokkos::exit_bad_input;
}

// Commands that each of several processes would do by itself, to the same files.
bool is_for_one_process(const std::string& command) {
  return command == "bench" || command == "convert" || command == "info";
}

bool is_command(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->get_name() == name; });
}

}  // namespace

int main(int argc, char** argv) {
  // A file that grows beyond a limit, or a pipe that nobody reads, is an error of the write, not
  // the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  Tomokkos::remove_temporaries_on_signals();
  // Otherwise when MPI has installed its own handlers.
  if (Tomokkos::launched_ranks() == 0) Tomokkos::remove_temporaries_on_crashes();
  const std::string command = argc > 1 ? argv[1] : "";
  if (Tomokkos::launched_ranks() > 1 && is_for_one_process(command))
    return refuse(command + " runs on one process, and " +
                  std::to_string(Tomokkos::launched_ranks()) + " were started");

  CLI::App app{
      "Reconstruction from an explicit system matrix, and sparse solvers, on CPUs and GPUs"};
  app.name("tomokkos");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done; 1 not solved, or not written; 2 bad usage or input, nothing was\n"
      "written; 130 a signal ended a run and its results were written; 128 + the signal's\n"
      "number a signal ended it before.");
  app.set_version_flag("--version", Tomokkos::version_text());
  int exit_status = Tomokkos::exit_done;
  Tomokkos::add_run_command(app, exit_status);
  Tomokkos::add_convert_command(app, exit_status);
  Tomokkos::add_info_command(app, exit_status);
  Tomokkos::add_bench_command(app, exit_status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version are no errors.
    if (error.get_exit_code() == 0) {
      app.exit(error);
    } else {
      const bool is_known = command.empty() || command[0] == '-' || is_command(app, command);
      exit_status =
          refuse((is_known ? std::string(error.what())
                           : "there is no command " + command + ", but run, convert, info, bench") +
                 "; see tomokkos --help");
    }
  }
  return checked_output(exit_status);
}
