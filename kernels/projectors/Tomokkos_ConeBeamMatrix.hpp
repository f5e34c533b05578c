// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_ConeBeamScan.hpp>

namespace Tomokkos {

/// \brief Builds the system matrix of a cone-beam scan in polar voxels.
///
/// `C(e k + p, l k + j)` is the mean length of the rays to element e = v detectors[0] + u of view p
/// in rotation j of voxel l (`PolarGrid`). A rotation by one view maps source, detector and voxels
/// onto themselves. C is therefore block circulant with k = views blocks, and only the rays of view
/// 0 are traced (docs/scans/scanners.md).
///
/// Lengths are exact, for whole lines. A voxel that a ray enters twice, across its inner arc, gets
/// the sum. The sum of a row is the mean chord of its rays through the cylinder. The length of a
/// ray that runs along a border is neither lost nor doubled: in a plane between slices, or through
/// the axis in a half-plane between sectors, each side gets half. A ray that touches a circle
/// counts as outside the circle. A ray that misses the axis by up to 2^-40 ring widths counts as
/// passing through the axis. Means up to 2^-40 of the smaller of ring width and slice thickness are
/// dropped, because they would be rounding errors.
///
/// All backends and numbers of threads give the same matrix bit by bit; `float` and `double` have
/// the same pattern.
///
/// \param exec instance that builds the matrix; the matrix is in the memory of its space
/// \param elements range of elements to build, so that a matrix larger than the memory can be built
///   in parts; row 0 of the result is element `elements.begin`
/// \throws Error if the geometry is invalid (see `check` and `check_circulant_shape`) or the range
///   is outside the detector
/// \throws MemoryError with the bytes needed if the arrays cannot be allocated
/// \note The result is complete on return: any instance may read it. Two passes over the elements
/// (count, fill), each element by one thread on a host or one warp on a GPU; no atomics; three
/// fences. Memory: the matrix, 32 bytes a ring, and 16 bytes a sector for each distinct number of
/// sectors.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> build_cone_beam_matrix(
    const ExecutionSpace& exec, const PolarVolume& volume, const ConeBeamScan& scan,
    RowRange elements = all_rows);

/// \brief Returns the `row_offsets` that `build_cone_beam_matrix` would store. One pass, a fence.
template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> cone_beam_row_offsets(
    const ExecutionSpace& exec, const PolarVolume& volume, const ConeBeamScan& scan,
    RowRange elements = all_rows);

/// \brief Counts the entries that `build_cone_beam_matrix` would store: a k-th of the nonzeros of
/// C. One pass, two fences; memory: 8 bytes an element.
template <class ExecutionSpace>
Offset count_cone_beam_nonzeros(const ExecutionSpace& exec, const PolarVolume& volume,
                                const ConeBeamScan& scan, RowRange elements = all_rows);

}  // namespace Tomokkos
