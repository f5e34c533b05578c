// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of the projectors compared with geometry computed by other means, and the row sums and
// projections that have closed forms.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_SystemMatrix.hpp>
#include <array>
#include <cmath>
#include <impl/Tomokkos_RayReduction_impl.hpp>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "ScanReference.hpp"

namespace {

using ScanReference::Real;
using Tomokkos::Angle;
using Tomokkos::Beam;
using Tomokkos::Offset;
using Tomokkos::Ordinal;
using Tomokkos::Projector;
using Tomokkos::ScanGeometry;
using Tomokkos::ViewAngles;
using Tomokkos::VolumeGeometry;

constexpr std::array all_projectors{Projector::line, Projector::linear, Projector::strip};

struct ScanSetup {
  std::string name;
  VolumeGeometry volume;
  ScanGeometry scan;
};

Tomokkos::HostCsrMatrix<double> host_matrix(const ScanSetup& setup, Projector projector) {
  const TestSpace exec;
  return Tomokkos::copy_to<Kokkos::HostSpace>(
      exec,
      Tomokkos::build_system_matrix<TestSpace, double>(exec, setup.volume, setup.scan, projector));
}

ScanGeometry parallel(ViewAngles views, Ordinal detectors, double width) {
  ScanGeometry scan;
  scan.views = std::move(views);
  scan.detectors = detectors;
  scan.detector_width = width;
  return scan;
}

ScanGeometry fan(ViewAngles views, Ordinal detectors, double width, double source,
                 double detector) {
  ScanGeometry scan = parallel(std::move(views), detectors, width);
  scan.beam = Beam::fan;
  scan.source_to_origin = source;
  scan.origin_to_detector = detector;
  return scan;
}

ScanGeometry with_offset(ScanGeometry scan, double offset) {
  scan.detector_offset = offset;
  return scan;
}

ScanGeometry with_center(ScanGeometry scan, double center) {
  scan.rotation_center = center;
  return scan;
}

/// Geometries without rays along grid lines, for which the projectors have a special rule.
std::vector<ScanSetup> generic_setups() {
  const auto turn = [](Ordinal count, double start, bool full = false) {
    return ViewAngles::evenly_spaced(count, Angle::radians(start),
                                     full ? ViewAngles::full_turn() : ViewAngles::half_turn());
  };
  const ViewAngles odd_angles = ViewAngles::list({1e-4, 0.3, 0.785, 0.7854, 1.5707, 1.5709, 2.0,
                                                  2.3562, 3.1, 3.2, 4.0, 5.0, 6.28, -0.02, 40.0});
  return {
      {"square", {9, 9, 1.0}, parallel(turn(7, 0.1), 15, 1.0)},
      {"tall, coarse detector", {13, 5, 0.5}, parallel(turn(5, 0.2), 9, 1.7)},
      {"wide, fine detector", {4, 17, 2.0}, parallel(turn(5, 0.3, true), 61, 0.61)},
      {"odd angles", {10, 12, 1.0}, with_offset(parallel(odd_angles, 25, 0.9), 0.31)},
      {"centre", {8, 8, 0.3}, with_center(parallel(turn(6, 0.05), 20, 0.2), 7.3)},
      {"fan", {9, 9, 1.0}, fan(turn(7, 0.1, true), 21, 1.1, 20.0, 11.0)},
      {"fan from close by", {12, 7, 0.5}, fan(odd_angles, 17, 0.9, 4.0, 3.0)},
      {"fan with offset", {7, 11, 1.0}, with_offset(fan(odd_angles, 30, 0.7, 9.0, 0.0), -1.27)},
      {"fan with centre", {8, 8, 1.0}, with_center(fan(turn(5, 0.4, true), 12, 3.1, 30, 10), 4.6)},
  };
}

/// Checks every entry, stored or not, of every projector.
TEST(ProjectorClosedForms, weights_equal_clipped_pixels) {
  for (const ScanSetup& setup : generic_setups()) {
    for (const Projector projector : all_projectors) {
      SCOPED_TRACE(setup.name + ", " + std::string(Tomokkos::to_string(projector)));
      const auto A = host_matrix(setup, projector);
      std::size_t wrong = 0;
      for (Ordinal ray = 0; ray < A.num_rows && wrong < 5; ++ray) {
        const Real angle = setup.scan.views.radians(ray / setup.scan.detectors);
        Offset k = A.row_offsets(ray);
        for (Ordinal pixel = 0; pixel < A.num_cols; ++pixel) {
          double ours = 0;
          if (k < A.row_offsets(ray + 1) && A.columns(k) == pixel) ours = A.values(k++);
          const Real theirs = ScanReference::weight(
              setup.volume, setup.scan, projector, angle, ray % setup.scan.detectors,
              pixel / setup.volume.columns, pixel % setup.volume.columns);
          if (std::fabs(ours - theirs) <= 2e-11L * setup.volume.pixel) continue;
          ++wrong;
          ADD_FAILURE() << "ray " << ray << ", pixel " << pixel << ": " << ours << " instead of "
                        << theirs;
        }
      }
    }
  }
}

/// Chord of the reduced ray a x + b y = s through the image, in units of the scan. It is the least
/// of four differences of heights, each free of cancellation: the sums are exact before rounding.
Real exact_chord(const VolumeGeometry& volume, const Tomokkos::Impl::Line& line) {
  const bool swapped = (line.symmetry & Tomokkos::swap_axes) != 0;
  const Real half_x = swapped ? volume.rows : volume.columns;
  const Real half_y = swapped ? volume.columns : volume.rows;
  const Real a = line.a;
  const Real b = line.b;
  const Real s = line.s;
  Real height = 2 * half_y;
  if (b == 0) {
    if (a * half_x < s) return 0;
    if (a * half_x == s) height /= 2;  // along the border: one half lies outside of the image
  } else {
    const auto sum = [](Real x, Real y, Real z) {
      const Real first = x + y;
      const Real lost = (x - (first - (first - x))) + (y - (first - x));
      const Real second = first + z;
      const Real lost_too = (first - (second - (second - first))) + (z - (second - first));
      return second + (lost + lost_too);
    };
    height = std::min(height, sum(a * half_x, b * half_y, -s) / b);
    height = std::min(height, sum(a * half_x, b * half_y, s) / b);
    height = std::min(height, 2 * a * half_x / b);
  }
  return std::max<Real>(height, 0) * std::sqrt(a * a + b * b) / a * volume.pixel / 2;
}

template <Beam beam>
void compare_row_sums_with_chords(const ScanSetup& setup, int& crossing_rays) {
  SCOPED_TRACE(setup.name);
  const auto A = host_matrix(setup, Projector::line);
  const auto parameters = Tomokkos::Impl::make_scan_parameters(setup.volume, setup.scan);
  int wrong = 0;
  for (Ordinal ray = 0; ray < A.num_rows && wrong < 5; ++ray) {
    Real sum = 0;
    for (Offset k = A.row_offsets(ray); k < A.row_offsets(ray + 1); ++k) sum += A.values(k);
    const auto line = Tomokkos::Impl::central_ray<beam>(
        parameters, Tomokkos::rays_of_view(setup.volume, setup.scan, ray / setup.scan.detectors),
        ray % setup.scan.detectors);
    const Real chord = exact_chord(setup.volume, line);
    const auto rounded = static_cast<double>(chord);
    const double ulp = std::nextafter(rounded, 1e300) - rounded;
    crossing_rays += chord > 0 ? 1 : 0;
    if (std::fabs(sum - chord) <= 4 * static_cast<Real>(ulp)) continue;
    ++wrong;
    ADD_FAILURE() << "ray " << ray << " sums to " << sum << ", its chord is " << chord
                  << ", difference in ulp " << (sum - chord) / ulp;
  }
}

TEST(ProjectorClosedForms, row_sum_of_line_is_the_chord) {
  std::vector<ScanSetup> setups = generic_setups();
  const ViewAngles many = ViewAngles::evenly_spaced(48, {}, ViewAngles::full_turn());
  const ViewAngles near_axes = ViewAngles::list(
      {1e-15, -1e-12, 1e-9, 1e-6, 1e-3, std::numbers::pi / 4 + 1e-12, std::numbers::pi / 4 - 1e-9,
       std::numbers::pi / 2 + 1e-11, std::numbers::pi / 2 - 1e-5, std::numbers::pi + 1e-7});
  setups.push_back({"grid lines, even", {16, 16, 1.0}, parallel(many, 35, 0.5)});
  setups.push_back({"grid lines, odd", {15, 15, 1.0}, parallel(many, 64, 0.5)});
  setups.push_back({"rectangular", {33, 20, 0.7}, parallel(many, 41, 0.99)});
  setups.push_back({"near the axes", {30, 21, 1.0}, parallel(near_axes, 79, 0.5)});
  // Rays that pass slightly before, through, and slightly behind the corner of the image.
  for (const double shift : {-1e-9, -1e-14, 0.0, 1e-14, 1e-9})
    setups.push_back({"grazing " + std::to_string(shift * 1e9) + "e-9",
                      {20, 20, 1.0},
                      with_center(parallel(many, 2, 20 * std::numbers::sqrt2), 0.5 + shift)});
  setups.push_back({"fan, symmetric views", {16, 16, 1.0}, fan(many, 40, 1.0, 40, 20)});
  setups.push_back({"fan near the axes", {30, 21, 1.0}, fan(near_axes, 79, 0.5, 50, 0)});
  setups.push_back({"many pixels",
                    {400, 512, 0.3},
                    parallel(ViewAngles::evenly_spaced(9, Angle::degrees(1)), 333, 0.7)});
  int crossing_rays = 0;
  for (const ScanSetup& setup : setups) {
    if (setup.scan.beam == Beam::parallel) {
      compare_row_sums_with_chords<Beam::parallel>(setup, crossing_rays);
    } else {
      compare_row_sums_with_chords<Beam::fan>(setup, crossing_rays);
    }
  }
  EXPECT_GT(crossing_rays, 5000);
}

/// For `linear` where the ray stays between the outermost pixel centres; for `strip` the mean chord
/// over the bin, which is the area of the image in the beam over the width.
TEST(ProjectorClosedForms, row_sums_of_linear_and_strip) {
  int inner_rays = 0;
  for (const ScanSetup& setup : generic_setups()) {
    SCOPED_TRACE(setup.name);
    const auto linear = host_matrix(setup, Projector::linear);
    const auto strip = host_matrix(setup, Projector::strip);
    const auto box = ScanReference::image_box(setup.volume);
    const Real pixel = setup.volume.pixel;
    const auto sum_of = [](const auto& A, Ordinal ray) {
      Real sum = 0;
      for (Offset k = A.row_offsets(ray); k < A.row_offsets(ray + 1); ++k) sum += A.values(k);
      return sum;
    };
    for (Ordinal ray = 0; ray < linear.num_rows; ++ray) {
      const Ordinal detector = ray % setup.scan.detectors;
      const Real angle = setup.scan.views.radians(ray / setup.scan.detectors);
      const auto at = [&](Real fraction) {
        return ScanReference::line_at(setup.scan, angle,
                                      ScanReference::position(setup.scan, detector, fraction));
      };
      const auto line = at(0);
      const bool by_rows = std::fabs(line.normal.x) >= std::fabs(line.normal.y);
      const Real shrink = pixel / 2;
      const ScanReference::Box inner{
          box.left + (by_rows ? shrink : 0), box.right - (by_rows ? shrink : 0),
          box.bottom + (by_rows ? 0 : shrink), box.top - (by_rows ? 0 : shrink)};
      const Real chord = ScanReference::chord(box, line);
      if (chord > 0 && std::fabs(ScanReference::chord(inner, line) - chord) < 1e-15L) {
        ++inner_rays;
        EXPECT_NEAR(sum_of(linear, ray), chord, 1e-12L) << "linear, ray " << ray;
      }
      if (setup.scan.beam == Beam::parallel) {
        const Real mean =
            ScanReference::area_between(box, at(-0.5L), at(0.5L)) / setup.scan.detector_width;
        EXPECT_NEAR(sum_of(strip, ray), mean, 1e-12L) << "strip, ray " << ray;
      }
    }
  }
  EXPECT_GT(inner_rays, 100);
}

/// An ellipse of value 1, sampled with 4 x 4 points per pixel.
struct TestEllipse {
  double x, y, a, b, phi;

