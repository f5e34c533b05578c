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

/// Segments that a group of lanes has in flight.
inline constexpr int tile_flights = 2;

/// Calls `begin(row)`, `take(state, pack)` for every pack and `end(row, lane, state)` for the
/// segments of a block, `tile_flights` at a time: the first pack of each lane is loaded for all of
/// them before any is used. Rows count from the first of the block.
template <class Block, class Member, class Begin, class Take, class End>
KOKKOS_FORCEINLINE_FUNCTION void for_segments(const Block& block, const Member& member,
                                              const Begin& begin, const Take& take,
                                              const End& end) {
  const unsigned rank = static_cast<unsigned>(member.team_rank());
  const unsigned lane = rank % tile_lanes;
  constexpr unsigned parts = tile_threads / tile_lanes;
  for (unsigned s = rank / tile_lanes; s < block.num_segments; s += tile_flights * parts) {
    unsigned row[tile_flights], at[tile_flights], last[tile_flights];
    for (int i = 0; i < tile_flights; ++i) {
      const unsigned segment = s + static_cast<unsigned>(i) * parts;
      at[i] = last[i] = row[i] = 0;
      if (segment >= block.num_segments) continue;
      const TileSegment met = block.segments[segment];
      row[i] = met.row;
      at[i] = met.pack + lane;
      last[i] = block.end_of(segment);
    }
    decltype(block.pack(0)) packs[tile_flights];
    for (int i = 0; i < tile_flights; ++i)
      if (at[i] < last[i]) packs[i] = block.pack(at[i]);
    for (int i = 0; i < tile_flights; ++i) {
      if (last[i] == 0) continue;
      auto state = begin(row[i]);
      if (at[i] < last[i]) take(state, packs[i]);
      for (unsigned p = at[i] + tile_lanes; p < last[i]; p += tile_lanes)
        take(state, block.pack(p));
      end(row[i], lane, state);
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
        [&](Scalar& sum, const TilePack<Scalar>& pack) {
          for (int c = 0; c < tile_pack; ++c) {
            const Scalar value = absolute ? fabs(pack.value[c]) : pack.value[c];
            sum += value * x_tile[pack.index[c]];
          }
        },
        [&](unsigned row, unsigned lane, Scalar sum) {
          sum = sum_over_lanes(sum, 1, tile_lanes);
          if (lane != 0) return;
          if (sum - sum == 0)
            Kokkos::atomic_add(sums + row, nearest(static_cast<double>(sum) * scale));
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
        [&](Real& r, const TilePack<Scalar>& pack) {
          if (r - r == 0) {
            // What fills up a pack lands behind the window's columns.
            for (int c = 0; c < tile_pack; ++c) {
              const Scalar value = absolute ? fabs(pack.value[c]) : pack.value[c];
              Kokkos::atomic_add(window + pack.index[c],
                                 static_cast<Integer>(nearest(static_cast<Real>(value) * r)));
            }
          } else {
            for (int c = 0; c < tile_pack; ++c)
              if (pack.index[c] < static_cast<unsigned>(block.width))
                faults[block.first_column + pack.index[c]] = 1;
          }
        },
        [](unsigned, unsigned, Real) {});
    member.team_barrier();
    for (int i = member.team_rank(); i < block.width; i += tile_threads)
      if (window[i] != 0) Kokkos::atomic_add(column_sums + block.first_column + i, window[i]);
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
