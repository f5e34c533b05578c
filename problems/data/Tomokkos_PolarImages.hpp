// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images in polar voxels: images of phantoms, and conversions from and to Cartesian voxels. A value
// is the mean over s x s x s points of a voxel, s = supersampling. The points are equally spaced
// along the arc and along z (in a Cartesian voxel along its sides), at radii that divide its area
// equally. Constant images stay constant.
#pragma once

#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <span>

namespace Tomokkos {

/// \brief Returns the values of \p phantom in the voxels of \p grid, by number. Its units are the
/// radius and half of the height.
///
/// \throws Error when the supersampling is less than 1, and for the errors of `sample_phantom` of a
/// box
std::vector<double> sample_phantom(const EllipsoidPhantom& phantom, const PolarGrid& grid,
                                   int supersampling = 1);

/// \brief Returns the values of a two-dimensional phantom that extends through all slices. Its
/// image is the square around the cylinder.
std::vector<double> sample_phantom(const EllipsePhantom& phantom, const PolarGrid& grid,
                                   int supersampling = 1);

/// \brief Converts an image of a box to polar voxels: each point has the value of the voxel that
/// contains it, 0 outside of the box.
///
/// \throws DimensionMismatch when \p values does not have one value for each voxel of \p volume
/// \throws Error when `check(volume)` fails, or the supersampling is less than 1
template <class Scalar>
std::vector<Scalar> polar_from_cartesian(const PolarGrid& grid, const VolumeGeometry3D& volume,
                                         std::span<const Scalar> values, int supersampling = 1);

/// \brief Converts polar voxels to voxels of a box, for pictures; 0 outside of the cylinder. For a
/// single slice, set `volume.slices` = 1 and the thickness to the range of z around 0 that it
/// covers.
///
/// \throws DimensionMismatch when \p values does not have one value for each voxel of \p grid, and
/// the errors of `polar_from_cartesian`
template <class Scalar>
std::vector<Scalar> cartesian_from_polar(const VolumeGeometry3D& volume, const PolarGrid& grid,
                                         std::span<const Scalar> values, int supersampling = 1);

}  // namespace Tomokkos
