// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <cstdint>

namespace Tomokkos {

/// \brief Matrix `L (x) I_2 + C`: one matrix L that two components share (a Laplacian for u and v),
/// and couplings `[0 -b; b 0]` of a few rows (along a border).
///
/// Unknowns are interleaved: row i of L represents the rows `2 i` and `2 i + 1`.
///
/// Contract, checked by `validate`: `shared` is square with sorted rows. `coupled_rows` ascend, and
/// bit `i % 32` of `coupled(i / 32)` is set for these rows only. `coupling_offsets` has one entry
/// more than `coupled_rows`, starts at 0 and never decreases. Columns are within the matrix. The
/// matrix is symmetric if L is and `b_ij = -b_ji`.
///
/// Memory: `(4 + sizeof(Value)) nnz(L) + 8 rows(L)` bytes and the couplings. This is the minimum
/// for products with a conformal map with area weights: inside the surface its blocks are multiples
/// of the identity.
template <class Value, class MemorySpace>
struct SharedCsrMatrix {
  using scalar_type = Value;
  using memory_space = MemorySpace;
  static constexpr int components = 2;

  CsrMatrix<Value, MemorySpace> shared;
  Kokkos::View<const std::uint32_t*, MemorySpace> coupled;
  Kokkos::View<const Ordinal*, MemorySpace> coupled_rows;
  Kokkos::View<const Offset*, MemorySpace> coupling_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> coupling_columns;
  Kokkos::View<const Value*, MemorySpace> couplings;

  Ordinal num_rows() const { return components * shared.num_rows; }
  std::size_t memory_bytes() const {
    return shared.memory_bytes() + coupled.extent(0) * sizeof(std::uint32_t) +
           coupled_rows.extent(0) * sizeof(Ordinal) + coupling_offsets.extent(0) * sizeof(Offset) +
           coupling_columns.extent(0) * sizeof(Ordinal) + couplings.extent(0) * sizeof(Value);
  }
};

/// \brief Checks the contract of \p A. One pass, fences.
///
/// \throws Error naming the first row that violates it
template <class ExecutionSpace, class Value, class MemorySpace>
void validate(const ExecutionSpace& exec, const SharedCsrMatrix<Value, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_TwoComponentMatrices_impl.hpp>
