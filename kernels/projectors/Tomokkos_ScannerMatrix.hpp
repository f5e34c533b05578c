// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_RingScanner.hpp>

namespace Tomokkos {

/// \brief Builds the system matrix of a PET scanner.
///
/// A(i * crystals + j, voxel) is the mean length of the rays between crystals i < j in that voxel;
/// the rows of other pairs are empty (docs/scans/scanners.md).
///
/// Lengths are exact, for the whole ray from one crystal to the other. Parts outside the volume or
/// beyond a field of view do not count. The sum of a row is the mean of the remaining lengths of
/// its rays. A ray within a plane between voxels gives half to either side; along the border one
/// half is lost. Means up to 2^-40 sides of a voxel are dropped, because they would be rounding
/// errors.
///
/// Rows are sorted by column, without duplicates and without explicit zeros. All backends and
/// numbers of threads give the same matrix bit by bit; `float` and `double` have the same pattern.
///
/// \param exec instance that builds the matrix; the matrix is in the memory of its space
/// \param rows block of rows to build, so that a matrix larger than the memory can be built in
///   blocks; row 0 of the result is row `rows.begin`
/// \throws Error if the geometry is invalid (see `check`) or the range of rows is outside the
///   matrix
/// \throws MemoryError with the bytes needed if the arrays cannot be allocated
/// \note The result is complete on return: any instance may read it. Two passes over the pairs
/// (count, fill), each pair by one thread on a host or one warp on a GPU; no atomics; three fences.
/// Memory: the matrix, and 48 bytes a crystal and a ray.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_scanner_matrix(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    RowRange rows = all_rows);

/// \brief Builds the system matrix of a PET scanner with its rows and voxels in the order of two
/// maps.
///
/// The entries equal, bit by bit, those of `csr_mapped` applied to the result of
/// `build_scanner_matrix`, but that matrix is not built. Rows are sorted by mapped column.
/// Everything else is as in `build_scanner_matrix`. Cost: that of `build_scanner_matrix` and a sort
/// of each row.
///
/// \param rows block of mapped rows to build
/// \param row_offsets offsets of all rows in their natural order (`scanner_row_offsets`), which
/// save
///   the pass that counts. Empty: unknown. Not used with a map that leaves voxels out, which
///   shortens rows
/// \pre the offsets belong to this volume and scanner
/// \throws DimensionMismatch for maps or offsets of the wrong size, and as `build_scanner_matrix`
/// does
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_mapped_scanner_matrix(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    const IndexMap<typename ExecutionSpace::memory_space>& row_map,
    const IndexMap<typename ExecutionSpace::memory_space>& voxel_map, RowRange rows = all_rows,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& row_offsets = {});

/// \brief Counts the row offsets that `build_scanner_matrix` would give these rows.
///
/// They give the size of a matrix before it is built, and allow cutting blocks of rows by their
/// nonzeros (`blocks_of_rows`).
///
/// \throws Error as `build_scanner_matrix` does
/// \note One pass over the pairs; one fence. The result is complete on return.
template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> scanner_row_offsets(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    RowRange rows = all_rows);

}  // namespace Tomokkos
