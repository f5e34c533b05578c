// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Orderings.hpp>
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace Tomokkos {
namespace {

void require_grid(Ordinal rows, Ordinal columns) {
  require(rows >= 0 && columns >= 0 &&
              static_cast<Offset>(rows) * columns <= std::numeric_limits<Ordinal>::max(),
          "a grid of " + std::to_string(rows) + " x " + std::to_string(columns) +
              " cells cannot be ordered: sides are not negative, and the cells fit 32 bits");
}

/// Descends into the squares of the curve. The four symmetries that occur are their own inverses
/// and commute, so two bits hold one: x and y exchanged, both turned round.
struct HilbertCurve {
  Ordinal rows, columns;
  std::vector<Ordinal>& order;

  void visit(Offset row, Offset column, Offset side, bool swapped, bool turned) const {
    if (row >= rows || column >= columns) return;
    if (side == 1) {
      order.push_back(static_cast<Ordinal>(row * columns + column));
      return;
    }
    const Offset half = side / 2;
    for (int quarter = 0; quarter < 4; ++quarter) {
      bool x = quarter >= 2;
      bool y = quarter == 1 || quarter == 2;
      if (swapped) std::swap(x, y);
      visit(row + (y != turned ? half : 0), column + (x != turned ? half : 0), half,
            swapped != (quarter == 0 || quarter == 3), turned != (quarter == 3));
    }
  }
};

}  // namespace

std::vector<Ordinal> tiled_order(Ordinal rows, Ordinal columns, Ordinal tile_rows,
                                 Ordinal tile_columns) {
  require_grid(rows, columns);
  require(tile_rows >= 1 && tile_columns >= 1, "a tile of " + std::to_string(tile_rows) + " x " +
                                                   std::to_string(tile_columns) + " has no cells");
  std::vector<Ordinal> order;
  order.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (Offset top = 0; top < rows; top += tile_rows)
    for (Offset left = 0; left < columns; left += tile_columns)
      for (Offset row = top; row < std::min<Offset>(top + tile_rows, rows); ++row)
        for (Offset column = left; column < std::min<Offset>(left + tile_columns, columns);
             ++column)
          order.push_back(static_cast<Ordinal>(row * columns + column));
  return order;
}

std::vector<Ordinal> tiled_pixel_order(Ordinal rows, Ordinal columns) {
  return tiled_order(rows, columns, 4, 8);
}

std::vector<Ordinal> square_pixel_order(Ordinal rows, Ordinal columns) {
  return tiled_order(rows, columns, 64, 64);
}

std::vector<Ordinal> tiled_ray_order(Ordinal views, Ordinal detectors) {
  return tiled_order(views, detectors, 8, 4);
}

std::vector<Ordinal> hilbert_order(Ordinal rows, Ordinal columns) {
  require_grid(rows, columns);
  std::vector<Ordinal> order;
  order.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  Offset side = 1;
  while (side < std::max(rows, columns)) side *= 2;
  HilbertCurve{rows, columns, order}.visit(0, 0, side, false, false);
  return order;
}

std::vector<Ordinal> order_by_length(std::span<const Offset> row_offsets) {
  std::vector<Ordinal> order(row_offsets.empty() ? 0 : row_offsets.size() - 1);
  std::iota(order.begin(), order.end(), Ordinal(0));
  const auto length = [&](Ordinal row) {
    const auto i = static_cast<std::size_t>(row);
    return row_offsets[i + 1] - row_offsets[i];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](Ordinal a, Ordinal b) { return length(a) > length(b); });
  return order;
}

}  // namespace Tomokkos
