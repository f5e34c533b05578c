// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <impl/Tomokkos_CirculantValues.hpp>

namespace Tomokkos::Impl {

/// Operands of a product with a block-circulant matrix for its kernels. A row of X has `width` = k
/// s values, a row of X replicated has `pitch s`. The values of entry e begin at `positions(e) s`
/// of X replicated.
template <class Scalar>
struct CirculantPass {
  const Offset* row_offsets;
  const std::uint32_t* positions;
  CirculantValues<Scalar> values;
  Ordinal block_rows;
  Ordinal pitch;  // of positions
  Ordinal blocks;
  int vectors;
  const Scalar* x;  // X, or X replicated
  Scalar* y;        // rows of `width` values
  Scalar alpha, beta;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal width() const { return blocks * vectors; }
};

template <class Scalar, class MemorySpace>
CirculantPass<Scalar> circulant_pass(const BlockCirculantMatrix<Scalar, MemorySpace>& A,
                                     int vectors, const Scalar* x, Scalar* y, Scalar alpha,
                                     Scalar beta) {
  // Positions in two adjacent rows of X must fit into an Ordinal.
  require(Offset{A.blocks} * vectors <= (1 << 29),
          "products with a block-circulant matrix allow at most 2^29 values in a row of X, blocks "
          "times vectors");
  return {A.row_offsets.data(),
          A.positions.data(),
          CirculantValues<Scalar>(A),
          A.block_rows,
          A.pitch,
          A.blocks,
          vectors,
          x,
          y,
          alpha,
          beta};
}

}  // namespace Tomokkos::Impl
