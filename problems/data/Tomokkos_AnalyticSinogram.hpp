// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllipsePhantom.hpp>

#include <span>
#include <vector>

namespace Tomokkos {

// Exact projections of phantoms made of ellipses. All lengths (extent, s, widths, distances) are in
// one unit, angles in radians. The sum of the shapes is projected, without the clamp at zero that a
// phantom may ask for when it is sampled.

/// \brief Integral of \p phantom along the whole line x nx + y ny = \p s, (nx, ny) of length 1.
///
/// An ellipse of value rho, semi-axes a, b and rotation phi contributes, with u the distance of the
/// line from its centre and r^2 = a^2 cos^2(t - phi) + b^2 sin^2(t - phi), t the angle of the
/// normal, 2 rho a b sqrt(r^2 - u^2) / r^2 for |u| < r and nothing else; cutting lines shorten that
/// chord.
///
/// \throw Error when the normal is not of length 1 (within 1e-9).
/// \note Places every shape anew; the functions below do so once per sinogram.
double line_integral(const EllipsePhantom& phantom, const HalfExtent& extent, double nx, double ny,
                     double s);

/// \brief Sinogram (views x detectors, row-major) of a parallel beam.
///
/// At angle t the value at position s belongs to the line x cos t + y sin t = s.
///
/// \param angles one per view, radians, counter-clockwise.
/// \param positions signed distances s of the bins' centres from the origin.
/// \param bin_width 0: the line integral at s. Positive: its mean over [s - w/2, s + w/2]
/// (`strip`),
///   in closed form: the chord's primitive is rho a b / r^2 (u sqrt(r^2 - u^2) + r^2 asin(u / r)),
///   and a cut ellipse is taken apart at the shadows of its corners, between which each end of the
///   chord lies on the ellipse or on one line. Relative to the largest value, rounding is about
///   1e-16 times the shapes' size over w.
/// \throw Error when an angle, a position or the width is not finite, or the width is negative.
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
/// \param angles one per view, radians, counter-clockwise.
/// \param positions the bins' centres s, measured on the detector.
/// \param bin_width 0: the line integral at s. Positive: its mean over [s - w/2, s + w/2] on the
///   detector, by Gauss quadrature between the shadows of the shapes' corners in a variable that
///   removes the square roots at their edges; the relative error is below 1e-10 for shapes that
///   keep a tenth of SO away from the source.
/// \throw Error when a number is not finite, SO is not positive, OD is negative, or a shape
/// contains
///   the source or reaches behind it.
std::vector<double> analytic_fan_sinogram(const EllipsePhantom& phantom, const HalfExtent& extent,
                                          const FanDistances& distances,
                                          std::span<const double> angles,
                                          std::span<const double> positions,
                                          double bin_width = 0.0);

}  // namespace Tomokkos
