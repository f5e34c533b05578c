// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `C^T Y` with a block-circulant matrix and without a transposed copy, on a GPU. A team processes a
// group of neighbouring rows, whose rows of Y it holds in scratch memory. A warp traverses these
// rows in parallel, in-sector column by column, which is the order of their entries. It sums the
// contributions of the rows to a row of X in registers, and then adds them, as integers that count
// multiples of a unit, to those of other teams. Neighbouring rows with the same row of X thus share
// its atomics.
#pragma once

#include <impl/Tomokkos_CirculantTeams.hpp>
#include <impl/Tomokkos_FixedPoint.hpp>
#include <impl/Tomokkos_ScratchArray.hpp>

namespace Tomokkos::Impl {

/// \brief Returns the scratch memory of a group of \p rows rows. Values that lanes read beyond
/// those of the last row do not enter a result.
template <class Scalar>
KOKKOS_INLINE_FUNCTION std::size_t circulant_group_bytes(const CirculantPass<Scalar>& A, int rows) {
  return sizeof(Scalar) * (static_cast<std::size_t>(rows) * static_cast<std::size_t>(A.pitch) *
                               static_cast<std::size_t>(A.vectors) +
                           static_cast<std::size_t>(warp_lanes * circulant_lane_sums));
}

/// \brief Returns the rows of a group for a product of this shape: as many as fit into the scratch
/// memory with four teams per multiprocessor. 0 if rows have fewer values than a warp has lanes, or
/// too many.
///
/// Measured on an H200, k = 150, rays of a cone beam, rows of 320, 843, 1890 and 1353 entries: 16
/// rows 4.0, 4.4, 3.4 and 6.0 TFLOP/s, 8 rows 3.8, 4.9, 2.8 and 5.6, row by row 1.1, 1.2, 1.2, 1.3.
template <class Scalar>
int circulant_group_rows(const CirculantPass<Scalar>& A) {
  constexpr std::size_t most_bytes = 40 * 1024;
  if (A.width() < warp_lanes) return 0;
  for (const int rows : {16, 8, 4})
    if (circulant_group_bytes(A, rows) <= most_bytes) return rows;
  return 0;
}

template <class ExecutionSpace, class Scalar, class Integer, int Sums>
struct CirculantBackGroups {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<circulant_warps * 32, 4>>;
  using Member = typename Policy::member_type;

  CirculantPass<Scalar> A;  // x is Y
  CirculantPlaces places;
  int rows;    // of a group, at most one for each lane
  int passes;  // over the rows, each for `32 Sums` values of a row of X
  Integer* sums;
  unsigned char* faults;
  const double* bound;  // largest entry of Y
  double column_bound;
  int bits;

  /// Current entry of a lane: its in-sector column, the beginning of its values of Y in scratch
  /// memory, and its value.
  struct Entry {
    unsigned column, from;
    Scalar value;
  };
  static constexpr unsigned no_column = 0xffffffffU;

  /// Copies the scaled rows of Y of a group to scratch memory.
  ///
  /// \param row first row of the group
  KOKKOS_FORCEINLINE_FUNCTION void copy_rows(const Member& member, Offset row, int count,
                                             bool marks, Scalar* copy) const {
    const double bounded = *bound * column_bound;
    const double scale = bounded > 0 ? power_of_two(fixed_point_exponent(bounded, bits)) : 0.0;
    const Ordinal width = A.width(), used = 2 * width - A.vectors;
    for (int r = 0; r < count; ++r) {
      for (Ordinal m = member.team_rank(); m < used; m += member.team_size()) {
        const Ordinal p = m + A.vectors < width ? m + A.vectors : m + A.vectors - width;
        Scalar y = A.x[(row + r) * width + p];
        if (y - y != Scalar(0)) {
          if (marks && m < width) mark(row + r, p);
          y = 0;
        }
        copy[r * A.pitch * A.vectors + m] = static_cast<Scalar>(y * scale);
      }
    }
    member.team_barrier();
  }

  /// Flags every entry of X to which value p of a row of Y, which is not finite, contributes.
  KOKKOS_FUNCTION void mark(Offset row, Ordinal p) const {
    const Ordinal width = A.width();
    for (Offset e = A.row_offsets[row]; e < A.row_offsets[row + 1]; ++e) {
      const CirculantPlace place = places(A.positions[e]);
      const Ordinal j = static_cast<Ordinal>(place.block) * A.vectors + p;
      faults[Offset{place.column} * width + (j < width ? j : j - width)] = 1;
    }
  }

