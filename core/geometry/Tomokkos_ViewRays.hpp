// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ScanGeometry.hpp>

namespace Tomokkos {

/// \brief Rays of a view as kernels see them: in half pixels, from the centre of the image.
///
/// Both axes are measured in pixels of their own direction, so pixels are squares here whatever
/// their shape. Straight lines stay straight, and elements of a flat detector stay equally long.
/// s is the position along `direction`, 0 at the centre of the image for a parallel beam, and at
/// the point of the detector next to the source for a fan beam.
struct ViewRays {
  /// Direction of the detector; for a parallel beam the normal of the rays.
  ViewDirection direction;
  double center_index = 0;  ///< index at which s = 0
  /// Distance of neighbouring elements in s. Negative, in a fan beam, if s falls with the index.
  double width = 0;
  // Fan beams only.
  double source_to_origin = 0;    ///< perpendicular to the detector
  double source_to_detector = 0;  ///< likewise
  double source_shift = 0;        ///< position of the source along `direction`
};

/// \brief Rays of view \p view of a flat detector, or of the flat detector that touches the middle
/// of a curved one.
///
/// \pre `check(volume, scan)` has passed
ViewRays rays_of_view(const VolumeGeometry& volume, const ScanGeometry& scan, Ordinal view);

/// \brief Least distance, among all views, of neighbouring rays at the centre of the image, in the
/// unit of the scan. Cost: a few operations for each view.
double least_ray_spacing(const VolumeGeometry& volume, const ScanGeometry& scan);

}  // namespace Tomokkos
