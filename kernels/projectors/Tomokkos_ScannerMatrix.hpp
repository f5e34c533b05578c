// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_RingScanner.hpp>

namespace Tomokkos {

/// \brief The system matrix of a PET scanner: A(i * crystals + j, voxel) is the mean length, in
/// that voxel, of the rays between crystals i < j; the rows of other pairs are empty
/// (docs/scans/scanners.md).
///
/// Lengths are exact ones of the whole ray from one crystal to the other; what lies outside of the
/// volume, or beyond a field of view, does not count. The sum of a row is the mean of what is left
/// of its rays. A ray within a plane between voxels gives half to either side, and along the border
/// one half is lost. Means up to 2^-40 sides of a voxel are left out: they would be rounding
/// errors.
///
/// Rows are sorted by column, without duplicates and without explicit zeros. All backends and
/// numbers of threads give the same matrix bit by bit, and `float` and `double` have the same
/// pattern.
///
/// \param exec where the matrix is built; it lives in that space's memory.
/// \param rows the block of rows to build, so that a matrix beyond the memory can be made in
/// blocks; row 0 of the result is row `rows.begin`.
/// \throw Error when the geometry cannot be used (see `check`) or the range of rows lies outside;
/// MemoryError with the bytes when the arrays cannot be allocated.
/// \note Complete on return: any instance may read it. Two passes over the pairs (count, fill),
/// each pair by one thread on a host and by a warp on a GPU, no atomics; three fences. Memory: the
/// matrix, and 48 bytes a crystal and a ray.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_scanner_matrix(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    RowRange rows = all_rows);

/// \brief The same rows where the offsets of all rows are known (`scanner_row_offsets`): one pass
/// instead of two.
///
/// \pre the offsets are those of this volume and scanner
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> fill_scanner_matrix(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& row_offsets,
    RowRange rows = all_rows);

/// \brief The same with its rows in the order of a map: the same entries, bit by bit, as
/// `csr_mapped` of it, in one pass and without that matrix beside it.
///
/// \param row_offsets in the natural order of the rows
/// \param rows the block of mapped rows to build
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> fill_scanner_matrix(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& row_offsets,
    const IndexMap<typename ExecutionSpace::memory_space>& row_map, RowRange rows = all_rows);

/// \brief The same with its rows and voxels in the order of two maps: the same entries, bit by bit,
/// as `csr_mapped` of it, without that matrix beside it.
///
/// Rows are sorted by mapped column. Else as `build_scanner_matrix`; also throws
/// `DimensionMismatch` for maps of another size. Cost: that of `build_scanner_matrix` and a sort of
/// each row.
///
/// \param rows the block of mapped rows to build
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_mapped_scanner_matrix(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    const IndexMap<typename ExecutionSpace::memory_space>& row_map,
    const IndexMap<typename ExecutionSpace::memory_space>& voxel_map, RowRange rows = all_rows);

/// \brief The same where the offsets of all rows are known: one pass over the pairs instead of two.
///
/// \param row_offsets in the natural order of the rows (`scanner_row_offsets`): where voxels come
/// in another order, a row is as long as it was
/// \pre the offsets are those of this volume and scanner
/// \throw as `build_mapped_scanner_matrix`; Error for a map that leaves voxels out.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> fill_mapped_scanner_matrix(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& row_offsets,
    const IndexMap<typename ExecutionSpace::memory_space>& row_map,
    const IndexMap<typename ExecutionSpace::memory_space>& voxel_map, RowRange rows = all_rows);

/// \brief The row offsets that `build_scanner_matrix` would give these rows: what a matrix takes is
/// known before it is built, and blocks of rows can be cut by their nonzeros (`blocks_of_rows`).
///
/// \throw as `build_scanner_matrix`.
/// \note One pass over the pairs; one fence. Complete on return.
template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> scanner_row_offsets(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    RowRange rows = all_rows);

/// \brief Number of nonzeros that `build_scanner_matrix` would store. One pass, three fences;
/// memory: 8 bytes a row.
template <class ExecutionSpace>
Offset count_scanner_matrix_nonzeros(const ExecutionSpace& exec, const VolumeGeometry3D& volume,
                                     const RingScanner& scanner, RowRange rows = all_rows);

}  // namespace Tomokkos
