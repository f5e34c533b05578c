// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of C^T hold pairs (row, block), in the order of `row k + block`: they are the columns of
// a matrix with a row for each such pair. So the transposition of that matrix, which has n_B
// columns and no duplicates, leaves nothing to be sorted.
#pragma once

#include <Tomokkos_LaunchConfig.hpp>
#include <impl/Tomokkos_CirculantNumbering.hpp>

namespace Tomokkos::Impl {

/// \brief Entries to rows `i k + (-block mod k)`, where they stand in any order; or these rows
/// counted.
template <class ExecutionSpace, class Scalar>
struct StackBlocks {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int members = transpose_claim_members;
  static constexpr int lanes = transpose_claim_lanes;

  const Offset* row_offsets;
  const std::uint32_t* positions;
  const Scalar* from_values;
  CirculantPlaces places;
  Ordinal block_rows, blocks;
  Offset* next;  // of each row: the entries met so far, or where the next one goes
  Ordinal* columns;
  Scalar* values;
  bool count_only;

  template <class Claim>
  KOKKOS_FORCEINLINE_FUNCTION void visit(Offset i, Offset e, const Claim& claim) const {
    const CirculantPlace place = places(positions[e]);
    const Offset block = place.block == 0 ? 0 : blocks - static_cast<Ordinal>(place.block);
    const Offset to = claim(next + i * blocks + block);
    if (count_only) return;
    columns[to] = static_cast<Ordinal>(place.column);
    values[to] = from_values[e];
  }

  /// A row by one thread of a host, in its order.
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (Offset e = row_offsets[i]; e < row_offsets[i + 1]; ++e)
      visit(i, e, [](Offset* counter) { return (*counter)++; });
  }

  /// A row by the lanes of a team member.
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset i = static_cast<Offset>(member.league_rank()) * members + member.team_rank();
    if (i >= block_rows) return;
    const Offset begin = row_offsets[i];
    Kokkos::parallel_for(
        Kokkos::ThreadVectorRange(member, row_offsets[i + 1] - begin), [&](const Offset e) {
          visit(i, begin + e,
                [](Offset* counter) { return Kokkos::atomic_fetch_add(counter, Offset(1)); });
        });
  }

  void launch(const ExecutionSpace& exec) const {
    const std::string label = count_only ? "Tomokkos::block_circulant::transpose::count"
                                         : "Tomokkos::block_circulant::transpose::stack";
    if constexpr (is_host_space<ExecutionSpace>) {
      Kokkos::parallel_for(label, element_range(exec, static_cast<std::size_t>(block_rows)), *this);
    } else {
      if (block_rows == 0) return;
      Kokkos::parallel_for(label, Policy(exec, (block_rows - 1) / members + 1, members, lanes),
                           *this);
    }
  }
};

}  // namespace Tomokkos::Impl
