// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PairRows.hpp>
#include <impl/Tomokkos_KaczmarzSchedule_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Writes the places of the rows of a pair.
template <class Scalar>
struct FindPairRows {
  PairBlocks<Scalar> A;
  Offset* starts;
  Ordinal* sizes;

  KOKKOS_FUNCTION void operator()(const Ordinal pair) const {
    const Ordinal first = A.first_length(pair);
    starts[A.first_row(pair)] = A.position(pair, 0);
    sizes[A.first_row(pair)] = first;
    if (!A.has_second(pair)) return;
    starts[A.second_row(pair)] = A.position(pair, first);
    sizes[A.second_row(pair)] = A.length(pair) - first;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
PairRowIndex<typename ExecutionSpace::memory_space> pair_row_index(
    const ExecutionSpace& exec,
    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto starts = allocate<Kokkos::View<Offset*, MemorySpace>>(
      exec, "Tomokkos::PairRowIndex::starts", A.num_rows);
  const auto sizes = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::PairRowIndex::sizes", A.num_rows);
  Kokkos::parallel_for(
      "Tomokkos::pair_blocked::row_index",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_pairs()),
      Impl::FindPairRows<Scalar>{Impl::PairBlocks<Scalar>(A), starts.data(), sizes.data()});
  return {starts, sizes};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                 \
  template PairRowIndex<SPACE::memory_space> pair_row_index<SPACE, SCALAR>( \
      const SPACE&, const PairBlockedMatrix<SCALAR, SPACE::memory_space>&); \
  TOMOKKOS_INSTANTIATE_ROW_ACTIONS(SPACE, SCALAR, PairRows<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
