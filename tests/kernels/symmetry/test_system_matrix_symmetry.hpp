// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirror images of a ray have equal weights, bit for bit. Three reflections generate all eight
// symmetries of a square.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

using Tomokkos::Angle;
using Tomokkos::Beam;
using Tomokkos::Offset;
using Tomokkos::Ordinal;
using Tomokkos::Projector;
using Tomokkos::ScanGeometry;
using Tomokkos::ViewAngles;

enum class Mirror { left_right, top_bottom, diagonal };

/// Pixel to which \p pixel of an n x n image is mapped. `diagonal` exchanges x and y.
Ordinal mirrored_pixel(Mirror mirror, Ordinal n, Ordinal pixel) {
  const Ordinal row = pixel / n;
  const Ordinal column = pixel % n;
  switch (mirror) {
    case Mirror::left_right:
      return row * n + (n - 1 - column);
    case Mirror::top_bottom:
      return (n - 1 - row) * n + column;
    case Mirror::diagonal:
      break;
  }
  return (n - 1 - column) * n + (n - 1 - row);
}

/// Ray to which a ray is mapped, for views t_v = 2 pi (v + shift) / views with a shift of 0 or 1/2
/// and a number of views divisible by 4.
Ordinal mirrored_ray(Mirror mirror, const ScanGeometry& scan, bool half_step, Ordinal ray) {
  const Ordinal views = scan.views.count();
  const Ordinal view = ray / scan.detectors;
  const Ordinal detector = ray % scan.detectors;
  // The normal of a parallel ray is mapped to: pi - t, -t, pi / 2 - t with the same s. The source
  // of a fan is mapped to: -t, pi - t, -pi / 2 - t, and the detector is reversed.
  const bool fan = scan.beam == Beam::fan;
  Ordinal quarters = 0;
  switch (mirror) {
    case Mirror::left_right:
      quarters = fan ? 0 : 2;
      break;
    case Mirror::top_bottom:
      quarters = fan ? 2 : 0;
      break;
    case Mirror::diagonal:
      quarters = fan ? 3 : 1;
      break;
  }
  const Ordinal image = quarters * views / 4 - view - (half_step ? 1 : 0);
  const Ordinal image_view = (image % views + views) % views;
  return image_view * scan.detectors + (fan ? scan.detectors - 1 - detector : detector);
}

template <class Scalar>
using Entries = std::vector<std::pair<Ordinal, Scalar>>;

template <class Scalar>
void check_mirrors(Ordinal n, const ScanGeometry& scan, bool half_step, Projector projector) {
  const TestSpace exec;
  const auto A = Tomokkos::copy_to<Kokkos::HostSpace>(
      exec, Tomokkos::build_system_matrix<TestSpace, Scalar>(exec, {n, n, 0.7}, scan, projector));
  ASSERT_GT(A.num_nonzeros(), 0);
  const auto row_of = [&](Ordinal ray) {
    Entries<Scalar> entries;
    for (Offset k = A.row_offsets(ray); k < A.row_offsets(ray + 1); ++k)
      entries.emplace_back(A.columns(k), A.values(k));
    return entries;
  };
  for (const Mirror mirror : {Mirror::left_right, Mirror::top_bottom, Mirror::diagonal}) {
    for (Ordinal ray = 0; ray < A.num_rows; ++ray) {
      Entries<Scalar> image = row_of(ray);
      for (auto& [pixel, weight] : image) pixel = mirrored_pixel(mirror, n, pixel);
      std::sort(image.begin(), image.end());
      const Ordinal image_ray = mirrored_ray(mirror, scan, half_step, ray);
      // No value is NaN or 0, so equal numbers are equal bits.
      ASSERT_EQ(image, row_of(image_ray)) << "ray " << ray << " and its image, ray " << image_ray
                                          << ", mirror " << static_cast<int>(mirror);
    }
  }
}

/// All combinations of odd and even sizes, with and without views along the axes and diagonals.
template <class Scalar>
void check_all_mirrors(Beam beam, Projector projector) {
  for (const Ordinal n : {8, 9, 21}) {
    for (const Ordinal detectors : {12, 13}) {
      for (const Ordinal views : {8, 12, 20}) {
        for (const bool half_step : {false, true}) {
          for (const double width : {0.7, 0.6123}) {
            ScanGeometry scan;
            scan.beam = beam;
            scan.views = ViewAngles::evenly_spaced(
                views, half_step ? Angle::turns(1, 2 * views) : Angle(), ViewAngles::full_turn());
            scan.detectors = detectors;
            scan.detector_width = width;
            scan.source_to_origin = 1.1 * 21;
            scan.origin_to_detector = 3.3;
            SCOPED_TRACE(std::string(to_string(projector)) + ", " + std::to_string(n) +
                         " pixels, " + std::to_string(detectors) + " detectors of " +
                         std::to_string(width) + ", " + std::to_string(views) +
                         (half_step ? " views, half a step" : " views"));
            check_mirrors<Scalar>(n, scan, half_step, projector);
            if (::testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(SystemMatrixSymmetry, parallel_line) {
  check_all_mirrors<double>(Beam::parallel, Projector::line);
}
TEST(SystemMatrixSymmetry, parallel_linear) {
  check_all_mirrors<double>(Beam::parallel, Projector::linear);
}
TEST(SystemMatrixSymmetry, parallel_strip) {
  check_all_mirrors<double>(Beam::parallel, Projector::strip);
}
TEST(SystemMatrixSymmetry, fan_line) { check_all_mirrors<double>(Beam::fan, Projector::line); }
TEST(SystemMatrixSymmetry, fan_linear) { check_all_mirrors<double>(Beam::fan, Projector::linear); }
TEST(SystemMatrixSymmetry, fan_strip) { check_all_mirrors<double>(Beam::fan, Projector::strip); }
TEST(SystemMatrixSymmetry, float_too) {
  check_all_mirrors<float>(Beam::parallel, Projector::line);
  check_all_mirrors<float>(Beam::fan, Projector::strip);
}

}  // namespace
