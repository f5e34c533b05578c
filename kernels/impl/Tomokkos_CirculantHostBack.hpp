// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transposed product with a block-circulant matrix from itself, on host threads: each owns
// parts of X, and visits all rows for what they have there. So a value of X is summed in the order
// of the rows, whatever the parts are.
#pragma once

#include <impl/Tomokkos_CirculantHostRows.hpp>
#include <impl/Tomokkos_SortedColumns.hpp>

namespace Tomokkos::Impl {

/// \brief Parts of X: ranges of in-sector columns times ranges of the values of a row.
struct CirculantGrid {
  int columns = 1, values = 1;

  int parts() const { return columns * values; }
};

/// Parts of each thread, which do not take equally long.
inline constexpr int host_back_parts = 4;

/// Values of a row of X in a part at least.
inline constexpr Ordinal host_back_values = 64;

/// \brief Ranges of columns, and where there are few of these, of values.
inline CirculantGrid choose_circulant_grid(int concurrency, Ordinal block_cols, Ordinal width) {
  // One thread waits for no other.
  const int wanted = concurrency > 1 ? host_back_parts * concurrency : 1;
  CirculantGrid grid;
  grid.columns = std::clamp(block_cols, 1, wanted);
  grid.values = std::clamp(wanted / grid.columns, 1, std::max(width / host_back_values, 1));
  return grid;
}

template <class Scalar>
struct CirculantHostBack {
  CirculantPass<Scalar> pass;  // x is Y, and y is X
  Ordinal block_cols;
  CirculantPlaces places;
  CirculantGrid grid;

  // For hosts alone, hence without a mark for devices.
  void operator()(const int part) const {
    const auto share = [](Ordinal count, int index, int parts) {
      return static_cast<Ordinal>(Offset{count} * index / parts);
    };
    const Ordinal width = pass.width();
    const int of_columns = part / grid.values, of_values = part % grid.values;
    const Ordinal first = share(block_cols, of_columns, grid.columns);
    const Ordinal last = share(block_cols, of_columns + 1, grid.columns);
    const Ordinal begin = share(width, of_values, grid.values);
    const Ordinal end = share(width, of_values + 1, grid.values);
    for (Ordinal l = first; l < last; ++l) {
      Scalar* const x = pass.y + Offset{l} * width;
      for (Ordinal q = begin; q < end; ++q)
        x[q] = pass.beta == Scalar(0) ? Scalar(0) : pass.beta * x[q];
    }
    const Offset first_position = Offset{first} * pass.pitch;
    const Offset last_position = Offset{last} * pass.pitch;
    for (Ordinal i = 0; i < pass.block_rows; ++i) {
      const Offset row_end = pass.row_offsets[i + 1];
      Offset e = pass.row_offsets[i];
      if (first > 0)
        e = first_not_below(pass.positions, e, row_end, static_cast<std::uint32_t>(first_position));
      const Scalar* const y = pass.x + Offset{i} * width;
      for (; e < row_end && pass.positions[e] < last_position; ++e) {
        const CirculantPlace place = places(pass.positions[e]);
        const Ordinal shift = static_cast<Ordinal>(place.block) * pass.vectors;
        // Y(i, p) goes where `shift + p` wraps to: X is Y rotated the other way.
        host_rotated_axpy(pass.alpha * pass.values[e], y, shift == 0 ? 0 : width - shift, width,
                          pass.y + (Offset{place.column} * width + begin), begin, end);
      }
    }
  }
};

}  // namespace Tomokkos::Impl
