// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fast products with a system matrix that is not stored.
#pragma once

#include <Tomokkos_ComputedOrbits.hpp>
#include <memory>

namespace Tomokkos {

/// \brief Copies of the vectors, with margins of zeros, that stepped products read.
template <class Scalar, class MemorySpace>
struct SteppedWorkspace {
  Vector<Scalar, MemorySpace> image;  ///< row by row and column by column
  Vector<Scalar, MemorySpace> rays;   ///< view by view
  /// For a fan beam: two values for each ray, which lead from distances to weights, and one for
  /// each element.
  Vector<Scalar, MemorySpace> slopes;
  /// For products by symmetry: the images of pixels and of rays, and the workspace of the stored
  /// views.
  Vector<Scalar, MemorySpace> pixel_images, ray_images;
  std::shared_ptr<SteppedWorkspace> stored;

  std::size_t memory_bytes() const {
    return (image.extent(0) + rays.extent(0) + slopes.extent(0) + pixel_images.extent(0) +
            ray_images.extent(0)) *
               sizeof(Scalar) +
           (stored ? stored->memory_bytes() : 0);
  }
};

/// \brief True if products with these rows use the symmetry of the scan: with all rows, on a host
/// in `double`, with `strip` and with a fan beam, and on a GPU if that is faster for \p vectors
/// vectors.
template <class Scalar, class MemorySpace>
bool multiplies_by_symmetry(const ComputedProjection<MemorySpace>& A, int vectors,
                            RowRange rows = all_rows);

/// \brief Returns the number of values in the workspace of stepped products with all rows and \p
/// vectors vectors; 0 without stepped products.
template <class Scalar, class MemorySpace>
std::size_t stepped_workspace_values(const ComputedProjection<MemorySpace>& A, int vectors = 1);

/// \brief Allocates the workspace of stepped products with \p vectors vectors, unless it is large
/// enough. It needs `2 num_pixels` and `num_rays` values a vector, and the margins; for a fan beam
/// also two values a ray. Products by symmetry need as much for up to eight images and the stored
/// rays, and `num_pixels` and the stored rays once more for each image. Complete on return.
///
/// \param rows of the products: all of them, or ranges
/// \pre A.is_stepped()
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
void reserve_stepped_workspace(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    int vectors, SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
    RowRange rows = all_rows);

/// \brief Computes `Y = alpha A(rows, :) X + beta Y` from the positions of rays and pixels.
///
/// A ray advances by the same step from row to row of the image (or from column to column), where
/// it enters two pixels whose weights depend on its position between their centres. A pixel
/// likewise lies between two rays. The weights therefore agree with the entries of A within
/// rounding: by 2^-22 of the slope of the weight, 1 / tan of the angle between the ray and an axis
/// for `line`. Rays of `line` within 2^-10 of an axis have exact weights.
///
/// If the scan is symmetric (`ComputedProjection::orbits`), a product with all rows is one of the
/// stored views with up to eight images of X. Its entries are rounded differently from those of
/// ranges of rows.
///
/// A pixel of X that is infinite or NaN also reaches the rays that pass next to it.
///
/// Sums of 16 rows of the image are formed in \p Scalar and added in double, in a fixed order: all
/// runs have the same bits. A copy of X, and a launch for every eight vectors; no fence, no
/// allocation.
///
/// \pre A.is_stepped(), and \p work is reserved for the vectors of X and for these rows
/// \throws DimensionMismatch; Error for rows outside A
template <class ExecutionSpace, class Scalar>
void stepped_product(const ExecutionSpace& exec,
                     const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                     const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                     Scalar alpha, const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
                     const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows = all_rows);

/// \brief Computes `Y = alpha A(rows, :)^T X + beta Y` likewise. Sums of 16 views are formed in \p
/// Scalar and added in double.
template <class ExecutionSpace, class Scalar>
void stepped_transposed_product(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work, Scalar alpha,
    const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows = all_rows);

/// \brief Sets each pixel of a column of \p Y to the sum over all views of their values at its
/// position on the detector, interpolated linearly between the elements, times the factors of the
/// views. Beyond the detector values are zero.
///
/// Copies of the values and bits are those of `stepped_transposed_product`.
///
/// \param A result of `make_view_interpolation`
/// \param values of all rays, in natural order
/// \pre \p work is reserved for one vector
/// \throws DimensionMismatch; Error for a column outside Y
template <class ExecutionSpace, class Scalar>
void interpolate_views(const ExecutionSpace& exec,
                       const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                       const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                       const InputVector<ExecutionSpace, Scalar>& values,
                       const OutputMultiVector<ExecutionSpace, Scalar>& Y, Ordinal column);

}  // namespace Tomokkos
