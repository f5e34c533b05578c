// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RaySymmetry.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief System matrix of a scan of a square image, stored as one ray of each orbit
/// ("symmetry-based CSR": X. Yu, H. Wang, W. Feng, H. Gong, G. Cao, cuART, CCGrid 2016).
///
/// `stored` is the matrix E of `RaySymmetry`: row i is ray `RayOrbits::stored[i]`, columns are
/// positions of `symmetry.pixels`. A mask of pixels removes columns; a mask of rays removes the row
/// of each orbit that has no kept ray. For parallel rays over half a turn, E has an eighth of the
/// nonzeros of the whole matrix; over a full turn, which measures each line twice, a sixteenth.
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

/// \brief Builds the stored rays of `build_system_matrix(volume, scan, projector)` without building
/// the whole matrix. Pixels are in tiles of 8 x 8, rays in the order of `find_ray_orbits`.
///
/// \param ray_mask for each natural ray: nonzero if it is kept; empty: all are kept. Any set of
///   rays is allowed.
/// \param pixel_mask for each pixel: nonzero if it is kept; empty: all are kept. It must keep or
///   drop whole orbits.
/// \throws Error if the scan (`find_ray_orbits`) or the mask of pixels (`require_symmetric_pixels`)
///   does not have the symmetries of the square, and as `build_mapped_system_matrix` does
/// \throws DimensionMismatch
/// \throws MemoryError
/// \note Cost: that of `find_ray_orbits` on the host, and of the stored rows on the device.
template <class ExecutionSpace, class Scalar>
SymmetricProjection<Scalar, typename ExecutionSpace::memory_space> build_symmetric_projection(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, const std::vector<char>& ray_mask = {},
    const std::vector<char>& pixel_mask = {});

/// \brief Expands the whole matrix with natural, sorted rows and columns: the entries of
/// `build_system_matrix`, bit by bit, without the masked ones.
///
/// \throws MemoryError with the bytes needed
/// \note Meant for tests and for code that requires CSR. A pass that counts, one that copies, a
/// sort of each row. The result is complete on return.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> expanded_projection(
    const ExecutionSpace& exec,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Computes the row statistics of the whole matrix, in which each stored ray counts once per
/// image. A pass over the rays; fences.
template <class ExecutionSpace, class Scalar>
RowStatistics expanded_statistics(
    const ExecutionSpace& exec,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Checks the contract of \p A: that of its parts, and that their shapes match.
///
/// \throws Error naming what violates it
template <class ExecutionSpace, class Scalar>
void validate(const ExecutionSpace& exec,
              const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
