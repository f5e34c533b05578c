// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Rows of a CSR matrix for row-action kernels: `size(row)` entries, entry e in
/// `column(row, e)` with `value(row, e)`.
///
/// A format that does not store its rows one by one provides its own type with this interface. It
/// is copied by value into kernels, and no row contains a column twice. `read_cost` says how often
/// the bytes of an entry are moved to read it: 1 if the entries of a row are adjacent.
template <class Scalar, class MemorySpace>
struct CsrRows {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;
  static constexpr Ordinal read_cost = 1;

  explicit CsrRows(const CsrMatrix<Scalar, MemorySpace>& A)
      : num_rows(A.num_rows),
        num_cols(A.num_cols),
        offsets(A.row_offsets.data()),
        columns(A.columns.data()),
        values(A.values.data()) {}

  Ordinal num_rows, num_cols;
  const Offset* offsets;
  const Ordinal* columns;
  const Scalar* values;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal size(Ordinal row) const {
    return static_cast<Ordinal>(offsets[row + 1] - offsets[row]);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Ordinal row, Ordinal e) const {
    return columns[offsets[row] + e];
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(Ordinal row, Ordinal e) const {
    return values[offsets[row] + e];
  }
};

}  // namespace Tomokkos
