// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libraries beside ours. Each lives in a source file of its own and is compiled in when CMake
// found it (TOMOKKOS_BENCH_HAVE_...); all of them get the same arrays and run in their best mode.
#pragma once

#include <optional>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief The version of a peer that is built in and runs on this backend; nothing otherwise.
template <class ExecutionSpace>
std::optional<std::string> peer_version(Peer peer);

/// \brief The products of \p peer. \pre it has a version on this backend
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> peer_products(Peer peer, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                  bool of_transpose);

/// \brief The transpositions of \p peer. \pre it has a version on this backend
template <class ExecutionSpace, class Scalar>
void add_peer_transpositions(Peer peer, CandidateList& list,
                             BenchCase<ExecutionSpace, Scalar>& matrix_case);

// One set per peer. Those of a host library exist for the host backend alone, those of cuSPARSE for
// CUDA alone.

#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
std::string kokkos_kernels_version();
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> kokkos_kernels_products(BenchCase<ExecutionSpace, Scalar>&, bool of_transpose);
template <class ExecutionSpace, class Scalar>
void add_kokkos_kernels_transpositions(CandidateList&, BenchCase<ExecutionSpace, Scalar>&);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)
std::string cusparse_version();
template <class Scalar>
ProductList<Scalar> cusparse_products(BenchCase<Kokkos::Cuda, Scalar>&, bool of_transpose);
template <class Scalar>
void add_cusparse_transpositions(CandidateList&, BenchCase<Kokkos::Cuda, Scalar>&);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_MKL)
std::string mkl_version();
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> mkl_products(BenchCase<ExecutionSpace, Scalar>&, bool of_transpose);
template <class ExecutionSpace, class Scalar>
void add_mkl_transpositions(CandidateList&, BenchCase<ExecutionSpace, Scalar>&);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)
std::string eigen_version();
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> eigen_products(BenchCase<ExecutionSpace, Scalar>&, bool of_transpose);
template <class ExecutionSpace, class Scalar>
void add_eigen_transpositions(CandidateList&, BenchCase<ExecutionSpace, Scalar>&);
#endif

}  // namespace Tomokkos::Bench
