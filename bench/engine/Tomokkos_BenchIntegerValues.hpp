// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error bound of products A^T x on GPUs that sum whole multiples of a unit (fixed-point sums):
// windows, ray tiles.
#pragma once

#include <Tomokkos_VectorOps.hpp>

#include "Tomokkos_BenchReference.hpp"

namespace Tomokkos::Bench {

/// \brief Widens the error bound of each column by the error of fixed-point sums: for each entry, a
/// fraction of the largest column sum.
template <class MemorySpace>
struct WidenBound {
  Kokkos::View<const double*, MemorySpace> bound, entries;
  double step;
  Kokkos::View<double*, MemorySpace> widened;
  KOKKOS_FUNCTION void operator()(const Offset j) const {
    widened(j) = bound(j) + step * entries(j);
  }
};

/// \brief Returns \p reference with its bounds widened by the error of fixed-point sums.
///
/// The error is stated in Tomokkos_SpmvWindowed.hpp, Tomokkos_SpmvRayTiles.hpp and (in double)
/// Tomokkos_SpmvPairBlocked.hpp.
///
/// \param reference reference of A^T x, for entries of x of at most 1
/// \param column_bound largest sum of a column of |A|; 0 if sums are not in fixed point
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> reference_with_integer_values(
    const ExecutionSpace& exec, CsrMatrix<Scalar, typename ExecutionSpace::memory_space> A,
    double column_bound, ProductReference<typename ExecutionSpace::memory_space> reference) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Doubles = Kokkos::View<double*, MemorySpace>;
  if (!(column_bound > 0)) return reference;
  const auto ones =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::ones", A.values.extent(0));
  fill(exec, ones, Scalar(1));
  const auto wide_ones = allocate<Doubles>(exec, "Tomokkos::Bench::wide_ones", A.num_rows);
  Kokkos::deep_copy(exec, wide_ones, 1.0);
  A.values = ones;
  const auto entries =
      reference_transposed_product<ExecutionSpace, Scalar>(exec, A, wide_ones).value;
  const auto widened = allocate<Doubles>(exec, "Tomokkos::Bench::bound", A.num_cols);
  const double unit = std::is_same_v<Scalar, float> ? 0x1p-30 : 0x1p-60;
  const double step = (A.num_rows > 4000000 ? 2 : 1) * unit * column_bound;
  Kokkos::parallel_for("Tomokkos::bench::widen_bound", Impl::element_range(exec, A.num_cols),
                       WidenBound<MemorySpace>{reference.bound, entries, step, widened});
  reference.bound = widened;
  return reference;
}

}  // namespace Tomokkos::Bench
