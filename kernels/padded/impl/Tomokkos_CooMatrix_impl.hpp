// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CooMatrix.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// First entry that breaks the contract of COO; the number of entries when there is none.
template <class Scalar, class MemorySpace>
struct FirstBadCooEntry {
  CooMatrix<Scalar, MemorySpace> A;

  KOKKOS_FUNCTION void operator()(const Offset k, Offset& first) const {
    if (k >= first) return;
    const Ordinal row = A.rows(k), column = A.columns(k);
    bool bad = row < 0 || row >= A.num_rows || column < 0 || column >= A.num_cols;
    if (k > 0) {
      const Ordinal before = A.rows(k - 1);
      bad = bad || before > row || (before == row && A.columns(k - 1) >= column);
    }
    if (bad) first = k;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const CooMatrix<Scalar, MemorySpace>& A) {
  require(A.num_rows >= 0 && A.num_cols >= 0, "a matrix has no negative number of rows or columns");
  require_equal("length of rows", static_cast<long long>(A.rows.extent(0)), "length of values",
                static_cast<long long>(A.values.extent(0)));
  require_equal("length of columns", static_cast<long long>(A.columns.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  Offset bad = A.num_nonzeros();
  Kokkos::parallel_reduce("Tomokkos::validate::coo", Impl::element_range(exec, A.values.extent(0)),
                          Impl::FirstBadCooEntry<Scalar, MemorySpace>{A}, Kokkos::Min<Offset>(bad));
  Impl::fence(exec, "validate: the first bad entry");
  if (bad >= A.num_nonzeros()) return;
  throw Error("not a valid COO matrix: entry " + std::to_string(bad) +
              " is outside of the matrix or does not follow the one before it");
}

}  // namespace Tomokkos
