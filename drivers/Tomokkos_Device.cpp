// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/resource.h>

#include <Tomokkos_Device.hpp>
#include <fstream>
#include <limits>

namespace Tomokkos {

std::uint64_t peak_host_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

namespace {

[[maybe_unused]] std::uint64_t device_sharers = 1;

}  // namespace

void set_memory_sharers(int on_host, int on_device) {
  set_host_memory_sharers(on_host);
  device_sharers = static_cast<std::uint64_t>(on_device);
}

int host_threads() { return static_cast<int>(TOMOKKOS_HOST_SPACE().concurrency()); }

template <>
std::uint64_t available_memory(const TOMOKKOS_HOST_SPACE&) {
  return available_host_memory();
}

template <>
std::uint64_t used_device_memory(const TOMOKKOS_HOST_SPACE&) {
  return 0;
}

template <>
std::string device_name(const TOMOKKOS_HOST_SPACE&) {
  std::ifstream stream("/proc/cpuinfo");
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

#if defined(KOKKOS_ENABLE_CUDA)
template <>
std::uint64_t available_memory(const Kokkos::Cuda&) {
  std::size_t free = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? free / device_sharers
                                                      : std::numeric_limits<std::uint64_t>::max();
}

template <>
std::uint64_t used_device_memory(const Kokkos::Cuda&) {
  std::size_t free = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? total - free : 0;
}

template <>
std::string device_name(const Kokkos::Cuda& exec) {
  cudaDeviceProp properties{};
  return cudaGetDeviceProperties(&properties, exec.cuda_device()) == cudaSuccess ? properties.name
                                                                                 : "unknown";
}
#endif

}  // namespace Tomokkos
