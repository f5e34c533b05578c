// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <cmath>
#include <limits>
#include <string>

namespace Tomokkos {
namespace {

void require_finite(const char* name, double value) {
  if (!std::isfinite(value))
    throw Refused(std::string(name) + " is " + Impl::number_text(value) + "; it must be finite");
}

void require_comparable(const char* name, double length, double pixel) {
  if (!(std::fabs(length) / pixel <= 1e100))
    throw Refused(std::string(name) + " is " + Impl::number_text(length) +
                  ", not comparable to a pixel of " + Impl::number_text(pixel));
}

}  // namespace

void check(const ScanGeometry& scan) {
  if (scan.views.count() < 1)
    throw Refused(Impl::text("the scan has {} views; at least 1 is needed", scan.views.count()));
  if (scan.detectors < 1)
    throw Refused(Impl::text("the scan has {} detectors; at least 1 is needed", scan.detectors));
  if (!(std::isfinite(scan.detector_width) && scan.detector_width > 0))
    throw Refused("detector_width is " + Impl::number_text(scan.detector_width) +
                  "; it must be positive and finite");
  if (scan.detector_offset && scan.rotation_center)
    throw Refused("detector_offset (" + Impl::number_text(*scan.detector_offset) +
                  ") and rotation_center (" + Impl::number_text(*scan.rotation_center) +
                  ") exclude each other; give only one of them");
  require_finite("detector_offset", scan.detector_offset.value_or(0.0));
  require_finite("rotation_center", scan.rotation_center.value_or(0.0));
  require_finite("the position of the first detector element", scan.position(0));
  require_finite("the position of the last detector element", scan.position(scan.detectors - 1));
  if (scan.num_rays() > std::numeric_limits<Ordinal>::max())
    throw Refused(Impl::text(
        "{} views x {} detectors are {} rays, but a matrix has at most {} rows", scan.views.count(),
        scan.detectors, scan.num_rays(), std::numeric_limits<Ordinal>::max()));
  if (scan.beam == Beam::parallel) return;
  if (!(std::isfinite(scan.source_to_origin) && scan.source_to_origin > 0))
    throw Refused("source_to_origin is " + Impl::number_text(scan.source_to_origin) +
                  "; a fan beam needs a positive and finite distance");
  if (!(std::isfinite(scan.origin_to_detector) && scan.origin_to_detector >= 0))
    throw Refused("origin_to_detector is " + Impl::number_text(scan.origin_to_detector) +
                  "; a fan beam needs a finite distance that is not negative");
}

void check(const VolumeGeometry& volume, const ScanGeometry& scan, Projector projector) {
  check(volume);
  check(scan);
  if (scan.beam == Beam::fan && !(scan.source_to_origin > volume.radius()))
    throw Refused("source_to_origin is " + Impl::number_text(scan.source_to_origin) +
                  ", but the circle around the image has radius " +
                  Impl::number_text(volume.radius()) + "; the source must lie outside of it");
  // Kernels work with half pixels and squared lengths, which must stay far away from overflow.
  require_comparable("detector_width", scan.detector_width, volume.pixel);
  require_comparable("the position of the first detector element", scan.position(0), volume.pixel);
  require_comparable("the position of the last detector element", scan.position(scan.detectors - 1),
                     volume.pixel);
  if (scan.beam == Beam::fan)
    require_comparable("the distance from source to detector",
                       scan.source_to_origin + scan.origin_to_detector, volume.pixel);
  const bool is_strip = projector == Projector::strip;
  if (scan.detector_width / volume.pixel < (is_strip ? 1e-7 : 1e-100))
    throw Refused("detector_width is " + Impl::number_text(scan.detector_width) +
                  ", not comparable to a pixel of " + Impl::number_text(volume.pixel) +
                  (is_strip ? ", as the width of strips must be" : ""));
}

}  // namespace Tomokkos
