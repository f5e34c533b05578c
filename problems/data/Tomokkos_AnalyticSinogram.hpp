// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_ScanGeometry.hpp>

#include <optional>
#include <span>
#include <vector>

namespace Tomokkos {

// Exact projections of phantoms made of ellipses. All lengths (extent, s, widths, distances) have
// the same unit, angles are in radians. The sum of the shapes is projected, without the clamp at
// zero that a phantom may use when it is sampled.
//
// Let u be the distance of a line from the centre of an ellipse with value rho, semi-axes a, b and
// rotation phi, t the angle of the normal, and r^2 = a^2 cos^2(t - phi) + b^2 sin^2(t - phi). The
// ellipse contributes 2 rho a b sqrt(r^2 - u^2) / r^2 for |u| < r, otherwise 0. Cutting lines
// shorten this chord.

/// \brief Distances of a flat-detector fan beam, both measured from the origin.
struct FanDistances {
  double source_to_origin;
  double origin_to_detector;
};

/// \brief Sinogram (views x detectors, row-major) of a fan beam with a flat detector and these \p
/// distances SO and OD; without distances, of a parallel beam.
///
/// At angle t the value of a parallel beam at position s belongs to the line x cos t + y sin t = s.
/// The source of a fan beam is (sin t, -cos t) SO and the point s of its detector is
/// (-sin t, cos t) OD + (cos t, sin t) s. The value is the integral along the line through both.
///
/// \param angles one per view, in radians, counter-clockwise
/// \param positions centres s of the bins, measured on the detector
/// \param bin_width 0: the line integral at s. Positive: its mean over [s - w/2, s + w/2]
/// (`strip`). For a parallel beam in closed form: the primitive of the chord is rho a b / r^2 (u
/// sqrt(r^2 - u^2) + r^2 asin(u / r)). A cut ellipse is divided at the shadows of its corners,
/// between which each end of the chord is on the ellipse or on one line. The rounding error,
/// relative to the largest value, is about 1e-16 times the size of the shapes over w. For a fan
/// beam by Gauss quadrature between the shadows of the corners, in a variable that removes the
/// square roots at the edges of the shapes. The relative error is below 1e-10 for shapes that keep
/// a distance of at least SO / 10 from the source.
/// \throws Error when a number is not finite, the width is negative, SO is not positive, OD is
/// negative, or a shape contains the source or extends behind it
std::vector<double> analytic_sinogram(const EllipsePhantom& phantom, const HalfExtent& extent,
                                      const std::optional<FanDistances>& distances,
                                      std::span<const double> angles,
                                      std::span<const double> positions, double bin_width = 0.0);

/// \brief Sinogram (views x detectors, row-major) of any scan, for a phantom that fills the image.
///
/// \param over_elements false: line integrals along the rays. True: their means over each detector
/// element, over the angles at the source for a curved detector
/// \throws Error for the errors of `check`, and when a shape extends behind the source of a fan
/// beam
std::vector<double> analytic_sinogram(const EllipsePhantom& phantom, const VolumeGeometry& volume,
                                      const ScanGeometry& scan, bool over_elements);

}  // namespace Tomokkos
