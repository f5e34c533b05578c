// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

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

void check_vectors(Beam beam, const std::vector<ViewVectors>& vectors) {
  constexpr double tiny = 1e-9;  // of the lengths whose product a cross product is
  const bool is_fan = beam == Beam::fan;
  for (std::size_t view = 0; view < vectors.size(); ++view) {
    const ViewVectors& v = vectors[view];
    const auto refuse = [&](const std::string& what) {
      throw Refused(Impl::text("the vectors of view {}: {}", view, what));
    };
    for (std::size_t i = 0; i < v.size(); ++i)
      if (!std::isfinite(v[i]))
        refuse(Impl::text("number {} is {}; it must be finite", i, Impl::number_text(v[i])));
    const double step = std::hypot(v[4], v[5]);
    if (step == 0) refuse("the step (ux, uy) along the detector has length zero");
    const double x = is_fan ? v[2] - v[0] : v[0], y = is_fan ? v[3] - v[1] : v[1];
    const double length = std::hypot(x, y);
    if (!is_fan && length == 0) refuse("the direction (rx, ry) of the rays has length zero");
    if (std::fabs(x * v[5] - y * v[4]) > tiny * length * step) continue;
    refuse(is_fan ? "the source (sx, sy) is on the line of the detector"
                  : "the rays (rx, ry) are parallel to the detector (ux, uy)");
  }
}

/// Refuses a fan beam whose source is in the circle around the image, or that has the image on the
/// lines of its rays behind the source.
void check_sources(const VolumeGeometry& volume, const ScanGeometry& scan) {
  const double radius = volume.radius(), middle = 0.5 * (scan.detectors - 1.0);
  for (Ordinal view = 0; view < scan.views.count(); ++view) {
    const ViewVectors v = vectors_of(scan, view);
    const double x = volume.center_x - v[0], y = volume.center_y - v[1];
    const double distance = std::hypot(x, y);
    if (!(distance > radius))
      throw Refused(
          Impl::text("the source of view {} is {} from the centre of the image, but the "
                     "circle around the image has radius {}; the source must lie outside "
                     "of it",
                     view, Impl::number_text(distance), Impl::number_text(radius)));
    // Angles are measured from the direction away from the image.
    const auto angle_to = [&](double element) {
      const double to_x = v[2] + element * v[4] - v[0], to_y = v[3] + element * v[5] - v[1];
      return std::atan2(x * to_y - y * to_x, -(x * to_x + y * to_y));
    };
    const double first = angle_to(scan.flat_index(-0.5) - middle),
                 last = angle_to(scan.flat_index(scan.detectors - 0.5) - middle);
    const double behind = std::asin(radius / distance);
    // The detector covers less than half a turn; it crosses angle 0 if the ends are on both sides.
    const bool crosses = (first < 0) != (last < 0) && std::fabs(first - last) < std::numbers::pi;
    if (crosses || std::fabs(first) < behind || std::fabs(last) < behind)
      throw Refused(Impl::text(
          "the source of view {} is between the detector and the image, or next to both; rays are "
          "whole lines, so the image must lie on the side of the detector",
          view));
  }
}

}  // namespace

double ScanGeometry::flat_index(double index) const {
  if (detector_shape == DetectorShape::flat) return index;
  const double center = center_index(), step = arc_step();
  return center + std::tan((index - center) * step) / step;
}

