// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `Y = alpha C X + beta Y` with a block-circulant matrix on a GPU. The k s sums of a row are in the
// registers of a warp, which passes over the row once.
#pragma once

#include <Tomokkos_RecordedLaunches.hpp>
#include <impl/Tomokkos_CirculantPass.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_DivideBy.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>

namespace Tomokkos::Impl {

/// Number of warps of a team, each with a row. Neighbouring rows read the same rows of X at about
/// the same time, from the cache of their multiprocessor. The number of teams per multiprocessor
/// limits the registers to 64, or three teams if 64 registers are too few. Measured on an H200, k =
/// 150, rays of a cone beam, rows of 843 entries: 8 warps 7.8 TFLOP/s, 16 7.5, 32 7.1; of 1353
/// entries 9.1, 9.0, 8.6; packs of 8 entries, with three teams, 0.9 of these.
inline constexpr int circulant_warps = 8;
template <class Scalar, bool Replicated, int Sums>
inline constexpr int circulant_teams = sizeof(Scalar) > 4 || (!Replicated && Sums > 6) ? 3 : 4;
/// Largest number of sums per lane. More sums need several passes.
inline constexpr int circulant_lane_sums = 8;

/// Distribution of the sums of a row: lane l of \p lanes has every `lanes`-th sum of a pass. If
/// there are fewer lanes than in a warp, each has one sum.
struct CirculantLanes {
  int lanes = 32;
  int sums = 1;    ///< per lane
  int passes = 1;  ///< over the row, with `lanes sums` sums each

  constexpr explicit CirculantLanes(Ordinal width) {
    while (lanes > 1 && lanes / 2 >= width) lanes /= 2;
    const int groups = (width + lanes - 1) / lanes;
    passes = (groups + circulant_lane_sums - 1) / circulant_lane_sums;
    sums = (groups + passes - 1) / passes;
  }
  int rows_of_team() const { return circulant_warps * 32 / lanes; }
};

/// \tparam Replicated x is X replicated; otherwise indices beyond the end of a row of X wrap to its
///   beginning
template <bool Replicated, class ExecutionSpace, class Scalar, int Sums>
struct CirculantTeams {
  using Policy = Kokkos::TeamPolicy<
      ExecutionSpace,
      Kokkos::LaunchBounds<circulant_warps * 32, circulant_teams<Scalar, Replicated, Sums>>>;
  using Member = typename Policy::member_type;

  CirculantPass<Scalar> A;
  CirculantPlaces places;
  int lanes, passes;
  bool packs;  // the arrays may be read in packs

  /// Loads the values of X for the entry at \p position, from the sum \p first on.
  KOKKOS_FORCEINLINE_FUNCTION void take(std::uint32_t position, Ordinal first,
                                        Scalar (&x)[Sums]) const {
    if constexpr (Replicated) {
      const Scalar* const from =
          A.x + static_cast<std::uint64_t>(position) * static_cast<unsigned>(A.vectors) + first;
      for (int q = 0; q < Sums; ++q) x[q] = load_gathered(from + warp_lanes * q);
    } else {
      const Ordinal width = A.width();
      const CirculantPlace place = places(position);
      const Scalar* const row = A.x + Offset{place.column} * width;
      const Ordinal begin = static_cast<Ordinal>(place.block) * A.vectors + first;
      for (int q = 0; q < Sums; ++q) {
        Ordinal j = begin + warp_lanes * q;
        if (j >= width) j -= width;
        x[q] = j < width ? load_gathered(row + j) : Scalar(0);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add(Offset e, Ordinal first, Scalar (&sum)[Sums]) const {
    Scalar x[Sums];
    take(load_gathered(A.positions + e), first, x);
    const Scalar value = load_gathered(A.values + e);
    for (int q = 0; q < Sums; ++q) sum[q] += value * x[q];
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int rank = member.team_rank();
    const int pass = member.league_rank() % passes;
    const Offset team = member.league_rank() / passes;
    const Offset row = team * (circulant_warps * 32 / lanes) + rank / lanes;
    if (row >= A.block_rows) return;
    const Ordinal first = rank % lanes + pass * lanes * Sums;
    const Offset end = A.row_offsets[row + 1];
    Offset e = A.row_offsets[row];
    Scalar sum[Sums] = {};
    if (packs) {
      for (; e < end && e % pack_size != 0; ++e) add(e, first, sum);
      // Entries are loaded one pack ahead of the rows of X for the current pack.
      Pack<std::uint32_t> next_position;
      Pack<Scalar> next_value;
      const auto load_next = [&](Offset at) {
        next_position = load_streamed(A.positions + at);
        next_value = load_streamed(A.values + at);
      };
      if (e + pack_size <= end) load_next(e);
      for (; e + pack_size <= end; e += pack_size) {
        const Pack<std::uint32_t> position = next_position;
        const Pack<Scalar> value = next_value;
        if (e + 2 * pack_size <= end) load_next(e + pack_size);
        Scalar x[pack_size][Sums];
        for (int i = 0; i < pack_size; ++i) take(position.value[i], first, x[i]);
        for (int i = 0; i < pack_size; ++i)
          for (int q = 0; q < Sums; ++q) sum[q] += value.value[i] * x[i][q];
      }
    }
    for (; e < end; ++e) add(e, first, sum);
    Scalar* const y = A.y + row * A.width();
    for (int q = 0; q < Sums; ++q) {
      const Ordinal p = first + warp_lanes * q;
      if (p < A.width()) y[p] = combine(A.alpha, sum[q], A.beta, y[p]);
    }
  }
};

/// Calls `work(std::integral_constant<int, Sums>())` with the number of sums per lane.
template <class Work>
void with_circulant_sums(int sums, const Work& work) {
  const auto try_sums = [&](auto constant) {
    if (sums == constant.value) work(constant);
  };
  static_assert(circulant_lane_sums == 8);
  try_sums(std::integral_constant<int, 1>());
  try_sums(std::integral_constant<int, 2>());
  try_sums(std::integral_constant<int, 3>());
  try_sums(std::integral_constant<int, 4>());
  try_sums(std::integral_constant<int, 5>());
  try_sums(std::integral_constant<int, 6>());
  try_sums(std::integral_constant<int, 7>());
  try_sums(std::integral_constant<int, 8>());
}

template <bool Replicated, class ExecutionSpace, class Scalar>
void launch_circulant_teams(const ExecutionSpace& exec, const std::string& label,
                            const CirculantPass<Scalar>& pass) {
  if (pass.block_rows == 0) return;
  const CirculantLanes dealt(pass.width());
  const int teams = (pass.block_rows - 1) / dealt.rows_of_team() + 1;
  with_circulant_sums(dealt.sums, [&](auto sums) {
    using Functor = CirculantTeams<Replicated, ExecutionSpace, Scalar, decltype(sums)::value>;
    static_assert(sizeof(Functor) <= recordable_functor_bytes, "see recordable_functor_bytes");
    Kokkos::parallel_for(label,
                         typename Functor::Policy(exec, teams * dealt.passes, circulant_warps * 32),
                         Functor{pass, CirculantPlaces(pass.pitch), dealt.lanes, dealt.passes,
                                 is_pack_aligned(pass.positions) && is_pack_aligned(pass.values)});
  });
}

}  // namespace Tomokkos::Impl
