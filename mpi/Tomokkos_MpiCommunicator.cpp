// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MpiCommunicator.hpp>
#include <Tomokkos_SharedDevices.hpp>
#include <array>
#include <impl/Tomokkos_HostCommunicator.hpp>
#include <impl/Tomokkos_NcclCommunicator.hpp>
#include <string>

namespace Tomokkos {
namespace {

/// Throws on all ranks if their options differ.
void agree(const Ranks& ranks, const CommunicatorOptions& options) {
  const auto transport = static_cast<double>(options.transport);
  const double deterministic = options.deterministic ? 1.0 : 0.0;
  std::array<double, 4> largest{transport, -transport, deterministic, -deterministic};
  ranks.max(largest);
  require(largest[0] == -largest[1],
          "the ranks request different transports; all must request the same");
  require(
      largest[2] == -largest[3],
      "some ranks request a deterministic communicator, others do not; all must request the same");
}

/// Reason why NCCL is not available; empty if it is. Equal on all ranks. Collective.
template <class ExecutionSpace>
std::string obstacle_to_nccl(const ExecutionSpace& exec, const MpiRanks& ranks) {
  std::string obstacle = Impl::host_rank(exec, ranks);
  if (!obstacle.empty()) return obstacle;
#if defined(TOMOKKOS_HAVE_NCCL)
  return Impl::shared_device(exec, ranks);
#else
  return "this program was built without NCCL";
#endif
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
