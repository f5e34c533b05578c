// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllipsePhantom.hpp>
#include <Tomokkos_ScanGeometry.hpp>

#include <span>
#include <vector>

namespace Tomokkos {

// Exact projections of phantoms made of ellipses. All lengths (extent, s, widths, distances) have
// the same unit, angles are in radians. The sum of the shapes is projected, without the clamp at
// zero that a phantom may use when it is sampled.

/// \brief Returns the integral of \p phantom along the infinite line x nx + y ny = \p s, with (nx,
/// ny) of length 1.
///
/// Let u be the distance of the line from the centre of an ellipse with value rho, semi-axes a, b
/// and rotation phi, t the angle of the normal, and r^2 = a^2 cos^2(t - phi) + b^2 sin^2(t - phi).
/// The ellipse contributes 2 rho a b sqrt(r^2 - u^2) / r^2 for |u| < r, otherwise 0. Cutting lines
/// shorten this chord.
///
/// \throws Error when the normal does not have length 1 (within 1e-9)
/// \note Places every shape in each call; the functions below do so once per sinogram.
double line_integral(const EllipsePhantom& phantom, const HalfExtent& extent, double nx, double ny,
                     double s);

/// \brief Sinogram (views x detectors, row-major) of a parallel beam.
///
/// At angle t the value at position s belongs to the line x cos t + y sin t = s.
///
/// \param angles one per view, in radians, counter-clockwise
/// \param positions signed distances s of the centres of the bins from the origin
/// \param bin_width 0: the line integral at s. Positive: its mean over [s - w/2, s + w/2]
/// (`strip`), in closed form. The primitive of the chord is rho a b / r^2 (u sqrt(r^2 - u^2) + r^2
/// asin(u / r)). A cut ellipse is divided at the shadows of its corners, between which each end of
/// the chord is on the ellipse or on one line. The rounding error, relative to the largest value,
/// is about 1e-16 times the size of the shapes over w.
/// \throws Error when an angle, a position or the width is not finite, or the width is negative
std::vector<double> analytic_parallel_sinogram(const EllipsePhantom& phantom,
                                               const HalfExtent& extent,
                                               std::span<const double> angles,
                                               std::span<const double> positions,
                                               double bin_width = 0.0);

/// \brief Distances of a flat-detector fan beam, both measured from the origin.
struct FanDistances {
  double source_to_origin;
  double origin_to_detector;
};

/// \brief Sinogram (views x detectors, row-major) of a fan beam with a flat detector.
///
/// At angle t the source is (sin t, -cos t) SO and the point s of the detector is
/// (-sin t, cos t) OD + (cos t, sin t) s. The value is the integral along the line through both.
///
/// \param angles one per view, in radians, counter-clockwise
/// \param positions centres s of the bins, measured on the detector
/// \param bin_width 0: the line integral at s. Positive: its mean over [s - w/2, s + w/2] on the
/// detector, by Gauss quadrature between the shadows of the corners of the shapes, in a variable
/// that removes the square roots at their edges. The relative error is below 1e-10 for shapes that
/// keep a distance of at least SO / 10 from the source.
/// \throws Error when a number is not finite, SO is not positive, OD is negative, or a shape
/// contains the source or extends behind it
std::vector<double> analytic_fan_sinogram(const EllipsePhantom& phantom, const HalfExtent& extent,
                                          const FanDistances& distances,
                                          std::span<const double> angles,
                                          std::span<const double> positions,
                                          double bin_width = 0.0);

/// \brief Sinogram (views x detectors, row-major) of any scan, for a phantom that fills the image.
///
/// \param over_elements false: line integrals along the rays. True: their means over each detector
/// element, over the angles at the source for a curved detector
/// \throws Error for the errors of `check`, and when a shape extends behind the source of a fan
/// beam
std::vector<double> analytic_sinogram(const EllipsePhantom& phantom, const VolumeGeometry& volume,
                                      const ScanGeometry& scan, bool over_elements);

}  // namespace Tomokkos