  /// Returns the first entry of [begin, end) at or after \p position.
  KOKKOS_FORCEINLINE_FUNCTION Offset first_at(Offset begin, Offset end,
                                              std::uint32_t position) const {
    while (begin < end) {
      const Offset middle = begin + (end - begin) / 2;
      if (load_gathered(A.positions + middle) < position)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int pass = member.league_rank() % passes;
    const Offset row = static_cast<Offset>(member.league_rank() / passes) * rows;
    const int count = A.block_rows - row < rows ? static_cast<int>(A.block_rows - row) : rows;
    auto* const copy = static_cast<Scalar*>(
        member.team_scratch(0).get_shmem(static_cast<int>(circulant_group_bytes(A, rows))));
    copy_rows(member, row, count, pass == 0, copy);
    const ScratchArray<Scalar> y(copy);

    // Each lane traverses one row.
    const int lane = member.team_rank() % warp_lanes, warp = member.team_rank() / warp_lanes;
    Offset e = lane < count ? A.row_offsets[row + lane] : 0;
    Offset end = lane < count ? A.row_offsets[row + lane + 1] : 0;
    const unsigned filled = warp_ballot(e < end);
    if (filled == 0) return;
    // Divide the columns among the warps in proportion to the entries of a row in the middle.
    const unsigned behind = filled >> (count / 2) << (count / 2);
    const int middle = behind != 0 ? lowest_lane(behind) : highest_lane(filled);
    const Offset begin_of_middle = value_of_lane(e, middle, warp_lanes);
    const Offset of_middle = value_of_lane(end, middle, warp_lanes) - begin_of_middle;
    const auto cut = [&](int part) {
      if (part == 0) return 0U;
      if (part == circulant_warps) return no_column;
      const Offset at = begin_of_middle + of_middle * part / circulant_warps;
      return places(A.positions[at]).column * static_cast<unsigned>(A.pitch);
    };
    const std::uint32_t limit = cut(warp + 1);
    e = first_at(e, end, cut(warp));
    end = first_at(e, end, limit);

    const auto row_values = static_cast<unsigned>(A.pitch) * static_cast<unsigned>(A.vectors);
    const unsigned behind_blocks =
        static_cast<unsigned>(lane) * row_values + static_cast<unsigned>(A.width() - A.vectors);
    std::uint32_t next_position = 0;
    Scalar next_value = 0;
    const auto load_next = [&]() {
      if (e >= end) return;
      next_position = load_gathered(A.positions + e);
      next_value = load_gathered(A.values + e);
    };
    Entry entry;
    const auto advance = [&]() {
      if (e >= end) {
        entry.column = no_column;
        return;
      }
      const CirculantPlace place = places(next_position);
      entry.column = place.column;
      entry.from = behind_blocks - place.block * static_cast<unsigned>(A.vectors);
      entry.value = next_value;
      ++e;
      load_next();
    };
    entry.from = 0;
    entry.value = 0;
    load_next();
    advance();

    const unsigned first = static_cast<unsigned>(pass * warp_lanes * Sums + lane);
    for (;;) {
      const unsigned column = least_of_warp(entry.column);
      if (column == no_column) return;
      Scalar sum[Sums] = {};
      unsigned here = warp_ballot(entry.column == column);
      while (here != 0) {
        // Process two rows at a time.
        for (unsigned left = here; left != 0;) {
          const int one = lowest_lane(left);
          left &= left - 1;
          const int other = left != 0 ? lowest_lane(left) : one;
          const bool both = left != 0;
          left &= left - 1;
          const unsigned from_one = value_of_lane(entry.from, one, warp_lanes) + first;
          const Scalar value_one = value_of_lane(entry.value, one, warp_lanes);
          const unsigned from_other = value_of_lane(entry.from, other, warp_lanes) + first;
          const Scalar value_other = value_of_lane(entry.value, other, warp_lanes);
          Scalar y_one[Sums], y_other[Sums];
          for (int q = 0; q < Sums; ++q) y_one[q] = y.at(from_one, warp_lanes * q);
          for (int q = 0; q < Sums; ++q) y_other[q] = y.at(from_other, warp_lanes * q);
          for (int q = 0; q < Sums; ++q) sum[q] += value_one * y_one[q];
          if (both)
            for (int q = 0; q < Sums; ++q) sum[q] += value_other * y_other[q];
        }
        if (entry.column == column) advance();
        here = warp_ballot(entry.column == column);
      }
      Integer* const to = sums + static_cast<std::uint64_t>(column) * row_values + first;
      for (int q = 0; q < Sums; ++q)
        if (static_cast<Ordinal>(first) + warp_lanes * q < A.width())
          add_shared(to + warp_lanes * q, nearest(sum[q]));
    }
  }
};

}  // namespace Tomokkos::Impl
