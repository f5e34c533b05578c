// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One stable split of entries by a digit of their column. First the entries of every group of tiles
// are counted. Then the counts are summed over (segment, bucket, group). Finally every tile is
// ordered in scratch memory and written in runs. Integer atomics count in scratch memory; the
// result does not depend on their order.
#pragma once

#include <cstdint>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_TransposeSplitEntries.hpp>

namespace Tomokkos::Impl {

/// \brief Numbers below 2^16, two per register.
template <int n>
struct ShortNumbers {
  unsigned pairs[(n + 1) / 2] = {};

  KOKKOS_FORCEINLINE_FUNCTION unsigned get(int j) const {
    return pairs[j / 2] >> (j % 2 * 16) & 0xffffU;
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(int j, unsigned number) {
    unsigned& pair = pairs[j / 2];
    pair = j % 2 == 0 ? (pair & 0xffff0000U) | number : (pair & 0xffffU) | number << 16;
  }
};

/// \brief Destinations of the entries of each bucket.
struct SplitPlaces {
  int shift;
  int buckets;
  int tiles;  ///< tiles of a group
  /// For each group: entries of each bucket, then their start in the result.
  Offset* of_group;
  /// For each tile: entries of each bucket in the previous tiles of its group.
  std::uint16_t* in_group;
};

/// \brief Counts the entries of groups and of their tiles, one team per group.
template <class ExecutionSpace, class Source>
struct CountBuckets {
  using Team = SplitTeam<ExecutionSpace>;
  using Policy =
      Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Team::threads, split_teams>>;
  using Member = typename Policy::member_type;

  Source source;
  SplitGroups groups;
  SplitPlaces places;

  static std::size_t scratch_bytes(int buckets) {
    return static_cast<std::size_t>(buckets) * sizeof(int) + 16;
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset group = member.league_rank();
    const int rank = member.team_rank();
    const Offset end = groups.end(group);
    Offset begin = groups.begin(group);
    auto* const counts =
        static_cast<int*>(member.team_shmem().get_shmem_aligned(places.buckets * sizeof(int), 16));
    for (int b = rank; b < places.buckets; b += Team::threads) counts[b] = 0;
    member.team_barrier();
    for (int tile = 0; tile < places.tiles && begin < end; ++tile) {
      const Offset at = (group * places.tiles + tile) * places.buckets;
      for (int b = rank; b < places.buckets; b += Team::threads)
        places.in_group[at + b] = static_cast<std::uint16_t>(counts[b]);
      member.team_barrier();
      count_tile(begin, end, rank, counts);
      member.team_barrier();
      begin += Team::tile;
    }
    for (int b = rank; b < places.buckets; b += Team::threads)
      places.of_group[group * places.buckets + b] = counts[b];
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void count_tile(Offset begin, Offset end, int rank,
                                              int* counts) const {
    const int lane = rank % Team::lanes;
    unsigned bucket[Team::entries];
    TOMOKKOS_UNROLL
    for (int j = 0; j < Team::entries; ++j) {
      const Offset k = begin + Team::place(rank, j);
      bucket[j] = k < end ? source.column(source.key(k)) >> places.shift : no_bucket;
    }
    // Neighbouring lanes with the same bucket are added at once.
    TOMOKKOS_UNROLL
    for (int j = 0; j < Team::entries; ++j) {
      const BucketRun run =
          bucket_run<Team::lanes>(bucket_heads<Team::lanes>(bucket[j], lane), lane);
      if (run.first == lane && bucket[j] != no_bucket)
        Kokkos::atomic_add(&counts[bucket[j]], run.end - run.first);
    }
  }
};

/// \brief Converts counts to positions, over the groups of a bucket, the buckets of a segment, and
/// the segments.
struct ScanBuckets {
  SplitGroups groups;
  SplitPlaces places;
  Offset num_groups;
  /// Start of the buckets of each segment, and end of the last one.
  Offset* bucket_offsets;
  Offset num_offsets;

  KOKKOS_FUNCTION void operator()(const Offset i, Offset& sum, const bool final) const {
    const Ordinal segment = groups.segment_of_group[i / places.buckets];
    const Offset first = groups.first_group[segment];
    const Offset of_segment = groups.first_group[segment + 1] - first;
    const Offset within = i - first * places.buckets;
    const Offset bucket = within / of_segment;
    const Offset group = first + within % of_segment;
    Offset& place = places.of_group[group * places.buckets + bucket];
    const Offset count = place;
    if (final) {
      place = sum;
      const Offset index = segment * places.buckets + bucket;
      // The last digit may have values that no column has.
      if (group == first && index < num_offsets) bucket_offsets[index] = sum;
      if (i == num_groups * places.buckets - 1) bucket_offsets[num_offsets] = sum + count;
    }
    sum += count;
  }
};

/// \brief Orders a tile by buckets, keeping the order of entries within a bucket, and writes it;
/// one team per tile.
template <class ExecutionSpace, class Source, class Value, int teams>
struct SplitTile {
  using Team = SplitTeam<ExecutionSpace>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Team::threads, teams>>;
  using Member = typename Policy::member_type;

