// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_PairBlockedMatrix.hpp>

namespace Tomokkos {

/// \brief Options of `pair_blocked_from_csr`, which stores two rows of a matrix in one line.
struct PairBlockedOptions {
  /// Reorder the entries of each row within a sub-matrix so that the lanes of a group in lock step
  /// have distinct columns at each place, as far as a greedy assignment can achieve that. If false,
  /// columns ascend.
  bool spread_columns = true;
  /// Limit on the ratio of places (of all pairs) to nonzeros.
  PaddingLimit limit{};
};

/// \brief Size of a matrix with paired rows for given options, computed before the conversion.
struct PairBlockedSize {
  Ordinal pairs = 0;
  Ordinal groups = 0;       ///< groups of pairs in lock step
  Offset pair_stride = 0;   ///< number of pairs; on a GPU rounded up to whole groups
  Ordinal mixed_begin = 0;  ///< number of places of Sub_SM_1
  Ordinal mixed_end = 0;    ///< first place of Sub_SM_3
  Ordinal width = 0;        ///< places of a pair
  Offset stored = 0;        ///< entries including padding: width x pair_stride
  std::size_t bytes = 0;    ///< size of the matrix
};

/// \brief Returns the bytes of a matrix with paired rows: entries, junctions and the list of rows.
///
/// `(4 + bytes_per_value) width pair_stride + 4 (mixed_end - mixed_begin) groups + 4 rows`
constexpr std::size_t pair_blocked_bytes(const PairBlockedSize& size, Ordinal num_rows,
                                         std::size_t bytes_per_value) {
  const auto places = static_cast<std::size_t>(size.width);
  const auto mixed = static_cast<std::size_t>(size.mixed_end - size.mixed_begin);
  return (sizeof(Ordinal) + bytes_per_value) * places * static_cast<std::size_t>(size.pair_stride) +
         sizeof(std::uint32_t) * mixed * static_cast<std::size_t>(size.groups) +
         sizeof(Ordinal) * static_cast<std::size_t>(num_rows);
}

/// \brief Counts the size of A with paired rows. Cost: a sort of the rows by length, a pass over
/// the lengths, some fences; up to 12 bytes a row of workspace.
///
/// \throws Error for pairs of more than 2^31 - 1 entries
template <class ExecutionSpace, class Scalar>
PairBlockedSize pair_blocked_size(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Converts A to paired rows with the same entries. Columns must ascend within each row of
/// A.
///
/// One thread spreads the columns of a group in lock step, place by place and lane by lane. It
/// selects the first entry of the row whose column no earlier lane has at this place. If no entry
/// qualifies, it exchanges the entry with one at an earlier place such that neither collides.
/// Remaining collisions stay: see `count_collisions`.
///
/// The result is complete on return, with the same bytes on every run and backend (except for
/// `pair_stride`). Cost: that of `pair_blocked_size`, a pass over A, a pass over the result.
///
/// \throws Error for padding beyond the limit
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar>
PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space> pair_blocked_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PairBlockedOptions& options = {});

/// \brief Converts A to CSR with rows in natural order and ascending columns.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
