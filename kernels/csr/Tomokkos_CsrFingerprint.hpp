// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <cstdint>

namespace Tomokkos {

/// \brief A number that tells matrices apart: a sum modulo 2^64 over all entries, of their place
/// among the nonzeros, column and bits, and over the row offsets. The same on every backend and for
/// any number of threads; two matrices that differ anywhere have the same one by a chance of 2^-64.
///
/// Cost: reads A once; two launches, three fences.
template <class ExecutionSpace, class Scalar>
std::uint64_t csr_fingerprint(const ExecutionSpace& exec,
                              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief The same of a matrix whose rows come in blocks, one after the other, and need not be
/// there at the same time.
template <class ExecutionSpace, class Scalar>
class CsrFingerprint {
 public:
  /// \brief The next rows. Reads them once; two launches, three fences.
  void add(const ExecutionSpace& exec,
           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& block);

  /// \brief `csr_fingerprint` of the rows so far as a matrix with \p num_cols columns.
  std::uint64_t value(Ordinal num_cols) const;

 private:
  std::uint64_t sum_ = 0;
  Offset rows_ = 0, entries_ = 0;
};

}  // namespace Tomokkos
