// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images and measurements under the eight maps of the square, which products with stored rays
// (`RaySymmetry`) read and write. One launch each, no fence, no allocation; the same bits on every
// backend. All throw `DimensionMismatch`.
//
// For s vectors (slices of a stack) an array of eight images has 8 s columns: map g of slice k is
// column g s + k.
#pragma once

#include <Tomokkos_RaySymmetry.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Computes the image under each map, `X8(q, g s + k) = X(T_g pixel(q), k)`.
///
/// \p X is `num_pixels x s` in natural order, \p X8 is `num_pixels x 8 s` in the order of the
/// columns of E. Moves X once and X8 once.
template <class ExecutionSpace, class Scalar>
void expand_image(const ExecutionSpace& exec,
                  const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
                  const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X,
                  const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X8);

/// \brief Computes the transpose of `expand_image`,
/// `Y(p, k) = alpha sum over g of X8(position(T_g^-1 p), g s + k) + beta Y(p, k)`. Sums run over g,
/// from 0. `beta == 0` overwrites Y.
template <class ExecutionSpace, class Scalar>
void fold_image(const ExecutionSpace& exec,
                const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry, Scalar alpha,
                const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X8,
                Scalar beta,
                const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y);

/// \brief Computes `Y(r, k) = alpha Y8(slots(r), k) + beta Y(r, k)` for the rays r of \p rows. Y
/// has one row per ray of the range, Y8 is `num_stored x 8 s`. `beta == 0` overwrites Y.
template <class ExecutionSpace, class Scalar>
void gather_rays(const ExecutionSpace& exec,
                 const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry, Scalar alpha,
                 const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& Y8,
                 Scalar beta,
                 const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y,
                 RowRange rows);

/// \brief Computes the transpose of `gather_rays`:
/// `Y8(slot, k) = sum of Y over the rays of the slot in \p rows`, or 0 if the slot has no such ray.
/// Sums run over rays.
template <class ExecutionSpace, class Scalar>
void expand_rays(const ExecutionSpace& exec,
                 const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
                 const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& Y,
                 const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y8,
                 RowRange rows);

}  // namespace Tomokkos
