// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposition by stable splits. Entries in the order of the rows are split into bands by the
// highest digit of their column, the entries of each band by the next digit, and so on: two splits
// suffice for up to 2^20 columns. Since every split keeps the order of equal digits, the rows of a
// column ascend in the end. A block of entries is ordered in scratch memory before it is written,
// so writes form runs. Neighbouring blocks fill the cache lines that they share while these are in
// the cache.
#pragma once

#include <bit>
#include <impl/Tomokkos_TransposeSplitKernels.hpp>

namespace Tomokkos::Impl {

template <class ExecutionSpace, class Value>
struct TransposeMultisplit {
  using Team = SplitTeam<ExecutionSpace>;

  TransposeSource<Value> A;
  TransposeTarget<Value> T;
  TransposeSplits plan;

  /// Arrays of the current split.
  Offset* of_group;
  std::uint16_t* in_group;
  Ordinal* first_group;
  Ordinal* segment_of_group;
  /// Segment offsets before each split; the segments after the last split are given by the offsets
  /// of the transpose.
  Offset* segment_offsets[4];
  Ordinal* first_rows;
  /// Buffer that every other split writes to. The other splits, including the last, write into the
  /// result.
  TransposeEntries<Value> other;
  /// Lower digits that do not fit beside the row, for entries in `other` and in the result.
  unsigned* digits_in_other;
  unsigned* digits_in_result;

  static TransposeMultisplit over(const TransposeSource<Value>& A, const TransposeTarget<Value>& T,
                                  const TransposeOptions&, MemoryPieces& pieces) {
    TransposeMultisplit work{
        A, T, plan_transpose_splits(A.shape(), Team::tile), {}, {}, {}, {}, {}, {}, {}, {}, {}};
    Offset counts = 0, tile_counts = 0, groups = 0, segments = 0;
    for (int i = 0; i < work.plan.count; ++i) {
      const TransposeSplit& split = work.split(i);
      counts = std::max(counts, split.groups * split.buckets);
      tile_counts = std::max(tile_counts, split.groups * split.tiles * split.buckets);
      groups = std::max(groups, split.groups);
      segments = std::max(segments, split.segments);
      work.segment_offsets[i] = pieces.take<Offset>(split.segments + 1);
    }
    work.of_group = pieces.take<Offset>(counts);
    work.in_group = pieces.take<std::uint16_t>(tile_counts);
    work.first_group = pieces.take<Ordinal>(segments + 1);
    work.segment_of_group = pieces.take<Ordinal>(groups);
    work.first_rows = pieces.take<Ordinal>(work.num_tiles() + 1);
    if (work.plan.count == 1) return work;
    work.other.columns = pieces.take<Ordinal>(A.nonzeros);
    if constexpr (has_value<Value>) work.other.values = pieces.take<Value>(A.nonzeros);
    for (int i = 0; i < work.plan.count - 1; ++i) {
      if (work.fits_beside_row(i)) continue;
      unsigned*& digits = work.writes_result(i) ? work.digits_in_result : work.digits_in_other;
      if (digits == nullptr) digits = pieces.take<unsigned>(A.nonzeros);
    }
    return work;
  }

  const TransposeSplit& split(int i) const { return plan.splits[static_cast<std::size_t>(i)]; }

  /// Returns the number of tiles of the whole matrix.
  Offset num_tiles() const { return (A.nonzeros + Team::tile - 1) / Team::tile; }

  bool writes_result(int i) const { return (plan.count - 1 - i) % 2 == 0; }

  /// True if row and lower digits fit 32 bits.
  bool fits_beside_row(int i) const {
    const auto last_row = static_cast<unsigned>(std::max<Ordinal>(A.num_rows, 1) - 1);
    return static_cast<int>(std::bit_width(last_row)) + split(i).shift <= 32;
  }

  TransposeEntries<Value> entries_after(int i) const {
    return writes_result(i) ? T.entries : other;
  }

