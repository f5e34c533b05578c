// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_Version.hpp>
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

void describe_bench_command(CLI::App& app, int&) {
  app.add_subcommand("bench", "Measure products and iterations and compare with other libraries");
}

struct Command {
  std::string_view name;
  void (*add)(CLI::App& app, int& exit_status);
  bool is_for_one_process;  ///< several processes would write the same files
};

constexpr Command commands[]{{"run", Tomokkos::add_run_command, false},
                             {"compare", Tomokkos::add_compare_command, false},
                             {"convert", Tomokkos::add_convert_command, true},
                             {"info", Tomokkos::add_info_command, true},
                             {"help", Tomokkos::add_help_command, true},
                             {"bench", describe_bench_command, true}};

std::string given;  // the command

const Command* find_command() {
  const auto found = std::find_if(std::begin(commands), std::end(commands),
                                  [](const Command& each) { return each.name == given; });
  return found == std::end(commands) ? nullptr : &*found;
}

std::string describe_error(const std::string& message) {
  const std::string more = "; see tomokkos --help";
  if (given.empty() || given[0] == '-' || find_command() != nullptr) return message + more;
  std::string names;
  for (const Command& each : commands) names.append(names.empty() ? "" : ", ").append(each.name);
  return "unknown command " + given + "; available: " + names + more;
}

}  // namespace

int main(int argc, char** argv) {
  Tomokkos::prepare_signals();
  Tomokkos::protect_inputs();
  if (argc > 1) given = argv[1];
  if (const Command* const command = find_command(); command && command->is_for_one_process)
    if (const int refused = Tomokkos::refuse_several_processes(given)) return refused;
  if (given == "bench")
    return Tomokkos::replace_by_bench(given, std::vector<std::string>(argv + 2, argv + argc));

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
  for (const Command& command : commands) command.add(app, exit_status);
  return Tomokkos::run_command_line(app, argc, argv, exit_status, describe_error);
}