  Source source;
  const Value* from_values;
  SplitGroups groups;
  SplitPlaces places;
  int bits;  ///< bits of a bucket number
  SplitEntries target;
  Value* to_values;

  /// Scratch block, used for the counters of every warp, then for rows and columns of the tile,
  /// then for its values.
  KOKKOS_INLINE_FUNCTION static std::size_t block_bytes(int buckets) {
    const std::size_t counters =
        sizeof(std::uint16_t) * static_cast<std::size_t>(Team::warps) * buckets;
    const std::size_t entries = 2 * sizeof(unsigned) * static_cast<std::size_t>(Team::tile);
    return counters > entries ? counters : entries;
  }
  static std::size_t scratch_bytes(int buckets) {
    return block_bytes(buckets) +
           static_cast<std::size_t>(buckets) * (sizeof(Offset) + sizeof(std::uint16_t)) +
           Team::warps * sizeof(int) + 4 * 16;
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    constexpr int entries = Team::entries;
    const int rank = member.team_rank();
    const int lane = rank % Team::lanes;
    const Offset group = member.league_rank() / places.tiles;
    const Offset begin =
        groups.begin(group) + static_cast<Offset>(member.league_rank() % places.tiles) * Team::tile;
    const Offset left = groups.end(group) - begin;
    if (left <= 0) return;
    const int count = left < Team::tile ? static_cast<int>(left) : Team::tile;

    const auto& shmem = member.team_shmem();
    auto* const moves =
        static_cast<Offset*>(shmem.get_shmem_aligned(places.buckets * sizeof(Offset), 16));
    auto* const starts = static_cast<std::uint16_t*>(
        shmem.get_shmem_aligned(places.buckets * sizeof(std::uint16_t), 16));
    auto* const sums = static_cast<int*>(shmem.get_shmem_aligned(Team::warps * sizeof(int), 16));
    void* const block = shmem.get_shmem_aligned(block_bytes(places.buckets), 16);
    auto* const counters = static_cast<std::uint16_t*>(block);
    std::uint16_t* const own_counters = counters + rank / Team::lanes * places.buckets;

    unsigned key[entries];
    TOMOKKOS_UNROLL
    for (int j = 0; j < entries; ++j) {
      const int i = Team::place(rank, j);
      key[j] = i < count ? source.key(begin + i) : 0;
    }

    // Count the entries of the same bucket before each entry in its warp.
    for (int i = rank; i < Team::warps * places.buckets; i += Team::threads) counters[i] = 0;
    member.team_barrier();
    ShortNumbers<entries> positions;
    TOMOKKOS_UNROLL
    for (int j = 0; j < entries; ++j) {
      const bool there = Team::place(rank, j) < count;
      const unsigned bucket = there ? source.column(key[j]) >> places.shift : no_bucket;
      const BucketPeers peers = bucket_peers<Team::lanes>(bucket, lane, bits);
      const unsigned before = there ? own_counters[bucket] + peers.before : 0;
      positions.set(j, before);
      sync_warp();
      if (there && peers.before == 0)
        own_counters[bucket] = static_cast<std::uint16_t>(before + peers.count);
      sync_warp();
    }
    // Load the values while the counters are summed; earlier, registers would not suffice.
    Value value[entries];
    if constexpr (has_value<Value>) {
      TOMOKKOS_UNROLL
      for (int j = 0; j < entries; ++j) {
        const int i = Team::place(rank, j);
        if (i < count) value[j] = load_streamed_entry(from_values + begin + i);
      }
    }
    member.team_barrier();
    sum_counters(member, group, counters, starts, moves, sums);
    member.team_barrier();
    TOMOKKOS_UNROLL
    for (int j = 0; j < entries; ++j)
      if (Team::place(rank, j) < count) {
        const unsigned bucket = source.column(key[j]) >> places.shift;
        positions.set(j, positions.get(j) + starts[bucket] + own_counters[bucket]);
      }
    member.team_barrier();

    auto* const staged_rows = static_cast<Ordinal*>(block);
    auto* const staged_columns = reinterpret_cast<unsigned*>(staged_rows + Team::tile);
    auto cursor = source.cursor(member.league_rank());
    TOMOKKOS_UNROLL
    for (int j = 0; j < entries; ++j) {
      const int i = Team::place(rank, j);
      if (i >= count) continue;
      staged_rows[positions.get(j)] = source.row(begin + i, key[j], cursor);
      staged_columns[positions.get(j)] = source.column(key[j]);
    }
    member.team_barrier();
    ShortNumbers<entries> buckets;
    TOMOKKOS_UNROLL
    for (int j = 0; j < entries; ++j) {
      const int i = rank + j * Team::threads;
      if (i >= count) continue;
      const unsigned staged = staged_columns[i];
      const unsigned bucket = staged >> places.shift;
      buckets.set(j, bucket);
      target.store(moves[bucket] + i, staged_rows[i], staged);
    }
    if constexpr (has_value<Value>) {
      member.team_barrier();
      auto* const staged_values = static_cast<Value*>(block);
      TOMOKKOS_UNROLL
      for (int j = 0; j < entries; ++j)
        if (Team::place(rank, j) < count) staged_values[positions.get(j)] = value[j];
      member.team_barrier();
      TOMOKKOS_UNROLL
      for (int j = 0; j < entries; ++j) {
        const int i = rank + j * Team::threads;
        if (i < count) to_values[moves[buckets.get(j)] + i] = staged_values[i];
      }
    }
  }

