// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CooMatrix.hpp>
#include <Tomokkos_EllMatrix.hpp>
#include <string>

namespace Tomokkos {

/// \brief HYB matrix (Bell and Garland 2009): the first `regular.width` entries of every row in
/// ELLPACK, the others in a list. `A = regular + rest`.
///
/// Contract, checked by `validate`: both parts are valid and have the same shape. A row has entries
/// in `rest` only if it fills `regular`, and their columns are larger than those in `regular`.
///
/// ```
///     1 . 2        width 1      regular  0:1 | 1:3 | 0:4        rest  (0,2):2 (2,1):5
///     . 3 .
///     4 5 .
/// ```
template <class Scalar, class MemorySpace>
struct HybMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  EllMatrix<Scalar, MemorySpace> regular;
  CooMatrix<Scalar, MemorySpace> rest;
  Ordinal num_rows = 0;
  Ordinal num_cols = 0;

  Offset num_nonzeros() const { return regular.num_nonzeros() + rest.num_nonzeros(); }
  /// \brief Returns the number of entries in memory, including padding.
  Offset num_stored() const { return regular.num_stored() + rest.num_stored(); }
  std::size_t memory_bytes() const { return regular.memory_bytes() + rest.memory_bytes(); }
};

/// \brief Checks the contract of a HYB matrix. Three passes and fences.
///
/// \throws Error naming the violation
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const HybMatrix<Scalar, MemorySpace>& A);

namespace Impl {

/// Finds the first entry of `rest` that should be in `regular`, or whose column precedes one in
/// `regular`.
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
          "both parts of a HYB matrix must have its shape");
  validate(exec, A.regular);
  validate(exec, A.rest);
  Offset first = A.rest.num_nonzeros();
  Kokkos::parallel_reduce(
      "Tomokkos::validate::hyb", Impl::element_range(exec, A.rest.values.extent(0)),
      Impl::FirstMisplacedEntry<Scalar, MemorySpace>{Impl::padded_rows(A.regular), A.rest},
      Kokkos::Min<Offset>(first));
  Impl::fence(exec, "validate: the first misplaced entry");
  if (first < A.rest.num_nonzeros())
    throw Refused(
        Impl::text("not a valid HYB matrix: entry {} of the rest belongs to a row whose regular "
                   "part has room or larger columns",
                   first));
}

}  // namespace Tomokkos
