// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>

#include "Tomokkos_BenchReference.hpp"

namespace Tomokkos::Bench {

/// \brief Computes the reference of `y = C x` in the order of rotations.
///
/// For each of the k rotations a plain loop visits the entries of a row of the first block row.
/// Nothing is expanded, and no kernel of the library runs. Bounds as in `ProductReference`.
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> circulant_reference(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& x);

/// \brief Computes the reference of `x = C^T y` from the first block row itself.
///
/// Every entry is added into the k rotations of its column, on a host by the thread that owns these
/// rotations.
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> circulant_transposed_reference(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& y);

/// \brief Returns \p reference with its bounds widened by the error that `CirculantTransposePlan`
/// states for fixed-point sums.
///
/// \param reference reference of `C^T y`, for entries of y of at most 1
/// \param column_bound largest sum of |values| in an in-sector column; 0 if sums are not in fixed
/// point
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> with_circulant_whole_numbers(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    double column_bound, ProductReference<typename ExecutionSpace::memory_space> reference);

}  // namespace Tomokkos::Bench
