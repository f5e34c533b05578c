// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

namespace Tomokkos {

/// \brief Where the axis of rotation meets the detector, and how sure that is.
struct RotationCenter {
  /// In detector elements: k is the middle of element k (from 0). The detector's own middle is
  /// (columns - 1) / 2.
  double center = 0;
  /// Squared difference of opposite views over their energy, at the centre: 0 for a perfect match,
  /// about 1 for unrelated views.
  double mismatch = 0;
  /// Pairs of opposite views that were compared.
  std::size_t pairs = 0;
};

/// \brief Finds the centre of rotation of a parallel-beam sinogram from opposite views.
///
/// A view at angle t shows at s what the view at t + 180 degrees shows at -s. So every view is
/// compared with the mirrored opposite one for each candidate centre on half elements c, by
///   sum (p(k) - q(2c - k))^2 / sum (p(k)^2 + q(2c - k)^2)
/// over the elements k that both see; the minimum is refined by a parabola. Where the opposite
/// angle lies between two views it is interpolated, and where it lies just outside the range of
/// angles (a scan over 180 degrees, its end excluded) it is extrapolated from two.
///
/// \param sinogram views x columns, row-major, line integrals (about 0 outside the object).
/// \param angles in radians, one per view, ascending.
/// \pre two views at least, of three elements at least.
///
/// Throws `Error` when no view has an opposite one (a scan over less than 180 degrees) or the
/// sinogram is constant or not finite. Cost: O(pairs columns^2) on the calling thread, with 16
/// pairs at most.
template <class Scalar>
RotationCenter find_rotation_center(std::span<const Scalar> sinogram, std::size_t columns,
                                    std::span<const double> angles);

}  // namespace Tomokkos
