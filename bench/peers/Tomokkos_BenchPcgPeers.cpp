// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchPcgPeers.hpp"

#include <Tomokkos_ForEach.hpp>

namespace Tomokkos::Bench {

template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> peer_pcg_loops(
    Peer peer, [[maybe_unused]] const PcgProblem<ExecutionSpace, Scalar>& problem,
    const BenchOptions&) {
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
  if (peer == Peer::kokkos_kernels) return kokkos_kernels_pcg_loops(problem);
#endif
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
#if defined(TOMOKKOS_BENCH_HAVE_MKL)
    if (peer == Peer::mkl) return mkl_pcg_loops(problem);
#endif
#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)
    if (peer == Peer::eigen) return eigen_pcg_loops(problem);
#endif
  } else {
#if defined(TOMOKKOS_BENCH_HAVE_CUBLAS)
    if (peer == Peer::cusparse) return cusparse_pcg_loops(problem);
#endif
  }
  // Products there may be, but no calls for the vectors.
  PcgLoopList<Scalar> list{std::string(to_string(peer))};
  list.refuse("csr", "pcg", "its calls for vectors are not built in for this backend");
  return list;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                           \
  template PcgLoopList<SCALAR> peer_pcg_loops(Peer, const PcgProblem<SPACE, SCALAR>&, \
                                              const BenchOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
