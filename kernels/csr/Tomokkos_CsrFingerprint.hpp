// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <cstdint>
#include <cstring>

namespace Tomokkos {

/// \brief Returns a number that identifies a matrix: equal matrices have equal numbers.
///
/// It is a sum modulo 2^64 over all entries (position among the nonzeros, column and bits of the
/// value) and over the row offsets. It is the same on every backend and for any number of threads.
/// Two matrices that differ anywhere have the same number with a probability of 2^-64.
///
/// Cost: reads A once; two launches, three fences.
template <class ExecutionSpace, class Scalar>
std::uint64_t csr_fingerprint(const ExecutionSpace& exec,
                              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Computes `csr_fingerprint` of a matrix from consecutive blocks of rows, which need not
/// exist at the same time.
template <class ExecutionSpace, class Scalar>
class CsrFingerprint {
 public:
  /// \brief Adds the next block of rows. Reads it once; two launches, three fences.
  void add(const ExecutionSpace& exec,
           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& block);

  /// \brief Returns `csr_fingerprint` of all rows added so far, for a matrix with \p num_cols
  /// columns.
  std::uint64_t value(Ordinal num_cols) const;

 private:
  std::uint64_t sum_ = 0;
  Offset rows_ = 0, entries_ = 0;
};

/// \brief Hash of values in their order (FNV-1a, one step for each value).
struct ValueHash {
  std::uint64_t result = 0xcbf29ce484222325ULL;

  template <class Value>
  void add(Value value) {
    std::uint64_t bits = 0;
    static_assert(sizeof value <= sizeof bits);
    std::memcpy(&bits, &value, sizeof value);
    result = (result ^ bits) * 0x100000001b3ULL;
  }
};

}  // namespace Tomokkos
