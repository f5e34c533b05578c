// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transposed product with a block-circulant matrix from itself, on a GPU: whole numbers, added
// by atomics.
#pragma once

#include <impl/Tomokkos_CirculantTeamRows.hpp>
#include <impl/Tomokkos_FixedPoint.hpp>

namespace Tomokkos::Impl {

/// A team a row, its threads over the values of Y.
template <class ExecutionSpace, class Scalar, class Integer>
struct CirculantBackRow {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<circulant_row_threads, 1>>;
  using Member = typename Policy::member_type;

  CirculantPass<Scalar> pass;
  CirculantPlaces places;
  Integer* sums;
  unsigned char* faults;
  const double* bound;  // largest entry of Y
  double column_bound;  // largest sum of an in-sector column of |A|
  int bits;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset i = member.league_rank();
    const Ordinal width = pass.width();
    const double bounded = *bound * column_bound;
    const double scale = bounded > 0 ? power_of_two(fixed_point_exponent(bounded, bits)) : 0.0;
    for (Ordinal q = member.team_rank(); q < width; q += member.team_size()) {
      const auto y = static_cast<double>(pass.x[i * width + q]);
      const bool finite = y - y == 0;
      for (Offset e = pass.row_offsets[i]; e < pass.row_offsets[i + 1]; ++e) {
        if (finite) {
          add_shared(
              sums + Offset{pass.positions[e]} * pass.vectors + q,
              static_cast<Integer>(nearest(static_cast<double>(pass.values[e]) * (y * scale))));
          continue;
        }
        const CirculantPlace place = places(pass.positions[e]);
        Ordinal to = static_cast<Ordinal>(place.block) * pass.vectors - (width - q);
        if (to < 0) to += width;
        faults[Offset{place.column} * width + to] = 1;
      }
    }
  }
};

/// \param pass `x` is Y, rows of `width` values; `y` is not looked at
/// \param sums rows of `pitch s` integers, one for each in-sector column
/// \param faults marks of the values of X that a value of Y reaches that is not finite
template <class ExecutionSpace, class Scalar, class Integer>
void launch_circulant_back(const ExecutionSpace& exec, const std::string& label,
                           const CirculantPass<Scalar>& pass, Integer* sums, unsigned char* faults,
                           const double* bound, double column_bound, int bits) {
  using Row = CirculantBackRow<ExecutionSpace, Scalar, Integer>;
  const int threads = std::min((pass.width() + 31) / 32 * 32, circulant_row_threads);
  Kokkos::parallel_for(
      label, typename Row::Policy(exec, pass.block_rows, threads),
      Row{pass, CirculantPlaces(pass.pitch), sums, faults, bound, column_bound, bits});
}

}  // namespace Tomokkos::Impl
