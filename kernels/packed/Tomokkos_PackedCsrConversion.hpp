// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_PackedCsr.hpp>
#include <Tomokkos_Padding.hpp>

namespace Tomokkos {

/// \brief How packed rows are cut.
struct PackedCsrOptions {
  PackedLayout layout = PackedLayout::automatic;
  /// Entries of a group, along rows on a GPU the lanes that share a row: 8, 16 or 32; 0: what the
  /// backend's kernels want.
  int group = 0;
  /// Of the padding across rows.
  PaddingLimit limit;
};

/// \brief What packed rows of a matrix will be: the figures of the matrix that the same arguments
/// give.
struct PackedCsrSize {
  PackedLayout layout = PackedLayout::along_rows;
  int group = 1;
  Offset stored = 0;      ///< entries, padding included
  Offset groups = 0;      ///< bases
  Offset far_groups = 0;  ///< groups that need whole columns beside the 16 bits
  std::size_t bytes = 0;  ///< of the matrix
};

/// \brief The layout for rows of these figures: across rows where padding costs less than a
/// sixteenth, on a GPU of rows below 64 entries on average; else along them.
///
/// A lane a row leaves nothing to add up between lanes, but the lines of x that neighbouring rows
/// read drift apart along them.
constexpr PackedLayout choose_packed_layout(bool gpu, Ordinal num_rows, Offset nonzeros,
                                            Offset stored_across) {
  const bool equal = stored_across - nonzeros <= nonzeros / 16;
  const bool short_rows = nonzeros < 64 * Offset{num_rows};
  return equal && (short_rows || !gpu) ? PackedLayout::across_rows : PackedLayout::along_rows;
}

/// \brief The figures beforehand. Cost: three passes over the lengths of the rows of A, one over
/// its columns, some fences; 12 bytes a row of workspace. Throws as the conversion, but for values.
template <class ExecutionSpace, class Scalar, StoredPrecision Values = StoredPrecision::plain>
PackedCsrSize packed_csr_size(const ExecutionSpace& exec,
                              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                              const PackedCsrOptions& options = {},
                              const IndexMap<typename ExecutionSpace::memory_space>& rows = {});

/// \brief A, its rows sorted, in packed rows: the same entries, those of `half` and `scaled`
/// rounded. Its slots stand in the order of \p rows, natural where that is empty.
///
/// Rows that stand side by side share the lines of x that they read: for a scan without an order of
/// its own that of `tiled_ray_order`, tiles of 4 detectors x 8 views. Complete on return, the same
/// bytes on every run. Cost: that of `packed_csr_size`, one more pass over A, two where there are
/// far groups; then 8 bytes a group of workspace. Throws `Error` for options out of range, padding
/// beyond the limit, more than 2^30 far groups; with values of 16 bits for values that are not
/// finite, with `half` beyond 65504; `DimensionMismatch` for an order of other rows; `MemoryError`
/// with the bytes.
template <class ExecutionSpace, class Scalar, StoredPrecision Values = StoredPrecision::plain>
PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values> packed_csr_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PackedCsrOptions& options = {},
    const IndexMap<typename ExecutionSpace::memory_space>& rows = {});

/// \brief A in CSR, rows in their natural order, with the values as packed rows hold them: of
/// `plain` the bytes that they were made from.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A);

}  // namespace Tomokkos
