// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The benchmarks are a program of their own, tomokkos-bench beside this one, so that this one is
// not linked to the libraries that they compare with.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <Tomokkos_CommandLine.hpp>
#include <Tomokkos_Commands.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

void describe_bench_command(CLI::App& app) {
  app.add_subcommand("bench", "Time products and iterations beside other libraries");
}

int become_bench(int argc, char** argv) {
  std::error_code error;
  std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) own = argv[0];
  const std::filesystem::path bench = own.parent_path() / "tomokkos-bench";
  std::vector<char*> arguments(argv + 1, argv + argc);
  arguments.push_back(nullptr);
  execv(bench.c_str(), arguments.data());
  if (errno == ENOENT)
    return refuse_usage("bench is a program of its own, and " + bench.string() +
                        " is missing; build the target tomokkos_bench_program, with "
                        "TOMOKKOS_ENABLE_BENCH=ON");
  return refuse_usage(bench.string() + " cannot be started: " + std::strerror(errno));
}

}  // namespace Tomokkos
