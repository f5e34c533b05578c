// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_EllRMatrix.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <cstddef>

namespace Tomokkos::Bench {

/// \brief Bytes of \p A that one product reads.
template <class Matrix>
std::size_t bytes_read(const Matrix& A) {
  return A.memory_bytes();
}

/// ELLPACK-R never reads its padding.
template <class Scalar, class MemorySpace>
std::size_t bytes_read(const EllRMatrix<Scalar, MemorySpace>& A) {
  return static_cast<std::size_t>(A.num_nonzeros()) * (sizeof(Ordinal) + sizeof(Scalar)) +
         (A.row_lengths.extent(0) + A.rows.extent(0)) * sizeof(Ordinal);
}

/// \brief Entries in memory over nonzeros.
template <class Matrix>
double stored_per_nonzero(const Matrix& A) {
  return fill_of(A);
}

template <class Scalar, class MemorySpace>
double stored_per_nonzero(const CsrMatrix<Scalar, MemorySpace>&) {
  return 1;
}

}  // namespace Tomokkos::Bench
