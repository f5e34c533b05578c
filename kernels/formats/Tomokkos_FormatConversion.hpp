// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BcsrMatrix.hpp>
#include <Tomokkos_CooMatrix.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_EllRMatrix.hpp>
#include <Tomokkos_HybMatrix.hpp>
#include <Tomokkos_SellMatrix.hpp>

namespace Tomokkos {

// From CSR and back. All of it runs on the execution space: count, decide, allocate, fill. The rows
// of A must be sorted. Every function fences and leaves a finished matrix; it throws `Error` with
// the numbers when padding or fill would exceed the limit, `MemoryError` when memory is missing.

/// \brief How ELLPACK-R is made.
struct EllROptions {
  /// Slots in descending order of row length, equal ones in the order of the rows.
  bool sort_by_length = false;
  PaddingLimit limit;
};

/// \brief How HYB is split.
struct HybOptions {
  /// The regular part is as wide as the shortest length that this share of the rows does not
  /// exceed.
  double quantile = 2.0 / 3.0;
  PaddingLimit limit;
};

/// \brief How SELL is cut.
struct SellOptions {
  /// Rows of a chunk; 0: what the backend's kernel wants (32 on a GPU, a 64-byte vector of values
  /// on a host).
  int chunk = 0;
  /// Rows that are sorted by length among themselves: a multiple of the chunk, 1 for none, 0 for
  /// all.
  Ordinal sigma = 1;
  PaddingLimit limit;
};

/// \brief How BCSR is made.
struct BcsrOptions {
  /// Entries of blocks over nonzeros.
  PaddingLimit limit{16};
};

template <class ExecutionSpace, class Scalar>
CooMatrix<Scalar, typename ExecutionSpace::memory_space> coo_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

template <class ExecutionSpace, class Scalar>
EllMatrix<Scalar, typename ExecutionSpace::memory_space> ell_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PaddingLimit& limit = {});

template <class ExecutionSpace, class Scalar>
EllRMatrix<Scalar, typename ExecutionSpace::memory_space> ell_r_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const EllROptions& options = {});

template <class ExecutionSpace, class Scalar>
HybMatrix<Scalar, typename ExecutionSpace::memory_space> hyb_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const HybOptions& options = {});

template <class ExecutionSpace, class Scalar>
SellMatrix<Scalar, typename ExecutionSpace::memory_space> sell_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const SellOptions& options = {});

template <int B, class ExecutionSpace, class Scalar>
BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B> bcsr_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const BcsrOptions& options = {});

/// \brief The same matrix as CSR: entry for entry, except that BCSR has forgotten which of its
/// zeros were entries and returns none.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const CooMatrix<Scalar, typename ExecutionSpace::memory_space>& A);
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const EllMatrix<Scalar, typename ExecutionSpace::memory_space>& A);
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const EllRMatrix<Scalar, typename ExecutionSpace::memory_space>& A);
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const HybMatrix<Scalar, typename ExecutionSpace::memory_space>& A);
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const SellMatrix<Scalar, typename ExecutionSpace::memory_space>& A);
template <class ExecutionSpace, class Scalar, int B>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B>& A);

}  // namespace Tomokkos
