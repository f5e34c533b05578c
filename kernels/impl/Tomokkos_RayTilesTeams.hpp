// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with ray tiles on GPUs: a team a block.
#pragma once

#include <impl/Tomokkos_FixedPoint.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_RayTilesStreams.hpp>

namespace Tomokkos::Impl {

/// Neighbouring threads that share a segment: a pack each, so that one of usual length is read at
/// once.
inline constexpr int tile_lanes = 16;
inline constexpr int tile_threads = 512;

/// Segments that a group of lanes has in flight, and packs of each that a lane has.
inline constexpr int tile_flights = 2;
inline constexpr int tile_packs = 2;

/// A segment as a lane meets it: its row, counted from the first of the block, and where the packs
/// of the lane begin and all of them end; nothing where that is 0.
struct TileSpan {
  unsigned row = 0, at = 0, last = 0;
};

template <class Block>
KOKKOS_FORCEINLINE_FUNCTION TileSpan tile_span(const Block& block, unsigned segment,
                                               unsigned lane) {
  if (segment >= block.num_segments) return {};
  const TileSegment met = block.segments[segment];
  return {met.row, met.pack + lane, block.end_of(segment)};
}

/// Calls `begin(row)`, `take(state, pack)` for every pack and `end(row, lane, state)` for the
/// segments of a block. Memory is kept busy: what a lane needs of `tile_flights` segments is loaded
/// before any of it is used, and where the next ones lie before these are done with.
template <class Block, class Member, class Begin, class Take, class End>
KOKKOS_FORCEINLINE_FUNCTION void for_segments(const Block& block, const Member& member,
                                              const Begin& begin, const Take& take,
                                              const End& end) {
  const unsigned rank = static_cast<unsigned>(member.team_rank());
  const unsigned lane = rank % tile_lanes;
  constexpr unsigned parts = tile_threads / tile_lanes;
  TileSpan next[tile_flights];
  for (int i = 0; i < tile_flights; ++i)
    next[i] = tile_span(block, rank / tile_lanes + static_cast<unsigned>(i) * parts, lane);
  for (unsigned s = rank / tile_lanes; s < block.num_segments; s += tile_flights * parts) {
    TileSpan spans[tile_flights];
    typename Block::PackType packs[tile_flights][tile_packs];
    decltype(begin(0U)) states[tile_flights];
    for (int i = 0; i < tile_flights; ++i) {
      spans[i] = next[i];
      for (int j = 0; j < tile_packs; ++j) {
        const unsigned p = spans[i].at + static_cast<unsigned>(j * tile_lanes);
        if (p < spans[i].last) packs[i][j] = block.pack(p);
      }
    }
    for (int i = 0; i < tile_flights; ++i) {
      if (spans[i].last > 0) states[i] = begin(spans[i].row);
      next[i] = tile_span(block, s + static_cast<unsigned>(tile_flights + i) * parts, lane);
    }
    for (int i = 0; i < tile_flights; ++i) {
      if (spans[i].last == 0) continue;
      unsigned p = spans[i].at;
      for (int j = 0; j < tile_packs; ++j, p += tile_lanes)
        if (p < spans[i].last) take(states[i], packs[i][j]);
      for (; p < spans[i].last; p += tile_lanes) take(states[i], block.pack(p));
      end(spans[i].row, lane, states[i]);
    }
  }
}

/// Sums of the rows of a block, in whole numbers, beside those of other blocks.
///
/// \tparam absolute of |A|, for a bound of the sums
template <class ExecutionSpace, class Scalar, TileValues Values, bool absolute = false>
struct RayTilesForward {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  RayTilesStreams<Scalar, Values> A;
  const Scalar* x;
  const double* bound;  // largest entry of x
  double row_bound;     // largest sum of a row of |A|
  long long* row_sums;
  unsigned char* faults;

