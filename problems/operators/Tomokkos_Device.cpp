// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/resource.h>

#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_DeviceTraits.hpp>
#include <algorithm>
#include <fstream>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace Tomokkos {

void release_host_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

std::uint64_t peak_host_memory() {
  // The peak of `getrusage` begins with that of the program that has started this one.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

namespace {

[[maybe_unused]] std::uint64_t device_sharers = 1;
[[maybe_unused]] std::optional<std::uint64_t> device_limit;
// Bytes in use on the device when the limit was set.
[[maybe_unused]] std::uint64_t held_before = 0;

/// Free and all bytes of the device. Empty: a host, or not known.
template <class ExecutionSpace>
std::optional<std::pair<std::uint64_t, std::uint64_t>> device_memory() {
#if defined(KOKKOS_ENABLE_CUDA)
  std::size_t free = 0, total = 0;
  if (std::is_same_v<ExecutionSpace, Kokkos::Cuda> && cudaMemGetInfo(&free, &total) == cudaSuccess)
    return std::pair<std::uint64_t, std::uint64_t>(free, total);
#endif
  return std::nullopt;
}

}  // namespace

void set_memory_sharers(int on_host, int on_device) {
  set_host_memory_sharers(on_host);
  device_sharers = static_cast<std::uint64_t>(on_device);
}

int host_threads() { return static_cast<int>(TOMOKKOS_HOST_SPACE().concurrency()); }

template <class ExecutionSpace>
std::uint64_t used_device_memory(const ExecutionSpace&) {
  const auto memory = device_memory<ExecutionSpace>();
  return memory ? memory->second - memory->first : 0;
}

template <class ExecutionSpace>
std::uint64_t available_memory(const ExecutionSpace&) {
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    return available_host_memory();
  } else {
    const auto memory = device_memory<ExecutionSpace>();
    if (!memory) return std::numeric_limits<std::uint64_t>::max();  // not known
    std::uint64_t left = memory->first;
    if (device_limit) {
      // This counts all processes that share the device.
      const std::uint64_t held = memory->second - memory->first;
      const std::uint64_t taken = held - std::min(held, held_before);
      left = std::min(left, *device_limit - std::min(*device_limit, taken));
    }
    return left / device_sharers;
  }
}

#if defined(KOKKOS_ENABLE_CUDA)
template <>
std::string device_name(const Kokkos::Cuda& exec) {
  cudaDeviceProp properties{};
  return cudaGetDeviceProperties(&properties, exec.cuda_device()) == cudaSuccess ? properties.name
                                                                                 : "unknown";
}
#endif

template <class ExecutionSpace>
std::string device_name(const ExecutionSpace&) {
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    std::ifstream stream("/proc/cpuinfo");
    std::string line;
    while (std::getline(stream, line)) {
      const std::size_t colon = line.find(": ");
      if (line.starts_with("model name") && colon != std::string::npos)
        return line.substr(colon + 2);
    }
  }
  return "unknown";
}

void set_memory_limits(std::optional<std::uint64_t> host, std::optional<std::uint64_t> device) {
  set_host_memory_limit(host.value_or(std::numeric_limits<std::uint64_t>::max()));
  device_limit = device;
#if defined(KOKKOS_ENABLE_CUDA)
  if (device) held_before = used_device_memory(Kokkos::Cuda());
#endif
}

template <class ExecutionSpace, class Scalar>
MachineFacts machine_facts(const ExecutionSpace& exec) {
  return {!Impl::is_host_space<ExecutionSpace>,
          sizeof(Scalar),
          device_traits(exec).concurrency,
          rays_at_once<ExecutionSpace, Scalar>(),
          available_memory(exec),
          available_host_memory(),
          used_device_memory(exec),
          held_host_memory()};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template MachineFacts machine_facts<SPACE, SCALAR>(const SPACE&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE)                               \
  template std::uint64_t available_memory<SPACE>(const SPACE&);   \
  template std::uint64_t used_device_memory<SPACE>(const SPACE&); \
  template std::string device_name<SPACE>(const SPACE&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
