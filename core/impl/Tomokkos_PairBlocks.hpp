// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paired rows as raw pointers: where an entry lies, which rows a pair has and where they meet.
// Validation, conversions and products are written on this.
#pragma once

#include <Tomokkos_PairBlockedMatrix.hpp>

namespace Tomokkos::Impl {

template <class Scalar>
struct PairBlocks {
  const Ordinal* rows;
  const std::uint32_t* junctions;
  const Ordinal* columns;
  const Scalar* values;
  Offset pair_stride;
  Ordinal num_rows, num_cols, num_pairs, num_groups;
  Ordinal mixed_begin, mixed_end, width;

  template <class MemorySpace>
  explicit PairBlocks(const PairBlockedMatrix<Scalar, MemorySpace>& A)
      : rows(A.rows.data()),
        junctions(A.junctions.data()),
        columns(A.columns.data()),
        values(A.values.data()),
        pair_stride(A.pair_stride),
        num_rows(A.num_rows),
        num_cols(A.num_cols),
        num_pairs(A.num_pairs()),
        num_groups(A.num_groups()),
        mixed_begin(A.mixed_begin),
        mixed_end(A.mixed_end),
        width(A.width) {}

  KOKKOS_FORCEINLINE_FUNCTION Offset position(Ordinal pair, Ordinal place) const {
    return place * pair_stride + pair;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal first_row(Ordinal pair) const { return rows[pair]; }
  /// False for the one row that an odd number leaves.
  KOKKOS_FORCEINLINE_FUNCTION bool has_second(Ordinal pair) const {
    return num_rows - 1 - pair != pair;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal second_row(Ordinal pair) const {
    return rows[num_rows - 1 - pair];
  }

  /// Where the word with the bit of a pair lies; \p place is one of Sub_SM_2.
  KOKKOS_FORCEINLINE_FUNCTION Offset word(Ordinal pair, Ordinal place) const {
    return static_cast<Offset>(place - mixed_begin) * num_groups + pair / lock_step_lanes;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_junction(Ordinal pair, Ordinal place) const {
    return (junctions[word(pair, place)] >> (pair % lock_step_lanes) & 1U) != 0;
  }

  /// Entries of a pair that are no padding.
  KOKKOS_FUNCTION Ordinal length(Ordinal pair) const {
    Ordinal low = 0, high = width;
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (columns[position(pair, middle)] != padding_column)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /// Those of its first row. Without a bit the second row is empty or begins at `mixed_end`.
  KOKKOS_FUNCTION Ordinal first_length(Ordinal pair) const {
    for (Ordinal place = mixed_begin; place < mixed_end; ++place)
      if (is_junction(pair, place)) return place;
    const Ordinal all = length(pair);
    return all < mixed_end ? all : mixed_end;
  }

  /// Entries of row `rows[slot]`.
  KOKKOS_FUNCTION Ordinal row_length(Ordinal slot) const {
    if (slot < num_pairs) return first_length(slot);
    const Ordinal pair = num_rows - 1 - slot;
    return length(pair) - first_length(pair);
  }
};

}  // namespace Tomokkos::Impl
