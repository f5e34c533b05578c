// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Compressed rows of 2 x 2 blocks `[a -b; b a]`: a complex matrix `a + i b` in real form,
/// as every conformal energy has. Block k couples the unknowns `2 i`, `2 i + 1` of its row with
/// those of `columns(k)`; its a and b are `values(2 k)` and `values(2 k + 1)`.
///
/// Contract, checked by `validate`: `row_offsets` has `num_block_rows + 1` entries, starts at 0,
/// never falls and ends at the number of blocks; the columns of a row ascend and lie in
/// `[0, num_block_rows)`; `values` holds two entries a block. Symmetric where `a_ij = a_ji` and
/// `b_ij = -b_ji`.
///
/// Memory: `(4 + 2 sizeof(Value)) blocks + 8 rows` bytes, of a BCSR of the same blocks
/// `(4 + 4 sizeof(Value)) blocks`.
template <class Value, class MemorySpace>
struct ComplexCsrMatrix {
  using scalar_type = Value;
  using memory_space = MemorySpace;
  static constexpr int components = 2;

  Ordinal num_block_rows = 0;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Value*, MemorySpace> values;

  Ordinal num_rows() const { return components * num_block_rows; }
  Offset num_blocks() const { return static_cast<Offset>(columns.extent(0)); }
  std::size_t memory_bytes() const {
    return row_offsets.extent(0) * sizeof(Offset) + columns.extent(0) * sizeof(Ordinal) +
           values.extent(0) * sizeof(Value);
  }
};

/// \brief Throws `Error` naming the first row that breaks the contract. One pass, fences.
template <class ExecutionSpace, class Value, class MemorySpace>
void validate(const ExecutionSpace& exec, const ComplexCsrMatrix<Value, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_TwoComponentMatrices_impl.hpp>
