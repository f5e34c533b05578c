// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_CommandLine.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_Version.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace {

// Commands that must run on a single process, because several would write the same files.
bool is_for_one_process(const std::string& command) {
  return command == "bench" || command == "convert" || command == "info" || command == "help";
}

bool is_command(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->get_name() == name; });
}

std::string command;

std::string describe_error(const CLI::App& app, const std::string& message) {
  const bool is_known = command.empty() || command[0] == '-' || is_command(app, command);
  return (is_known ? message
                   : "unknown command " + command +
                         "; available: run, compare, convert, info, help, bench") +
         "; see tomokkos --help";
}

}  // namespace

int main(int argc, char** argv) {
  Tomokkos::prepare_signals();
  Tomokkos::protect_inputs();
  if (argc > 1) command = argv[1];
  if (is_for_one_process(command)) {
    if (const int refused = Tomokkos::refuse_several_processes(command)) return refused;
  }
  if (command == "bench")
    return Tomokkos::replace_by_bench(command, std::vector<std::string>(argv + 2, argv + argc));

  CLI::App app{
      "Reconstruction from an explicit system matrix, and sparse solvers, on CPUs and GPUs"};
  app.name("tomokkos");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done; 1 not solved or not written; 2 bad usage or input, nothing was\n"
      "written; 130 a signal ended the run and its results were written; 128 + the signal's\n"
      "number if a signal ended the program without writing results.");
  app.set_version_flag("--version", Tomokkos::version_text());
  int exit_status = Tomokkos::exit_done;
  Tomokkos::add_run_command(app, exit_status);
  Tomokkos::add_compare_command(app, exit_status);
  Tomokkos::add_convert_command(app, exit_status);
  Tomokkos::add_info_command(app, exit_status);
  Tomokkos::add_help_command(app, exit_status);
  Tomokkos::describe_bench_command(app);
  return Tomokkos::run_command_line(app, argc, argv, exit_status, describe_error);
}
