// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_VolumeGeometry.hpp>

namespace Tomokkos {

/// \brief The system matrix of a scan: A(view * detectors + i, row * columns + column) is the
/// weight of that pixel in that measurement, in length x pixel value
/// (docs/reference/conventions.md).
///
///  - `line`: exact length of the ray in the pixel. A ray along a grid line gives half of its
///    length to the pixels on each side and nothing to what lies outside the image. The sum of a
///    row is the chord of the ray through the image (half of it along the border).
///  - `linear`: one sample on the centre line of each row of pixels that a ray closer to the y
///    axis crosses (else of each column), interpolated between the two nearest centres; neighbours
///    outside the image are dropped. A fan beam does the same on each ray.
///  - `strip`: overlap area with the beam of the detector element, over its width. Fan beam: over
///    the width of the beam at the pixel, w D r / d^2 with D = source to detector, r = source to
///    pixel centre, d = source to the centre of the element. A pixel that the beam enters by less
///    than 2^-40 pixels is left out: it would hold rounding errors.
///
/// Rows are sorted by column, without duplicates and without explicit zeros. Every ray is mapped to
/// the first octant by exact swaps and sign changes and traced there, with the sign decisions in
/// twice the working precision: rays that are mirror images of each other get the same numbers bit
/// by bit, all backends and numbers of threads give the same matrix, and `float` and `double` have
/// the same pattern.
///
/// \param exec where the matrix is built; it lives in that space's memory.
/// \param rows the block of rays to build, for example the rays of one process; row 0 of the result
/// is ray `rows.begin`.
/// \throw Error when the geometry cannot be used (see `check`) or the range of rays lies outside;
/// MemoryError with the bytes when the arrays cannot be allocated.
/// \note Complete on return: any instance may read it. Two passes over the rays (count, fill), each
/// ray by one thread; three fences. Memory: the matrix and one direction per view.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_system_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, RowRange rows = all_rows);

/// \brief The system matrix with its rays and pixels in the order of two maps: the same entries,
/// bit by bit, as `csr_mapped` of `build_system_matrix`, without that matrix beside it.
///
/// Rows are sorted by mapped column. Else as `build_system_matrix`; also throws `DimensionMismatch`
/// for maps of another size. Cost: that of `build_system_matrix` and a sort of each row.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_mapped_system_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, const IndexMap<typename ExecutionSpace::memory_space>& ray_map,
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map);

/// \brief Rows of `build_mapped_system_matrix` where the offsets of all rays are known: one pass
/// over the rays instead of two.
///
/// \param row_offsets in the natural order of the rays (`system_matrix_row_offsets`): where pixels
/// come in another order, a row is as long as it was
/// \param rows the block of mapped rows to build
/// \pre the offsets are those of this volume, scan and projector
/// \throw as `build_mapped_system_matrix`; Error for a map that leaves pixels out.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> fill_mapped_system_matrix(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& row_offsets,
    const IndexMap<typename ExecutionSpace::memory_space>& ray_map,
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map, RowRange rows = all_rows);

/// \brief The row offsets that `build_system_matrix` would give the rays of \p rows.
///
/// \throw as `build_system_matrix`.
/// \note One pass over the rays; two fences. Complete on return.
template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> system_matrix_row_offsets(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, RowRange rows = all_rows);

/// \brief Number of nonzeros that `build_system_matrix` would store, without storing them: memory
/// can be told before it is taken.
///
/// \throw Error as `build_system_matrix`; MemoryError when the directions cannot be allocated.
/// \note One pass over the rays, each by one thread; two fences. Memory: one direction per view.
/// Exactly the number for both scalar types.
template <class ExecutionSpace>
Offset count_system_matrix_nonzeros(const ExecutionSpace& exec, const VolumeGeometry& volume,
                                    const ScanGeometry& scan, Projector projector,
                                    RowRange rows = all_rows);

/// \brief Bytes of a system matrix of \p num_rows rows and \p nonzeros nonzeros in \p Scalar.
template <class Scalar>
constexpr std::uint64_t system_matrix_bytes(Ordinal num_rows, Offset nonzeros) {
  return static_cast<std::uint64_t>(nonzeros) * (sizeof(Ordinal) + sizeof(Scalar)) +
         (static_cast<std::uint64_t>(num_rows) + 1) * sizeof(Offset);
}

}  // namespace Tomokkos
