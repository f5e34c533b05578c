// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchPeers.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos::Bench {

template <class ExecutionSpace>
std::optional<std::string> peer_version([[maybe_unused]] Peer peer) {
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
  if (peer == Peer::kokkos_kernels) return kokkos_kernels_version();
#endif
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
#if defined(TOMOKKOS_BENCH_HAVE_MKL)
    if (peer == Peer::mkl) return mkl_version();
#endif
#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)
    if (peer == Peer::eigen) return eigen_version();
#endif
  } else {
#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)
    if (peer == Peer::cusparse) return cusparse_version();
#endif
  }
  return std::nullopt;
}

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> peer_products(Peer peer,
                                  [[maybe_unused]] BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                  [[maybe_unused]] const BenchOptions& options,
                                  [[maybe_unused]] int vectors,
                                  [[maybe_unused]] bool of_transpose) {
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
  if (peer == Peer::kokkos_kernels)
    return kokkos_kernels_products(matrix_case, options, vectors, of_transpose);
#endif
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
#if defined(TOMOKKOS_BENCH_HAVE_MKL)
    if (peer == Peer::mkl) return mkl_products(matrix_case, options, vectors, of_transpose);
#endif
#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)
    if (peer == Peer::eigen) return eigen_products(matrix_case, options, vectors, of_transpose);
#endif
  } else {
#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)
    if (peer == Peer::cusparse)
      return cusparse_products(matrix_case, options, vectors, of_transpose);
#endif
  }
  throw Error(std::string(to_string(peer)) + " is not built in for this backend");
}

template <class ExecutionSpace, class Scalar>
void add_peer_transpositions(Peer peer, [[maybe_unused]] CandidateList& list,
                             [[maybe_unused]] BenchCase<ExecutionSpace, Scalar>& matrix_case) {
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
  if (peer == Peer::kokkos_kernels) return add_kokkos_kernels_transpositions(list, matrix_case);
#endif
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
#if defined(TOMOKKOS_BENCH_HAVE_MKL)
    if (peer == Peer::mkl) return add_mkl_transpositions(list, matrix_case);
#endif
#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)
    if (peer == Peer::eigen) return add_eigen_transpositions(list, matrix_case);
#endif
  } else {
#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)
    if (peer == Peer::cusparse) return add_cusparse_transpositions(list, matrix_case);
#endif
  }
  throw Error(std::string(to_string(peer)) + " is not built in for this backend");
}

#define TOMOKKOS_INSTANTIATE(SPACE) template std::optional<std::string> peer_version<SPACE>(Peer);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template ProductList<SCALAR> peer_products<SPACE, SCALAR>(Peer, BenchCase<SPACE, SCALAR>&, \
                                                            const BenchOptions&, int, bool); \
  template void add_peer_transpositions<SPACE, SCALAR>(Peer, CandidateList&,                 \
                                                       BenchCase<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
