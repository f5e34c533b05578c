// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Orderings.hpp>
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace Tomokkos {
namespace {

void require_grid(Ordinal rows, Ordinal columns) {
  require(
      rows >= 0 && columns >= 0 &&
          static_cast<Offset>(rows) * columns <= std::numeric_limits<Ordinal>::max(),
      Impl::text("a grid of {} x {} cells cannot be ordered: its sides must not be negative and "
                 "32-bit indices must be able to number its cells",
                 rows, columns));
}

/// Recursively descends into the squares of the curve. The four symmetries that occur are their own
/// inverses and commute. Two bits represent one: exchange x and y, reverse both.
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
  require(tile_rows >= 1 && tile_columns >= 1,
          Impl::text("a tile of {} x {} has no cells", tile_rows, tile_columns));
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
  return tiled_order(rows, columns, 8, 4);
}

std::vector<Ordinal> boxed_order(Ordinal slices, Ordinal rows, Ordinal columns, Ordinal box_slices,
                                 Ordinal box_rows, Ordinal box_columns) {
  require_grid(rows, columns);
  require_grid(slices, rows * columns);
  require(box_slices >= 1, Impl::text("a box of {} slices has no voxels", box_slices));
  const std::vector<Ordinal> tile_order = tiled_order(rows, columns, box_rows, box_columns);
  std::vector<Ordinal> order;
  order.reserve(static_cast<std::size_t>(slices) * tile_order.size());
  for (Offset front = 0; front < slices; front += box_slices) {
    const Offset back = std::min<Offset>(front + box_slices, slices);
    for (std::size_t begin = 0; begin < tile_order.size();) {
      // Tiles of all slices of a box, which begin with the same pixel.
      const Ordinal row = tile_order[begin] / columns, column = tile_order[begin] % columns;
      const auto size = static_cast<std::size_t>(std::min(box_rows, rows - row)) *
                        static_cast<std::size_t>(std::min(box_columns, columns - column));
      for (Offset slice = front; slice < back; ++slice)
        for (std::size_t p = begin; p < begin + size; ++p)
          order.push_back(static_cast<Ordinal>(slice * rows * columns + tile_order[p]));
      begin += size;
    }
  }
  return order;
}

std::vector<Ordinal> boxed_voxel_order(Ordinal slices, Ordinal rows, Ordinal columns) {
  return boxed_order(slices, rows, columns, 16, 16, 16);
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

std::vector<Ordinal> subset_class_order(int subsets) {
  require(subsets >= 1, Impl::text("the number of subsets is {}; it must be at least 1", subsets));
  int bits = 0;
  while ((Offset{1} << bits) < subsets) ++bits;
  std::vector<Ordinal> order;
  for (Offset place = 0; place < Offset{1} << bits; ++place) {
    Offset backwards = 0;
    for (int bit = 0; bit < bits; ++bit)
      if ((place >> bit & 1) != 0) backwards |= Offset{1} << (bits - 1 - bit);
    if (backwards < subsets) order.push_back(static_cast<Ordinal>(backwards));
  }
  return order;
}

std::vector<Ordinal> subset_ray_order(Ordinal views, Ordinal detectors, int subsets) {
  require_grid(views, detectors);
  std::vector<Ordinal> order;
  order.reserve(static_cast<std::size_t>(views) * static_cast<std::size_t>(detectors));
  for (const Ordinal first : subset_class_order(subsets))
    for (Offset view = first; view < views; view += subsets)
      for (Offset detector = 0; detector < detectors; ++detector)
        order.push_back(static_cast<Ordinal>(view * detectors + detector));
  return order;
}

std::vector<Ordinal> subset_pair_order(Ordinal crystals, Ordinal around, int subsets) {
  require_grid(crystals, crystals);
  require(around >= 1 && crystals % around == 0,
          Impl::text("{} crystals cannot be divided into circles of {}", crystals, around));
  std::vector<Ordinal> order;
  order.reserve(static_cast<std::size_t>(crystals) * static_cast<std::size_t>(crystals));
  for (const Ordinal first : subset_class_order(subsets))
    for (Offset view = first; view < around; view += subsets)
      for (Offset i = 0; i < crystals; ++i)
        for (Offset j = (view - i % around + around) % around; j < crystals; j += around)
          order.push_back(static_cast<Ordinal>(i * crystals + j));
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
