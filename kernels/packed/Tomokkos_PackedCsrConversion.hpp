// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_PackedCsr.hpp>
#include <Tomokkos_Padding.hpp>

namespace Tomokkos {

/// \brief Layout of the groups of packed rows.
struct PackedCsrOptions {
  PackedLayout layout = PackedLayout::automatic;
  /// Entries of a group: 8, 16 or 32. Along rows on a GPU, this is the number of lanes that share a
  /// row. 0: the size that suits the kernels of the backend.
  int group = 0;
  /// Limit on the padding of the layout across rows.
  PaddingLimit limit{};
};

/// \brief Size of a matrix in packed rows for given options, computed before the conversion.
struct PackedCsrSize {
  PackedLayout layout = PackedLayout::along_rows;
  int group = 1;
  Offset stored = 0;      ///< entries including padding
  Offset groups = 0;      ///< number of bases
  Offset far_groups = 0;  ///< groups that need whole columns in addition to the 16 bits
  std::size_t bytes = 0;  ///< size of the matrix
};

/// \brief Chooses the layout: across rows if that padding adds at most a sixteenth of the entries
/// and, on a GPU, rows have fewer than 64 entries on average; otherwise along rows.
///
/// With one row per lane no sums between lanes are needed, but in long rows the lines of x that
/// neighbouring rows read drift apart.
///
/// \param stored_across entries across rows, including padding
constexpr PackedLayout choose_packed_layout(bool gpu, Ordinal num_rows, Offset nonzeros,
                                            Offset stored_across) {
  const bool equal = stored_across - nonzeros <= nonzeros / 16;
  const bool short_rows = nonzeros < 64 * Offset{num_rows};
  return equal && (short_rows || !gpu) ? PackedLayout::across_rows : PackedLayout::along_rows;
}

/// \brief Counts the size of A in packed rows. Cost: three passes over the lengths of the rows of
/// A, one over its columns, some fences; 12 bytes a row of workspace.
///
/// \throws Error as `packed_csr_from_csr` does, except for values
template <class ExecutionSpace, class Scalar, StoredPrecision Values = StoredPrecision::plain>
PackedCsrSize packed_csr_size(const ExecutionSpace& exec,
                              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                              const PackedCsrOptions& options = {},
                              const IndexMap<typename ExecutionSpace::memory_space>& rows = {});

/// \brief Converts A to packed rows. Columns must ascend within each row; `half` and `scaled` round
/// the values.
///
/// Slots are in the order of \p rows, or in natural order if that is empty. Rows in neighbouring
/// slots share the lines of x that they read. For a scan without its own order use
/// `tiled_ray_order`: tiles of 4 detectors x 8 views.
///
/// The result is complete on return, with the same bytes on every run. Cost: that of
/// `packed_csr_size` and one more pass over A, or two if there are far groups; in that case 8 bytes
/// a group of workspace.
///
/// \throws Error for options out of range, padding beyond the limit, and more than 2^30 far groups;
///   with values of 16 bits also for values that are not finite, with `half` also for values beyond
///   65504
/// \throws DimensionMismatch if the order has another number of rows
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar, StoredPrecision Values = StoredPrecision::plain>
PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values> packed_csr_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PackedCsrOptions& options = {},
    const IndexMap<typename ExecutionSpace::memory_space>& rows = {});

/// \brief Converts A to CSR with rows in natural order and with the values as packed rows hold
/// them. For `plain` these are the original bytes.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A);

}  // namespace Tomokkos
