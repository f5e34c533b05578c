// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_HybMatrix.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// First entry of the rest that should stand in the regular part, or before what stands there.
template <class Scalar, class MemorySpace>
struct FirstMisplacedEntry {
  PaddedRows<Scalar> regular;
  CooMatrix<Scalar, MemorySpace> rest;

  KOKKOS_FUNCTION void operator()(const Offset k, Offset& first) const {
    const Ordinal row = rest.rows(k);
    const Ordinal width = regular.width;
    const bool bad =
        regular.length(row) < width ||
        (width > 0 && regular.columns[regular.position(row, width - 1)] >= rest.columns(k));
    if (bad && k < first) first = k;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const HybMatrix<Scalar, MemorySpace>& A) {
  require(A.regular.num_rows == A.num_rows && A.regular.num_cols == A.num_cols &&
              A.rest.num_rows == A.num_rows && A.rest.num_cols == A.num_cols,
          "both parts of a HYB matrix have its shape");
  validate(exec, A.regular);
  validate(exec, A.rest);
  Offset first = A.rest.num_nonzeros();
  Kokkos::parallel_reduce(
      "Tomokkos::validate::hyb", Impl::element_range(exec, A.rest.values.extent(0)),
      Impl::FirstMisplacedEntry<Scalar, MemorySpace>{Impl::padded_rows(A.regular), A.rest},
      Kokkos::Min<Offset>(first));
  Impl::fence(exec, "validate: the first misplaced entry");
  if (first < A.rest.num_nonzeros())
    throw Error("not a valid HYB matrix: entry " + std::to_string(first) +
                " of the rest belongs to a row whose regular part has room or larger columns");
}

}  // namespace Tomokkos
