// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of blocks on hosts, by running sums that the compiler vectorises.
#pragma once

#include <impl/Tomokkos_ReduceBlocks_impl.hpp>

namespace Tomokkos::Impl {

/// Number of running sums of a host thread, so that additions do not wait for each other.
inline constexpr int host_reduction_lanes = 8;

/// Adds the sums of the lanes as a tree; lane l holds the sums of the terms l, l + 8, ...
template <int N>
KOKKOS_FUNCTION inline void add_lanes(Sums<N>* lane_sums) {
  for (int half = host_reduction_lanes / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) lane_sums[lane] += lane_sums[lane + half];
}

/// Returns the sums of one block of a vector. \p blocks is a `ReduceBlock<Term>`.
template <int N, class Term>
Sums<N> sum_of_block(const void* blocks, Offset block) {
  constexpr int lanes = host_reduction_lanes;
  const auto& range = *static_cast<const ReduceBlock<Term>*>(blocks);
  Sums<N> lane_sums[lanes];
  const Offset end = range.end(block);
  Offset i = range.begin(block);
  for (; i + lanes <= end; i += lanes)
    for (int lane = 0; lane < lanes; ++lane)
      range.term(ArrayEntry{i + lane, 0, i + lane}, lane_sums[lane]);
  for (int lane = 0; i < end; ++i, ++lane) range.term(ArrayEntry{i, 0, i}, lane_sums[lane]);
  add_lanes(lane_sums);
  return lane_sums[0];
}

/// Sums one block of a vector per iteration, for hosts.
///
/// The term is called through a function pointer, once per block. Thus one kernel is compiled for
/// each target, instead of one for each pair of term and target.
template <int N, class Target>
struct ReduceBlocksOnHost {
  const void* blocks;  // a ReduceBlock<Term>, which outlives the launch
  Sums<N> (*sum)(const void* blocks, Offset block);
  Target target;

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Offset block) const { target.store(block, 0, sum(blocks, block)); }
};

/// Maximum number of columns that are summed together: their sums fit the first-level cache.
inline constexpr int host_reduction_columns = 64;

/// Sums one block of `width` columns from column `first` on, and stores the sums of column
/// `first + c` in `totals[c]`. Whole rows are read, and the loop over columns may be vectorised.
template <int N, class Term>
struct ColumnsOfBlock {
  static constexpr int lanes = host_reduction_lanes;
  static constexpr int group = host_reduction_columns;

  const ReduceBlock<Term>& blocks;

  void add(const ArrayEntry& entry, int c, double (&sums)[N][group]) const {
    Sums<N> running;
    for (int m = 0; m < N; ++m) running.value[m] = sums[m][c];
    blocks.term(entry, running);
    for (int m = 0; m < N; ++m) sums[m][c] = running.value[m];
  }

  void add_row(Offset row, Offset first, int width, double (&sums)[N][group]) const {
    constexpr int unrolled = 8;
    const Offset at = row * blocks.columns + first;
    int c = 0;
    for (; c + unrolled <= width; c += unrolled)
      for (int q = 0; q < unrolled; ++q) add({row, first + c + q, at + c + q}, c + q, sums);
    for (; c < width; ++c) add({row, first + c, at + c}, c, sums);
  }

  void sum(Offset block, Offset first, int width, Sums<N>* totals) const {
    double sums[lanes][N][group];
    for (int lane = 0; lane < lanes; ++lane)
      for (int m = 0; m < N; ++m)
        for (int c = 0; c < width; ++c) sums[lane][m][c] = 0;
    const Offset begin = blocks.begin(block);
    const Offset end = blocks.end(block);
    for (Offset i = begin; i < end; ++i) add_row(i, first, width, sums[(i - begin) % lanes]);
    for (int c = 0; c < width; ++c) {
      Sums<N> lane_sums[lanes];
      for (int lane = 0; lane < lanes; ++lane)
        for (int m = 0; m < N; ++m) lane_sums[lane].value[m] = sums[lane][m][c];
      add_lanes(lane_sums);
      totals[c] = lane_sums[0];
    }
  }

  static void sum_of(const void* blocks, Offset block, Offset first, int width, Sums<N>* totals) {
    const ColumnsOfBlock columns{*static_cast<const ReduceBlock<Term>*>(blocks)};
    columns.sum(block, first, width, totals);
  }
};

/// Sums one block of up to `host_reduction_columns` columns per iteration, for hosts. The term is
/// called through a pointer, as in `ReduceBlocksOnHost`.
template <int N, class Target>
struct ReduceColumnsOnHost {
  const void* blocks;  // a ReduceBlock<Term>, which outlives the launch
  void (*sum)(const void* blocks, Offset block, Offset first, int width, Sums<N>* totals);
  Target target;
  Offset columns;
  Offset groups;

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Offset index) const {
    constexpr int group = host_reduction_columns;
    const Offset block = index / groups;
    const Offset first = index % groups * group;
    const Offset rest = columns - first;
    const int width = rest < group ? static_cast<int>(rest) : group;
    Sums<N> totals[group];
    sum(blocks, block, first, width, totals);
    for (int c = 0; c < width; ++c) target.store(block, first + c, totals[c]);
  }
};

}  // namespace Tomokkos::Impl
