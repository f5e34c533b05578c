// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Ranks.hpp>
#include <Tomokkos_Views.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// The largest magnitude of a column.
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

/// \brief Throws `Error` where a column of finite numbers has squares beyond the range of double:
/// their sum would make it zero, or infinite. \p norms are the roots of the sums. Where B is spread
/// over \p ranks, all of them throw.
///
/// \param small_alone what becomes zero; solvers end by themselves where a norm is infinite
template <class ExecutionSpace, class Scalar>
void require_squares(const ExecutionSpace& exec,
                     const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B,
                     const std::vector<double>& norms, const Ranks* ranks = nullptr,
                     bool small_alone = false) {
  for (std::size_t j = 0; j < norms.size(); ++j) {
    if (norms[j] > 0 && (small_alone || std::isfinite(norms[j]))) continue;
    double largest = 0;
    Kokkos::parallel_reduce(
        "Tomokkos::solver::largest", element_range(exec, B.extent(0)),
        LargestOfColumn<Scalar, typename ExecutionSpace::memory_space>{B, static_cast<Offset>(j)},
        Kokkos::Max<double>(largest));
    fence(exec, "require_squares: whether the right-hand side is zero");
    if (ranks != nullptr) largest = ranks->max_of(largest);
    require(!(largest > 0),
            "the squares of the right-hand side leave the range of double (its largest entry is " +
                describe_number(largest) + "); scale the matrix and it by one number");
  }
}

}  // namespace Tomokkos::Impl
