// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of a row in registers, on a GPU.
#pragma once

#include <impl/Tomokkos_CirculantTeamRows.hpp>

namespace Tomokkos::Impl {

/// A team a row, a thread for each of its sums, of X replicated.
template <class ExecutionSpace, class Scalar>
struct CirculantReplicatedRow {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<circulant_row_threads, 1>>;
  using Member = typename Policy::member_type;

  CirculantPass<Scalar> pass;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset i = member.league_rank();
    Scalar* const y = pass.y + i * pass.width();
    for (Ordinal q = member.team_rank(); q < pass.width(); q += member.team_size()) {
      Scalar sum = 0;
      for (Offset e = pass.row_offsets[i]; e < pass.row_offsets[i + 1]; ++e)
        sum =
            multiply_add(pass.values[e], pass.x[Offset{pass.positions[e]} * pass.vectors + q], sum);
      y[q] = combine(pass.alpha, sum, pass.beta, y[q]);
    }
  }

  void launch(const ExecutionSpace& exec, const std::string& label) const {
    const int threads = std::min((pass.width() + 31) / 32 * 32, circulant_row_threads);
    Kokkos::parallel_for(label, Policy(exec, pass.block_rows, threads), *this);
  }
};

/// \tparam Replicated `pass.x` is X replicated
template <bool Replicated, class ExecutionSpace, class Scalar>
void launch_circulant_teams(const ExecutionSpace& exec, const std::string& label,
                            const CirculantPass<Scalar>& pass) {
  if constexpr (Replicated) {
    CirculantReplicatedRow<ExecutionSpace, Scalar>{pass}.launch(exec, label);
  } else {
    CirculantTeamRow<ExecutionSpace, Scalar, CirculantVariant::team>{pass,
                                                                     CirculantPlaces(pass.pitch)}
        .launch(exec, label);
  }
}

}  // namespace Tomokkos::Impl
