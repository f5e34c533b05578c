// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>

#include "Tomokkos_BenchReference.hpp"

namespace Tomokkos::Bench {

/// \brief The reference of `y = C x` in the order of rotations: one plain loop over the entries of
/// a row of the first row of blocks for each of its k rotations. Nothing is expanded, and no kernel
/// of the library runs. Bounds as of `ProductReference`.
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> circulant_reference(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& x);

/// \brief The reference of `x = C^T y`, from the first row of blocks itself: every entry added into
/// the k rotations of its column, on a host by the owner of these rotations.
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> circulant_transposed_reference(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& y);

/// \brief \p reference of `C^T y`, for entries of y of at most 1, with the error in its bound that
/// `CirculantTransposePlan` states for sums in whole numbers.
///
/// \param column_bound the largest sum of |values| of an in-sector column; 0 where sums are no
/// whole numbers
template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> with_circulant_whole_numbers(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    double column_bound, ProductReference<typename ExecutionSpace::memory_space> reference);

}  // namespace Tomokkos::Bench
