// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchPeers.hpp"

#include <Tomokkos_ForEach.hpp>

namespace Tomokkos::Bench {
namespace {

/// Calls `visit.template operator()<Library>(version)` if \p peer is built in for this backend.
template <class ExecutionSpace, class Scalar, class Visit>
void visit_peer([[maybe_unused]] Peer peer, [[maybe_unused]] const Visit& visit) {
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
  if (peer == Peer::kokkos_kernels)
    visit.template operator()<KokkosKernelsPeer<ExecutionSpace, Scalar>>(kokkos_kernels_version());
#endif
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
#if defined(TOMOKKOS_BENCH_HAVE_MKL)
    if (peer == Peer::mkl)
      visit.template operator()<MklPeer<ExecutionSpace, Scalar>>(mkl_version());
#endif
#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)
    if (peer == Peer::eigen)
      visit.template operator()<EigenPeer<ExecutionSpace, Scalar>>(eigen_version());
#endif
  } else {
#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)
    if (peer == Peer::cusparse)
      visit.template operator()<CusparsePeer<ExecutionSpace, Scalar>>(cusparse_version());
#endif
  }
}

}  // namespace

template <class ExecutionSpace>
std::optional<std::string> peer_version(Peer peer) {
  std::optional<std::string> result;
  visit_peer<ExecutionSpace, double>(
      peer, [&]<class Library>(const std::string& version) { result = version; });
  return result;
}

template <class ExecutionSpace, class Scalar>
PeerLibraries<ExecutionSpace, Scalar> make_peers(const std::vector<Peer>& peers) {
  PeerLibraries<ExecutionSpace, Scalar> result;
  for (const Peer peer : peers)
    visit_peer<ExecutionSpace, Scalar>(peer, [&]<class Library>(const std::string&) {
      result.push_back(std::make_unique<const Library>());
    });
  return result;
}

#define TOMOKKOS_INSTANTIATE(SPACE) template std::optional<std::string> peer_version<SPACE>(Peer);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template PeerLibraries<SPACE, SCALAR> make_peers<SPACE, SCALAR>(const std::vector<Peer>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
