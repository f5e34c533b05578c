// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_VolumeGeometry.hpp>

namespace Tomokkos {

/// \brief Builds the system matrix of a scan.
///
/// A(view * detectors + i, row * columns + column) is the weight of that pixel in that measurement,
/// in length x pixel value (docs/reference/conventions.md).
///
///  - `line`: exact length of the ray in the pixel. A ray along a grid line gives half of its
///    length to the pixels on each side; a half outside the image is lost. The sum of a row is the
///    chord of the ray through the image (half of it along the border).
///  - `linear`: Joseph's method. A ray closer to the y axis is sampled once on the centre line of
///    each row of pixels that it crosses, otherwise on those of the columns. Each sample is
///    interpolated between the two nearest centres; neighbours outside the image are dropped. In a
///    fan beam each ray is treated the same way.
///  - `strip`: overlap area with the beam of the detector element, divided by its width. In a fan
///    beam: divided by the width of the beam at the pixel, w D r / d^2 with D = source to detector,
///    r = source to pixel centre, d = source to the centre of the element. A pixel that the beam
///    enters by less than 2^-40 pixels is dropped, because it would hold rounding errors.
///
/// Rows are sorted by column, without duplicates and without explicit zeros. Every ray is mapped to
/// the first octant by exact swaps and sign changes and traced there, and decisions about signs use
/// twice the working precision. Rays that are mirror images of each other therefore get the same
/// numbers bit by bit. All backends and numbers of threads give the same matrix; `float` and
/// `double` have the same pattern.
///
/// \param exec instance that builds the matrix; the matrix is in the memory of its space
/// \param rows block of rays to build, for example the rays of one process; row 0 of the result is
///   ray `rows.begin`
/// \throws Error if the geometry is invalid (see `check`) or the range of rays is outside the scan
/// \throws MemoryError with the bytes needed if the arrays cannot be allocated
/// \note The result is complete on return: any instance may read it. Two passes over the rays
/// (count, fill), each ray by one thread; three fences. Memory: the matrix and one direction per
/// view.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_system_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, RowRange rows = all_rows);

/// \brief Builds the system matrix of a scan with its rays and pixels in the order of two maps.
///
/// The entries equal, bit by bit, those of `csr_mapped` applied to the result of
/// `build_system_matrix`, but that matrix is not built. Rows are sorted by mapped column.
/// Everything else is as in `build_system_matrix`. Cost: that of `build_system_matrix` and a sort
/// of each row.
///
/// \param rows block of mapped rows to build
/// \param row_offsets offsets of all rays in their natural order (`system_matrix_row_offsets`),
/// which
///   save the pass that counts. Empty: unknown. Not used with a map that leaves pixels out, which
///   shortens rows
/// \pre the offsets belong to this volume, scan and projector
/// \throws DimensionMismatch for maps or offsets of the wrong size, and as `build_system_matrix`
/// does
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_mapped_system_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, const IndexMap<typename ExecutionSpace::memory_space>& ray_map,
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map, RowRange rows = all_rows,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& row_offsets = {});

/// \brief Counts the row offsets that `build_system_matrix` would give the rays of \p rows, for
/// example to check the memory first. They are the same for both scalar types.
///
/// \throws Error as `build_system_matrix` does
/// \note One pass over the rays, each by one thread; two fences. The result is complete on return.
template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> system_matrix_row_offsets(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, RowRange rows = all_rows);

/// \brief Returns the bytes of a system matrix of \p num_rows rows and \p nonzeros nonzeros in \p
/// Scalar.
template <class Scalar>
constexpr std::uint64_t system_matrix_bytes(Ordinal num_rows, Offset nonzeros) {
  return static_cast<std::uint64_t>(nonzeros) * (sizeof(Ordinal) + sizeof(Scalar)) +
         (static_cast<std::uint64_t>(num_rows) + 1) * sizeof(Offset);
}

}  // namespace Tomokkos
