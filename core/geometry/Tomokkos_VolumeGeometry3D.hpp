// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_VolumeGeometry.hpp>

namespace Tomokkos {

/// \brief Volume of \p slices x \p rows x \p columns voxels, centred on the origin.
///
/// Row-major: voxel index = (slice * rows + row) * columns + column. A slice is an image like
/// `VolumeGeometry`, perpendicular to the z axis: row 0 is at the top (largest y), y points up.
/// Slice 0 is at the smallest z. See docs/reference/conventions.md.
struct VolumeGeometry3D {
  Ordinal slices = 0;
  Ordinal rows = 0;
  Ordinal columns = 0;
  double pixel = 1.0;      ///< side of a voxel along x and y, in the length unit of the scan
  double thickness = 1.0;  ///< side of a voxel along z

  /// \brief Number of voxels: the columns of a system matrix. May exceed `Ordinal` until checked.
  std::int64_t num_voxels() const { return static_cast<std::int64_t>(slices) * rows * columns; }

  /// \brief Geometry of each slice.
  VolumeGeometry slice() const { return {rows, columns, pixel}; }

  /// \brief z of the voxel centres of slice \p slice.
  double z(Ordinal slice) const { return (slice - 0.5 * (slices - 1.0)) * thickness; }

  friend bool operator==(const VolumeGeometry3D&, const VolumeGeometry3D&) = default;
};

/// \brief Checks the numbers of a volume. The message names the wrong one.
///
/// \throws Error for no slices, rows or columns, a side that is not positive and finite, or more
/// voxels than `Ordinal` can index
void check(const VolumeGeometry3D& volume);

}  // namespace Tomokkos
