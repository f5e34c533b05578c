// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

#include "Tomokkos_BenchVectorMath.hpp"

namespace Tomokkos::Bench {

/// \brief Correct result of a product in double, with the largest permitted error of each entry.
///
/// `bound(i) = K (nnz_i + 2) u sum_j |a_ij x_j|` with u the unit round-off of the scalar. K = 2
/// covers the rounding of the candidate (a sum of nnz_i products in any order) and that of the
/// reference, which is no more accurate than a candidate in double.
template <class MemorySpace>
struct ProductReference {
  Kokkos::View<const double*, MemorySpace> value;
  Kokkos::View<const double*, MemorySpace> bound;
};

/// \brief Computes the reference of `y = A x` by one plain loop over each row.
///
/// No kernel of the library runs: a serial loop on a host, a thread per row on a GPU.
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> reference_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& x);

/// \brief Computes the reference of `y = A^T x` from A itself: every entry is added into its
/// column.
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> reference_transposed_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& x);

/// \brief Returns the largest `|y_i - value_i| / bound_i`. If a bound is 0 the value must be exact.
/// NaN counts as the largest double.
template <class ExecutionSpace, class Scalar>
double largest_error(const ExecutionSpace& exec,
                     const ProductReference<typename ExecutionSpace::memory_space>& reference,
                     const Kokkos::View<const Scalar*, typename ExecutionSpace::memory_space>& y);

/// \brief Returns 0 if \p B is the transpose of \p A, otherwise 1 + the number of wrong entries.
///
/// If the shape is wrong, all entries count as wrong. The columns of a row of B may be in any
/// order; those of A must be sorted, because every entry of B is searched there by bisection.
template <class ExecutionSpace, class Scalar>
double transposition_error(const ExecutionSpace& exec,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& B);

/// \brief Returns true if the columns of every row of \p B ascend.
template <class ExecutionSpace, class Scalar>
bool has_sorted_rows(const ExecutionSpace& exec,
                     const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& B);

}  // namespace Tomokkos::Bench
