// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>

namespace Tomokkos::Impl {

/// A product with a block-circulant matrix as its kernels see it: a row of X has `width` = k s
/// values, in X replicated `pitch s`, and an entry e begins at `positions(e) s` of X replicated.
template <class Scalar>
struct CirculantPass {
  const Offset* row_offsets;
  const std::uint32_t* positions;
  const Scalar* values;
  Ordinal block_rows;
  Ordinal pitch;  // of positions
  Ordinal blocks;
  int vectors;
  const Scalar* x;  // X, or X replicated
  Scalar* y;        // Y, rows of `width` values
  Scalar alpha, beta;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal width() const { return blocks * vectors; }
};

template <class Scalar, class MemorySpace>
CirculantPass<Scalar> circulant_pass(const BlockCirculantMatrix<Scalar, MemorySpace>& A,
                                     int vectors, const Scalar* x, Scalar* y, Scalar alpha,
                                     Scalar beta) {
  // Two rows of X side by side are counted in an Ordinal.
  require(Offset{A.blocks} * vectors <= (1 << 29),
          "products with a block-circulant matrix take at most 2^29 values of a row of X, blocks "
          "times vectors");
  return {A.row_offsets.data(),
          A.positions.data(),
          A.values.data(),
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
