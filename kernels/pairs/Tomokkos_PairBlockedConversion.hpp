// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_PairBlockedMatrix.hpp>

namespace Tomokkos {

/// \brief How rows are paired and blocked.
struct PairBlockedOptions {
  /// Reorder the entries of each row within a sub-matrix so that the lanes of a group in lock step
  /// have distinct columns at a place, as far as a greedy assignment finds it; else columns ascend.
  bool spread_columns = true;
  /// Places of all pairs over nonzeros.
  PaddingLimit limit;
};

/// \brief What paired rows of a matrix will be: the figures of the matrix that the same arguments
/// give.
struct PairBlockedSize {
  Ordinal pairs = 0;
  Ordinal groups = 0;       ///< in lock step
  Offset pair_stride = 0;   ///< the pairs; on a GPU rounded up to whole groups
  Ordinal mixed_begin = 0;  ///< places of Sub_SM_1
  Ordinal mixed_end = 0;    ///< where Sub_SM_3 begins
  Ordinal width = 0;        ///< places of a pair
  Offset stored = 0;        ///< entries, padding included: width x pair_stride
  std::size_t bytes = 0;    ///< of the matrix
};

/// \brief `(4 + bytes_per_value) width pair_stride + 4 (mixed_end - mixed_begin) groups + 4 rows`:
/// entries, junctions, the list of rows.
constexpr std::size_t pair_blocked_bytes(const PairBlockedSize& size, Ordinal num_rows,
                                         std::size_t bytes_per_value) {
  const auto places = static_cast<std::size_t>(size.width);
  const auto mixed = static_cast<std::size_t>(size.mixed_end - size.mixed_begin);
  return (sizeof(Ordinal) + bytes_per_value) * places * static_cast<std::size_t>(size.pair_stride) +
         sizeof(std::uint32_t) * mixed * static_cast<std::size_t>(size.groups) +
         sizeof(Ordinal) * static_cast<std::size_t>(num_rows);
}

/// \brief The figures beforehand. Cost: a sort of the rows by length, a pass over the lengths, some
/// fences; up to 12 bytes a row of workspace. Throws `Error` for pairs of more than 2^31 - 1
/// entries.
template <class ExecutionSpace, class Scalar>
PairBlockedSize pair_blocked_size(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief A, its rows sorted, with paired rows: the same entries.
///
/// The columns of a group in lock step are spread by one thread: place by place and lane by lane
/// the first entry of the row whose column no lane before has at this place; where there is none,
/// an exchange with a place before that leaves both without a collision. What collides after that
/// stays: see `count_collisions`. Complete on return, the same bytes on every run and backend (but
/// for `pair_stride`). Cost: that of `pair_blocked_size`, a pass over A, a pass over the result.
/// Throws `Error` for padding beyond the limit, `MemoryError` with the bytes.
template <class ExecutionSpace, class Scalar>
PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space> pair_blocked_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PairBlockedOptions& options = {});

/// \brief The same matrix as CSR, rows in their natural order, columns ascending.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
