// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the splits of a transposition read and write: entries of rows, then entries in segments of
// equal digits; how these lie in groups; and what the lanes of a warp tell each other about them.
#pragma once

#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <impl/Tomokkos_TransposeArrays.hpp>

namespace Tomokkos::Impl {

/// \brief A team that splits a tile, and how the entries of the tile are dealt to it: each warp has
/// a run of them, of which its lanes take neighbours.
template <class ExecutionSpace>
struct SplitTeam {
  static constexpr bool on_host = is_host_space<ExecutionSpace>;
  static constexpr int lanes = on_host ? 1 : warp_lanes;
  static constexpr int threads = on_host ? 1 : split_threads;
  static constexpr int entries = on_host ? split_host_entries : split_thread_entries;
  static constexpr int warps = threads / lanes;
  static constexpr int tile = threads * entries;

  /// Where entry \p j of thread \p rank stands in the tile.
  KOKKOS_FORCEINLINE_FUNCTION static int place(int rank, int j) {
    return rank / lanes * (lanes * entries) + j * lanes + rank % lanes;
  }
};

/// \brief Segments are cut into groups of equal size, the last of a segment shorter; a segment
/// without entries has an empty one, and the last segment has those that are too many.
struct SplitGroups {
  const Offset* segment_offsets;
  Ordinal* first_group;
  Ordinal* segment_of_group;
  Offset group_entries;

  KOKKOS_FORCEINLINE_FUNCTION Offset begin(Offset group) const {
    const Ordinal segment = segment_of_group[group];
    return segment_offsets[segment] + (group - first_group[segment]) * group_entries;
  }
  KOKKOS_FORCEINLINE_FUNCTION Offset end(Offset group) const {
    const Offset of_segment = segment_offsets[segment_of_group[group] + 1];
    const Offset whole = begin(group) + group_entries;
    return whole < of_segment ? whole : of_segment;
  }
};

/// \brief Entries of the matrix itself, by tiles.
struct RowEntries {
  const Offset* row_offsets;
  const Ordinal* columns;
  /// The row in which each tile begins, and the next, and the last row.
  const Ordinal* first_rows;

  /// Rows in which the next entry of a thread may stand.
  struct Cursor {
    Ordinal low, high;
  };

  KOKKOS_FORCEINLINE_FUNCTION Cursor cursor(int tile) const {
    return {first_rows[tile], first_rows[tile + 1]};
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned key(Offset k) const {
    return static_cast<unsigned>(load_streamed_entry(columns + k));
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned column(unsigned key) const { return key; }
  /// Of ascending entries.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Offset k, unsigned, Cursor& cursor) const {
    cursor.low = row_of_entry(row_offsets, k, cursor.low, cursor.high);
    return cursor.low;
  }
};

/// \brief Entries that were split already: row and lower digits of the column in one number where
/// they fit, else in two. Without lower digits the number is the row.
struct SplitEntries {
  unsigned* keys;
  /// Not there where the keys hold the rows.
  Ordinal* rows;
  int low_bits;

  struct Cursor {};

  KOKKOS_FORCEINLINE_FUNCTION Cursor cursor(int) const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION unsigned key(Offset k) const { return load_streamed_entry(keys + k); }
  KOKKOS_FORCEINLINE_FUNCTION unsigned column(unsigned key) const {
    return key & ((1U << low_bits) - 1U);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Offset k, unsigned key, Cursor&) const {
    return rows != nullptr ? load_streamed_entry(rows + k) : static_cast<Ordinal>(key >> low_bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(Offset to, Ordinal row, unsigned digits) const {
    if (rows != nullptr) {
      rows[to] = row;
      keys[to] = column(digits);
    } else {
      keys[to] = static_cast<unsigned>(row) << low_bits | column(digits);
    }
  }
};

/// The bucket of a lane that has no entry: behind all others.
inline constexpr unsigned no_bucket = 0xffffffffU;

/// \brief Neighbouring lanes with the bucket of mine.
struct BucketRun {
  int first, end;
};

/// Lanes where a run begins, by their bits.
template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION unsigned bucket_heads(unsigned bucket, int lane) {
  const unsigned previous = value_of_lane_before(bucket, 1, lanes);
  return warp_ballot(lane == 0 || bucket != previous);
}

template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION BucketRun bucket_run(unsigned heads, int lane) {
  const unsigned above = (heads >> lane) >> 1;
  return {highest_lane(heads & (0xffffffffU >> (31 - lane))),
          above == 0 ? lanes : lane + 1 + lowest_lane(above)};
}

/// \brief All lanes with the bucket of mine: how many there are, how many of them before me.
struct BucketPeers {
  int before, count;
};

/// \param bits of a bucket
template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION BucketPeers bucket_peers(unsigned bucket, int lane, int bits) {
  const unsigned previous = value_of_lane_before(bucket, 1, lanes);
  const unsigned falls = warp_ballot(lane > 0 && bucket < previous);
  const unsigned heads = warp_ballot(lane == 0 || bucket != previous);
  // Sorted rows come in ascending runs.
  if (falls == 0) {
    const BucketRun run = bucket_run<lanes>(heads, lane);
    return {lane - run.first, run.end - run.first};
  }
  unsigned peers = warp_ballot(bucket != no_bucket);
  for (int bit = 0; bit < bits; ++bit) {
    const bool is_set = (bucket >> bit & 1U) != 0;
    const unsigned set = warp_ballot(is_set);
    peers &= is_set ? set : ~set;
  }
  return {static_cast<int>(count_lanes(peers & ((1U << lane) - 1U))),
          static_cast<int>(count_lanes(peers))};
}

}  // namespace Tomokkos::Impl
