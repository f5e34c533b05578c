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

/// Calls `take(row, packs...)` for the segments of a block, `tile_flights` at a time: the first
/// pack of each lane is loaded for all of them before any is used.
template <class Streams, class Member, class Begin, class Take, class End>
KOKKOS_FORCEINLINE_FUNCTION void for_segments(const Streams& A, const Member& member, Offset block,
                                              const Begin& begin, const Take& take,
                                              const End& end) {
  const int lane = member.team_rank() % tile_lanes, part = member.team_rank() / tile_lanes;
  const int parts = member.team_size() / tile_lanes;
  const Offset last = A.segment_offsets[block + 1];
  for (Offset s = A.segment_offsets[block] + part; s < last; s += Offset{tile_flights} * parts) {
    TileSpan spans[tile_flights];
    for (int i = 0; i < tile_flights; ++i) {
      const Offset at = s + Offset{i} * parts;
      if (at < last) spans[i] = tile_span(A, block, at, last);
      spans[i].pack += lane;
    }
    decltype(A.pack(0)) packs[tile_flights];
    for (int i = 0; i < tile_flights; ++i)
      if (spans[i].pack < spans[i].end) packs[i] = A.pack(spans[i].pack);
    for (int i = 0; i < tile_flights; ++i) {
      if (s + Offset{i} * parts >= last) continue;
      auto state = begin(spans[i].row);
      if (spans[i].pack < spans[i].end) take(state, packs[i]);
      for (Offset p = spans[i].pack + tile_lanes; p < spans[i].end; p += tile_lanes)
        take(state, A.pack(p));
      end(spans[i].row, lane, state);
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
    const Offset block = member.league_rank();
    auto* const x_tile = static_cast<Scalar*>(
        member.team_shmem().get_shmem(static_cast<std::ptrdiff_t>((A.tile + 1) * sizeof(Scalar))));
    const Offset first = A.first_column(block);
    const auto width = static_cast<int>(A.end_column(block) - first);
    for (int i = member.team_rank(); i < width; i += member.team_size()) x_tile[i] = x[first + i];
    if (member.team_rank() == 0) x_tile[A.tile] = 0;  // what padding meets
    member.team_barrier();
    const double scale =
        power_of_two(fixed_point_exponent(*bound * row_bound, fixed_point_bits<long long>));
    const bool empty = !(*bound * row_bound > 0);
    for_segments(
        A, member, block, [](Offset) { return Scalar(0); },
        [&](Scalar& sum, const TilePack<Scalar>& pack) {
          for (int c = 0; c < tile_pack; ++c) {
            const Scalar value = absolute ? fabs(pack.value[c]) : pack.value[c];
            sum += value * x_tile[pack.index[c]];
          }
        },
        [&](Offset row, int lane, Scalar sum) {
          sum = sum_over_lanes(sum, 1, tile_lanes);
          if (lane != 0) return;
          if (!(sum - sum == 0))
            faults[row] = 1;
          else if (!empty)
            Kokkos::atomic_add(row_sums + row, nearest(static_cast<double>(sum) * scale));
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
    const Offset block = member.league_rank();
    auto* const window = static_cast<Integer*>(
        member.team_shmem().get_shmem(static_cast<std::ptrdiff_t>((A.tile + 1) * sizeof(Integer))));
    const Offset first = A.first_column(block);
    const auto width = static_cast<int>(A.end_column(block) - first);
    for (int i = member.team_rank(); i < width; i += member.team_size()) window[i] = 0;
    member.team_barrier();
    const double scale = *bound * column_bound > 0
                             ? power_of_two(fixed_point_exponent(*bound * column_bound, bits))
                             : 0.0;
    for_segments(
        A, member, block,
        [&](Offset row) { return static_cast<Real>(static_cast<double>(y[row]) * scale); },
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
              if (pack.index[c] < static_cast<unsigned>(width)) faults[first + pack.index[c]] = 1;
          }
        },
        [](Offset, int, Real) {});
    member.team_barrier();
    for (int i = member.team_rank(); i < width; i += member.team_size())
      if (window[i] != 0) Kokkos::atomic_add(column_sums + first + i, window[i]);
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