  static std::size_t scratch_bytes(Ordinal tile) {
    return (static_cast<std::size_t>(tile) + 1) * sizeof(Scalar);
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto block = A.block(member.league_rank());
    auto* const x_tile = static_cast<Scalar*>(
        member.team_shmem().get_shmem(static_cast<std::ptrdiff_t>((A.tile + 1) * sizeof(Scalar))));
    for (int i = member.team_rank(); i < block.width; i += tile_threads)
      x_tile[i] = x[block.first_column + i];
    if (member.team_rank() == 0) x_tile[A.tile] = 0;  // what padding meets
    member.team_barrier();
    const double bounded = *bound * row_bound;
    const double scale =
        bounded > 0 ? power_of_two(fixed_point_exponent(bounded, fixed_point_bits<long long>))
                    : 0.0;
    long long* const sums = row_sums + block.first_row;
    unsigned char* const row_faults = faults + block.first_row;
    for_segments(
        block, member, [](unsigned) { return Scalar(0); },
        [&](Scalar& sum, const TilePack<Scalar, Values>& pack) {
          for (int c = 0; c < tile_pack; ++c) {
            const Scalar value = absolute ? fabs(block.value(pack, c)) : block.value(pack, c);
            sum += value * x_tile[pack.index(c)];
          }
        },
        [&](unsigned row, unsigned lane, Scalar sum) {
          sum = sum_over_lanes(sum, 1, tile_lanes);
          if (lane != 0) return;
          if (sum - sum == 0)
            add_shared(sums + row, nearest(static_cast<double>(sum) * scale));
          else
            row_faults[row] = 1;
        });
  }
};

/// Sums of the columns of a block, in whole numbers, first in scratch memory.
///
/// \tparam absolute of |A|, for a bound of the sums
template <class ExecutionSpace, class Scalar, TileValues Values, class Integer,
          bool absolute = false>
struct RayTilesBack {
  /// Of products on their way to whole numbers.
  using Real = std::conditional_t<sizeof(Integer) == 4, float, double>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  RayTilesStreams<Scalar, Values> A;
  const Scalar* y;
  const double* bound;  // largest entry of y
  double column_bound;  // largest sum of a column of |A|
  int bits;
  Integer* column_sums;
  unsigned char* faults;

  static std::size_t scratch_bytes(Ordinal tile) {
    return (static_cast<std::size_t>(tile) + 1) * sizeof(Integer);
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto block = A.block(member.league_rank());
    auto* const window = static_cast<Integer*>(
        member.team_shmem().get_shmem(static_cast<std::ptrdiff_t>((A.tile + 1) * sizeof(Integer))));
    for (int i = member.team_rank(); i < block.width; i += tile_threads) window[i] = 0;
    member.team_barrier();
    const double bounded = *bound * column_bound;
    const double scale = bounded > 0 ? power_of_two(fixed_point_exponent(bounded, bits)) : 0.0;
    const Scalar* const rows = y + block.first_row;
    for_segments(
        block, member,
        [&](unsigned row) { return static_cast<Real>(static_cast<double>(rows[row]) * scale); },
        [&](Real& r, const TilePack<Scalar, Values>& pack) {
          if (r - r == 0) {
            // What fills up a pack lands behind the window's columns.
            for (int c = 0; c < tile_pack; ++c) {
              const Scalar value = absolute ? fabs(block.value(pack, c)) : block.value(pack, c);
              add_in_scratch(window + pack.index(c),
                             static_cast<Integer>(nearest(static_cast<Real>(value) * r)));
            }
          } else {
            for (int c = 0; c < tile_pack; ++c)
              if (pack.index(c) < static_cast<unsigned>(block.width))
                faults[block.first_column + pack.index(c)] = 1;
          }
        },
        [](unsigned, unsigned, Real) {});
    member.team_barrier();
    for (int i = member.team_rank(); i < block.width; i += tile_threads)
      if (window[i] != 0) add_shared(column_sums + block.first_column + i, window[i]);
  }
};

/// Whole numbers back to values: `to = alpha sum / 2^e + beta to`; the sums are left zero.
template <class Scalar, class Integer>
struct TakeFixedSums {
  const double* bound;
  double matrix_bound;
  int bits;
  Scalar alpha, beta;
  Integer* sums;
  unsigned char* faults;
  Scalar* to;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const double unit = *bound * matrix_bound > 0
                            ? power_of_two(-fixed_point_exponent(*bound * matrix_bound, bits))
                            : 0.0;
    double value = static_cast<double>(sums[i]) * unit;
    sums[i] = 0;
    if (faults[i] != 0) {
      value = nan("");
      faults[i] = 0;
    }
    const Scalar product = static_cast<Scalar>(static_cast<double>(alpha) * value);
    to[i] = beta == Scalar(0) ? product : product + beta * to[i];
  }
};

/// The largest absolute value of what is finite.
template <class Scalar>
struct LargestEntry {
  const Scalar* values;
  KOKKOS_FUNCTION void operator()(const Offset i, double& largest) const {
    const double value = fabs(static_cast<double>(values[i]));
    if (value - value == 0 && value > largest) largest = value;
  }
};

}  // namespace Tomokkos::Impl
