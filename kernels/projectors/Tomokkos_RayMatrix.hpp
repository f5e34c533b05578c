// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Both ends of a ray, in the length unit of the volume.
struct RayEnds {
  double start_x = 0, start_y = 0;
  double end_x = 0, end_y = 0;
};

/// \brief Checks an image and rays through it.
///
/// \throws Error naming the row of a ray with an end that is not finite or more than 1e9 pixels
/// from the image, or of length zero
void check(const VolumeGeometry& volume, const std::vector<RayEnds>& rays);

/// \brief Builds the matrix of rays that are given by their ends.
///
/// A(ray, row * columns + column) is the length of the ray in that pixel, between its two ends. A
/// ray along a grid line gives half of its length to the pixels on each side; a half outside the
/// image is lost. Lengths up to 2^-40 sides of a pixel are dropped, because they would be rounding
/// errors. Rows are sorted by column, without duplicates and without explicit zeros; `float` and
/// `double` have the same pattern.
///
/// \param rows block of rays to build; row 0 of the result is ray `rows.begin`
/// \throws Error if the geometry is invalid (see `check`) or the range of rays exceeds the rays
/// \throws MemoryError with the bytes needed if the arrays cannot be allocated
/// \note The result is complete on return. Two passes over the rays (count, fill), each ray by one
/// thread; two fences. Memory: the matrix and 32 bytes for each ray of the block.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_ray_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const std::vector<RayEnds>& rays,
    RowRange rows = all_rows);

/// \brief Builds the matrix of rays with its rows and columns in the order of two maps, which may
/// leave some out.
///
/// The entries equal, bit by bit, those of `csr_mapped` applied to the result of
/// `build_ray_matrix`, but that matrix is not built. Rows are sorted by mapped column.
///
/// \param rows block of mapped rows to build
/// \throws DimensionMismatch for maps of the wrong size, and as `build_ray_matrix` does
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_mapped_ray_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const std::vector<RayEnds>& rays,
    const IndexMap<typename ExecutionSpace::memory_space>& ray_map,
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map, RowRange rows = all_rows);

/// \brief Counts the row offsets that `build_ray_matrix` would give the rays of \p rows.
///
/// \throws Error as `build_ray_matrix` does
/// \note One pass over the rays; two fences. The result is complete on return.
template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> ray_matrix_row_offsets(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const std::vector<RayEnds>& rays,
    RowRange rows = all_rows);

}  // namespace Tomokkos
