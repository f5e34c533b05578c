// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllRMatrix.hpp>

namespace Tomokkos {

/// \brief SELL-C-sigma (Kreutzer et al. 2014): slots of rows in chunks of C, each chunk padded to
/// its longest row; the rows of every sigma consecutive ones are sorted by length.
///
/// Contract, checked by `validate`:
///  - chunk c holds the slots `[c C, (c + 1) C)` at `chunk_offsets(c)` up to `chunk_offsets(c +
///  1)`,
///    its width is that length over C, a multiple of `pack`; entry k of lane l lies at
///    `chunk_offsets(c) + (k / pack) C pack + l pack + k % pack`: on a GPU a lane loads `pack`
///    entries at once and the lanes' loads are adjacent;
///  - `row_lengths(slot)` entries stand in front, with ascending columns, then padding with
///    `padding_column` and value 0;
///  - slot s holds row `rows(s)`, or row s where `rows` is empty; every row has one slot. The last
///    chunk may have slots without a row, of length 0.
///
/// ```
///     1 . 2        C 2, sigma 1, pack 1     chunk_offsets  0 4 8
///     . 3 .                                 row_lengths    2 1 2 .
///     4 5 .                                 columns        0 1 2 - | 0 - 1 -
///                                           values         1 3 2 0 | 4 0 5 0
/// ```
///
/// Memory: `(4 + sizeof(Scalar)) stored + 4 slots + 8 chunks` bytes, with the permutation 4 slots
/// more.
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
  /// \brief Entries in memory, padding included.
  Offset num_stored() const { return static_cast<Offset>(values.extent(0)); }
  std::size_t memory_bytes() const {
    return values.extent(0) * (sizeof(Ordinal) + sizeof(Scalar)) +
           (row_lengths.extent(0) + rows.extent(0)) * sizeof(Ordinal) +
           chunk_offsets.extent(0) * sizeof(Offset);
  }
};

/// \brief Throws `Error` naming the first row that breaks the contract. Two passes, two fences.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const SellMatrix<Scalar, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_SellMatrix_impl.hpp>
