// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views grouped by maps of the square: how many are stored, and that the rays of each view are the
// images of those of its stored view.
#include <gtest/gtest.h>

#include <Tomokkos_SquareSymmetry.hpp>
#include <Tomokkos_ViewOrbits.hpp>
#include <cmath>
#include <numeric>
#include <utility>

using namespace Tomokkos;

namespace {

const VolumeGeometry square{32, 32, 1.0};

ScanGeometry scan_of(Beam beam, Ordinal views, Angle range, double offset = 0, Angle start = {}) {
  ScanGeometry scan;
  scan.beam = beam;
  scan.views = ViewAngles::evenly_spaced(views, start, range);
  scan.detectors = 48;
  scan.detector_offset = offset;
  scan.source_to_origin = 60;
  scan.origin_to_detector = 20;
  return scan;
}

std::vector<Ordinal> all_views(const ScanGeometry& scan) {
  std::vector<Ordinal> views(static_cast<std::size_t>(scan.views.count()));
  std::iota(views.begin(), views.end(), Ordinal{0});
  return views;
}

struct Point {
  double x, y;
};

Point mapped(unsigned g, Point p) {
  if ((g & flip_x) != 0) p.x = -p.x;
  if ((g & flip_y) != 0) p.y = -p.y;
  return (g & swap_axes) != 0 ? Point{p.y, p.x} : p;
}

/// Two points of the line of a ray. For a fan beam: the source first.
std::pair<Point, Point> ray_of(const ScanGeometry& scan, Ordinal view, Ordinal detector) {
  const double t = scan.views.radians(view), s = scan.position(detector);
  const Point axis{std::cos(t), std::sin(t)}, along{-std::sin(t), std::cos(t)};
  const double to_source = scan.beam == Beam::fan ? scan.source_to_origin : 10;
  const double to_detector = scan.beam == Beam::fan ? scan.origin_to_detector : 10;
  const Point on_detector{s * axis.x + to_detector * along.x, s * axis.y + to_detector * along.y};
  if (scan.beam == Beam::fan) return {{-to_source * along.x, -to_source * along.y}, on_detector};
  return {{s * axis.x - to_source * along.x, s * axis.y - to_source * along.y}, on_detector};
}

/// Distance of a point from the line of a ray.
double distance(const std::pair<Point, Point>& ray, Point p) {
  const double dx = ray.second.x - ray.first.x, dy = ray.second.y - ray.first.y;
  return std::abs((p.x - ray.first.x) * dy - (p.y - ray.first.y) * dx) / std::hypot(dx, dy);
}

/// Checks that every view asked for has an image and that its rays are where the image says.
void expect_images(const ScanGeometry& scan, const ViewOrbits& orbits,
                   const std::vector<Ordinal>& views) {
  ASSERT_EQ(orbits.images.size(), static_cast<std::size_t>(scan.views.count()));
  std::size_t found = 0;
  for (Ordinal view = 0; view < scan.views.count(); ++view) {
    const ViewOrbits::Image& image = orbits.images[static_cast<std::size_t>(view)];
    if (image.group == ViewOrbits::none) continue;
    ++found;
    const Ordinal stored = orbits.stored[static_cast<std::size_t>(image.group)];
    const unsigned g = orbits.maps[static_cast<std::size_t>(image.map)];
    for (const Ordinal d : {Ordinal{0}, Ordinal{17}, scan.detectors - 1}) {
      const auto ray = ray_of(scan, view, d);
      const auto from = ray_of(scan, stored, image.reversed ? scan.detectors - 1 - d : d);
      EXPECT_LT(distance(ray, mapped(g, from.first)), 1e-9) << "view " << view;
      EXPECT_LT(distance(ray, mapped(g, from.second)), 1e-9) << "view " << view;
    }
  }
  EXPECT_EQ(found, views.size());
}

/// Groups all views and checks the numbers of maps and of stored views.
void expect_groups(const ScanGeometry& scan, std::size_t maps, std::size_t stored,
                   const VolumeGeometry& volume = square) {
  const auto views = all_views(scan);
  const ViewOrbits orbits = find_view_orbits(volume, scan, views);
  EXPECT_EQ(orbits.maps.size(), maps);
  EXPECT_EQ(orbits.stored.size(), stored);
  EXPECT_EQ(orbits.cost_of_all(1), scan.views.count());
  EXPECT_LE(orbits.cost(1), orbits.cost_of_all(1));
  expect_images(scan, orbits, views);
}

TEST(ViewOrbits, a_half_turn_of_a_parallel_beam_has_four_images) {
  expect_groups(scan_of(Beam::parallel, 72, ViewAngles::half_turn()), 4, 19);
  expect_groups(scan_of(Beam::parallel, 72, ViewAngles::half_turn(), 1.3), 4, 19);
  // From half a step on, no view is an image of itself.
  expect_groups(
      scan_of(Beam::parallel, 72, ViewAngles::half_turn(), 0, Angle::turns(1, 2 * 2 * 72)), 4, 18);
}

TEST(ViewOrbits, a_whole_turn_of_a_centred_parallel_beam_measures_every_line_twice) {
  expect_groups(scan_of(Beam::parallel, 72, ViewAngles::full_turn()), 4, 10);
  // Without a centre the opposite view has lines of its own.
  const ScanGeometry shifted = scan_of(Beam::parallel, 72, ViewAngles::full_turn(), 1.3);
  const ViewOrbits orbits = find_view_orbits(square, shifted, all_views(shifted));
  EXPECT_GE(orbits.maps.size(), 4U);
  EXPECT_LT(orbits.cost(1), 0.7 * orbits.cost_of_all(1));
  expect_images(shifted, orbits, all_views(shifted));
}

TEST(ViewOrbits, a_whole_turn_of_a_fan_beam_has_eight_images) {
  expect_groups(scan_of(Beam::fan, 144, ViewAngles::full_turn()), 8, 19);
  // Reflections would put the middle of the detector elsewhere.
  expect_groups(scan_of(Beam::fan, 144, ViewAngles::full_turn(), 0.4), 4, 36);
}

TEST(ViewOrbits, views_without_images_stay_alone) {
  // Angles by value are not exact images of each other, but for the multiples of 45 degrees.
  ScanGeometry scan = scan_of(Beam::parallel, 7, ViewAngles::half_turn());
  scan.views = ViewAngles::list({0.1, 0.3, 0.7, 1.1, 2.3});
  expect_groups(scan, 1, 5);
  expect_groups(scan_of(Beam::fan, 9, ViewAngles::half_turn(), 0, Angle::degrees(3)), 1, 9);
}

TEST(ViewOrbits, other_images_share_only_opposite_views) {
  const VolumeGeometry wide{20, 32, 1.0};
  expect_groups(scan_of(Beam::parallel, 72, ViewAngles::half_turn()), 1, 72, wide);
  expect_groups(scan_of(Beam::parallel, 72, ViewAngles::full_turn()), 1, 36, wide);
  VolumeGeometry shifted = square;
  shifted.center_x = 2;
  expect_groups(scan_of(Beam::parallel, 72, ViewAngles::full_turn()), 1, 36, shifted);
}

TEST(ViewOrbits, a_part_of_the_views_has_images_among_itself) {
  const ScanGeometry scan = scan_of(Beam::parallel, 72, ViewAngles::half_turn());
  std::vector<Ordinal> views;
  for (Ordinal view = 1; view < 36; ++view) views.push_back(view);
  const ViewOrbits orbits = find_view_orbits(square, scan, views);
  EXPECT_EQ(orbits.maps.size(), 2U);
  EXPECT_EQ(orbits.stored.size(), 18U);
  EXPECT_EQ(orbits.images[0].group, ViewOrbits::none);
  EXPECT_EQ(orbits.images[40].group, ViewOrbits::none);
  expect_images(scan, orbits, views);
}

}  // namespace
