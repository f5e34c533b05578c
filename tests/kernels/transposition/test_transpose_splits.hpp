// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposition by stable splits at the ends of tiles, groups and digits.
#include <gtest/gtest.h>

#include <impl/Tomokkos_TransposeSplit_impl.hpp>

#include "TransposeTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(TransposeSplits, tiles_and_groups_that_end_anywhere) {
  // Number of entries of a team and of a group of teams, and one more or less.
  constexpr int tile = Impl::SplitTeam<TestSpace>::tile;
  constexpr int group = tile * Impl::split_group_tiles;
  const std::vector<TransposeOptions> split{{TransposeVariant::multisplit}};
  for (const int entries :
       {tile - 1, tile, tile + 1, 2 * tile, group - 1, group, group + 1, 2 * group + tile + 1}) {
    const std::string ends = " of " + std::to_string(entries) + " entries";
    check<float>(battery::make("one row" + ends, 1, entries, [&](int) { return entries; }), split);
    check<double>(battery::make("one column" + ends, entries, 1, [](int) { return 1; }), split);
    // Rows of 0 to 3 entries, hundreds per team, two digits. The last row makes up the total.
    for (const bool sorted : {true, false}) {
      int left = entries;
      const auto tiny =
          battery::make((sorted ? "tiny rows" : "tiny rows in no order") + ends, entries, 1500,
                        [&](int i) {
                          const int length = std::min(left, (i + i / 7) % 4);
                          left -= length;
                          return length;
                        },
                        sorted);
      ASSERT_EQ(tiny.nonzeros(), entries);
      check<float>(tiny, split);
      check<double>(tiny, split);
      check_pattern(tiny, split);
    }
    // Most columns, and most values of a digit, have no entry.
    int left = entries;
    auto gaps = battery::make("columns with gaps" + ends, entries, 200, [&](int) {
      const int length = std::min(left, 40);
      left -= length;
      return length;
    });
    gaps.columns = 199 * 700 + 5;
    for (auto& column : gaps.indices) column *= 700;
    check<double>(gaps, split);
    check_pattern(gaps, split);
  }
}

TEST(TransposeSplits, digits_that_do_not_fit_beside_the_row) {
  const std::vector<TransposeOptions> split{{TransposeVariant::multisplit}};
  // Two splits, 23 bits of the row and 10 below the first digit.
  check<float>(battery::make("rows beyond 2^22", (1 << 22) + 5, 1 << 20,
                             [](int i) { return i % 64 == 0 ? 1 : 0; }),
               split);
  // Three splits: 20 bits of the row and 14 below the first digit, 7 below the second.
  const auto wide = battery::make("columns beyond 2^21", 600000, 2100000,
                                  [](int i) { return i % 9 == 0 ? 2 : 0; });
  check<double>(wide, split);
  check_pattern(wide, split);
}

TEST(TransposeSplits, offsets_beyond_32_bits) {
  // Groups and positions of splits, for a matrix that exceeds any available memory.
  const TestSpace exec;
  const std::vector<Offset> lengths{3000000000, 0, 5, 9000000000, 0, 1};
  const Offset num_segments = 6, group_entries = Offset(1) << 28;
  std::vector<Offset> ends{0};
  Offset num_groups = num_segments;
  for (const Offset length : lengths) ends.push_back(ends.back() + length);
  num_groups += ends.back() / group_entries;
  const auto offsets = to_device<TestSpace, Offset>(exec, ends);
  const Vector<Ordinal, TestMemory> first_group("test::first_group", num_segments + 1);
  const Vector<Ordinal, TestMemory> segment_of_group("test::segment_of_group", num_groups);
  const Impl::SplitGroups groups{offsets.data(), first_group.data(), segment_of_group.data(),
                                 group_entries};
  Kokkos::parallel_scan("test::number_groups", Impl::element_range(exec, num_segments),
                        Impl::NumberGroups{groups, num_segments, num_groups});
  Kokkos::parallel_for("test::find_segments", Impl::element_range(exec, num_groups),
                       Impl::FindSegments{groups, static_cast<Ordinal>(num_segments)});
  // All entries of a group are in its bucket 2, except one in bucket 0.
  constexpr int buckets = 3;
  std::vector<Offset> counts;
  std::vector<Offset> expected{0};
  const auto segments = to_std_vector(segment_of_group);
  const auto firsts = to_std_vector(first_group);
  std::vector<Offset> in_bucket(num_segments * buckets);
  Offset seen = 0;
  for (Offset group = 0; group < num_groups; ++group) {
    const auto segment = static_cast<std::size_t>(segments[group]);
    const Offset begin = ends[segment] + (group - firsts[segment]) * group_entries;
    const Offset size =
        std::max<Offset>(0, std::min(begin + group_entries, ends[segment + 1]) - begin);
    const Offset first = std::min<Offset>(size, 1);
    for (const Offset count : {first, Offset(0), size - first}) counts.push_back(count);
    in_bucket[segment * buckets] += first;
    in_bucket[segment * buckets + 2] += size - first;
    seen += size;
  }
  EXPECT_EQ(seen, ends.back()) << "every entry is in a group";
  EXPECT_EQ(firsts.front(), 0);
  EXPECT_EQ(firsts.back(), num_groups);
  for (const Offset count : in_bucket) expected.push_back(expected.back() + count);
  const auto of_group = to_device<TestSpace, Offset>(exec, counts);
  const Vector<Offset, TestMemory> bucket_offsets("test::bucket_offsets", expected.size());
  Kokkos::parallel_scan("test::places", Impl::element_range(exec, num_groups * buckets),
                        Impl::ScanBuckets{groups,
                                          {0, buckets, 1, of_group.data(), nullptr},
                                          num_groups,
                                          bucket_offsets.data(),
                                          num_segments * buckets});
  exec.fence();
  EXPECT_EQ(to_std_vector(bucket_offsets), expected);
  // Each group of a bucket continues where the group before it ends.
  const auto places = to_std_vector(of_group);
  for (Offset group = 1; group < num_groups; ++group)
    for (int b = 0; b < buckets; ++b) {
      const Offset at = group * buckets + b;
      if (segments[group] == segments[group - 1])
        EXPECT_EQ(places[at], places[at - buckets] + counts[at - buckets]);
      else
        EXPECT_EQ(places[at], expected[static_cast<std::size_t>(segments[group]) * buckets + b]);
    }
}
