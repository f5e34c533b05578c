// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PolarVolume.hpp>
#include <array>

namespace Tomokkos {

/// \brief A scan on a circle around the z axis: a point source, and a flat detector opposite of it,
/// which turn together.
///
/// View p stands at the angle t = 2 pi p / views, counter-clockwise: the source at (sin t, -cos t)
/// source_to_origin, the middle of the detector at (-sin t, cos t) origin_to_detector, its axis u
/// along (cos t, sin t) and its axis v along z, as a fan beam has it. Element (i, j) lies at
/// u = (i - c_u) w_u and v = (j - c_v) w_v, measured on the detector, with
/// c = (count - 1) / 2 - offset. Each array below holds the number for u and that for v.
///
/// A measurement (view p, element (i, j)) is row (j detectors[0] + i) views + p of the system
/// matrix: data are arrays (v, u, view). Each is the mean over rays x rays rays from the source to
/// the middles of equal parts of the element; a ray is a whole line. See docs/scans/scanners.md.
struct ConeBeamScan {
  Ordinal views = 0;
  std::array<Ordinal, 2> detectors{};
  std::array<double, 2> detector_width{};   ///< in the length unit of the scan
  std::array<double, 2> detector_offset{};  ///< in elements, towards growing index
  double source_to_origin = 0.0;
  double origin_to_detector = 0.0;
  Ordinal rays = 1;  ///< along each side of an element

  /// \brief Elements of a view: rows of the block row. May exceed `Ordinal` until checked.
  std::int64_t num_elements() const {
    return static_cast<std::int64_t>(detectors[0]) * detectors[1];
  }
  /// \brief Measurements.
  std::int64_t num_rows() const { return num_elements() * views; }

  /// \brief The index at which u (\p axis 0) or v (1) is 0.
  double center_index(std::size_t axis) const {
    return 0.5 * (detectors[axis] - 1.0) - detector_offset[axis];
  }

  friend bool operator==(const ConeBeamScan&, const ConeBeamScan&) = default;
};

/// \brief Most rays along a side of an element.
inline constexpr Ordinal max_cone_beam_rays = 4;

/// \brief Throws `Error` naming the number that is wrong: no views or elements, a width or distance
/// that is not positive and finite (the detector may stand in the origin), an offset that is not
/// finite, another number of rays than 1 to `max_cone_beam_rays`, more measurements than `Ordinal`
/// can index.
void check(const ConeBeamScan& scan);

/// \brief Checks both, and that they fit: as many views as the volume has rotations, a source
/// outside of the cylinder, lengths within a factor of 1e6 of each other.
void check(const PolarVolume& volume, const ConeBeamScan& scan);

}  // namespace Tomokkos
