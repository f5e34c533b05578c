// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <limits>
#include <string>

namespace Tomokkos {

void check_circulant_shape(Ordinal block_rows, Ordinal block_cols, Ordinal blocks) {
  constexpr Offset indices = std::numeric_limits<Ordinal>::max();
  const std::string shape = Impl::text("{} blocks of {} x {}", blocks, block_rows, block_cols);
  require(blocks >= 1, "a block-circulant matrix has at least one block, not " + shape);
  require(block_rows >= 0 && block_cols >= 0,
          "blocks have a negative number of rows or columns: " + shape);
  require(Offset{block_rows} * blocks <= indices && Offset{block_cols} * blocks <= indices,
          Impl::text("{} have more rows or columns than the largest index, {}", shape, indices));
  const Offset pitch = circulant_pitch(blocks);
  const auto positions = Offset{std::numeric_limits<std::uint32_t>::max()} + 1;
  require(pitch <= indices && pitch * block_cols <= positions,
          Impl::text("{} need positions beyond 32 bits: {} times {}", shape, block_cols, pitch));
}

}  // namespace Tomokkos
