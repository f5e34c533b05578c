// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ScanGeometry.hpp>
#include <cstddef>
#include <optional>
#include <span>

namespace Tomokkos {

/// \brief Position of the rotation axis on the detector, with measures of reliability.
///
/// Centres are in detector elements: k is the middle of element k (from 0). The middle of the
/// detector is (detectors - 1) / 2.
struct RotationCenter {
  /// Recommended centre: that of opposite views if they match, otherwise the centre of mass.
  double center = 0;
  /// Result of the registration of opposite views; empty if there are none.
  std::optional<double> registered;
  /// Result of the centres of mass of the views; empty if the object extends beyond the detector or
  /// the masses of the views differ.
  std::optional<double> center_of_mass;
  /// Squared difference of opposite views divided by their energy, at `registered`: 0 for a perfect
  /// match, about 1 for unrelated views. NaN without opposite views.
  double mismatch = 0;
  /// Median of the same measure over all candidate centres.
  double typical_mismatch = 0;
  /// Number of compared pairs of opposite views, or of extrapolated views at each end of half a
  /// turn.
  std::size_t pairs = 0;
  /// Number of views used, and of views removed because they differ from all their neighbours (dead
  /// frames).
  std::size_t views = 0;
  std::size_t discarded_views = 0;

  /// Largest mismatch at which opposite views support the centre.
  static constexpr double largest_mismatch = 0.5;

  /// \brief True if opposite views match at `registered`, and much better than elsewhere.
  bool is_supported() const {
    return pairs > 0 && mismatch < largest_mismatch && mismatch < 0.25 * typical_mismatch;
  }
  /// \brief Distance of the two centres in elements; empty if only one was found.
  std::optional<double> disagreement() const;
};

/// \brief Finds the centre of rotation of a sinogram by two methods that use all views.
///
/// Registration: the ray of view t and element k is, in the opposite direction, the ray of view t +
/// 180 degrees - 2 g and element 2c - k, where g is the angle of the ray in the fan (0 for a
/// parallel beam). Each candidate centre c, in steps of half an element, is rated by
///   sum (p(k) - q(2c - k))^2 / sum (p(k)^2 + q(2c - k)^2)
/// over the rays that both views contain. A parabola refines the minimum. Views between two
/// measured ones are interpolated. A scan over 180 degrees with its end excluded has opposite views
/// only just outside its range. In this case the views at both ends are extrapolated linearly and
/// compared where they meet.
///
/// Centre of mass: the centre of mass of a parallel view at angle t is c + x cos t + y sin t, where
/// (x, y) is the centre of mass of the object. The three unknowns are fitted to all views; outliers
/// have little weight. A sinogram of a fan beam is first resampled to parallel rays with the centre
/// found by registration.
///
/// Views that differ from all their neighbours are removed. Missing values (NaN) are interpolated
/// along the detector. Angles may have any order and cover several turns.
///
/// \param sinogram views x detectors, row-major, line integrals (about 0 outside the object)
/// \param scan views, detectors and, for a fan beam, distances; its centre is ignored
/// \pre at least two views of at least three elements
///
/// \throws Error if the sinogram is constant, zero or infinite, or if neither method finds a centre
/// (a scan over less than 180 degrees of an object that extends beyond the detector), and for a
/// curved detector or a scan by vectors
///
/// Cost: O(16 detectors^2 + views detectors) on the calling thread.
template <class Scalar>
RotationCenter find_rotation_center(std::span<const Scalar> sinogram, const ScanGeometry& scan);

/// \brief Finds the centre for a parallel beam with views at \p angles (radians).
template <class Scalar>
RotationCenter find_rotation_center(std::span<const Scalar> sinogram, std::size_t detectors,
                                    std::span<const double> angles);

}  // namespace Tomokkos
