// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libraries beside ours, behind one interface. Each lives in source files of its own and is
// compiled in when CMake found it (TOMOKKOS_BENCH_HAVE_...); all of them get the same arrays and
// run in their best mode.
#pragma once

#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"
#include "Tomokkos_BenchPcgLoop.hpp"
#include "Tomokkos_BenchStridedProblem.hpp"
#include "Tomokkos_BenchVectors.hpp"

namespace Tomokkos::Bench {

/// \brief A library beside ours on one backend in one scalar: what it offers for a case. What it
/// cannot do is refused with the reason.
template <class ExecutionSpace, class Scalar>
class PeerLibrary {
 public:
  explicit PeerLibrary(Peer peer) : peer_(peer) {}
  virtual ~PeerLibrary() = default;

  Peer peer() const { return peer_; }
  std::string name() const { return std::string(to_string(peer_)); }

  /// \brief Its products of CSR, and of those of `options.formats` that it has as well (others are
  /// passed over), with \p vectors vectors at once or `single_vector`. The transposed ones by its
  /// own operation, and on a stored transpose.
  virtual ProductList<Scalar> products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                       const BenchOptions& options, int vectors,
                                       bool of_transpose) const = 0;
  /// \brief Adds its transpositions.
  virtual void add_transpositions(CandidateList& list,
                                  BenchCase<ExecutionSpace, Scalar>& matrix_case) const = 0;
  /// \brief Adds what it makes of \p problem, under \p name with the variants that it has behind
  /// that.
  virtual void add_strided_products(
      ProductList<Scalar>& list, const std::string& name,
      const StridedProblem<ExecutionSpace, Scalar>& problem) const = 0;
  /// \brief Its loops of conjugate gradients.
  virtual PcgLoopList<Scalar> pcg_loops(const PcgProblem<ExecutionSpace, Scalar>& problem) const {
    static_cast<void>(problem);
    PcgLoopList<Scalar> list(name());
    list.refuse("csr", "pcg", "its calls for vectors are not built in for this backend");
    return list;
  }
  /// \brief Its `axpy` or `dot`. Throws `Error` where it has none.
  virtual VectorWork vector_work(const VectorProblem<ExecutionSpace, Scalar>& problem) const {
    static_cast<void>(problem);
    throw Error(name() + " has no such operation here");
  }

 private:
  Peer peer_;
};

/// \brief The libraries that are measured.
template <class ExecutionSpace, class Scalar>
using PeerLibraries = std::vector<std::unique_ptr<const PeerLibrary<ExecutionSpace, Scalar>>>;

/// \brief Returns the libraries among \p peers that are built in and run on this backend.
template <class ExecutionSpace, class Scalar>
PeerLibraries<ExecutionSpace, Scalar> make_peers(const std::vector<Peer>& peers);

/// \brief The version of a peer that is built in and runs on this backend; nothing otherwise.
template <class ExecutionSpace>
std::optional<std::string> peer_version(Peer peer);

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

// The libraries. Their members are defined, and instantiated, in their own source files. Those of a
// host library exist for the host backend alone, those of cuSPARSE for CUDA alone.

#define TOMOKKOS_PEER_MEMBERS                                                                      \
  ProductList<Scalar> products(BenchCase<ExecutionSpace, Scalar>&, const BenchOptions&, int, bool) \
      const override;                                                                              \
  void add_transpositions(CandidateList&, BenchCase<ExecutionSpace, Scalar>&) const override;      \
  void add_strided_products(ProductList<Scalar>&, const std::string&,                              \
                            const StridedProblem<ExecutionSpace, Scalar>&) const override;

#define TOMOKKOS_PEER_VECTORS                                                              \
  PcgLoopList<Scalar> pcg_loops(const PcgProblem<ExecutionSpace, Scalar>&) const override; \
  VectorWork vector_work(const VectorProblem<ExecutionSpace, Scalar>&) const override;

template <class ExecutionSpace, class Scalar>
class KokkosKernelsPeer final : public PeerLibrary<ExecutionSpace, Scalar> {
 public:
  KokkosKernelsPeer() : PeerLibrary<ExecutionSpace, Scalar>(Peer::kokkos_kernels) {}
  TOMOKKOS_PEER_MEMBERS
  TOMOKKOS_PEER_VECTORS
};

template <class ExecutionSpace, class Scalar>
class MklPeer final : public PeerLibrary<ExecutionSpace, Scalar> {
 public:
  MklPeer() : PeerLibrary<ExecutionSpace, Scalar>(Peer::mkl) {}
  TOMOKKOS_PEER_MEMBERS
  TOMOKKOS_PEER_VECTORS
};

template <class ExecutionSpace, class Scalar>
class EigenPeer final : public PeerLibrary<ExecutionSpace, Scalar> {
 public:
  EigenPeer() : PeerLibrary<ExecutionSpace, Scalar>(Peer::eigen) {}
  TOMOKKOS_PEER_MEMBERS
  PcgLoopList<Scalar> pcg_loops(const PcgProblem<ExecutionSpace, Scalar>&) const override;
};

/// \brief With cuBLAS for its vectors, where that is there.
template <class ExecutionSpace, class Scalar>
class CusparsePeer final : public PeerLibrary<ExecutionSpace, Scalar> {
 public:
  CusparsePeer() : PeerLibrary<ExecutionSpace, Scalar>(Peer::cusparse) {}
  TOMOKKOS_PEER_MEMBERS
#if defined(TOMOKKOS_BENCH_HAVE_CUBLAS)
  TOMOKKOS_PEER_VECTORS
#endif
};

#undef TOMOKKOS_PEER_MEMBERS
#undef TOMOKKOS_PEER_VECTORS

std::string kokkos_kernels_version();
std::string mkl_version();
std::string eigen_version();
std::string cusparse_version();

}  // namespace Tomokkos::Bench
