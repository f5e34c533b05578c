// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program tomokkos-bench, which `tomokkos bench` starts.
#include <CLI/CLI.hpp>
#include <Tomokkos_BenchCommand.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_Version.hpp>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  Tomokkos::prepare_signals();
  Tomokkos::protect_inputs();
  if (const int refused = Tomokkos::refuse_several_processes("bench")) return refused;
  // A program that was built alone may find an older one beside it.
  if (const char* other = std::getenv(Tomokkos::started_by);
      other != nullptr && other != Tomokkos::version_text())
    return Tomokkos::refuse_usage("tomokkos-bench is from another build (" +
                                  Tomokkos::version_text() + ") than tomokkos (" + other +
                                  "); build the target tomokkos_bench_program");
  CLI::App app{"Time products and iterations and compare them with other libraries"};
  app.name("tomokkos bench");
  app.set_version_flag("--version", Tomokkos::version_text());
  int exit_status = Tomokkos::exit_done;
  Tomokkos::add_bench_options(app, exit_status);
  return Tomokkos::run_command_line(app, argc, argv, exit_status, [](const std::string& message) {
    return message + "; see tomokkos bench --help";
  });
}
