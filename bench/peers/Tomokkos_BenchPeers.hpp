// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Peer libraries behind one interface. Each has its own source files, which are compiled if CMake
// found the library (TOMOKKOS_BENCH_HAVE_...). All libraries get the same arrays and run in their
// best mode.
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

/// \brief Peer library on one backend in one scalar. Makes products, transpositions and loops for a
/// case, and refuses unsupported ones with the reason.
template <class ExecutionSpace, class Scalar>
class PeerLibrary {
 public:
  explicit PeerLibrary(Peer peer) : peer_(peer) {}
  virtual ~PeerLibrary() = default;

  Peer peer() const { return peer_; }
  std::string name() const { return std::string(to_string(peer_)); }

  /// \brief Makes products with CSR and with the supported ones of `options.formats`, with \p
  /// vectors vectors at once or `single_vector`.
  ///
  /// Other formats are skipped. Transposed products use the transposed operation of the library and
  /// also a stored transpose.
  virtual ProductList<Scalar> products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                       const BenchOptions& options, int vectors,
                                       bool of_transpose) const = 0;
  /// \brief Adds the transpositions of the library.
  virtual void add_transpositions(CandidateList& list,
                                  BenchCase<ExecutionSpace, Scalar>& matrix_case) const = 0;
  /// \brief Adds products for \p problem. Their variants begin with \p name.
  virtual void add_strided_products(
      ProductList<Scalar>& list, const std::string& name,
      const StridedProblem<ExecutionSpace, Scalar>& problem) const = 0;
  /// \brief Makes the loops of conjugate gradients.
  virtual PcgLoopList<Scalar> pcg_loops(const PcgProblem<ExecutionSpace, Scalar>& problem) const {
    static_cast<void>(problem);
    PcgLoopList<Scalar> list(name());
    list.refuse("csr", "pcg", "its vector functions are not built in for this backend");
    return list;
  }
  /// \brief Makes `axpy` or `dot`.
  ///
  /// \throws Error when the library has no such operation
  virtual VectorWork vector_work(const VectorProblem<ExecutionSpace, Scalar>& problem) const {
    static_cast<void>(problem);
    throw Error(name() + " has no such operation for this backend");
  }

 private:
  Peer peer_;
};

/// \brief Peer libraries that are measured.
template <class ExecutionSpace, class Scalar>
using PeerLibraries = std::vector<std::unique_ptr<const PeerLibrary<ExecutionSpace, Scalar>>>;

/// \brief Returns the libraries among \p peers that are built in and run on this backend.
template <class ExecutionSpace, class Scalar>
PeerLibraries<ExecutionSpace, Scalar> make_peers(const std::vector<Peer>& peers);

/// \brief Returns the version of a peer; empty if it is not built in or does not run on this
/// backend.
template <class ExecutionSpace>
std::optional<std::string> peer_version(Peer peer);

/// \brief Returns true if \p format is requested.
inline bool wants(const BenchOptions& options, MatrixFormat format) {
  return std::find(options.formats.begin(), options.formats.end(), to_string(format)) !=
         options.formats.end();
}

/// \brief Throws `Error` unless blocks of B x B tile A.
///
/// Libraries that store blocks need vectors of whole blocks.
template <class Scalar, class MemorySpace>
void require_whole_blocks(const CsrMatrix<Scalar, MemorySpace>& A, int block) {
  if (A.num_rows % block != 0 || A.num_cols % block != 0)
    throw Error(Impl::text("blocks of {} do not divide {} x {}", block, A.num_rows, A.num_cols));
}

/// \brief Name of a block size, for example `2x2`.
inline std::string block_name(int block) { return Impl::text("{}x{}", block, block); }

// The libraries. Their members are defined and instantiated in their own source files: those of a
// host library only for the host backend, those of cuSPARSE only for CUDA.

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

/// \brief cuSPARSE, with cuBLAS for vectors if available.
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
