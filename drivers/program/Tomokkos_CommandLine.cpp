// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_LaunchedRank.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunRecord.hpp>
#include <Tomokkos_Version.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace Tomokkos {

void add_settings(CLI::App& command, std::vector<std::string>& settings, const std::string& note) {
  const std::string help = "key.path=value: override a key of the configuration";
  command.add_option("--set", settings, help + note + "; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
}

void prepare_signals() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  remove_temporaries_on_signals();
  // With several processes, called after MPI has installed its own handlers.
  if (launched_ranks() == 0) remove_temporaries_on_crashes();
}

int refuse_usage(const std::string& message) {
  if (launched_rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  std::fprintf(stderr, "tomokkos: error: %s\n", message.c_str());
  return exit_bad_input;
}

int refuse_several_processes(const std::string& command) {
  if (launched_ranks() <= 1) return exit_done;
  return refuse_usage(command + " needs a single process, but " + std::to_string(launched_ranks()) +
                      " were started");
}

namespace {

/// True if standard output is a pipe that nobody reads any more.
bool reader_has_gone() {
  std::cout.flush();
  std::fflush(stdout);
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/// Returns `exit_done` if all processes were asked for a text, such as the version. Otherwise those
/// with another command would wait for this one.
int check_that_all_print() {
  if (launched_ranks() <= 1) return exit_done;
  return guarded([] {
    std::unique_ptr<RunRanks> ranks;
    try {
      ranks = std::make_unique<RunRanks>();
    } catch (const Error&) {
      return exit_done;  // processes that do not know each other do not wait, either
    }
    return ranks->guarded([&] {
      require_same_command("--help or --version", *ranks);
      return exit_done;
    });
  });
}

/// Returns \p exit_status, or a failure if standard output could not be written, for example on a
/// full disk with `tomokkos info A.mtx > a.yaml`.
int checked_output(int exit_status) {
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0 && std::cout.good()) return exit_status;
  std::fputs("tomokkos: error: cannot write to standard output\n", stderr);
  return exit_status == exit_done ? exit_failed : exit_status;
}

/// Allows this process to run on all places of its threads. The OpenMP runtime has bound the first
/// thread to the first place before `main`; without this call the benchmark program would use only
/// that place.
void unbind() {
#if defined(_OPENMP)
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> processors(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, processors.data());
    for (const int processor : processors)
      if (processor < CPU_SETSIZE) CPU_SET(processor, &all);
  }
  if (CPU_COUNT(&all) > 0) sched_setaffinity(0, sizeof(all), &all);
#endif
}

}  // namespace

int run_command_line(CLI::App& app, int argc, char** argv, int& exit_status,
                     std::string (*describe_error)(const std::string& message)) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version are not errors.
    if (error.get_exit_code() != 0)
      exit_status = refuse_usage(describe_error(error.what()));
    else if (exit_status = check_that_all_print(); exit_status == exit_done)
      app.exit(error);
  }
  // Whoever reads a text may stop reading it (`| head`).
  const auto commands = app.get_subcommands();
  const bool only_prints = commands.empty() || commands.front()->get_name() == "help" ||
                           commands.front()->get_name() == "info";
  if (only_prints && reader_has_gone()) return exit_status;
  return checked_output(exit_status);
}

// The benchmarks are a separate program, tomokkos-bench in the same folder, so that this program
// need not link the libraries that they compare with.
int replace_by_bench(const std::string& command, std::vector<std::string> arguments) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return refuse_usage(command + " needs tomokkos-bench in the folder of this program, which is " +
                        "not known: /proc/self/exe: " + error.message());
  std::string bench = (own.parent_path() / "tomokkos-bench").string();
  std::vector<char*> pointers{bench.data()};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  setenv(started_by, version_text().c_str(), 1);
  unbind();
  execv(bench.c_str(), pointers.data());
  if (errno == ENOENT)
    return refuse_usage(command + " needs the program " + bench +
                        ", which is missing; build the target tomokkos_bench_program with "
                        "TOMOKKOS_ENABLE_BENCH=ON");
  return refuse_usage(bench + " cannot be started: " + std::strerror(errno));
}

}  // namespace Tomokkos
