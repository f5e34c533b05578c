// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchMachine.hpp"

#include <unistd.h>

#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace Tomokkos::Bench {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Converts a size such as `36608K` to bytes; returns 0 for any other text.
std::size_t cache_size(const std::string& text) {
  std::size_t value = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
    value = 10 * value + static_cast<std::size_t>(text[i] - '0');
  if (i < text.size() && text[i] == 'K') value *= 1024;
  if (i < text.size() && text[i] == 'M') value *= 1024 * 1024;
  return value;
}

/// Total size of all caches of the highest level. Threads on several sockets or chiplets do not
/// share a cache, so data may lie in all of them together.
std::size_t host_last_cache_bytes() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::string highest;
  std::size_t total = 0;
  std::set<std::string>
      seen;  // caches counted so far, identified by the processors that share them
  for (const auto& cpu : fs::directory_iterator("/sys/devices/system/cpu", ignored)) {
    for (const auto& index : fs::directory_iterator(cpu.path() / "cache", ignored)) {
      if (first_line(index.path() / "type") == "Instruction") continue;
      const std::string level = first_line(index.path() / "level");
      if (level.empty() || level < highest) continue;
      if (level > highest) {
        highest = level;
        total = 0;
        seen.clear();
      }
      if (seen.insert(first_line(index.path() / "shared_cpu_list")).second)
        total += cache_size(first_line(index.path() / "size"));
    }
  }
  if (total > 0) return total;
  const long answer = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
  // If the system does not report a size, assume as much as the largest machine in use has.
  constexpr std::size_t unknown = std::size_t{256} << 20;
  return answer > 0 ? static_cast<std::size_t>(answer) : unknown;
}

std::string host_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string dotted(long version, long major, long minor) {
  return Impl::text("{}.{}.{}", version / major, version % major / minor, version % minor);
}

}  // namespace

template <class ExecutionSpace>
Machine describe_machine(const ExecutionSpace& exec) {
  Machine machine;
  machine.backend = backend_name<ExecutionSpace>();
  machine.threads = static_cast<int>(TOMOKKOS_HOST_SPACE().concurrency());
  machine.versions.emplace_back("kokkos", dotted(KOKKOS_VERSION, 10000, 100));
#if defined(__GNUC__)
  machine.versions.emplace_back("compiler", __VERSION__);
#endif
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    (void)exec;
    machine.device = host_model();
    machine.last_cache_bytes = host_last_cache_bytes();
    machine.memory_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  } else {
#if defined(KOKKOS_ENABLE_CUDA)
    const cudaDeviceProp& properties = exec.cuda_device_prop();
    machine.device = properties.name;
    machine.last_cache_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    machine.memory_bytes = properties.totalGlobalMem;
    machine.versions.emplace_back("cuda", dotted(CUDART_VERSION, 1000, 10));
#endif
  }
  return machine;
}

#define TOMOKKOS_INSTANTIATE(SPACE) template Machine describe_machine(const SPACE&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
