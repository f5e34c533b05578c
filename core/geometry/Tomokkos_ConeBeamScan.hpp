// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PolarVolume.hpp>
#include <array>

namespace Tomokkos {

/// \brief Cone-beam scan on a circle around the z axis: a point source and an opposite flat
/// detector that rotate together.
///
/// View p has the angle t = 2 pi p / views, counter-clockwise. The source is at source_to_origin
/// (sin t, -cos t), the centre of the detector at origin_to_detector (-sin t, cos t). The detector
/// axis u is parallel to (cos t, sin t) as in a fan beam, the axis v to z. Element (i, j) is at u =
/// (i - c_u) w_u and v = (j - c_v) w_v on the detector, with c = (count - 1) / 2 - offset. The
/// arrays below hold the values for u and v.
///
/// The measurement of element (i, j) in view p is row (j detectors[0] + i) views + p of the system
/// matrix: data are arrays (v, u, view). It is the mean over rays x rays rays, each a whole line
/// from the source through the centre of one of rays x rays equal parts of the element. See
/// docs/scans/scanners.md.
struct ConeBeamScan {
  Ordinal views = 0;
  std::array<Ordinal, 2> detectors{};
  std::array<double, 2> detector_width{};   ///< in the length unit of the scan
  std::array<double, 2> detector_offset{};  ///< in elements, positive towards growing index
  double source_to_origin = 0.0;
  double origin_to_detector = 0.0;
  Ordinal rays = 1;  ///< number of rays along each side of an element

  /// \brief Number of detector elements of a view: the rows of the block row. May exceed `Ordinal`
  /// until checked.
  std::int64_t num_elements() const {
    return static_cast<std::int64_t>(detectors[0]) * detectors[1];
  }
  /// \brief Number of measurements.
  std::int64_t num_rows() const { return num_elements() * views; }

  /// \brief Index at which u (\p axis 0) or v (\p axis 1) is 0.
  double center_index(std::size_t axis) const {
    return 0.5 * (detectors[axis] - 1.0) - detector_offset[axis];
  }

  friend bool operator==(const ConeBeamScan&, const ConeBeamScan&) = default;
};

/// \brief Largest number of rays along a side of an element.
inline constexpr Ordinal max_cone_beam_rays = 4;

/// \brief Checks the numbers of a scan. The message names the wrong one.
///
/// \throws Error for no views or elements, a width or distance that is not positive and finite (the
/// distance from origin to detector may be 0), an offset that is not finite, a number of rays
/// outside 1 to `max_cone_beam_rays`, or more measurements than `Ordinal` can index
void check(const ConeBeamScan& scan);

/// \brief Checks both and their combination: the scan needs as many views as the volume has
/// rotations, the source must lie outside the cylinder, and all lengths must lie within a factor of
/// 1e6 of each other.
void check(const PolarVolume& volume, const ConeBeamScan& scan);

}  // namespace Tomokkos
