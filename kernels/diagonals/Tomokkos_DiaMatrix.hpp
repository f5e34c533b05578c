// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>
#include <string>

namespace Tomokkos {

/// \brief Diagonals (Saad 2003, section 3.4): each diagonal that holds an entry is stored whole,
/// with its distance from the main one. No column indices.
///
/// Contract, checked by `validate`:
///  - `offsets` ascend; diagonal d holds the entries `A(i, i + offsets(d))`, and lies between
///    `-(num_rows - 1)` and `num_cols - 1`;
///  - rows stand in chunks of `chunk`, and the diagonals of a chunk one after the other: the entry
///  of
///    diagonal d in row i is `values(position(d, i))`. On a GPU all rows are one chunk, so that
///    neighbouring threads read neighbours; on a host chunks are small, so that a product reads all
///    values in one stream. What is not stored, or lies outside of the matrix, is 0.
///
/// A zero stands for no entry: it is passed over, never multiplied, so that an infinity or a NaN in
/// x reaches only the rows that touch it.
///
/// ```
///     1 2 .        offsets  -1 0 1        chunk 3: values  0 4 6 | 1 3 7 | 2 5 0
///     4 3 5                               chunk 2: values  0 4 | 1 3 | 2 5 || 6 0 | 7 0 | 0 0
///     . 6 7
/// ```
///
/// Memory: `sizeof(Scalar)` bytes a diagonal and row, rows rounded up to whole chunks, and 4 a
/// diagonal.
template <class Scalar, class MemorySpace>
struct DiaMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Offset nonzeros = 0;
  Ordinal chunk = 1;
  Kokkos::View<const Ordinal*, MemorySpace> offsets;
  Kokkos::View<const Scalar*, MemorySpace> values;

  Ordinal num_diagonals() const { return static_cast<Ordinal>(offsets.extent(0)); }
  Offset num_chunks() const { return (static_cast<Offset>(num_rows) + chunk - 1) / chunk; }
  KOKKOS_FUNCTION Offset position(Offset diagonal, Offset row) const {
    const Offset before = row / chunk;
    return (before * static_cast<Offset>(offsets.extent(0)) + diagonal) * chunk +
           (row - before * chunk);
  }
  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Entries in memory, those outside of the matrix included.
  Offset num_stored() const { return static_cast<Offset>(values.extent(0)); }
  std::size_t memory_bytes() const {
    return values.extent(0) * sizeof(Scalar) + offsets.extent(0) * sizeof(Ordinal);
  }
};

namespace Impl {

/// First diagonal that is out of place, and first place outside of the matrix that is not 0.
template <class Scalar, class MemorySpace>
struct FirstMisplacedDiagonal {
  DiaMatrix<Scalar, MemorySpace> A;

  KOKKOS_FUNCTION void operator()(const Offset d, Offset& first) const {
    const Ordinal offset = A.offsets(d);
    const bool bad =
        offset <= -A.num_rows || offset >= A.num_cols || (d > 0 && A.offsets(d - 1) >= offset);
    if (bad && d < first) first = d;
  }
};

template <class Scalar, class MemorySpace>
struct CountDiagonalEntries {
  DiaMatrix<Scalar, MemorySpace> A;

  KOKKOS_FUNCTION void operator()(const Offset at, Offset& outside, Offset& inside) const {
    if (A.values(at) == Scalar(0)) return;
    const Offset piece = at / A.chunk;
    const Offset diagonals = static_cast<Offset>(A.offsets.extent(0));
    const Offset row = piece / diagonals * A.chunk + at % A.chunk;
    const Offset column = row + A.offsets(piece % diagonals);
    if (row >= A.num_rows || column < 0 || column >= A.num_cols)
      ++outside;
    else
      ++inside;
  }
};

}  // namespace Impl

/// \brief Throws `Error` naming what breaks the contract. Two passes, two fences.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const DiaMatrix<Scalar, MemorySpace>& A) {
  require(A.num_rows >= 0 && A.num_cols >= 0, "a matrix has no negative number of rows or columns");
  require(A.chunk > 0, "chunks hold a row at least");
  require_equal("length of values", static_cast<long long>(A.values.extent(0)),
                "places of all diagonals", A.num_diagonals() * A.num_chunks() * A.chunk);
  const Offset diagonals = A.num_diagonals();
  Offset first = diagonals;
  Kokkos::parallel_reduce(
      "Tomokkos::validate::diagonals", Impl::element_range(exec, A.offsets.extent(0)),
      Impl::FirstMisplacedDiagonal<Scalar, MemorySpace>{A}, Kokkos::Min<Offset>(first));
  Impl::fence(exec, "validate: the first bad diagonal");
  require(
      first >= diagonals,
      Impl::text("not a valid DIA matrix: diagonal {} lies outside of the matrix or out of order",
                 first));
  Offset outside = 0, inside = 0;
  Kokkos::parallel_reduce("Tomokkos::validate::diagonal_entries",
                          Impl::element_range(exec, A.values.extent(0)),
                          Impl::CountDiagonalEntries<Scalar, MemorySpace>{A},
                          Kokkos::Sum<Offset>(outside), Kokkos::Sum<Offset>(inside));
  Impl::fence(exec, "validate: the entries of diagonals");
  require(outside == 0,
          Impl::text("not a valid DIA matrix: {} places outside of the matrix are not 0", outside));
  require(
      inside <= A.nonzeros,
      Impl::text("not a valid DIA matrix: it holds {} entries, and says {}", inside, A.nonzeros));
}

}  // namespace Tomokkos
