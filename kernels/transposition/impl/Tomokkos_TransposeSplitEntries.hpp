// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input and output of the splits of a transposition: entries of rows, then entries in segments of
// equal digits; their division into groups; and exchanges between the lanes of a warp.
#pragma once

#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <impl/Tomokkos_TransposeArrays.hpp>

namespace Tomokkos::Impl {

/// \brief Team that splits a tile, and the distribution of the entries over its threads: each warp
/// has a contiguous run, and its lanes process neighbouring entries.
template <class ExecutionSpace>
struct SplitTeam {
  static constexpr bool on_host = is_host_space<ExecutionSpace>;
  static constexpr int lanes = on_host ? 1 : warp_lanes;
  static constexpr int threads = on_host ? 1 : split_threads;
  static constexpr int entries = on_host ? split_host_entries : split_thread_entries;
  static constexpr int warps = threads / lanes;
  static constexpr int tile = threads * entries;

  /// Returns the position of entry \p j of thread \p rank in the tile.
  KOKKOS_FORCEINLINE_FUNCTION static int place(int rank, int j) {
    return rank / lanes * (lanes * entries) + j * lanes + rank % lanes;
  }
};

/// \brief Division of segments into groups of equal size; the last group of a segment may be
/// shorter. A segment without entries has one empty group. Surplus groups belong to the last
/// segment.
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
  /// Row in which each tile begins, followed by the last row of the matrix.
  const Ordinal* first_rows;

  /// Range of rows that may contain the next entry of a thread.
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
  /// Returns the row of entry \p k. Must be called for ascending entries.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Offset k, unsigned, Cursor& cursor) const {
    cursor.low = row_of_entry(row_offsets, k, cursor.low, cursor.high);
    return cursor.low;
  }
};

/// \brief Entries that have been split already. Row and lower digits of the column are stored in
/// one number if they fit, otherwise in two. Without lower digits the number is the row.
struct SplitEntries {
  unsigned* keys;
  /// Rows; null if the keys contain them.
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

/// Bucket of a lane without an entry, after all others.
inline constexpr unsigned no_bucket = 0xffffffffU;

/// \brief Range of neighbouring lanes with the same bucket as this lane.
struct BucketRun {
  int first, end;
};

/// Returns a bit mask of the lanes where a run begins.
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

/// \brief Number of lanes with the same bucket as this lane, and number of those before this lane.
struct BucketPeers {
  int before, count;
};

/// Returns the peers of a lane. All lanes of the warp must call it.
///
/// \param bits bits of a bucket number
template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION BucketPeers bucket_peers(unsigned bucket, int lane, int bits) {
  const unsigned previous = value_of_lane_before(bucket, 1, lanes);
  const unsigned falls = warp_ballot(lane > 0 && bucket < previous);
  const unsigned heads = warp_ballot(lane == 0 || bucket != previous);
  // Sorted rows have ascending runs.
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
