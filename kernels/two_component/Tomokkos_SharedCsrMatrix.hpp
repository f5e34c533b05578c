// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <cstdint>

namespace Tomokkos {

/// \brief `L (x) I_2 + C`: one matrix that two components share (a Laplacian, u and v), and
/// couplings `[0 -b; b 0]` of a few rows (along a border). Unknowns are interleaved: row i of L
/// stands for the rows `2 i` and `2 i + 1`.
///
/// Contract, checked by `validate`: `shared` is square with sorted rows; `coupled_rows` ascend, and
/// bit `i % 32` of `coupled(i / 32)` is set for these rows alone; `coupling_offsets` has an entry
/// more than `coupled_rows`, starts at 0 and never falls; columns lie within the matrix. Symmetric
/// where L is and `b_ij = -b_ji`.
///
/// Memory: `(4 + sizeof(Value)) nnz(L) + 8 rows(L)` bytes and the couplings. The least bytes that a
/// conformal map with area weights can be multiplied with: inside of the surface its blocks are
/// multiples of the identity.
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

/// \brief Throws `Error` naming the first row that breaks the contract. One pass, fences.
template <class ExecutionSpace, class Value, class MemorySpace>
void validate(const ExecutionSpace& exec, const SharedCsrMatrix<Value, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_TwoComponentMatrices_impl.hpp>
