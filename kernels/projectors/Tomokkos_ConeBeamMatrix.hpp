// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_ConeBeamScan.hpp>

namespace Tomokkos {

/// \brief The system matrix of a cone-beam scan in polar voxels: `C(e k + p, l k + j)` is the mean
/// length, in rotation j of voxel l (`PolarGrid`), of the rays to element e = v detectors[0] + u
/// in view p. Turned by a view, source, detector and voxels are what they were, so C is block
/// circulant with k = views blocks, and only the rays of view 0 are traced
/// (docs/scans/scanners.md).
///
/// Lengths are exact ones of whole lines; a voxel that a ray enters twice, across its inner arc,
/// has the sum. The sum of a row is the mean chord of its rays through the cylinder. Where a ray
/// runs in a border its length is not lost and not doubled: in a plane between slices, or through
/// the axis and in a half-plane between sectors, half goes to either side. A ray that touches a
/// circle lies outside of it. One that misses the axis by up to 2^-40 widths of a ring counts as
/// one through it. Means up to 2^-40 of the smaller of ring width and slice thickness are left out:
/// they would be rounding errors.
///
/// All backends and numbers of threads give the same matrix bit by bit, and `float` and `double`
/// have the same pattern.
///
/// \param exec where the matrix is built; it lives in that space's memory.
/// \param elements the elements to build, a range of rows of the block row, so that a matrix beyond
/// the memory can be made in parts; row 0 of the result is element `elements.begin`.
/// \throw Error when the geometry cannot be used (see `check` and `check_circulant_shape`) or the
/// range lies outside; MemoryError with the bytes when the arrays cannot be allocated.
/// \note Complete on return: any instance may read it. Two passes over the elements (count, fill),
/// each by one thread on a host and by a warp on a GPU, no atomics; three fences. Memory: the
/// matrix, 32 bytes a ring, and 16 bytes a sector of rings that differ.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> build_cone_beam_matrix(
    const ExecutionSpace& exec, const PolarVolume& volume, const ConeBeamScan& scan,
    RowRange elements = all_rows);

/// \brief Entries that `build_cone_beam_matrix` would store: a k-th of the nonzeros of C. One pass,
/// two fences; memory: 8 bytes an element.
template <class ExecutionSpace>
Offset count_cone_beam_nonzeros(const ExecutionSpace& exec, const PolarVolume& volume,
                                const ConeBeamScan& scan, RowRange elements = all_rows);

}  // namespace Tomokkos