 private:
  /// Replaces the counters of each warp by the counts of earlier warps. Computes for each bucket
  /// its start in the tile and the distance from there to its destination.
  KOKKOS_FORCEINLINE_FUNCTION void sum_counters(const Member& member, Offset group,
                                                std::uint16_t* counters, std::uint16_t* starts,
                                                Offset* moves, int* sums) const {
    const int rank = member.team_rank();
    const int lane = rank % Team::lanes;
    const int each = (places.buckets + Team::threads - 1) / Team::threads;
    const int first = rank * each < places.buckets ? rank * each : places.buckets;
    const int last = first + each < places.buckets ? first + each : places.buckets;
    int own = 0;
    for (int b = first; b < last; ++b) {
      starts[b] = static_cast<std::uint16_t>(own);
      int sum = 0;
      for (int warp = 0; warp < Team::warps; ++warp) {
        std::uint16_t& counter = counters[warp * places.buckets + b];
        const int of_warp = counter;
        counter = static_cast<std::uint16_t>(sum);
        sum += of_warp;
      }
      own += sum;
    }
    int up_to_mine = own;
    for (int distance = 1; distance < Team::lanes; distance *= 2) {
      const int before = value_of_lane_before(up_to_mine, distance, Team::lanes);
      if (lane >= distance) up_to_mine += before;
    }
    if (lane == Team::lanes - 1) sums[rank / Team::lanes] = up_to_mine;
    member.team_barrier();
    int before = up_to_mine - own;
    for (int warp = 0; warp < rank / Team::lanes; ++warp) before += sums[warp];
    const Offset of_tile = static_cast<Offset>(member.league_rank()) * places.buckets;
    for (int b = first; b < last; ++b) {
      const int start = starts[b] + before;
      starts[b] = static_cast<std::uint16_t>(start);
      moves[b] = places.of_group[group * places.buckets + b] + places.in_group[of_tile + b] - start;
    }
  }
};

/// \brief Numbers the groups of each segment, at least one per segment; the last segment gets all
/// remaining groups.
struct NumberGroups {
  SplitGroups groups;
  Offset num_segments, num_groups;

  KOKKOS_FUNCTION void operator()(const Offset segment, Offset& sum, const bool final) const {
    const Offset length = groups.segment_offsets[segment + 1] - groups.segment_offsets[segment];
    const Offset wanted = (length + groups.group_entries - 1) / groups.group_entries;
    if (final) {
      groups.first_group[segment] = static_cast<Ordinal>(sum);
      if (segment == num_segments - 1)
        groups.first_group[num_segments] = static_cast<Ordinal>(num_groups);
    }
    sum += wanted > 1 ? wanted : 1;
  }
};

struct FindSegments {
  SplitGroups groups;
  Ordinal num_segments;

  KOKKOS_FUNCTION void operator()(const Offset group) const {
    Ordinal low = 0, high = num_segments - 1;
    while (low < high) {
      const Ordinal middle = low + (high - low + 1) / 2;
      if (groups.first_group[middle] <= group)
        low = middle;
      else
        high = middle - 1;
    }
    groups.segment_of_group[group] = low;
  }
};

/// \brief Makes the whole matrix one segment, and finds the row in which each tile begins.
struct FindFirstRows {
  const Offset* row_offsets;
  Ordinal num_rows;
  Offset nonzeros;
  int tile;
  Ordinal* first_rows;
  Offset* segment_offsets;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Offset k = i * tile < nonzeros ? i * tile : nonzeros;
    first_rows[i] = row_of_entry(row_offsets, k, 0, num_rows - 1);
    if (i == 0) {
      segment_offsets[0] = 0;
      segment_offsets[1] = nonzeros;
    }
  }
};

}  // namespace Tomokkos::Impl

#undef TOMOKKOS_UNROLL
