// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images in polar voxels: of phantoms, and from and to Cartesian voxels. A value is the mean over
// s x s x s points of a voxel, s = supersampling, equally spaced along the arc and along z (of a
// Cartesian voxel along its sides), at radii that divide its area equally. A constant stays one.
#pragma once

#include <Tomokkos_EllipsePhantom.hpp>
#include <Tomokkos_EllipsoidPhantom.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <span>

namespace Tomokkos {

/// \brief \p phantom in the voxels of \p grid, by number. Its units are the radius and half of the
/// height.
///
/// \throw Error for a supersampling under 1, and as `sample_phantom` of a box.
std::vector<double> sample_phantom(const EllipsoidPhantom& phantom, const PolarGrid& grid,
                                   int supersampling = 1);

/// \brief The same with a phantom of the plane, which reaches through all slices; its image is the
/// square around the cylinder.
std::vector<double> sample_phantom(const EllipsePhantom& phantom, const PolarGrid& grid,
                                   int supersampling = 1);

/// \brief An image of a box in polar voxels: each point takes the value of the voxel that holds it,
/// 0 outside of the box.
///
/// \throw DimensionMismatch when \p values is not one value for each voxel of \p volume; Error as
/// `check(volume)`, and for a supersampling under 1.
template <class Scalar>
std::vector<Scalar> polar_from_cartesian(const PolarGrid& grid, const VolumeGeometry3D& volume,
                                         std::span<const Scalar> values, int supersampling = 1);

/// \brief The inverse, for pictures: voxels of a box from polar ones, 0 outside of the cylinder.
/// One slice is `volume.slices` = 1 with a thickness for the z it should cover around 0.
///
/// \throw DimensionMismatch when \p values is not one value for each voxel of \p grid; else as
/// `polar_from_cartesian`.
template <class Scalar>
std::vector<Scalar> cartesian_from_polar(const VolumeGeometry3D& volume, const PolarGrid& grid,
                                         std::span<const Scalar> values, int supersampling = 1);

}  // namespace Tomokkos
