// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbering of the rows and columns of an expanded block-circulant matrix, and sort keys of
// entries.
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_CirculantOptions.hpp>
#include <impl/Tomokkos_DivideBy.hpp>

namespace Tomokkos::Impl {

/// \brief Numbers of row i of block row p, and of column l of block column j.
struct CirculantNumbering {
  Ordinal block_rows, block_cols, blocks;
  bool by_blocks;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Ordinal i, Ordinal p) const {
    return by_blocks ? p * block_rows + i : i * blocks + p;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row_in_block(Ordinal row) const {
    return by_blocks ? row % block_rows : row / blocks;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal block_row(Ordinal row) const {
    return by_blocks ? row / block_rows : row % blocks;
  }
  /// Returns the column of an entry in block row p.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(const CirculantPlace& place, Ordinal p) const {
    Ordinal j = static_cast<Ordinal>(place.block) - (blocks - p);
    if (j < 0) j += blocks;
    const auto l = static_cast<Ordinal>(place.column);
    return by_blocks ? j * block_cols + l : l * blocks + j;
  }
};

template <class Scalar, class MemorySpace>
CirculantNumbering circulant_numbering(const BlockCirculantMatrix<Scalar, MemorySpace>& A,
                                       CirculantOrder order) {
  return {A.block_rows, A.block_cols, A.blocks, order == CirculantOrder::blocks};
}

/// \brief Converts columns b n_B + l of the block row to keys `l k + b`. Keys ascend like positions
/// and fit into a column index.
struct KeysOfColumns {
  const Ordinal* columns;
  Ordinal* keys;
  DivideBy block_cols;
  Ordinal blocks;

  KOKKOS_FUNCTION void operator()(const Offset e) const {
    const auto column = static_cast<std::uint32_t>(columns[e]);
    const std::uint32_t block = block_cols.quotient(column);
    keys[e] = static_cast<Ordinal>(column - block * block_cols.divisor()) * blocks +
              static_cast<Ordinal>(block);
  }
};

/// \brief Converts keys to positions; works in place.
struct PositionsOfKeys {
  const Ordinal* keys;
  std::uint32_t* positions;
  DivideBy blocks;
  std::uint32_t pitch;

  KOKKOS_FUNCTION void operator()(const Offset e) const {
    const auto key = static_cast<std::uint32_t>(keys[e]);
    const std::uint32_t column = blocks.quotient(key);
    positions[e] = column * pitch + (key - column * blocks.divisor());
  }
};

/// \brief Converts positions to columns of the block row.
struct ColumnsOfPositions {
  const std::uint32_t* positions;
  Ordinal* columns;
  CirculantPlaces places;
  Ordinal block_cols;

  KOKKOS_FUNCTION void operator()(const Offset e) const {
    const CirculantPlace place = places(positions[e]);
    columns[e] =
        static_cast<Ordinal>(place.block) * block_cols + static_cast<Ordinal>(place.column);
  }
};

/// \brief Arrays of a block-circulant matrix under construction.
template <class Scalar, class MemorySpace>
struct CirculantArrays {
  Kokkos::View<Offset*, MemorySpace> row_offsets;
  Kokkos::View<std::uint32_t*, MemorySpace> positions;
  Kokkos::View<Scalar*, MemorySpace> values;

  /// Keys that become positions, in the memory of the positions.
  Kokkos::View<Ordinal*, MemorySpace> keys() const {
    return Kokkos::View<Ordinal*, MemorySpace>(reinterpret_cast<Ordinal*>(positions.data()),
                                               positions.extent(0));
  }
};

}  // namespace Tomokkos::Impl
