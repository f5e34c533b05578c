// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <limits>
#include <string>

namespace Tomokkos {

void check_circulant_shape(Ordinal block_rows, Ordinal block_cols, Ordinal blocks) {
  constexpr Offset indices = std::numeric_limits<Ordinal>::max();
  const std::string shape = std::to_string(blocks) + " blocks of " + std::to_string(block_rows) +
                            " x " + std::to_string(block_cols);
  require(blocks >= 1, "a block-circulant matrix has at least one block, not " + shape);
  require(block_rows >= 0 && block_cols >= 0,
          "blocks have no negative number of rows or columns, as in " + shape);
  require(Offset{block_rows} * blocks <= indices && Offset{block_cols} * blocks <= indices,
          shape + " have more rows or columns than the " + std::to_string(indices) +
              " that an index counts");
  const Offset pitch = circulant_pitch(blocks);
  const auto positions = Offset{std::numeric_limits<std::uint32_t>::max()} + 1;
  require(pitch <= indices && pitch * block_cols <= positions,
          shape + " take positions beyond 32 bits: " + std::to_string(block_cols) + " times " +
              std::to_string(pitch));
}

}  // namespace Tomokkos