  bool contains(double px, double py) const {
    const double u = (px - x) * std::cos(phi) + (py - y) * std::sin(phi);
    const double v = -(px - x) * std::sin(phi) + (py - y) * std::cos(phi);
    return u * u / (a * a) + v * v / (b * b) <= 1;
  }

  std::vector<double> image(const VolumeGeometry& volume) const {
    std::vector<double> values;
    for (Ordinal row = 0; row < volume.rows; ++row) {
      for (Ordinal column = 0; column < volume.columns; ++column) {
        int inside = 0;
        for (int i = 0; i < 16; ++i) {
          const double dx = (i % 4 - 1.5) / 4 * volume.pixel;
          const double dy = (i / 4 - 1.5) / 4 * volume.pixel;
          inside += contains(volume.x(column) + dx, volume.y(row) + dy) ? 1 : 0;
        }
        values.push_back(inside / 16.0);
      }
    }
    return values;
  }

  /// Integral along the line with unit normal (cos t, sin t) at distance s from the origin.
  double line_integral(double t, double s) const {
    const double r2 = a * a * std::cos(t - phi) * std::cos(t - phi) +
                      b * b * std::sin(t - phi) * std::sin(t - phi);
    const double u = s - (x * std::cos(t) + y * std::sin(t));
    return u * u < r2 ? 2 * a * b * std::sqrt(r2 - u * u) / r2 : 0.0;
  }
};

std::vector<double> product(const Tomokkos::HostCsrMatrix<double>& A,
                            const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(A.num_rows), 0.0);
  for (Ordinal row = 0; row < A.num_rows; ++row)
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      y[static_cast<std::size_t>(row)] += A.values(k) * x[static_cast<std::size_t>(A.columns(k))];
  return y;
}

