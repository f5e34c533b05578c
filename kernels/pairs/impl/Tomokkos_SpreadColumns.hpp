// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The permutation inside paired rows: the lanes of a group in lock step get distinct columns at a
// place, as far as a greedy assignment finds it.
#pragma once

#include <Tomokkos_PairBlockedMatrix.hpp>

namespace Tomokkos::Impl {

/// A group by one thread, in place: lanes depend on those before them.
template <class Scalar>
struct SpreadColumns {
  PairBlocks<Scalar> A;
  const Offset* row_offsets;  // of the matrix that the pairs are from
  Ordinal* columns;
  Scalar* values;

  /// What the lanes have at a place, up to some lane.
  struct Taken {
    Ordinal columns[lock_step_lanes];
    int count = 0;
    KOKKOS_FUNCTION bool contains(Ordinal column) const {
      for (int i = 0; i < count; ++i)
        if (columns[i] == column) return true;
      return false;
    }
  };

  struct Piece {
    Ordinal begin, end;
  };

  KOKKOS_FUNCTION Ordinal row_length(Ordinal row) const {
    return static_cast<Ordinal>(row_offsets[row + 1] - row_offsets[row]);
  }

  /// The places of a row within a sub-matrix about \p place.
  KOKKOS_FUNCTION Piece piece_about(Ordinal place, Ordinal first, Ordinal length) const {
    if (place < A.mixed_begin) return {0, A.mixed_begin};
    if (place < first) return {A.mixed_begin, first};
    if (place < A.mixed_end) return {first, length < A.mixed_end ? length : A.mixed_end};
    return {A.mixed_end, length};
  }

  KOKKOS_FUNCTION void exchange(Offset a, Offset b) const {
    const Ordinal column = columns[a];
    const Scalar value = values[a];
    columns[a] = columns[b];
    values[a] = values[b];
    columns[b] = column;
    values[b] = value;
  }

  /// Brings the entry at place \p from to \p place, those between one place on.
  KOKKOS_FUNCTION void bring(Ordinal pair, Ordinal from, Ordinal place) const {
    for (; from > place; --from) exchange(A.position(pair, from), A.position(pair, from - 1));
  }

  /// True when a lane of the group but \p pair has \p column at \p place.
  KOKKOS_FUNCTION bool others_have(Ordinal begin, Ordinal end, Ordinal pair, Ordinal place,
                                   Ordinal column) const {
    for (Ordinal other = begin; other < end; ++other)
      if (other != pair && columns[A.position(other, place)] == column) return true;
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal group) const {
    const Ordinal begin = group * lock_step_lanes;
    const Ordinal end =
        A.num_pairs - begin < lock_step_lanes ? A.num_pairs : begin + lock_step_lanes;
    Ordinal first[lock_step_lanes], length[lock_step_lanes];
    for (Ordinal pair = begin; pair < end; ++pair) {
      first[pair - begin] = row_length(A.first_row(pair));
      length[pair - begin] =
          first[pair - begin] + (A.has_second(pair) ? row_length(A.second_row(pair)) : 0);
    }
    for (Ordinal place = 0; place < A.width; ++place) {
      Taken taken;
      for (Ordinal pair = begin; pair < end; ++pair) {
        if (place >= length[pair - begin]) continue;
        const Piece piece = piece_about(place, first[pair - begin], length[pair - begin]);
        const Offset here = A.position(pair, place);
        // A row has distinct columns: if one is free, it is among the next 32.
        Ordinal from = place;
        while (from < piece.end && taken.contains(columns[A.position(pair, from)])) ++from;
        if (from < piece.end) {
          bring(pair, from, place);
        } else {
          for (Ordinal before = piece.begin; before < place; ++before) {
            const Offset there = A.position(pair, before);
            if (taken.contains(columns[there]) ||
                others_have(begin, end, pair, before, columns[here]))
              continue;
            exchange(here, there);
            break;
          }
        }
        taken.columns[taken.count++] = columns[here];
      }
    }
  }
};

}  // namespace Tomokkos::Impl
