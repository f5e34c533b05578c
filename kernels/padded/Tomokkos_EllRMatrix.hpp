// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllMatrix.hpp>

namespace Tomokkos {

/// \brief ELLPACK-R matrix (Vazquez et al. 2011): ELLPACK with the lengths of the rows, so that a
/// product need not read padding.
///
/// Contract, checked by `validate`: that of `EllMatrix` for slots instead of rows, and
///  - the first `row_lengths(slot)` entries of a slot are not padding;
///  - slot s holds row `rows(s)`, or row s if `rows` is empty; every row has exactly one slot. If
///    slots are sorted by length, the longest first, neighbouring threads finish together.
///
/// ```
///     1 . 2        sorted       rows         0 2 1
///     . 3 .                     row_lengths  2 2 1
///     4 5 .                     columns      0 2 | 0 1 | 1 -        (host order)
/// ```
///
/// Memory: `(4 + sizeof(Scalar)) width rows + 4 rows` bytes, plus 4 rows with the permutation.
template <class Scalar, class MemorySpace>
struct EllRMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Offset nonzeros = 0;
  Ordinal width = 0;
  Offset row_stride = 0;
  Offset entry_stride = 0;
  Kokkos::View<const Ordinal*, MemorySpace> row_lengths;
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;

  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Returns the number of entries in memory, including padding.
  Offset num_stored() const { return static_cast<Offset>(values.extent(0)); }
  std::size_t memory_bytes() const {
    return values.extent(0) * (sizeof(Ordinal) + sizeof(Scalar)) +
           (row_lengths.extent(0) + rows.extent(0)) * sizeof(Ordinal);
  }
};

/// \brief Checks the contract of an ELLPACK-R matrix. Two passes, two fences.
///
/// \throws Error naming the first row that breaks the contract
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const EllRMatrix<Scalar, MemorySpace>& A);

namespace Impl {

template <class Scalar, class MemorySpace>
PaddedRows<Scalar> padded_rows(const EllRMatrix<Scalar, MemorySpace>& A) {
  return ell_padded_rows(A, A.row_lengths.data(), A.rows.extent(0) == 0 ? nullptr : A.rows.data());
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const EllRMatrix<Scalar, MemorySpace>& A) {
  Impl::validate_ell_shape(A);
  require_equal("length of row_lengths", static_cast<long long>(A.row_lengths.extent(0)),
                "number of rows", A.num_rows);
  if (A.rows.extent(0) > 0)
    require_equal("length of rows", static_cast<long long>(A.rows.extent(0)), "number of rows",
                  A.num_rows);
  Impl::validate_slot_rows(exec, "ELLPACK-R", A.num_rows, A.rows);
  Impl::validate_padded_rows(exec, "ELLPACK-R", Impl::padded_rows(A), A.nonzeros);
}

}  // namespace Tomokkos
