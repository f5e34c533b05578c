// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/resource.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Types.hpp>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

namespace Tomokkos {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::atomic<std::uint64_t> sharers = 1;
std::atomic<std::uint64_t> limit_together = unlimited;

// Returns the number after `name` in a file of lines `name number` (/proc/meminfo, memory.stat).
std::optional<std::uint64_t> entry_of(const std::string& file, const std::string& name) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    std::istringstream words(line);
    std::string key;
    std::uint64_t value = 0;
    if (words >> key >> value && key == name) return value;
  }
  return std::nullopt;
}

// Returns the number in a file. "max" and missing files mean no limit.
std::optional<std::uint64_t> number_in(const std::string& file) {
  std::ifstream stream(file);
  std::uint64_t value = 0;
  return stream >> value ? std::optional(value) : std::nullopt;
}

// Memory that a control group has left: its limit minus its usage. Cached files do not count as
// usage.
std::uint64_t left_in_group(const std::string& folder, const char* limit_name,
                            const char* usage_name, const char* cache_name) {
  const auto limit = number_in(folder + limit_name);
  if (!limit) return unlimited;
  const std::uint64_t usage = number_in(folder + usage_name).value_or(0);
  const std::uint64_t cache = entry_of(folder + "memory.stat", cache_name).value_or(0);
  const std::uint64_t held = usage - std::min(usage, cache);
  return *limit - std::min(*limit, held);
}

// Folders of the control groups of this process, from its own up to the root. Each may set a limit.
std::vector<std::string> group_folders(const std::string& mount, const std::string& controller) {
  std::vector<std::string> result{mount + "/"};
  std::ifstream stream("/proc/self/cgroup");
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) != controller) continue;
    std::filesystem::path group = line.substr(second + 1);
    for (; group.has_relative_path(); group = group.parent_path())
      result.push_back(mount + group.string() + "/");
  }
  return result;
}

}  // namespace

std::uint64_t available_host_memory() {
  std::uint64_t available = unlimited;
  if (const auto kilobytes = entry_of("/proc/meminfo", "MemAvailable:"))
    available = *kilobytes * 1024;
  for (const std::string& folder : group_folders("/sys/fs/cgroup", ""))
    available =
        std::min(available, left_in_group(folder, "memory.max", "memory.current", "inactive_file"));
  for (const std::string& folder : group_folders("/sys/fs/cgroup/memory", "memory"))
    available = std::min(available, left_in_group(folder, "memory.limit_in_bytes",
                                                  "memory.usage_in_bytes", "total_inactive_file"));
  if (available != unlimited) available /= sharers;
  rlimit address_space{};
  if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY) {
    const std::uint64_t limit = address_space.rlim_cur;
    const std::uint64_t held = entry_of("/proc/self/status", "VmSize:").value_or(0) * 1024;
    available = std::min(available, limit - std::min(limit, held));
  }
  if (limit_together != unlimited) {
    const std::uint64_t limit = limit_together / sharers;
    available = std::min(available, limit - std::min(limit, held_host_memory()));
  }
  return available;
}

std::uint64_t held_host_memory() {
  return entry_of("/proc/self/status", "VmRSS:").value_or(0) * 1024;
}

void set_host_memory_limit(std::uint64_t bytes) { limit_together = bytes; }

void set_host_memory_sharers(int processes) {
  require(processes >= 1, "the number of processes that share the memory must be at least 1");
  sharers = static_cast<std::uint64_t>(processes);
}

namespace Impl {

void require_memory(std::uint64_t bytes, const std::string& what, std::uint64_t available,
                    const std::string& advice) {
  if (bytes <= available) return;
  throw MemoryError(what + " " + describe_bytes(bytes) + ", and only " + describe_bytes(available) +
                    " are left" + (advice.empty() ? "" : "; " + advice));
}

std::uint64_t whole_bytes(double bytes) {
  return bytes < 1.8e19 ? static_cast<std::uint64_t>(bytes) : unlimited;
}

MemoryNeed& MemoryNeed::add(std::uint64_t count, std::uint64_t bytes_each) {
  const bool fits = bytes_each == 0 || count <= (unlimited - bytes_) / bytes_each;
  bytes_ = fits ? bytes_ + count * bytes_each : unlimited;
  return *this;
}

MemoryNeed& MemoryNeed::add_csr(std::uint64_t rows, std::uint64_t nonzeros,
                                std::uint64_t bytes_per_value) {
  return add(rows, sizeof(Offset))
      .add(1, sizeof(Offset))
      .add(nonzeros, sizeof(Ordinal))
      .add(nonzeros, bytes_per_value);
}

}  // namespace Impl

}  // namespace Tomokkos
