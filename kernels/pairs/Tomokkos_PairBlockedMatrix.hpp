// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Pairs of rows that a GPU processes in lock step: the threads of a warp.
inline constexpr Ordinal lock_step_lanes = 32;

/// \brief Sparse matrix that stores a long and a short row in each line: the dense blocking of
/// cuART (Yu, Wang, Feng 2016).
///
/// Rows are sorted by descending length. The longest row shares a line with the shortest, the
/// second longest with the second shortest, and so on.
///
/// `rows` lists the rows by length. Pair p has the entries of row `rows(p)`, then those of row
/// `rows(num_rows - 1 - p)`, then padding up to `width` places. If the number of rows is odd, the
/// last pair has only one row. Three ranges of places are the dense sub-matrices:
///  - Sub_SM_1, `[0, mixed_begin)`: all entries belong to the first rows of the pairs;
///  - Sub_SM_2, `[mixed_begin, mixed_end)`: some pairs are in their first row, some in their
///    second, some at their end. Bit `p % 32` of
///    `junctions((place - mixed_begin) num_groups() + p / 32)` is set if the second row of pair p
///    begins at that place;
///  - Sub_SM_3, `[mixed_end, width)`: entries of second rows, and padding.
///
/// ```
///     1 . 2 .       rows        0 2 3 1           mixed_begin 2, mixed_end 2, width 3
///     . 3 . .       columns     pair 0   0 2 1    Sub_SM_1: two places, Sub_SM_3: one
///     4 5 . .                   pair 1   0 1 3
///     . . . 6
/// ```
///
/// Contract, checked by `validate`:
///  - place k of pair p is element `k pair_stride + p` of `columns` and `values`, so that lanes
///    with neighbouring pairs read neighbouring addresses. `pair_stride >= num_pairs()`; elements
///    between the last pair and the stride are padding;
///  - padding has `padding_column` and value 0, and follows the last entry of its pair;
///  - every row is listed once, and lengths do not increase along `rows`;
///  - `mixed_begin` is the length of the shortest first row, `mixed_end` that of the longest,
///    `width` the number of entries of the fullest pair;
///  - a pair has at most one bit, at the first entry of its second row. It has none if that row is
///    empty or begins at `mixed_end`. Bits without a pair are 0;
///  - no row contains a column twice. Within a sub-matrix the entries of a row are in any order.
///
/// Memory in bytes: (4 + sizeof(Scalar)) width pair_stride + 4 (mixed_end - mixed_begin)
/// num_groups() + 4 num_rows.
template <class Scalar, class MemorySpace>
struct PairBlockedMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Offset nonzeros = 0;
  Offset pair_stride = 0;
  Ordinal mixed_begin = 0;
  Ordinal mixed_end = 0;
  Ordinal width = 0;
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<const std::uint32_t*, MemorySpace> junctions;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;

  Ordinal num_pairs() const { return num_rows / 2 + num_rows % 2; }
  /// \brief Returns the number of groups of `lock_step_lanes` pairs; the last may have fewer.
  Ordinal num_groups() const {
    return num_pairs() / lock_step_lanes + (num_pairs() % lock_step_lanes > 0 ? 1 : 0);
  }
  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Stored entries, including padding.
  Offset num_stored() const { return static_cast<Offset>(values.extent(0)); }
  std::size_t memory_bytes() const {
    return values.extent(0) * (sizeof(Ordinal) + sizeof(Scalar)) +
           junctions.extent(0) * sizeof(std::uint32_t) + rows.extent(0) * sizeof(Ordinal);
  }
};

/// \brief Checks the contract of \p A. Cost: compares all entries of each row with each other; some
/// passes and fences.
///
/// \throws Error naming the first pair that violates it
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const PairBlockedMatrix<Scalar, MemorySpace>& A);

/// \brief Returns the matrix in \p TargetSpace. Shares the arrays if they are already there;
/// otherwise copies and fences.
///
/// \throws MemoryError with the bytes needed
template <class TargetSpace, class ExecutionSpace, class Scalar, class MemorySpace>
PairBlockedMatrix<Scalar, TargetSpace> copy_to(const ExecutionSpace& exec,
                                               const PairBlockedMatrix<Scalar, MemorySpace>& A);

/// \brief Counts the additions of A^T x that would be lost if all lanes of group \p group first
/// read and then wrote the sums of a place: for each place, its entries minus its distinct columns.
///
/// Requires host memory. Cost: sorts the 32 columns of each place.
///
/// \throws Error if the group does not exist
template <class Scalar, class MemorySpace>
Offset count_collisions(const PairBlockedMatrix<Scalar, MemorySpace>& A, Ordinal group);

/// \brief Counts, in all groups, the additions of A^T x that would be lost.
template <class Scalar, class MemorySpace>
Offset count_collisions(const PairBlockedMatrix<Scalar, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_PairBlockedMatrix_impl.hpp>
