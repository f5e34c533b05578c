// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a block-circulant matrix on a GPU as in the paper: a team per row, with its threads
// over the sums of the row. Each sum has one thread, so no thread waits for another.
#pragma once

#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <algorithm>
#include <impl/Tomokkos_CirculantPass.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_DivideBy.hpp>
#include <string>

namespace Tomokkos::Impl {

/// Largest number of threads of a team.
inline constexpr int circulant_row_threads = 512;

template <class ExecutionSpace, class Scalar, CirculantVariant Variant>
struct CirculantTeamRow {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<circulant_row_threads, 1>>;
  using Member = typename Policy::member_type;

  /// Number of entries added per step.
  static constexpr int step = Variant == CirculantVariant::maxpy_2    ? 2
                              : Variant == CirculantVariant::maxpy_4  ? 4
                              : Variant == CirculantVariant::maxpy_8  ? 8
                              : Variant == CirculantVariant::maxpy_12 ? 12
                              : Variant == CirculantVariant::maxpy_16 ? 16
                                                                      : 1;

  CirculantPass<Scalar> pass;
  CirculantPlaces places;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset i = member.league_rank();
    const Ordinal width = pass.width();
    Scalar* const y = pass.y + i * width;
    const Offset begin = pass.row_offsets[i], end = pass.row_offsets[i + 1];
    if constexpr (Variant == CirculantVariant::team) {
      for (Ordinal q = member.team_rank(); q < width; q += member.team_size()) {
        Scalar sum = 0;
        for (Offset e = begin; e < end; ++e) {
          const CirculantPlace place = places(pass.positions[e]);
          // Figure 6 compares with n_B; but the index wraps at a block, and there are k blocks.
          Ordinal from = shift(place) - (width - q);
          if (from < 0) from += width;
          sum = multiply_add(pass.values[e], row_of_x(place)[from], sum);
        }
        y[q] = combine(pass.alpha, sum, pass.beta, y[q]);
      }
    } else {
      for (Ordinal q = member.team_rank(); q < width; q += member.team_size())
        y[q] = pass.beta == Scalar(0) ? Scalar(0) : pass.beta * y[q];
      Offset e = begin;
      for (; e + step <= end; e += step) add(member, e, y);
      for (; e < end; ++e) add_one(member, e, y);
    }
  }

  void launch(const ExecutionSpace& exec, const std::string& label) const {
    const int threads = std::min((pass.width() + 31) / 32 * 32, circulant_row_threads);
    Kokkos::parallel_for(label, Policy(exec, pass.block_rows, threads), *this);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION const Scalar* row_of_x(const CirculantPlace& place) const {
    return pass.x + Offset{place.column} * pass.width();
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal shift(const CirculantPlace& place) const {
    return static_cast<Ordinal>(place.block) * pass.vectors;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add(const Member& member, Offset e, Scalar* y) const {
    const Ordinal width = pass.width();
    if constexpr (Variant == CirculantVariant::spmm) {
      const CirculantPlace place = places(pass.positions[e]);
      const Scalar* const x = row_of_x(place);
      const Scalar value = pass.alpha * pass.values[e];
      for (Ordinal q = member.team_rank(); q < width; q += member.team_size()) {
        const unsigned from = static_cast<unsigned>(shift(place)) + static_cast<unsigned>(q);
        y[q] = multiply_add(value, x[from % static_cast<unsigned>(width)], y[q]);
      }
    } else if constexpr (Variant == CirculantVariant::mm) {
      const CirculantPlace place = places(pass.positions[e]);
      const Scalar* const x = row_of_x(place);
      const Scalar value = pass.alpha * pass.values[e];
      const Ordinal wrap = width - shift(place);
      Ordinal q = member.team_rank();
      for (; q < wrap; q += member.team_size())
        y[q] = multiply_add(value, x[q + (width - wrap)], y[q]);
      for (; q < width; q += member.team_size()) y[q] = multiply_add(value, x[q - wrap], y[q]);
    } else {
      Scalar value[step];
      const Scalar* x[step];
      for (int k = 0; k < step; ++k) {
        value[k] = pass.alpha * pass.values[e + k];
        x[k] = pass.x + Offset{pass.positions[e + k]} * pass.vectors;
      }
      for (Ordinal q = member.team_rank(); q < width; q += member.team_size()) {
        Scalar sum = y[q];
        for (int k = 0; k < step; ++k) sum = multiply_add(value[k], x[k][q], sum);
        y[q] = sum;
      }
    }
  }

  /// Adds an entry that remains after the steps of several entries.
  KOKKOS_FORCEINLINE_FUNCTION void add_one(const Member& member, Offset e, Scalar* y) const {
    const Scalar value = pass.alpha * pass.values[e];
    const Scalar* const x = pass.x + Offset{pass.positions[e]} * pass.vectors;
    for (Ordinal q = member.team_rank(); q < pass.width(); q += member.team_size())
      y[q] = multiply_add(value, x[q], y[q]);
  }
};

}  // namespace Tomokkos::Impl