  /// Returns the storage of the entries after split \p i.
  SplitEntries keys_after(int i) const {
    Ordinal* const columns = entries_after(i).columns;
    if (fits_beside_row(i)) return {reinterpret_cast<unsigned*>(columns), nullptr, split(i).shift};
    return {writes_result(i) ? digits_in_result : digits_in_other, columns, split(i).shift};
  }

  void run(const ExecutionSpace& exec) const {
    Kokkos::parallel_for("Tomokkos::transpose::multisplit::first_rows",
                         element_range(exec, static_cast<std::size_t>(num_tiles()) + 1),
                         FindFirstRows{A.row_offsets, A.num_rows, A.nonzeros, Team::tile,
                                       first_rows, segment_offsets[0]});
    split_entries(exec, 0, RowEntries{A.row_offsets, A.columns, first_rows}, A.values);
    for (int i = 1; i < plan.count; ++i)
      split_entries(exec, i, keys_after(i - 1), entries_after(i - 1).values);
  }

 private:
  template <class Source>
  void split_entries(const ExecutionSpace& exec, int i, const Source& source,
                     const Value* values) const {
    const TransposeSplit& s = split(i);
    const bool is_last = i == plan.count - 1;
    const SplitGroups groups{segment_offsets[i], first_group, segment_of_group,
                             static_cast<Offset>(s.tiles) * Team::tile};
    Kokkos::parallel_scan("Tomokkos::transpose::multisplit::number_groups",
                          element_range(exec, static_cast<std::size_t>(s.segments)),
                          NumberGroups{groups, s.segments, s.groups});
    Kokkos::parallel_for("Tomokkos::transpose::multisplit::find_segments",
                         element_range(exec, static_cast<std::size_t>(s.groups)),
                         FindSegments{groups, static_cast<Ordinal>(s.segments)});
    const SplitPlaces places{s.shift, s.buckets, s.tiles, of_group, in_group};
    using Count = CountBuckets<ExecutionSpace, Source>;
    typename Count::Policy count(exec, static_cast<int>(s.groups), Team::threads);
    count.set_scratch_size(0, Kokkos::PerTeam(Count::scratch_bytes(s.buckets)));
    Kokkos::parallel_for("Tomokkos::transpose::multisplit::count", count,
                         Count{source, groups, places});
    Kokkos::parallel_scan(
        "Tomokkos::transpose::multisplit::places",
        element_range(exec, static_cast<std::size_t>(s.groups * s.buckets)),
        ScanBuckets{groups, places, s.groups, is_last ? T.row_offsets : segment_offsets[i + 1],
                    is_last ? static_cast<Offset>(A.num_cols) : s.segments * s.buckets});
    if constexpr (!Team::on_host) {
      using Tile = SplitTile<ExecutionSpace, Source, Value, split_teams>;
      if (teams_fit(device_traits(exec), split_teams, Team::threads,
                    Tile::scratch_bytes(s.buckets)))
        return place_entries<split_teams>(exec, i, source, values, groups, places);
    }
    // A host, or a GPU with less scratch memory.
    place_entries<1>(exec, i, source, values, groups, places);
  }

  template <int teams, class Source>
  void place_entries(const ExecutionSpace& exec, int i, const Source& source, const Value* values,
                     const SplitGroups& groups, const SplitPlaces& places) const {
    using Tile = SplitTile<ExecutionSpace, Source, Value, teams>;
    const TransposeSplit& s = split(i);
    typename Tile::Policy policy(exec, static_cast<int>(s.groups * s.tiles), Team::threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(Tile::scratch_bytes(s.buckets)));
    const auto bits = static_cast<int>(std::bit_width(static_cast<unsigned>(s.buckets - 1)));
    Kokkos::parallel_for(
        "Tomokkos::transpose::multisplit::split", policy,
        Tile{source, values, groups, places, bits, keys_after(i), entries_after(i).values});
  }
};

}  // namespace Tomokkos::Impl
