// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Ranks.hpp>
#include <Tomokkos_Views.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Largest magnitude in a column.
template <class Scalar, class MemorySpace>
struct LargestOfColumn {
  MultiVectorView<const Scalar, MemorySpace> B;
  Offset column;
  KOKKOS_FUNCTION void operator()(const Offset i, double& largest) const {
    const double value = static_cast<double>(B(i, column));
    const double magnitude = value < 0 ? -value : value;
    if (magnitude > largest) largest = magnitude;
  }
};

/// Returns the largest magnitude in column j of B, which may be distributed over \p ranks. NaN is
/// ignored.
template <class ExecutionSpace, class Scalar>
double largest_of_column(
    const ExecutionSpace& exec,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B, std::size_t j,
    const Ranks* ranks = nullptr) {
  double largest = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::solver::largest", element_range(exec, B.extent(0)),
      LargestOfColumn<Scalar, typename ExecutionSpace::memory_space>{B, static_cast<Offset>(j)},
      Kokkos::Max<double>(largest));
  fence(exec, "largest_of_column: the host needs it");
  largest = largest > 0 ? largest : 0;
  return ranks != nullptr ? ranks->max_of(largest) : largest;
}

/// Smallest nonzero magnitude in a vector.
template <class Scalar, class MemorySpace>
struct SmallestEntry {
  VectorView<const Scalar, MemorySpace> x;
  KOKKOS_FUNCTION void operator()(const Offset i, double& smallest) const {
    const double value = static_cast<double>(x(i));
    const double magnitude = value < 0 ? -value : value;
    if (magnitude > 0 && magnitude < smallest) smallest = magnitude;
  }
};

/// \brief Throws `Error` if the squares of a column of finite numbers are too small for double. The
/// column, or a residual at rounding level, would then count as zero.
/// Numbers that are too large need no check: the solve ends as `non_finite`. \p norms are the
/// square roots of the sums. If B is distributed over \p ranks, all of them throw.
///
/// For solvers that do not use scaled units (see Tomokkos_SolveUnits.hpp).
template <class ExecutionSpace, class Scalar>
void require_squares(const ExecutionSpace& exec,
                     const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B,
                     const std::vector<double>& norms, const Ranks* ranks = nullptr) {
  for (std::size_t j = 0; j < norms.size(); ++j) {
    if (norms[j] > 1e-135) continue;
    const double largest = largest_of_column<ExecutionSpace, Scalar>(exec, B, j, ranks);
    require(!(largest > 0),
            "the squares of the right-hand side leave the range of double (its largest entry is " +
                describe_number(largest) + "); multiply it by a number that brings it near 1");
  }
}

/// Throws `Error` if the squared norms of all rows are too small for double, or one is too large:
/// no row would be visited. If the rows are distributed over \p ranks, all of them throw. Returns
/// the largest.
template <class ExecutionSpace>
double require_row_norms(
    const ExecutionSpace& exec,
    const VectorView<const double, typename ExecutionSpace::memory_space>& squared_norms,
    const Ranks* ranks = nullptr) {
  const double largest =
      largest_of_column<ExecutionSpace, double>(exec, as_multivector(squared_norms), 0, ranks);
  require(largest == 0 || (largest > 1e-290 && std::isfinite(largest)),
          "the squared norms of the rows of A leave the range of double (the largest is " +
              describe_number(largest) + "); choose another unit of length");
  return largest;
}

}  // namespace Tomokkos::Impl
