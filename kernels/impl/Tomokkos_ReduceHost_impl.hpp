// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of blocks on hosts: by running sums that the compiler vectorises.
#pragma once

#include <impl/Tomokkos_ReduceBlocks_impl.hpp>

namespace Tomokkos::Impl {

/// Running sums of a thread of a host, so that additions do not wait for each other.
inline constexpr int host_reduction_lanes = 8;

/// Adds the lanes' sums as a tree; `lane_sums[l][...]` are those of the terms l, l + 8, ...
template <int N>
KOKKOS_FUNCTION inline void add_lanes(Sums<N>* lane_sums) {
  for (int half = host_reduction_lanes / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) lane_sums[lane] += lane_sums[lane + half];
}

/// One block of a vector per iteration, for hosts.
template <int N, class Target, class Term>
struct ReduceBlocksOnHost {
  ReduceBlock<Term> blocks;
  Target target;

  KOKKOS_FUNCTION void operator()(const Offset block) const {
    constexpr int lanes = host_reduction_lanes;
    Sums<N> lane_sums[lanes];
    const Offset end = blocks.end(block);
    Offset i = blocks.begin(block);
    for (; i + lanes <= end; i += lanes)
      for (int lane = 0; lane < lanes; ++lane)
        blocks.term(ArrayEntry{i + lane, 0, i + lane}, lane_sums[lane]);
    for (int lane = 0; i < end; ++i, ++lane) blocks.term(ArrayEntry{i, 0, i}, lane_sums[lane]);
    add_lanes(lane_sums);
    target.store(block, 0, lane_sums[0]);
  }
};

/// One block of up to `group` columns per iteration, for hosts: whole rows are read, the sums lie
/// in the first cache, and the loop over columns may be vectorised.
template <int N, class Target, class Term>
struct ReduceColumnsOnHost {
  static constexpr int lanes = host_reduction_lanes;
  static constexpr int group = 64;

  ReduceBlock<Term> blocks;
  Target target;
  Offset groups;

  KOKKOS_FUNCTION void add(const ArrayEntry& entry, int c, double (&sums)[N][group]) const {
    Sums<N> running;
    for (int m = 0; m < N; ++m) running.value[m] = sums[m][c];
    blocks.term(entry, running);
    for (int m = 0; m < N; ++m) sums[m][c] = running.value[m];
  }

  KOKKOS_FUNCTION void add_row(Offset row, Offset first, int width,
                               double (&sums)[N][group]) const {
    constexpr int unrolled = 8;
    const Offset at = row * blocks.columns + first;
    int c = 0;
    for (; c + unrolled <= width; c += unrolled)
      for (int q = 0; q < unrolled; ++q) add({row, first + c + q, at + c + q}, c + q, sums);
    for (; c < width; ++c) add({row, first + c, at + c}, c, sums);
  }

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset block = index / groups;
    const Offset first = index % groups * group;
    const Offset rest = blocks.columns - first;
    const int width = rest < group ? static_cast<int>(rest) : group;
    double sums[lanes][N][group];
    for (int lane = 0; lane < lanes; ++lane)
      for (int m = 0; m < N; ++m)
        for (int c = 0; c < width; ++c) sums[lane][m][c] = 0;
    const Offset end = blocks.end(block);
    Offset i = blocks.begin(block);
    for (; i + lanes <= end; i += lanes)
      for (int lane = 0; lane < lanes; ++lane) add_row(i + lane, first, width, sums[lane]);
    for (int lane = 0; i < end; ++i, ++lane) add_row(i, first, width, sums[lane]);
    for (int c = 0; c < width; ++c) {
      Sums<N> lane_sums[lanes];
      for (int lane = 0; lane < lanes; ++lane)
        for (int m = 0; m < N; ++m) lane_sums[lane].value[m] = sums[lane][m][c];
      add_lanes(lane_sums);
      target.store(block, first + c, lane_sums[0]);
    }
  }
};

}  // namespace Tomokkos::Impl
