// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is counted and summed over the rows of a block-circulant matrix.
#pragma once

#include <Tomokkos_BlockCirculantConversion.hpp>
#include <impl/Tomokkos_DivideBy.hpp>

namespace Tomokkos {
namespace Impl {

/// Entries of a row whose in-sector column is another than that of the entry before.
struct CountDistinctColumns {
  const Offset* row_offsets;
  const std::uint32_t* positions;
  CirculantPlaces places;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Offset& sum) const {
    // No column is that large.
    std::uint32_t previous = 0xffffffffU;
    for (Offset e = row_offsets[row]; e < row_offsets[row + 1]; ++e) {
      const std::uint32_t column = places(positions[e]).column;
      if (column != previous) ++sum;
      previous = column;
    }
  }
};

/// The sum of a row in double, on a GPU by the lanes of a team member.
template <class ExecutionSpace, class Scalar>
struct SumCirculantRow {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int members = 8, lanes = 32;

  const Offset* row_offsets;
  const Scalar* values;
  double* sums;
  Ordinal block_rows;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    double sum = 0;
    for (Offset e = row_offsets[row]; e < row_offsets[row + 1]; ++e)
      sum += static_cast<double>(values[e]);
    sums[row] = sum;
  }
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal row = member.league_rank() * members + member.team_rank();
    if (row >= block_rows) return;
    const Offset begin = row_offsets[row];
    double total = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, row_offsets[row + 1] - begin),
        [&](const Offset e, double& sum) { sum += static_cast<double>(values[begin + e]); }, total);
    Kokkos::single(Kokkos::PerThread(member), [&]() { sums[row] = total; });
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
double circulant_reuse(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  if (A.num_stored() == 0) return 1;
  Offset distinct = 0;
  Kokkos::parallel_reduce("Tomokkos::block_circulant::reuse",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.block_rows),
                          Impl::CountDistinctColumns{A.row_offsets.data(), A.positions.data(),
                                                     Impl::CirculantPlaces(A.pitch)},
                          Kokkos::Sum<Offset>(distinct));
  Impl::fence(exec, "circulant_reuse: counted");
  return static_cast<double>(A.num_stored()) / static_cast<double>(distinct);
}

template <class ExecutionSpace, class Scalar>
void circulant_row_sums(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const VectorView<double, typename ExecutionSpace::memory_space>& sums) {
  using Sum = Impl::SumCirculantRow<ExecutionSpace, Scalar>;
  require_equal("length of sums", static_cast<long long>(sums.extent(0)), "rows of a block",
                A.block_rows);
  const Sum sum{A.row_offsets.data(), A.values.data(), sums.data(), A.block_rows};
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for("Tomokkos::block_circulant::row_sums",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.block_rows), sum);
  } else {
    if (A.block_rows == 0) return;
    Kokkos::parallel_for(
        "Tomokkos::block_circulant::row_sums",
        typename Sum::Policy(exec, (A.block_rows - 1) / Sum::members + 1, Sum::members, Sum::lanes),
        sum);
  }
}

}  // namespace Tomokkos
