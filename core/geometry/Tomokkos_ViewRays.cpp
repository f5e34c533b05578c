// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ViewRays.hpp>
#include <cmath>
#include <limits>

namespace Tomokkos {
namespace {

using Real = long double;

struct Vector {
  Real x, y;
};

Real dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y; }
Real cross(const Vector& a, const Vector& b) { return a.x * b.y - a.y * b.x; }

/// Maps lengths of the scan to half pixels.
struct ImageFrame {
  Real per_x, per_y, center_x, center_y;

  explicit ImageFrame(const VolumeGeometry& volume)
      : per_x(2.0L / volume.pixel),
        per_y(2.0L / volume.pixel_height()),
        center_x(volume.center_x),
        center_y(volume.center_y) {}

  Vector step(Real x, Real y) const { return {x * per_x, y * per_y}; }
  Vector point(Real x, Real y) const { return step(x - center_x, y - center_y); }
};

}  // namespace

ViewVectors vectors_of(const ScanGeometry& scan, Ordinal view) {
  if (scan.has_vectors()) return scan.vectors[static_cast<std::size_t>(view)];
  const ViewDirection direction = scan.views.direction(view);
  const double x = direction.cosine(), y = direction.sine();
  const double width = scan.detector_width;
  const double middle = (0.5 * (scan.detectors - 1.0) - scan.center_index()) * width;
  if (scan.beam == Beam::parallel) return {-y, x, middle * x, middle * y, width * x, width * y};
  const double source = scan.source_to_origin, detector = scan.origin_to_detector;
  return {source * y, -source * x, middle * x - detector * y, middle * y + detector * x,
          width * x,  width * y};
}

ViewRays rays_of_view(const VolumeGeometry& volume, const ScanGeometry& scan, Ordinal view) {
  const bool turns = !scan.has_vectors(), is_square = volume.has_square_pixels();
  ViewRays rays;
  if (turns && is_square && volume.is_centered()) {
    rays.direction = scan.views.direction(view);
    rays.center_index = scan.center_index();
    rays.width = 2 * scan.detector_width / volume.pixel;
    rays.source_to_origin = 2 * scan.source_to_origin / volume.pixel;
    rays.source_to_detector = 2 * (scan.source_to_origin + scan.origin_to_detector) / volume.pixel;
    return rays;
  }
  const ImageFrame frame(volume);
  const ViewVectors v = vectors_of(scan, view);
  const Real middle = 0.5L * (scan.detectors - 1.0L);
  const Vector detector = frame.point(v[2], v[3]), step = frame.step(v[4], v[5]);
  Vector axis;
  if (scan.beam == Beam::parallel) {
    const Vector ray = frame.step(v[0], v[1]);
    const Real length = std::sqrt(dot(ray, ray)), side = cross(step, ray) < 0 ? -1 : 1;
    axis = {side * ray.y / length, -side * ray.x / length};
    const Real width = dot(axis, step);
    rays.width = static_cast<double>(width);
    rays.center_index = static_cast<double>(middle - dot(axis, detector) / width);
  } else {
    const Vector source = frame.point(v[0], v[1]);
    const Vector ray{detector.x - source.x, detector.y - source.y};
    const Real length = std::sqrt(dot(step, step)), side = cross(step, ray) < 0 ? -1 : 1;
    axis = {side * step.x / length, side * step.y / length};
    const Vector away{-axis.y, axis.x};
    rays.width = static_cast<double>(side * length);
    rays.center_index = static_cast<double>(middle - dot(axis, ray) / (side * length));
    rays.source_to_origin = static_cast<double>(-dot(away, source));
    rays.source_to_detector = static_cast<double>(dot(away, ray));
    rays.source_shift = static_cast<double>(dot(axis, source));
  }
  // The exact direction, where it is known.
  rays.direction = turns && is_square ? scan.views.direction(view) : direction_of(axis.x, axis.y);
  return rays;
}

double least_ray_spacing(const VolumeGeometry& volume, const ScanGeometry& scan) {
  // A pixel with sides of 2 keeps the unit of the scan.
  const VolumeGeometry unit{1, 1, 2.0, 0, volume.center_x, volume.center_y};
  double least = std::numeric_limits<double>::infinity();
  for (Ordinal view = 0; view < scan.views.count(); ++view) {
    const ViewRays rays = rays_of_view(unit, scan, view);
    double spacing = std::fabs(rays.width);
    if (scan.beam == Beam::fan)
      spacing = spacing * std::fabs(rays.source_to_origin) / rays.source_to_detector;
    least = std::fmin(least, spacing);
  }
  return least;
}

}  // namespace Tomokkos