ScanGeometry make_vector_scan(Beam beam, std::vector<ViewVectors> vectors, Ordinal detectors) {
  if (vectors.empty()) throw Refused("a scan by vectors needs those of at least one view");
  check_vectors(beam, vectors);
  ScanGeometry scan;
  scan.beam = beam;
  scan.detectors = detectors;
  std::vector<double> angles;
  for (const ViewVectors& v : vectors) {
    const bool reversed = beam == Beam::parallel && v[4] * v[1] - v[5] * v[0] < 0;
    angles.push_back(beam == Beam::fan
                         ? std::atan2(v[5], v[4])
                         : std::atan2(reversed ? v[0] : -v[0], reversed ? -v[1] : v[1]));
  }
  scan.views = ViewAngles::list(std::move(angles));
  scan.vectors = std::move(vectors);
  check(scan);
  return scan;
}

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
  if (scan.has_vectors()) {
    require_equal("vectors of the scan", static_cast<long long>(scan.vectors.size()), "views",
                  static_cast<long long>(scan.views.count()));
    require(!scan.detector_offset && !scan.rotation_center,
            "detector_offset and rotation_center do not apply to a scan by vectors");
    require(scan.detector_shape == DetectorShape::flat,
            "the detector of a scan by vectors is flat");
    check_vectors(scan.beam, scan.vectors);
    return;
  }
  if (scan.beam == Beam::parallel) {
    require(scan.detector_shape == DetectorShape::flat,
            "a curved detector belongs to a fan beam; that of a parallel beam is flat");
    return;
  }
  if (!(std::isfinite(scan.source_to_origin) && scan.source_to_origin > 0))
    throw Refused("source_to_origin is " + Impl::number_text(scan.source_to_origin) +
                  "; a fan beam needs a positive and finite distance");
  if (!(std::isfinite(scan.origin_to_detector) && scan.origin_to_detector >= 0))
    throw Refused("origin_to_detector is " + Impl::number_text(scan.origin_to_detector) +
                  "; a fan beam needs a finite distance that is not negative");
  if (scan.detector_shape == DetectorShape::flat) return;
  const double arc =
      std::max(std::fabs(scan.position(0) - 0.5 * scan.detector_width),
               std::fabs(scan.position(scan.detectors - 1) + 0.5 * scan.detector_width)) /
      (scan.source_to_origin + scan.origin_to_detector);
  // Rays meet the flat detector that touches the middle of the arc.
  if (!(arc < 0.499 * std::numbers::pi))
    throw Refused("the curved detector extends to " +
                  Impl::number_text(arc * 180 / std::numbers::pi) +
                  " deg from the central ray; it must stay below 90 deg. detector_width is the "
                  "length of an element along the arc");
}

void check(const VolumeGeometry& volume, const ScanGeometry& scan, Projector projector) {
  check(volume);
  check(scan);
  const bool is_strip = projector == Projector::strip;
  const double least_width = is_strip ? 1e-7 : 1e-100;
  if (scan.beam == Beam::fan && (scan.has_vectors() || !volume.is_centered())) {
    check_sources(volume, scan);
  } else if (scan.beam == Beam::fan && !(scan.source_to_origin > volume.radius())) {
    throw Refused("source_to_origin is " + Impl::number_text(scan.source_to_origin) +
                  ", but the circle around the image has radius " +
                  Impl::number_text(volume.radius()) + "; the source must lie outside of it");
  }
  if (scan.has_vectors()) {
    for (Ordinal view = 0; view < scan.views.count(); ++view) {
      const ViewRays rays = rays_of_view(volume, scan, view);
      const double width = std::fabs(rays.width) / 2;
      const double far = std::fabs(rays.center_index) + scan.detectors;
      if (!(width >= least_width && far * width <= 1e100 && rays.source_to_detector <= 1e100 &&
            std::fabs(rays.source_to_origin) + std::fabs(rays.source_shift) <= 1e100))
        throw Refused(
            Impl::text("the vectors of view {} are not comparable to the pixels of the "
                       "image; an element is {} pixels wide",
                       view, Impl::number_text(width)));
    }
    return;
  }
  // Kernels work with half pixels and squared lengths, which must stay far away from overflow.
  require_comparable("detector_width", scan.detector_width, volume.pixel);
  require_comparable("the position of the first detector element", scan.position(0), volume.pixel);
  require_comparable("the position of the last detector element", scan.position(scan.detectors - 1),
                     volume.pixel);
  if (scan.beam == Beam::fan)
    require_comparable("the distance from source to detector",
                       scan.source_to_origin + scan.origin_to_detector, volume.pixel);
  if (scan.detector_width / volume.pixel < least_width)
    throw Refused("detector_width is " + Impl::number_text(scan.detector_width) +
                  ", not comparable to a pixel of " + Impl::number_text(volume.pixel) +
                  (is_strip ? ", as the width of strips must be" : ""));
}

}  // namespace Tomokkos
