// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>
#include <string>

namespace Tomokkos {

/// \brief Matrix stored by diagonals (Saad 2003, section 3.4). Each diagonal that holds an entry is
/// stored as a whole, with its distance from the main diagonal. No column indices.
///
/// Contract, checked by `validate`:
///  - `offsets` ascend and are between `-(num_rows - 1)` and `num_cols - 1`; diagonal d holds the
///    entries `A(i, i + offsets(d))`;
///  - rows form chunks of `chunk` rows, and the diagonals of a chunk are stored one after another:
///    the entry of diagonal d in row i is `values(position(d, i))`. On a GPU all rows form one
///    chunk, so neighbouring threads read neighbouring values; on a host chunks are small, so a
///    product reads all values in one stream. Elements without an entry, or outside of the matrix,
///    are 0.
///
/// A zero is not an entry: products skip it and never multiply it. An infinity or a NaN in x
/// therefore reaches only the rows that use it.
///
/// ```
///     1 2 .        offsets  -1 0 1        chunk 3: values  0 4 6 | 1 3 7 | 2 5 0
///     4 3 5                               chunk 2: values  0 4 | 1 3 | 2 5 || 6 0 | 7 0 | 0 0
///     . 6 7
/// ```
///
/// Memory: `sizeof(Scalar)` bytes per diagonal and row, with rows rounded up to whole chunks, plus
/// 4 bytes per diagonal.
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
  /// \brief Returns the number of elements in memory, including those outside of the matrix.
  Offset num_stored() const { return static_cast<Offset>(values.extent(0)); }
  std::size_t memory_bytes() const {
    return values.extent(0) * sizeof(Scalar) + offsets.extent(0) * sizeof(Ordinal);
  }
};

namespace Impl {

/// Finds the first diagonal that is outside of the matrix or out of order.
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

/// \brief Checks the contract of a DIA matrix. Two passes, two fences.
///
/// \throws Error naming the violation
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const DiaMatrix<Scalar, MemorySpace>& A) {
  require(A.num_rows >= 0 && A.num_cols >= 0,
          "the numbers of rows and columns must not be negative");
  require(A.chunk > 0, "chunks must have at least one row");
  require_equal("length of values", static_cast<long long>(A.values.extent(0)),
                "number of elements of all diagonals",
                A.num_diagonals() * A.num_chunks() * A.chunk);
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
  require(inside <= A.nonzeros,
          Impl::text("not a valid DIA matrix: it holds {} entries, but declares {}", inside,
                     A.nonzeros));
}

}  // namespace Tomokkos
