// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllRMatrix.hpp>

namespace Tomokkos {

/// \brief SELL-C-sigma matrix (Kreutzer et al. 2014): slots of rows in chunks of C slots, each
/// chunk padded to its longest row. Every sigma consecutive rows are sorted by length.
///
/// Contract, checked by `validate`:
///  - chunk c holds the slots `[c C, (c + 1) C)`, in positions from `chunk_offsets(c)` up to
///    `chunk_offsets(c + 1)`; its width is the number of these positions over C, a multiple of
///    `pack`;
///  - entry k of lane l is at `chunk_offsets(c) + (k / pack) C pack + l pack + k % pack`: on a
///    GPU a lane loads `pack` entries at once, and the loads of the lanes are adjacent;
///  - `row_lengths(slot)` entries come first, with ascending columns; padding with `padding_column`
///    and value 0 follows them;
///  - slot s holds row `rows(s)`, or row s if `rows` is empty; every row has exactly one slot. The
///    last chunk may have slots without a row, of length 0.
///
/// ```
///     1 . 2        C 2, sigma 1, pack 1     chunk_offsets  0 4 8
///     . 3 .                                 row_lengths    2 1 2 .
///     4 5 .                                 columns        0 1 2 - | 0 - 1 -
///                                           values         1 3 2 0 | 4 0 5 0
/// ```
///
/// Memory: `(4 + sizeof(Scalar)) stored + 4 slots + 8 chunks` bytes, plus 4 slots with the
/// permutation.
template <class Scalar, class MemorySpace>
struct SellMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Offset nonzeros = 0;
  int chunk = 1;
  int pack = 1;
  Ordinal sigma = 1;
  Kokkos::View<const Offset*, MemorySpace> chunk_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> row_lengths;
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;

  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Returns the number of entries in memory, including padding.
  Offset num_stored() const { return static_cast<Offset>(values.extent(0)); }
  std::size_t memory_bytes() const {
    return values.extent(0) * (sizeof(Ordinal) + sizeof(Scalar)) +
           (row_lengths.extent(0) + rows.extent(0)) * sizeof(Ordinal) +
           chunk_offsets.extent(0) * sizeof(Offset);
  }
};

/// \brief Checks the contract of a SELL matrix. Two passes, two fences.
///
/// \throws Error naming the first row that breaks the contract
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const SellMatrix<Scalar, MemorySpace>& A);

namespace Impl {

template <class Scalar, class MemorySpace>
PaddedRows<Scalar> padded_rows(const SellMatrix<Scalar, MemorySpace>& A) {
  return {A.columns.data(),
          A.values.data(),
          A.row_lengths.data(),
          A.rows.extent(0) == 0 ? nullptr : A.rows.data(),
          A.chunk_offsets.data(),
          0,
          0,
          static_cast<Ordinal>(A.row_lengths.extent(0)),
          A.num_rows,
          A.num_cols,
          0,
          A.chunk,
          A.pack};
}

/// Finds the first chunk with impossible offsets.
template <class MemorySpace>
struct FirstBadChunk {
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Offset stored, unit, num_chunks;

  KOKKOS_FUNCTION void operator()(const Offset c, Offset& first) const {
    const Offset begin = offsets(c), end = offsets(c + 1);
    const bool bad = begin < 0 || end < begin || end > stored || (end - begin) % unit != 0 ||
                     (c == 0 && begin != 0) || (c == num_chunks - 1 && end != stored);
    if (bad && c < first) first = c;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const SellMatrix<Scalar, MemorySpace>& A) {
  require(
      A.num_rows >= 0 && A.num_cols >= 0 && A.chunk > 0 && A.pack > 0,
      "the numbers of rows and columns must not be negative, chunk and pack must be at least 1");
  require_equal("length of columns", static_cast<long long>(A.columns.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  const Offset chunks = (static_cast<Offset>(A.num_rows) + A.chunk - 1) / A.chunk;
  require_equal("length of chunk_offsets", static_cast<long long>(A.chunk_offsets.extent(0)),
                "number of chunks + 1", chunks + 1);
  require_equal("length of row_lengths", static_cast<long long>(A.row_lengths.extent(0)),
                "number of slots", chunks * A.chunk);
  if (A.rows.extent(0) > 0)
    require(A.rows.extent(0) >= static_cast<std::size_t>(A.num_rows), "every row must have a slot");
  Offset first = chunks;
  Kokkos::parallel_reduce(
      "Tomokkos::validate::chunks", Impl::element_range(exec, static_cast<std::size_t>(chunks)),
      Impl::FirstBadChunk<MemorySpace>{A.chunk_offsets, A.num_stored(),
                                       static_cast<Offset>(A.chunk) * A.pack, chunks},
      Kokkos::Min<Offset>(first));
  Impl::fence(exec, "validate: the first bad chunk");
  if (first < chunks)
    throw Refused(Impl::text("not a valid SELL matrix: chunk {} has impossible offsets", first));
  Impl::validate_slot_rows(exec, "SELL", A.num_rows, A.rows);
  Impl::validate_padded_rows(exec, "SELL", Impl::padded_rows(A), A.nonzeros);
}

}  // namespace Tomokkos
