// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_Version.hpp>
#include <csignal>

int main(int argc, char** argv) {
  // A file that grows beyond a limit is an error of the write, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);

  CLI::App app{
      "Reconstruction from an explicit system matrix, and sparse solvers, on CPUs and GPUs"};
  app.name("tomokkos");
  app.require_subcommand(1);
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
  Tomokkos::remove_temporaries_on_signals();
    return app.exit(error) == 0 ? Tomokkos::exit_done : Tomokkos::exit_bad_input;
  }
  return exit_status;
}
