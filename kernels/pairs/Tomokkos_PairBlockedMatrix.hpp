// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Pairs of rows that a GPU works on in lock step: the threads of a warp.
inline constexpr Ordinal lock_step_lanes = 32;

/// \brief The dense blocking of cuART (Yu, Wang, Feng 2016): rows in descending order of length,
/// the longest and the shortest in one line, the second longest and the second shortest, and so on.
///
/// `rows` lists the rows by length. Pair p has the entries of row `rows(p)`, then those of row
/// `rows(num_rows - 1 - p)`, then padding up to `width` places; of an odd number of rows the last
/// pair has its one row alone. Three ranges of places are the dense sub-matrices:
///  - Sub_SM_1, `[0, mixed_begin)`: all entries belong to the first rows of the pairs;
///  - Sub_SM_2, `[mixed_begin, mixed_end)`: some pairs are in their first row, some in their
///    second, some at their end. Bit `p % 32` of `junctions((place - mixed_begin) num_groups() + p
///    / 32)` says that the second row of pair p begins at that place;
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
///  - place k of pair p lies at `k pair_stride + p` of `columns` and `values`, so that lanes which
///    have neighbouring pairs read neighbouring addresses; `pair_stride >= num_pairs()`, and what
///    lies between is padding;
///  - padding has `padding_column` and value 0, and follows the last entry of its pair;
///  - every row is listed once, and lengths do not rise along `rows`;
///  - `mixed_begin` is the length of the shortest first row, `mixed_end` that of the longest,
///    `width` the number of entries of the fullest pair;
///  - a pair has at most one bit, at the first entry of its second row; none where that row is
///    empty or begins at `mixed_end`. Bits of pairs that there are not are 0;
///  - no row holds a column twice. Within a sub-matrix the entries of a row stand in any order.
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
  /// \brief Groups of pairs in lock step.
  Ordinal num_groups() const {
    return num_pairs() / lock_step_lanes + (num_pairs() % lock_step_lanes > 0 ? 1 : 0);
  }
  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Entries in memory, padding included.
  Offset num_stored() const { return static_cast<Offset>(values.extent(0)); }
  std::size_t memory_bytes() const {
    return values.extent(0) * (sizeof(Ordinal) + sizeof(Scalar)) +
           junctions.extent(0) * sizeof(std::uint32_t) + rows.extent(0) * sizeof(Ordinal);
  }
};

/// \brief Throws `Error` naming the first pair that breaks the contract. Cost: the comparisons of
/// all entries of each row, some passes and fences.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const PairBlockedMatrix<Scalar, MemorySpace>& A);

/// \brief The same matrix in \p TargetSpace. Shares the arrays when they are there already, else
/// copies and fences. Throws `MemoryError` with the bytes.
template <class TargetSpace, class ExecutionSpace, class Scalar, class MemorySpace>
PairBlockedMatrix<Scalar, TargetSpace> copy_to(const ExecutionSpace& exec,
                                               const PairBlockedMatrix<Scalar, MemorySpace>& A);

/// \brief How many additions of A^T x are lost where the lanes of group \p group read a place's
/// sums at once and then write them at once: for each place its entries less its distinct columns.
///
/// For host memory. Cost: sorts the 32 columns of each place. Throws `Error` for a group that there
/// is not.
template <class Scalar, class MemorySpace>
Offset count_collisions(const PairBlockedMatrix<Scalar, MemorySpace>& A, Ordinal group);

/// \brief The sum over all groups.
template <class Scalar, class MemorySpace>
Offset count_collisions(const PairBlockedMatrix<Scalar, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_PairBlockedMatrix_impl.hpp>
