// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RaySymmetry.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief The system matrix of a scan of a square image by one ray of each orbit ("symmetry-based
/// CSR": X. Yu, H. Wang, W. Feng, H. Gong, G. Cao, cuART, CCGrid 2016).
///
/// `stored` is the matrix E of `RaySymmetry`: row i is ray `RayOrbits::stored[i]`, columns are
/// positions of `symmetry.pixels`. A mask of pixels takes columns from it, and one of rays the rows
/// of orbits of which none is kept. Over half a turn of parallel rays it has an eighth of the
/// nonzeros of the whole; over a full turn, where lines are measured twice, a sixteenth.
template <class Scalar, class MemorySpace>
struct SymmetricProjection {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  RaySymmetry<MemorySpace> symmetry;
  CsrMatrix<Scalar, MemorySpace> stored;

  Ordinal num_rows() const { return symmetry.num_rays(); }
  Ordinal num_cols() const { return symmetry.num_pixels(); }
  std::size_t memory_bytes() const { return symmetry.memory_bytes() + stored.memory_bytes(); }
};

/// \brief The stored rays of `build_system_matrix(volume, scan, projector)`, and no others: the
/// whole matrix is never made. Pixels are in tiles of 8 x 8, rays as `find_ray_orbits` has them.
///
/// \param ray_mask of every natural ray whether it is kept, not 0; empty: all are. Any rays
/// \param pixel_mask likewise of every pixel; whole orbits of them
/// \throw Error when the scan has not the symmetries of the square (`find_ray_orbits`) or the mask
/// of the pixels has not (`require_symmetric_pixels`), and as `build_mapped_system_matrix`;
/// DimensionMismatch; MemoryError.
/// \note Cost: that of `find_ray_orbits` on the host, of the stored rows on the device.
template <class ExecutionSpace, class Scalar>
SymmetricProjection<Scalar, typename ExecutionSpace::memory_space> build_symmetric_projection(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, const std::vector<char>& ray_mask = {},
    const std::vector<char>& pixel_mask = {});

/// \brief The whole matrix, natural rows and columns, sorted: the bits of `build_system_matrix`,
/// without what is masked.
///
/// \throw MemoryError with the bytes.
/// \note For tests and for what only takes CSR. A pass that counts, one that copies, a sort of each
/// row. Complete on return.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> expanded_projection(
    const ExecutionSpace& exec,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief The rows of the whole matrix: those of each stored ray as often as rays are its images. A
/// pass over the rays; fences.
template <class ExecutionSpace, class Scalar>
RowStatistics expanded_statistics(
    const ExecutionSpace& exec,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Throws `Error` for what breaks the contract: as `validate` of its parts, and where their
/// shapes do not fit.
template <class ExecutionSpace, class Scalar>
void validate(const ExecutionSpace& exec,
              const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
