// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images off the axis and with other pixels than squares, curved detectors, and scans by vectors.
// The weights are compared with those of lines through points that this file computes itself.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ScanReference.hpp"

namespace {

using ScanReference::Line;
using ScanReference::Point;
using ScanReference::Real;
using Tomokkos::Angle;
using Tomokkos::Beam;
using Tomokkos::DetectorShape;
using Tomokkos::Offset;
using Tomokkos::Ordinal;
using Tomokkos::Projector;
using Tomokkos::ScanGeometry;
using Tomokkos::ViewAngles;
using Tomokkos::ViewVectors;
using Tomokkos::VolumeGeometry;

constexpr std::array all_projectors{Projector::line, Projector::linear, Projector::strip};

struct ScanCase {
  std::string name;
  VolumeGeometry volume;
  ScanGeometry scan;
};

std::vector<double> dense(const VolumeGeometry& volume, const ScanGeometry& scan,
                          Projector projector) {
  const TestSpace exec;
  const auto A = Tomokkos::copy_to<Kokkos::HostSpace>(
      exec, Tomokkos::build_system_matrix<TestSpace, double>(exec, volume, scan, projector));
  std::vector<double> result(static_cast<std::size_t>(A.num_rows) * A.num_cols, 0.0);
  for (Ordinal ray = 0; ray < A.num_rows; ++ray)
    for (Offset k = A.row_offsets(ray); k < A.row_offsets(ray + 1); ++k)
      result[static_cast<std::size_t>(ray) * A.num_cols + A.columns(k)] = A.values(k);
  return result;
}

ScanGeometry turning(Beam beam, ViewAngles views, Ordinal detectors, double width) {
  ScanGeometry scan;
  scan.beam = beam;
  scan.views = std::move(views);
  scan.detectors = detectors;
  scan.detector_width = width;
  scan.source_to_origin = 30;
  scan.origin_to_detector = 11;
  return scan;
}

ViewAngles five_views() {
  return ViewAngles::evenly_spaced(5, Angle::radians(0.21), ViewAngles::full_turn());
}

/// Oblique detectors that run in both directions, at several distances.
std::vector<ViewVectors> parallel_vectors() {
  return {{0.3, 1.7, 0.4, 2, 1.1, 0.2},
          {-2, 0.4, -0.7, 1, 0.1, -0.9},
          {1, 1, 3, -2, 0.6, -0.9},
          {-1, 0.2, 0, 0.3, -0.3, 1.4}};
}

std::vector<ViewVectors> fan_vectors() {
  return {{2, -25, 1, 12, 1.6, 0.3},
          {1, 31, -2, -14, 1.4, -0.2},
          {-24, 9, 16, -3, -0.4, 1.3},
          {28, 3, -11, 2, 0.2, 1.2}};
}

std::vector<ScanCase> setups() {
  const ScanGeometry parallel = turning(Beam::parallel, five_views(), 17, 0.9);
  const ScanGeometry fan = turning(Beam::fan, five_views(), 19, 1.3);
  ScanGeometry curved = fan;
  curved.detector_shape = DetectorShape::curved;
  curved.detector_width = 2.1;
  curved.detector_offset = 0.3;
  const ScanGeometry by_rays = make_vector_scan(Beam::parallel, parallel_vectors(), 15);
  const ScanGeometry by_sources = make_vector_scan(Beam::fan, fan_vectors(), 14);
  const VolumeGeometry centered{7, 9, 0.8};
  const VolumeGeometry off{8, 6, 0.8, 0, 2.3, -1.7};
  const VolumeGeometry flat{9, 5, 1.3, 0.6};
  const VolumeGeometry tall_off{5, 8, 0.7, 1.6, -1.1, 2.9};
  return {{"parallel, off the axis", off, parallel},
          {"parallel, flat pixels", flat, parallel},
          {"parallel, tall pixels off the axis", tall_off, parallel},
          {"fan, off the axis", off, fan},
          {"fan, flat pixels", flat, fan},
          {"fan, tall pixels off the axis", tall_off, fan},
          {"curved", centered, curved},
          {"curved, tall pixels off the axis", tall_off, curved},
          {"parallel vectors", centered, by_rays},
          {"parallel vectors, flat pixels", flat, by_rays},
          {"fan vectors", centered, by_sources},
          {"fan vectors, tall pixels off the axis", tall_off, by_sources}};
}

struct RayPoints {
  Point from, to;  ///< source, and where the ray meets the detector
};

/// Ray to a point of the detector, by the definitions of the geometries.
RayPoints ray_to(const ScanGeometry& scan, Ordinal view, Real index) {
  const Real middle = (scan.detectors - 1) / Real(2);
  if (scan.has_vectors()) {
    const ViewVectors& v = scan.vectors[static_cast<std::size_t>(view)];
    const Point to{v[2] + (index - middle) * v[4], v[3] + (index - middle) * v[5]};
    if (scan.beam == Beam::fan) return {{v[0], v[1]}, to};
    return {{to.x - v[0], to.y - v[1]}, to};
  }
  const Real angle = scan.views.radians(view), cosine = std::cos(angle), sine = std::sin(angle);
  const Real s = (index - scan.center_index()) * scan.detector_width;
  if (scan.beam == Beam::parallel)
    return {{cosine * s + sine, sine * s - cosine}, {cosine * s, sine * s}};
  const Point source{sine * scan.source_to_origin, -cosine * scan.source_to_origin};
  const Real distance = static_cast<Real>(scan.source_to_origin) + scan.origin_to_detector;
  Real along = s, away = distance;
  if (scan.detector_shape == DetectorShape::curved) {
    along = distance * std::sin(s / distance);
    away = distance * std::cos(s / distance);
  }
  return {source,
          {source.x + cosine * along - sine * away, source.y + sine * along + cosine * away}};
}

/// The unit normal points to growing indices.
Line line_of(const ScanGeometry& scan, Ordinal view, Real index) {
  const RayPoints ray = ray_to(scan, view, index);
  const Real x = ray.to.x - ray.from.x, y = ray.to.y - ray.from.y, length = std::hypot(x, y);
  Line line{{y / length, -x / length}, 0};
  line.offset = line.normal.x * ray.to.x + line.normal.y * ray.to.y;
  if (line.side(ray_to(scan, view, index + 0.25L).to) < 0)
    line = {{-line.normal.x, -line.normal.y}, -line.offset};
  return line;
}

Real distance(const Point& a, const Point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// Width at a pixel of the beam of an element.
Real beam_width(const ScanGeometry& scan, Ordinal view, Ordinal detector, const Point& pixel) {
  const RayPoints ray = ray_to(scan, view, detector);
  const Point first = ray_to(scan, view, detector - 0.5L).to;
  const Point last = ray_to(scan, view, detector + 0.5L).to;
  if (scan.detector_shape == DetectorShape::curved)
    return scan.detector_width * distance(ray.from, pixel) / distance(ray.from, ray.to);
  // Height of the triangle of source and element.
  const Real area = std::fabs((last.x - first.x) * (ray.to.y - ray.from.y) -
                              (last.y - first.y) * (ray.to.x - ray.from.x));
  const Real at_detector = area / distance(ray.from, ray.to);
  if (scan.beam == Beam::parallel) return at_detector;
  return at_detector * distance(ray.from, pixel) / distance(ray.from, ray.to);
}

Real reference_weight(const ScanCase& of, Projector projector, Ordinal view, Ordinal detector,
                      int row, int column) {
  const Point center = ScanReference::pixel_center(of.volume, row, column);
  const auto box = ScanReference::pixel_box(of.volume, row, column);
  if (projector == Projector::line)
    return ScanReference::chord(box, line_of(of.scan, view, detector));
  if (projector == Projector::linear)
    return ScanReference::joseph(line_of(of.scan, view, detector), center, of.volume.pixel,
                                 of.volume.pixel_height());
  const Real overlap = ScanReference::area_between(box, line_of(of.scan, view, detector - 0.5L),
                                                   line_of(of.scan, view, detector + 0.5L));
  return overlap / beam_width(of.scan, view, detector, center);
}

TEST(ScanGeometries, weights_equal_clipped_pixels) {
  for (const ScanCase& of : setups())
    for (const Projector projector : all_projectors) {
      SCOPED_TRACE(of.name + ", " + std::string(Tomokkos::to_string(projector)));
      const auto A = dense(of.volume, of.scan, projector);
      const auto pixels = static_cast<Ordinal>(of.volume.num_pixels());
      Real sum = 0;
      for (Ordinal ray = 0; ray < of.scan.num_rays(); ++ray)
        for (Ordinal pixel = 0; pixel < pixels; ++pixel) {
          const Real theirs =
              reference_weight(of, projector, ray / of.scan.detectors, ray % of.scan.detectors,
                               pixel / of.volume.columns, pixel % of.volume.columns);
          sum += theirs;
          ASSERT_NEAR(A[static_cast<std::size_t>(ray) * pixels + pixel], theirs, 2e-11)
              << "view " << ray / of.scan.detectors << ", element " << ray % of.scan.detectors
              << ", pixel " << pixel;
        }
      EXPECT_GT(sum, 50);
    }
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    ASSERT_NEAR(found[k], expected[k], 1e-11) << "entry " << k;
}

TEST(ScanGeometries, a_turning_scan_may_be_written_as_vectors) {
  for (ScanCase of : setups()) {
    if (of.scan.has_vectors() || of.scan.detector_shape == DetectorShape::curved) continue;
    of.scan.detector_offset = -0.7;
    std::vector<ViewVectors> vectors;
    for (Ordinal view = 0; view < of.scan.views.count(); ++view)
      vectors.push_back(vectors_of(of.scan, view));
    const ScanGeometry scan = make_vector_scan(of.scan.beam, vectors, of.scan.detectors);
    for (Ordinal view = 0; view < scan.views.count(); ++view)
      EXPECT_NEAR(std::remainder(scan.views.radians(view) - of.scan.views.radians(view),
                                 2 * std::acos(-1.0)),
                  0, 1e-12);
    for (const Projector projector : all_projectors) {
      SCOPED_TRACE(of.name + ", " + std::string(Tomokkos::to_string(projector)));
      expect_near(dense(of.volume, scan, projector), dense(of.volume, of.scan, projector));
    }
  }
}

/// Part of an image around the axis, whose rays meet edges of pixels: bits are those of the whole.
TEST(ScanGeometries, a_region_has_the_columns_of_the_whole_image) {
  const VolumeGeometry whole{16, 14, 0.5};
  const VolumeGeometry region{5, 4, 0.5, 0, 1.5, 0.75};  // rows 4 to 8, columns 8 to 11
  for (const Beam beam : {Beam::parallel, Beam::fan}) {
    const ScanGeometry scan =
        turning(beam, ViewAngles::evenly_spaced(8, {}, ViewAngles::full_turn()), 21, 0.5);
    for (const Projector projector : all_projectors) {
      const auto A = dense(whole, scan, projector), part = dense(region, scan, projector);
      std::vector<double> expected;
      for (Ordinal ray = 0; ray < scan.num_rays(); ++ray)
        for (Ordinal row = 4; row < 9; ++row)
          for (Ordinal column = 8; column < 12; ++column)
            expected.push_back(A[static_cast<std::size_t>(ray) * 16 * 14 + row * 14 + column]);
      expect_near(part, expected);
    }
  }
}

TEST(ScanGeometries, a_mirrored_detector_reverses_the_rays) {
  for (const Beam beam : {Beam::parallel, Beam::fan}) {
    auto vectors = beam == Beam::fan ? fan_vectors() : parallel_vectors();
    const VolumeGeometry volume{6, 7, 0.9, 1.2};
    const Ordinal detectors = 11;
    const ScanGeometry scan = make_vector_scan(beam, vectors, detectors);
    for (ViewVectors& v : vectors) {
      v[4] = -v[4];
      v[5] = -v[5];
    }
    const ScanGeometry mirrored = make_vector_scan(beam, vectors, detectors);
    for (const Projector projector : all_projectors) {
      const auto A = dense(volume, scan, projector), B = dense(volume, mirrored, projector);
      std::vector<double> reversed;
      for (Ordinal ray = 0; ray < scan.num_rays(); ++ray) {
        const Ordinal view = ray / detectors, other = detectors - 1 - ray % detectors;
        const auto from = B.begin() + (view * detectors + other) * 42;
        reversed.insert(reversed.end(), from, from + 42);
      }
      expect_near(A, reversed);
    }
  }
}

void expect_refused(const std::function<void()>& action, const std::string& part) {
  try {
    action();
    ADD_FAILURE() << "not refused: " << part;
  } catch (const Tomokkos::Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ScanGeometries, refuses_what_has_no_rays) {
  const auto refused = [](Beam beam, const ViewVectors& second, const std::string& part) {
    const ViewVectors first = beam == Beam::fan ? fan_vectors()[0] : parallel_vectors()[0];
    expect_refused([&] { make_vector_scan(beam, {first, second}, 5); }, part);
  };
  refused(Beam::parallel, {0, 0, 1, 1, 1, 0}, "view 1: the direction (rx, ry)");
  refused(Beam::parallel, {0, 1, 1, 1, 0, 0}, "view 1: the step (ux, uy)");
  refused(Beam::parallel, {2, 1, 1, 1, -4, -2}, "parallel to the detector");
  refused(Beam::parallel, {0, 1, NAN, 1, 1, 0}, "number 2 is");
  refused(Beam::fan, {0, -9, 0, 9, 0, 0}, "the step (ux, uy)");
  refused(Beam::fan, {-20, 9, 0, 9, 1, 0}, "the source (sx, sy) is on the line of the detector");
  refused(Beam::fan, {1, 2, 1, 2, 1, 0}, "the source (sx, sy) is on the line of the detector");
  expect_refused([] { make_vector_scan(Beam::fan, {}, 5); }, "at least one view");
  const auto in_image = [](const ViewVectors& v, const std::string& part) {
    const ScanGeometry scan = make_vector_scan(Beam::fan, {fan_vectors()[0], v}, 9);
    expect_refused([&] { check({8, 8, 1.0}, scan); }, part);
  };
  in_image({2, 5, 0, 20, 1, 0}, "the source of view 1 is");
  in_image({0, 10, 0, 20, 1, 0}, "between the detector and the image");
  in_image({0, 10, 12, 20, 1, 5}, "between the detector and the image");
  ScanGeometry fan = turning(Beam::fan, five_views(), 19, 1.3);
  expect_refused([&] { check({8, 8, 1.0, 0, 27, 0}, fan); }, "must lie outside");
  fan.views = ViewAngles::evenly_spaced(36, {}, ViewAngles::full_turn());
  expect_refused([&] { check({8, 8, 1.0, 0, 99, 0}, fan); }, "between the detector and the image");
  fan.detector_shape = DetectorShape::curved;
  fan.detectors = 110;
  expect_refused([&] { check(fan); }, "must stay below 90 deg");
  fan.beam = Beam::parallel;
  expect_refused([&] { check(fan); }, "a curved detector belongs to a fan beam");
  expect_refused([] { check(VolumeGeometry{4, 4, 1.0, 2e3}); }, "ratio");
  expect_refused([] { check(VolumeGeometry{4, 4, 1.0, 0, NAN, 0}); }, "centre of the volume");
}

}  // namespace
