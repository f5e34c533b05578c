// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Compressed rows of 2 x 2 blocks `[a -b; b a]`: the real form of a complex matrix
/// `a + i b`, as in every conformal energy.
///
/// Block k couples the unknowns `2 i`, `2 i + 1` of its row with those of `columns(k)`; its a and b
/// are `values(2 k)` and `values(2 k + 1)`.
///
/// Contract, checked by `validate`: `row_offsets` has `num_block_rows + 1` entries, starts at 0,
/// never decreases and ends at the number of blocks. The columns of a row ascend and are in
/// `[0, num_block_rows)`. `values` has two entries a block. The matrix is symmetric if
/// `a_ij = a_ji` and `b_ij = -b_ji`.
///
/// Memory: `(4 + 2 sizeof(Value)) blocks + 8 rows` bytes. A BCSR of the same blocks needs
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

/// \brief Checks the contract of \p A. One pass, fences.
///
/// \throws Error naming the first row that violates it
template <class ExecutionSpace, class Value, class MemorySpace>
void validate(const ExecutionSpace& exec, const ComplexCsrMatrix<Value, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_TwoComponentMatrices_impl.hpp>