/// Relative L2 distance of the projection of the sampled ellipse from the exact one.
double projection_error(const TestEllipse& ellipse, const ScanSetup& setup, Projector projector) {
  const std::vector<double> sinogram =
      product(host_matrix(setup, projector), ellipse.image(setup.volume));
  double squares = 0;
  double reference = 0;
  for (std::size_t ray = 0; ray < sinogram.size(); ++ray) {
    const auto detectors = static_cast<std::size_t>(setup.scan.detectors);
    const auto line = ScanReference::line_at(
        setup.scan, setup.scan.views.radians(static_cast<Ordinal>(ray / detectors)),
        setup.scan.position(static_cast<Ordinal>(ray % detectors)));
    const double exact =
        ellipse.line_integral(static_cast<double>(std::atan2(line.normal.y, line.normal.x)),
                              static_cast<double>(line.offset));
    squares += (sinogram[ray] - exact) * (sinogram[ray] - exact);
    reference += exact * exact;
  }
  return std::sqrt(squares / reference);
}

/// A tilted ellipse off the centre. If an axis, a sign or an offset is wrong, the error does not
/// shrink with the pixels. The remaining error comes from the sampled edge, seen at grazing angles.
TEST(ProjectorClosedForms, projection_of_an_ellipse) {
  const TestEllipse ellipse{9.0, -14.0, 26.0, 15.0, 0.6};
  const ViewAngles views = ViewAngles::evenly_spaced(10, {}, ViewAngles::full_turn());
  // With twice the resolution the shift in elements doubles, too.
  const auto setups_at = [&](int scale) {
    const VolumeGeometry volume{96 * scale, 110 * scale, 1.0 / scale};
    const ScanGeometry beam = parallel(views, 131 * scale, 1.0 / scale);
    const ScanGeometry cone = fan(views, 151 * scale, 1.5 / scale, 150, 80);
    return std::vector<ScanSetup>{
        {"parallel", volume, beam},
        {"parallel, offset", volume, with_offset(beam, 3.5 * scale)},
        {"parallel, centre", volume, with_center(beam, 60.25 * scale)},
        {"fan", volume, cone},
        {"fan, centre", volume, with_center(cone, 70.5 * scale)},
    };
  };
  const auto coarse = setups_at(1);
  const auto fine = setups_at(3);
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    for (const Projector projector : all_projectors) {
      SCOPED_TRACE(coarse[i].name + ", " + std::string(Tomokkos::to_string(projector)));
      const double coarse_error = projection_error(ellipse, coarse[i], projector);
      const double fine_error = projection_error(ellipse, fine[i], projector);
      EXPECT_LT(coarse_error, 0.02);
      EXPECT_LT(fine_error, 0.006) << coarse_error;
    }
  }
}

