// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The benchmarks are a separate program, tomokkos-bench in the same folder, so that this program
// need not link the libraries that they compare with.
#include <sched.h>
#include <unistd.h>

#include <Tomokkos_CommandLine.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_Version.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace Tomokkos {

namespace {

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
