// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reference for the weights of the three projectors, by other means: each pixel of the image is
// clipped separately in long double, without any symmetry. Slow and simple.
#pragma once

#include <Tomokkos_ScanGeometry.hpp>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ScanReference {

using Real = long double;

struct Point {
  Real x, y;
};

/// Line normal . p = offset. The unit normal points to growing detector indices.
struct Line {
  Point normal;
  Real offset;
  Real side(const Point& p) const { return normal.x * p.x + normal.y * p.y - offset; }
};

struct Box {
  Real left, right, bottom, top;
};

inline Box image_box(const Tomokkos::VolumeGeometry& volume) {
  const Real width = volume.columns * static_cast<Real>(volume.pixel) / 2;
  const Real height = volume.rows * static_cast<Real>(volume.pixel_height()) / 2;
  const Real x = volume.center_x, y = volume.center_y;
  return {x - width, x + width, y - height, y + height};
}

inline Point pixel_center(const Tomokkos::VolumeGeometry& volume, int row, int column) {
  const Box box = image_box(volume);
  return {box.left + (column + 0.5L) * volume.pixel,
          box.top - (row + 0.5L) * volume.pixel_height()};
}

inline Box pixel_box(const Tomokkos::VolumeGeometry& volume, int row, int column) {
  const Point center = pixel_center(volume, row, column);
  const Real half = static_cast<Real>(volume.pixel) / 2;
  const Real half_height = static_cast<Real>(volume.pixel_height()) / 2;
  return {center.x - half, center.x + half, center.y - half_height, center.y + half_height};
}

inline Point source_of(const Tomokkos::ScanGeometry& scan, Real angle) {
  return {std::sin(angle) * scan.source_to_origin, -std::cos(angle) * scan.source_to_origin};
}

/// The line that ends at position \p s of the detector.
inline Line line_at(const Tomokkos::ScanGeometry& scan, Real angle, Real s) {
  const Point axis{std::cos(angle), std::sin(angle)};
  if (scan.beam == Tomokkos::Beam::parallel) return {axis, s};
  const Point source = source_of(scan, angle);
  const Real reach = scan.origin_to_detector;
  const Point end{-axis.y * reach + axis.x * s, axis.x * reach + axis.y * s};
  const Point ray{end.x - source.x, end.y - source.y};
  const Real length = std::hypot(ray.x, ray.y);
  const Point normal{ray.y / length, -ray.x / length};
  return {normal, normal.x * source.x + normal.y * source.y};
}

/// s of the point \p fraction widths from the centre of an element.
inline Real position(const Tomokkos::ScanGeometry& scan, int detector, Real fraction = 0) {
  return (detector + fraction - scan.center_index()) * static_cast<Real>(scan.detector_width);
}

/// Part of a polygon where line.side has the sign of \p sign.
inline std::vector<Point> clip(const std::vector<Point>& polygon, const Line& line, Real sign) {
  std::vector<Point> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& p = polygon[i];
    const Point& q = polygon[(i + 1) % polygon.size()];
    const Real at_p = sign * line.side(p);
    const Real at_q = sign * line.side(q);
    if (at_p >= 0) kept.push_back(p);
    if ((at_p < 0) != (at_q < 0)) {
      const Real t = at_p / (at_p - at_q);
      kept.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
    }
  }
  return kept;
}

inline Real area(const std::vector<Point>& polygon) {
  Real twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& p = polygon[i];
    const Point& q = polygon[(i + 1) % polygon.size()];
    twice +=
        (p.x - polygon[0].x) * (q.y - polygon[0].y) - (q.x - polygon[0].x) * (p.y - polygon[0].y);
  }
  return std::fabs(twice) / 2;
}

/// Area of \p box between two lines.
inline Real area_between(const Box& box, const Line& low, const Line& high) {
  const std::vector<Point> corners{
      {box.left, box.bottom}, {box.right, box.bottom}, {box.right, box.top}, {box.left, box.top}};
  return area(clip(clip(corners, low, 1), high, -1));
}

/// Length of a line in a box.
inline Real chord(const Box& box, const Line& line) {
  const Point along{-line.normal.y, line.normal.x};
  const Point foot{line.normal.x * line.offset, line.normal.y * line.offset};
  Real enter = -1e30L;
  Real leave = 1e30L;
  const auto cut = [&](Real from, Real speed, Real low, Real high) {
    if (speed == 0) {
      if (from < low || from > high) leave = enter;
      return;
    }
    const Real first = (low - from) / speed;
    const Real second = (high - from) / speed;
    enter = std::max(enter, std::min(first, second));
    leave = std::min(leave, std::max(first, second));
  };
  cut(foot.x, along.x, box.left, box.right);
  cut(foot.y, along.y, box.bottom, box.top);
  return std::max<Real>(leave - enter, 0);
}

/// Weight of Joseph's method: the sample on the centre line of the row (or column) of the pixel
/// that the ray crosses.
inline Real joseph(const Line& line, const Point& center, Real width, Real height) {
  const bool by_rows = std::fabs(line.normal.x) * width >= std::fabs(line.normal.y) * height;
  const Real major = by_rows ? line.normal.x : line.normal.y;
  const Real crossing = by_rows ? (line.offset - line.normal.y * center.y) / major
                                : (line.offset - line.normal.x * center.x) / major;
  const Real distance =
      std::fabs(crossing - (by_rows ? center.x : center.y)) / (by_rows ? width : height);
  return distance >= 1 ? 0 : (1 - distance) * (by_rows ? height : width) / std::fabs(major);
}

inline Real weight(const Tomokkos::VolumeGeometry& volume, const Tomokkos::ScanGeometry& scan,
                   Tomokkos::Projector projector, Real angle, int detector, int row, int column) {
  const Real s = position(scan, detector);
  const Point center = pixel_center(volume, row, column);
  if (projector == Tomokkos::Projector::line)
    return chord(pixel_box(volume, row, column), line_at(scan, angle, s));
  if (projector == Tomokkos::Projector::linear)
    return joseph(line_at(scan, angle, s), center, volume.pixel, volume.pixel_height());
  const Real overlap = area_between(pixel_box(volume, row, column),
                                    line_at(scan, angle, position(scan, detector, -0.5L)),
                                    line_at(scan, angle, position(scan, detector, 0.5L)));
  const Real width = scan.detector_width;
  if (scan.beam == Tomokkos::Beam::parallel) return overlap / width;
  const Point source = source_of(scan, angle);
  const Real distance = static_cast<Real>(scan.source_to_origin) + scan.origin_to_detector;
  const Real to_element_squared = distance * distance + s * s;
  return overlap * to_element_squared /
         (width * distance * std::hypot(center.x - source.x, center.y - source.y));
}

}  // namespace ScanReference
