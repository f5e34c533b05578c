// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PairBlockedMatrix.hpp>

namespace Tomokkos {

/// \brief Places of the rows of a matrix with paired rows, found from the bit mask and the padding:
/// 12 bytes a row.
template <class MemorySpace>
struct PairRowIndex {
  Kokkos::View<const Offset*, MemorySpace> starts;  ///< position of the first entry of each row
  Kokkos::View<const Ordinal*, MemorySpace> sizes;  ///< entries of each row

  std::size_t memory_bytes() const {
    return starts.extent(0) * sizeof(Offset) + sizes.extent(0) * sizeof(Ordinal);
  }
};

/// \brief Finds the rows of \p A. Each pair reads its junction bits and some columns; no fence.
///
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
PairRowIndex<typename ExecutionSpace::memory_space> pair_row_index(
    const ExecutionSpace& exec,
    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Rows of a matrix with paired rows for row-action kernels, with the interface of
/// `CsrRows`.
///
/// The entries of a row are in the order in which they are stored. It is the order of the columns
/// if the matrix was converted without `PairBlockedOptions::spread_columns`. It points to the
/// arrays of the matrix and of the index, which must outlive it.
template <class Scalar, class MemorySpace>
struct PairRows {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;
  /// Successive entries of a row are `pair_stride` elements apart. The sector of 32 bytes that a
  /// GPU reads for an entry holds those of eight pairs.
  static constexpr Ordinal read_cost = 8;

  PairRows(const PairBlockedMatrix<Scalar, MemorySpace>& A, const PairRowIndex<MemorySpace>& index)
      : num_rows(A.num_rows),
        num_cols(A.num_cols),
        starts(index.starts.data()),
        sizes(index.sizes.data()),
        columns(A.columns.data()),
        values(A.values.data()),
        stride(A.pair_stride) {}

  Ordinal num_rows, num_cols;
  const Offset* starts;
  const Ordinal* sizes;
  const Ordinal* columns;
  const Scalar* values;
  Offset stride;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal size(Ordinal row) const { return sizes[row]; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Ordinal row, Ordinal e) const {
    return columns[starts[row] + e * stride];
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(Ordinal row, Ordinal e) const {
    return values[starts[row] + e * stride];
  }
};

}  // namespace Tomokkos
