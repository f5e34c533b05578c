// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CheckCuda.hpp>
#include <Tomokkos_SharedDevices.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <impl/Tomokkos_MpiError.hpp>
#include <span>
#include <vector>

namespace Tomokkos {
namespace {

#if defined(KOKKOS_ENABLE_CUDA)
/// Returns a name of the GPU of `exec` that no other GPU has.
std::string name_of_device(const Kokkos::Cuda& exec) {
  // Nodes may have equal names. The boot identifier of a node is unique.
  std::string host;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  if (!std::getline(boot, host)) {
    std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
    int length = 0;
    Impl::check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
    host.assign(name.data(), static_cast<std::size_t>(length));
  }
  std::array<char, 32> bus{};
  Impl::check_cuda(cudaDeviceGetPCIBusId(bus.data(), bus.size(), exec.cuda_device()),
                   "the PCI bus of the GPU");
  return std::string(bus.data()) + " of host " + host;
}

#endif

/// A host has no name. Ranks with GPUs and ranks on hosts may share a run.
template <class ExecutionSpace>
requires Impl::is_host_space<ExecutionSpace> std::string name_of_device(const ExecutionSpace&) {
  return {};
}

/// Returns the names for all ranks; empty for ranks that compute on their hosts.
template <class ExecutionSpace>
std::vector<std::string> names_of_devices(const ExecutionSpace& exec, const Ranks& ranks) {
  const std::string own = name_of_device(exec);
  std::vector<std::string> names;
  for (int r = 0; r < ranks.size(); ++r) {
    std::array<char, 256> name{};
    if (r == ranks.rank()) own.copy(name.data(), name.size() - 1);
    ranks.broadcast(std::as_writable_bytes(std::span(name)), r);
    names.emplace_back(name.data());
  }
  return names;
}

}  // namespace

template <class ExecutionSpace>
int ranks_on_device(const ExecutionSpace& exec, const MpiRanks& ranks) {
  const auto names = names_of_devices(exec, ranks);
  if constexpr (Impl::is_host_space<ExecutionSpace>) return ranks.local_size();
  return static_cast<int>(
      std::count(names.begin(), names.end(), names[static_cast<std::size_t>(ranks.rank())]));
}

template <class ExecutionSpace>
std::string Impl::shared_device(const ExecutionSpace& exec, const MpiRanks& ranks) {
  const auto names = names_of_devices(exec, ranks);
  for (std::size_t r = 0; r < names.size(); ++r)
    for (std::size_t before = 0; before < r; ++before)
      if (!names[r].empty() && names[before] == names[r])
        return Impl::text("ranks {} and {} share GPU {}", before, r, names[r]);
  return {};
}

template <class ExecutionSpace>
std::string Impl::host_rank(const ExecutionSpace& exec, const MpiRanks& ranks) {
  const auto names = names_of_devices(exec, ranks);
  for (std::size_t r = 0; r < names.size(); ++r)
    if (names[r].empty()) return Impl::text("rank {} computes on its host", r);
  return {};
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                               \
  template int ranks_on_device<SPACE>(const SPACE&, const MpiRanks&);             \
  template std::string Impl::shared_device<SPACE>(const SPACE&, const MpiRanks&); \
  template std::string Impl::host_rank<SPACE>(const SPACE&, const MpiRanks&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
