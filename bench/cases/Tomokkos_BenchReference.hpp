// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

#include "Tomokkos_BenchVectorMath.hpp"

namespace Tomokkos::Bench {

/// \brief The right answer of a product in double, and how far each entry may be from it.
///
/// `bound(i) = K (nnz_i + 2) u sum_j |a_ij x_j|` with u the unit round-off of the scalar and K = 2:
/// once for the candidate (a sum of nnz_i products in any order), once for the reference, which in
/// double is no better than a double candidate.
template <class MemorySpace>
struct ProductReference {
  Kokkos::View<const double*, MemorySpace> value;
  Kokkos::View<const double*, MemorySpace> bound;
};

/// \brief The reference of `y = A x`: one plain loop over each row.
///
/// Computed without any kernel of the library: a serial loop on a host, a thread per row on a GPU.
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> reference_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& x);

/// \brief The reference of `y = A^T x`, from A itself: every entry added into its column.
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> reference_transposed_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& x);

/// \brief Largest `|y_i - value_i| / bound_i`; where the bound is 0 the value must be exact. What
/// is not a number counts as the largest double.
template <class ExecutionSpace, class Scalar>
double largest_error(const ExecutionSpace& exec,
                     const ProductReference<typename ExecutionSpace::memory_space>& reference,
                     const Kokkos::View<const Scalar*, typename ExecutionSpace::memory_space>& y);

/// \brief 0 when \p B is the transpose of \p A, otherwise 1 + the number of entries that are not
/// right; a wrong shape counts as all. The columns of a row of B may stand in any order, those of A
/// must be sorted: every entry of B is looked up there by bisection.
template <class ExecutionSpace, class Scalar>
double transposition_error(const ExecutionSpace& exec,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& B);

/// \brief True when the columns of every row of \p B ascend.
template <class ExecutionSpace, class Scalar>
bool has_sorted_rows(const ExecutionSpace& exec,
                     const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& B);

}  // namespace Tomokkos::Bench
