// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ScanGeometry.hpp>
#include <cstddef>
#include <optional>
#include <span>

namespace Tomokkos {

/// \brief Where the axis of rotation meets the detector, and what supports this.
///
/// Centres are in detector elements: k is the middle of element k (from 0). The detector's own
/// middle is (detectors - 1) / 2.
struct RotationCenter {
  /// The centre to use: that of opposite views where they match, otherwise the centre of mass.
  double center = 0;
  /// By registration of opposite views; empty where no view has an opposite one.
  std::optional<double> registered;
  /// By the centres of mass of the views; empty where the object reaches beyond the detector or the
  /// views do not weigh the same.
  std::optional<double> center_of_mass;
  /// Squared difference of opposite views over their energy, at `registered`: 0 for a perfect
  /// match, about 1 for unrelated views. NaN without opposite views.
  double mismatch = 0;
  /// The median of the same measure over all candidate centres.
  double typical_mismatch = 0;
  /// Pairs of opposite views that were compared, or views continued at each end of half a turn.
  std::size_t pairs = 0;
  /// Views that were used, and views that were left out because they differ from all their
  /// neighbours (dead frames).
  std::size_t views = 0;
  std::size_t discarded_views = 0;

  /// Largest mismatch at which opposite views support the centre.
  static constexpr double largest_mismatch = 0.5;

  /// \brief True when opposite views match at `registered`, and much better than elsewhere.
  bool is_supported() const {
    return pairs > 0 && mismatch < largest_mismatch && mismatch < 0.25 * typical_mismatch;
  }
  /// \brief Distance of the two centres in elements; empty when only one was found.
  std::optional<double> disagreement() const;
};

/// \brief Finds the centre of rotation of a sinogram by two methods that use all views.
///
/// Registration: the ray of view t and element k is, in the opposite direction, the ray of view
/// t + 180 degrees - 2 g and element 2c - k, where g is the angle of the ray in the fan (0 for a
/// parallel beam). Each candidate centre c on half elements is judged by
///   sum (p(k) - q(2c - k))^2 / sum (p(k)^2 + q(2c - k)^2)
/// over the rays that both views see; the minimum is refined by a parabola. Views between two
/// measured ones are interpolated. A scan over 180 degrees, its end excluded, has opposite views
/// only just outside its range; there the views at its two ends are continued by straight lines and
/// compared where they meet.
///
/// Centre of mass: that of a parallel view at angle t is c + x cos t + y sin t, with the centre of
/// mass (x, y) of the object. The three are fitted to all views, outliers have little weight. A
/// sinogram of a fan beam is first resampled to parallel rays with the centre that registration
/// found.
///
/// Views that differ from all their neighbours are left out. Missing values (NaN) are interpolated
/// along the detector. Angles may come in any order and cover several turns.
///
/// \param sinogram views x detectors, row-major, line integrals (about 0 outside the object).
/// \param scan its views, detectors and, for a fan beam, distances; its centre is ignored.
/// \pre two views at least, of three elements at least.
///
/// Throws `Error` when the sinogram is constant, zero or infinite, and when neither method finds a
/// centre (a scan over less than 180 degrees of an object that reaches beyond the detector). Cost:
/// O(16 detectors^2 + views detectors) on the calling thread.
template <class Scalar>
RotationCenter find_rotation_center(std::span<const Scalar> sinogram, const ScanGeometry& scan);

/// \brief Finds the centre for a parallel beam whose views are at \p angles (radians).
template <class Scalar>
RotationCenter find_rotation_center(std::span<const Scalar> sinogram, std::size_t detectors,
                                    std::span<const double> angles);

}  // namespace Tomokkos