/// Mass and centroid of every view in which the detector covers the object.
TEST(ProjectorClosedForms, mass_and_centroid_of_the_views) {
  const TestEllipse ellipse{5.0, -7.0, 14.0, 9.0, 0.4};
  const ScanSetup setup{
      "parallel", {64, 64, 1.0}, parallel(ViewAngles::evenly_spaced(45), 95, 1.0)};
  const std::vector<double> image = ellipse.image(setup.volume);
  double mass = 0;
  double moment_x = 0;
  double moment_y = 0;
  for (Ordinal pixel = 0; pixel < 64 * 64; ++pixel) {
    const double value = image[static_cast<std::size_t>(pixel)];
    mass += value;
    moment_x += value * setup.volume.x(pixel % 64);
    moment_y += value * setup.volume.y(pixel / 64);
  }
  const auto check = [&](Projector projector, double mass_tolerance, double centroid_tolerance) {
    SCOPED_TRACE(std::string(Tomokkos::to_string(projector)));
    const std::vector<double> sinogram = product(host_matrix(setup, projector), image);
    for (Ordinal view = 0; view < 45; ++view) {
      double view_mass = 0;
      double view_moment = 0;
      for (Ordinal detector = 0; detector < 95; ++detector) {
        const double value = sinogram[static_cast<std::size_t>(view * 95 + detector)];
        view_mass += value;
        view_moment += value * setup.scan.position(detector);
      }
      const double angle = setup.scan.views.radians(view);
      const double expected = (moment_x * std::cos(angle) + moment_y * std::sin(angle)) / mass;
      EXPECT_NEAR(view_mass / mass, 1.0, mass_tolerance) << "view " << view;
      EXPECT_NEAR(view_moment / view_mass, expected, centroid_tolerance) << "view " << view;
    }
  };
  check(Projector::strip, 1e-13, 5e-4);
  check(Projector::linear, 3e-3, 4e-2);
  check(Projector::line, 2e-2, 0.5);
}

}  // namespace
