// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libraries beside ours. Each lives in a source file of its own and is compiled in when CMake
// found it (TOMOKKOS_BENCH_HAVE_...); all of them get the same arrays and run in their best mode.
#pragma once

#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <optional>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief The version of a peer that is built in and runs on this backend; nothing otherwise.
template <class ExecutionSpace>
std::optional<std::string> peer_version(Peer peer);

/// \brief The products of \p peer: of CSR, and of those of `options.formats` that it has as well
/// (others are passed over), with \p vectors vectors at once or `single_vector`. The transposed
/// ones by its own operation, and on a stored transpose. \pre it has a version on this backend
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> peer_products(Peer peer, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                  const BenchOptions& options, int vectors, bool of_transpose);

/// \brief The transpositions of \p peer. \pre it has a version on this backend
template <class ExecutionSpace, class Scalar>
void add_peer_transpositions(Peer peer, CandidateList& list,
                             BenchCase<ExecutionSpace, Scalar>& matrix_case);

/// \brief True when \p format is asked for.
inline bool wants(const BenchOptions& options, MatrixFormat format) {
  return std::find(options.formats.begin(), options.formats.end(), to_string(format)) !=
         options.formats.end();
}

/// \brief Throws unless B x B blocks tile A: libraries that store blocks take vectors of whole
/// ones.
template <class Scalar, class MemorySpace>
void require_whole_blocks(const CsrMatrix<Scalar, MemorySpace>& A, int block) {
  if (A.num_rows % block != 0 || A.num_cols % block != 0)
    throw Error(
        Impl::text("its blocks of {} do not divide {} x {}", block, A.num_rows, A.num_cols));
}

/// \brief `2x2`.
inline std::string block_name(int block) { return Impl::text("{}x{}", block, block); }

// One set per peer. Those of a host library exist for the host backend alone, those of cuSPARSE for
// CUDA alone.

#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
std::string kokkos_kernels_version();
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> kokkos_kernels_products(BenchCase<ExecutionSpace, Scalar>&, const BenchOptions&,
                                            int vectors, bool of_transpose);
template <class ExecutionSpace, class Scalar>
void add_kokkos_kernels_transpositions(CandidateList&, BenchCase<ExecutionSpace, Scalar>&);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)
std::string cusparse_version();
template <class Scalar>
ProductList<Scalar> cusparse_products(BenchCase<Kokkos::Cuda, Scalar>&, const BenchOptions&,
                                      int vectors, bool of_transpose);
template <class Scalar>
void add_cusparse_transpositions(CandidateList&, BenchCase<Kokkos::Cuda, Scalar>&);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_MKL)
std::string mkl_version();
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> mkl_products(BenchCase<ExecutionSpace, Scalar>&, const BenchOptions&,
                                 int vectors, bool of_transpose);
template <class ExecutionSpace, class Scalar>
void add_mkl_transpositions(CandidateList&, BenchCase<ExecutionSpace, Scalar>&);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)
std::string eigen_version();
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> eigen_products(BenchCase<ExecutionSpace, Scalar>&, const BenchOptions&,
                                   int vectors, bool of_transpose);
template <class ExecutionSpace, class Scalar>
void add_eigen_transpositions(CandidateList&, BenchCase<ExecutionSpace, Scalar>&);
#endif

}  // namespace Tomokkos::Bench
