// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConeBeamScan.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_NumberText.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace Tomokkos {
namespace {

constexpr const char* axes[] = {" along u", " along v"};

}  // namespace

void check(const ConeBeamScan& scan) {
  if (scan.views < 1)
    throw Refused(Impl::text("the scan has {} views; at least 1 is needed", scan.views));
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (scan.detectors[axis] < 1)
      throw Refused(Impl::text("the scan has {} detectors{}; at least 1 is needed",
                               scan.detectors[axis], axes[axis]));
    if (!(std::isfinite(scan.detector_width[axis]) && scan.detector_width[axis] > 0))
      throw Refused("detector_width" + std::string(axes[axis]) + " is " +
                    Impl::number_text(scan.detector_width[axis]) +
                    "; it must be positive and finite");
    if (!std::isfinite(scan.detector_offset[axis]))
      throw Refused("detector_offset" + std::string(axes[axis]) + " is " +
                    Impl::number_text(scan.detector_offset[axis]) + "; it must be finite");
  }
  if (!(std::isfinite(scan.source_to_origin) && scan.source_to_origin > 0))
    throw Refused("source_to_origin is " + Impl::number_text(scan.source_to_origin) +
                  "; a cone beam needs a positive and finite distance");
  if (!(std::isfinite(scan.origin_to_detector) && scan.origin_to_detector >= 0))
    throw Refused("origin_to_detector is " + Impl::number_text(scan.origin_to_detector) +
                  "; a cone beam needs a finite distance that is not negative");
  if (scan.rays < 1 || scan.rays > max_cone_beam_rays)
    throw Refused(Impl::text("an element has {} rays along each side; 1 to {} are possible",
                             scan.rays, max_cone_beam_rays));
  constexpr std::int64_t most = std::numeric_limits<Ordinal>::max();
  if (scan.num_elements() > most / scan.views)
    throw Refused(Impl::text(
        "{} views x {} x {} detectors are more measurements than a matrix can have rows; "
        "the limit is {}",
        scan.views, scan.detectors[1], scan.detectors[0], most));
}

void check(const PolarVolume& volume, const ConeBeamScan& scan) {
  check(volume);
  check(scan);
  if (scan.views != volume.rotations)
    throw Refused(Impl::text(
        "the scan has {} views, but the polar volume has {} rotations; these numbers must be equal",
        scan.views, volume.rotations));
  if (!(scan.source_to_origin > volume.radius))
    throw Refused("source_to_origin is " + Impl::number_text(scan.source_to_origin) +
                  ", but the polar volume has the radius " + Impl::number_text(volume.radius) +
                  "; the source must lie outside of it");
  double least = std::min(volume.ring_width(), volume.thickness());
  double most =
      std::max({volume.radius, volume.height, scan.source_to_origin + scan.origin_to_detector});
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double first = scan.center_index(axis);
    const double reach = std::max(std::fabs(first), std::fabs(scan.detectors[axis] - 1.0 - first));
    least = std::min(least, scan.detector_width[axis]);
    most = std::max({most, scan.detector_width[axis], reach * scan.detector_width[axis]});
  }
  // Ensures that rounding cannot decide which voxels a ray intersects.
  if (!(most <= 1e6 * least))
    throw Refused("the scan and the polar volume have lengths from " + Impl::number_text(least) +
                  " to " + Impl::number_text(most) +
                  ", which are not comparable: a factor of 1e6 is allowed");
}

}  // namespace Tomokkos
