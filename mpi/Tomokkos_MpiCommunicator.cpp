// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MpiCommunicator.hpp>
#include <array>
#include <cstring>
#include <fstream>
#include <impl/Tomokkos_HostCommunicator.hpp>
#include <impl/Tomokkos_MpiError.hpp>
#include <impl/Tomokkos_NcclCommunicator.hpp>
#include <string>
#include <vector>

namespace Tomokkos {
namespace {

/// Throws on all ranks where they have not been given the same.
void agree(const Ranks& ranks, const CommunicatorOptions& options) {
  const auto transport = static_cast<double>(options.transport);
  const double deterministic = options.deterministic ? 1.0 : 0.0;
  std::array<double, 4> largest{transport, -transport, deterministic, -deterministic};
  ranks.max(largest);
  require(largest[0] == -largest[1], "the ranks ask for different transports");
  require(largest[2] == -largest[3],
          "some ranks ask for a deterministic communicator, others do not");
}

#if defined(TOMOKKOS_HAVE_NCCL)

/// The GPU of `exec`, by a name that no other GPU has.
std::string name_of_device(const Kokkos::Cuda& exec) {
  // What a node calls itself may be the name of others as well; when it was started has its own
  // number.
  std::string host;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  if (!std::getline(boot, host)) {
    std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
    int length = 0;
    Impl::check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
    host.assign(name.data(), static_cast<std::size_t>(length));
  }
  std::array<char, 32> bus{};
  const cudaError_t status = cudaDeviceGetPCIBusId(bus.data(), bus.size(), exec.cuda_device());
  require(status == cudaSuccess,
          std::string("the PCI bus of the GPU: ") + cudaGetErrorString(status));
  return std::string(bus.data()) + " of host " + host;
}

/// Two ranks with the same GPU, or nothing. The same on all ranks.
std::string shared_device(const Kokkos::Cuda& exec, const Ranks& ranks) {
  const std::string own = name_of_device(exec);
  std::vector<std::string> names;
  for (int r = 0; r < ranks.size(); ++r) {
    std::array<char, 256> name{};
    if (r == ranks.rank()) own.copy(name.data(), name.size() - 1);
    ranks.broadcast(std::as_writable_bytes(std::span(name)), r);
    names.emplace_back(name.data());
  }
  for (std::size_t r = 0; r < names.size(); ++r)
    for (std::size_t before = 0; before < r; ++before)
      if (names[before] == names[r])
        return "ranks " + std::to_string(before) + " and " + std::to_string(r) + " share GPU " +
               names[r];
  return {};
}

#endif

/// Why NCCL cannot be had, or nothing. The same on all ranks.
template <class ExecutionSpace>
std::string obstacle_to_nccl([[maybe_unused]] const ExecutionSpace& exec,
                             [[maybe_unused]] const Ranks& ranks) {
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    return "the arrays lie in host memory";
  } else {
#if defined(TOMOKKOS_HAVE_NCCL)
    return shared_device(exec, ranks);
#else
    return "this program was built without it";
#endif
  }
}

}  // namespace

template <class ExecutionSpace>
std::unique_ptr<Communicator<ExecutionSpace>> make_communicator(
    const ExecutionSpace& exec, const MpiRanks& ranks, const CommunicatorOptions& options) {
  agree(ranks, options);
  if (options.transport != Transport::mpi) {
    const std::string obstacle = obstacle_to_nccl(exec, ranks);
    require(obstacle.empty() || options.transport != Transport::nccl,
            "NCCL cannot be used: " + obstacle);
#if defined(TOMOKKOS_HAVE_NCCL)
    if constexpr (!Impl::is_host_space<ExecutionSpace>)
      if (obstacle.empty()) return Impl::make_nccl_communicator(exec, ranks, options.deterministic);
#endif
  }
  return std::make_unique<Impl::HostCommunicator<ExecutionSpace>>(ranks, options.deterministic);
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                       \
  template std::unique_ptr<Communicator<SPACE>> make_communicator<SPACE>( \
      const SPACE&, const MpiRanks&, const CommunicatorOptions&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
