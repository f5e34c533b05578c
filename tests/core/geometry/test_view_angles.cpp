// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_AngleDirection.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace {

using Tomokkos::Angle;
using Tomokkos::describe_angles;
using Tomokkos::Ordinal;
using Tomokkos::ViewAngles;
using Tomokkos::ViewDirection;

constexpr double pi = std::numbers::pi;

void expect_fraction(const Angle& angle, std::int64_t numerator, std::int64_t denominator) {
  ASSERT_TRUE(angle.is_fraction());
  EXPECT_EQ(angle.numerator(), numerator);
  EXPECT_EQ(angle.denominator(), denominator);
}

TEST(Angle, decimal_degrees_are_exact) {
  expect_fraction(Angle::parse("180 deg"), 1, 2);
  expect_fraction(Angle::parse("0.25deg"), 1, 1440);
  expect_fraction(Angle::parse("  -22.5 degrees "), -1, 16);
  expect_fraction(Angle::parse("+1.8e2 deg"), 1, 2);
  expect_fraction(Angle::parse("36000e-2 deg"), 1, 1);
  expect_fraction(Angle::parse("0 deg"), 0, 1);
  expect_fraction(Angle::parse("0.1 deg"), 1, 3600);
  expect_fraction(Angle::degrees(0.1), 1, 3600);
  expect_fraction(Angle::degrees(-137.508), -11459, 30000);
  expect_fraction(Angle::turns(6, 8), 3, 4);
}

TEST(Angle, simple_multiples_of_pi_are_exact) {
  expect_fraction(Angle::radians(0.0), 0, 1);
  expect_fraction(Angle::radians(pi), 1, 2);
  expect_fraction(Angle::radians(-pi / 2), -1, 4);
  expect_fraction(Angle::radians(2 * pi), 1, 1);
  expect_fraction(Angle::radians(pi / 7), 1, 14);
  expect_fraction(Angle::radians(1439 * pi / 1440), 1439, 2880);
  expect_fraction(Angle::radians(std::nextafter(pi, 4.0)), 1, 2);
  expect_fraction(Angle::parse("3.141592653589793"), 1, 2);
  for (int denominator = 1; denominator <= 1440; ++denominator) {
    const Angle angle = Angle::radians(5 * pi / denominator);
    ASSERT_TRUE(angle.is_fraction()) << denominator;
    ASSERT_EQ(angle.numerator() * 2 * denominator, 5 * angle.denominator()) << denominator;
  }
}

TEST(Angle, other_radians_are_kept_unchanged) {
  for (const double value : {0.1, 1.0, -2.5, 3.14159265, pi * (1 + 1e-14), pi / 1447, 1e-300}) {
    const Angle angle = Angle::radians(value);
    EXPECT_FALSE(angle.is_fraction()) << value;
    EXPECT_EQ(angle.in_radians(), value);
  }
  EXPECT_EQ(Angle::parse("1.5 rad").in_radians(), 1.5);
  EXPECT_EQ(Angle::parse("1.5").in_radians(), 1.5);
  EXPECT_NEAR(Angle::parse("0.123456789012345678 deg").in_radians(), 0.00215472745, 1e-11);
}

TEST(Angle, refuses_text_and_numbers_that_are_not_angles) {
  for (const char* text : {"", " ", "deg", "ninety deg", "1,5 deg", "1.5 grad", "nan", "inf deg",
                           "1.5.2", "1e deg", "--3", "5 deg rad", "0x10", "1e999"}) {
    EXPECT_THROW(Angle::parse(text), Tomokkos::Error) << text;
  }
  EXPECT_THROW(Angle::degrees(std::numeric_limits<double>::infinity()), Tomokkos::Error);
  EXPECT_THROW(Angle::radians(std::numeric_limits<double>::quiet_NaN()), Tomokkos::Error);
  EXPECT_THROW(Angle::turns(1, 0), Tomokkos::Error);
  EXPECT_THROW(Angle::turns(1, std::int64_t{1} << 50), Tomokkos::Error);
  EXPECT_THROW(Angle::turns(5000, 1), Tomokkos::Error);
}

TEST(ViewAngles, directions_equal_cosine_and_sine) {
  for (const ViewAngles& views :
       {ViewAngles::evenly_spaced(97, Angle::radians(0.3), ViewAngles::full_turn()),
        ViewAngles::evenly_spaced(360, Angle::degrees(-400), Angle::degrees(720)),
        ViewAngles::evenly_spaced(11, Angle::degrees(90), Angle::degrees(-180)),
        ViewAngles::evenly_spaced(50, Angle::radians(0.1), Angle::radians(2.0)),
        ViewAngles::list({0.0, 0.7, 0.8, 1.6, 2.4, 3.2, 4.0, 4.8, 5.6, -0.1, -50.0, 1e-9})}) {
    for (Ordinal view = 0; view < views.count(); ++view) {
      const ViewDirection direction = views.direction(view);
      EXPECT_GE(direction.a, direction.b);
      EXPECT_GE(direction.b, 0);
      EXPECT_NEAR(direction.cosine(), std::cos(views.radians(view)), 2e-14) << view;
      EXPECT_NEAR(direction.sine(), std::sin(views.radians(view)), 2e-14) << view;
    }
  }
}

TEST(ViewAngles, axes_and_diagonals_are_exact) {
  const double diagonal = std::sqrt(0.5);
  const double cosines[] = {1, diagonal, 0, -diagonal, -1, -diagonal, 0, diagonal};
  const double sines[] = {0, diagonal, 1, diagonal, 0, -diagonal, -1, -diagonal};
  const ViewAngles even = ViewAngles::evenly_spaced(8, {}, ViewAngles::full_turn());
  std::vector<double> angles;
  for (int k = 0; k < 8; ++k) angles.push_back(k * (pi / 4));
  for (const double turns : {-8 * pi, 2 * pi, 20 * pi}) {
    for (int k = 0; k < 8; ++k) angles.push_back(k * (pi / 4) + turns);
  }
  const ViewAngles listed = ViewAngles::list(angles);
  for (Ordinal view = 0; view < listed.count(); ++view) {
    EXPECT_EQ(listed.direction(view).cosine(), cosines[view % 8]) << view;
    EXPECT_EQ(listed.direction(view).sine(), sines[view % 8]) << view;
    EXPECT_EQ(even.direction(view % 8).cosine(), cosines[view % 8]);
    EXPECT_EQ(even.direction(view % 8).sine(), sines[view % 8]);
    EXPECT_FALSE(std::signbit(even.direction(0).sine()));
  }
  // The angle is not a multiple of pi / 4, so the library computes its cosine.
  EXPECT_EQ(ViewAngles::list({pi / 2 + 1e-12}).direction(0).cosine(), std::cos(pi / 2 + 1e-12));
}

/// Views that are mirror images of each other have bit-equal octant directions, even if the angles
/// are described in different ways.
TEST(ViewAngles, mirrored_views_have_equal_bits) {
  for (const Ordinal quarter : {1, 2, 3, 5, 45, 90, 111}) {
    const Ordinal count = 4 * quarter;
    const ViewAngles views = ViewAngles::evenly_spaced(count, {}, ViewAngles::full_turn());
    const ViewAngles halves =
        ViewAngles::evenly_spaced(2 * count, Angle::degrees(-90), Angle::radians(4 * pi));
    for (Ordinal view = 0; view < count; ++view) {
      const ViewDirection direction = views.direction(view);
      const Ordinal partners[] = {(count - view) % count, (2 * quarter + count - view) % count,
                                  (quarter + count - view) % count, (view + quarter) % count};
      for (const Ordinal partner : partners) {
        EXPECT_EQ(views.direction(partner).a, direction.a);
        EXPECT_EQ(views.direction(partner).b, direction.b);
      }
      EXPECT_EQ(halves.direction(view + quarter).cosine(), direction.cosine());
      EXPECT_EQ(halves.direction(view + quarter).sine(), direction.sine());
    }
  }
}

TEST(ViewAngles, refuses_unusable_lists) {
  EXPECT_THROW(ViewAngles::evenly_spaced(0), Tomokkos::Error);
  EXPECT_THROW(ViewAngles::evenly_spaced(-3), Tomokkos::Error);
  EXPECT_THROW(ViewAngles::list({}), Tomokkos::Error);
  try {
    ViewAngles::list({0.0, 0.1, std::numeric_limits<double>::quiet_NaN()});
    FAIL() << "a NaN was accepted";
  } catch (const Tomokkos::Error& error) {
    EXPECT_NE(std::string(error.what()).find("view 2 is nan"), std::string::npos) << error.what();
  }
}

TEST(ScanGeometry, gives_the_positions_of_elements) {
  Tomokkos::ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(3);
  scan.detectors = 5;
  scan.detector_width = 0.5;
  EXPECT_EQ(scan.position(0), -1.0);
  EXPECT_EQ(scan.position(2), 0.0);
  scan.detector_offset = 0.25;
  EXPECT_EQ(scan.position(2), 0.125);
  EXPECT_EQ(scan.center_index(), 1.75);
  scan.detector_offset.reset();
  scan.rotation_center = 1.75;
  EXPECT_EQ(scan.position(2), 0.125);
  EXPECT_EQ(scan.num_rays(), 15);
  EXPECT_NO_THROW(check(scan));
}

TEST(ScanGeometry, row_zero_of_a_volume_is_at_the_top) {
  const Tomokkos::VolumeGeometry volume{3, 4, 2.0};
  EXPECT_EQ(volume.x(0), -3.0);
  EXPECT_EQ(volume.x(3), 3.0);
  EXPECT_EQ(volume.y(0), 2.0);
  EXPECT_EQ(volume.y(2), -2.0);
  EXPECT_EQ(volume.radius(), 5.0);
  EXPECT_EQ(volume.num_pixels(), 12);
}

TEST(ScanGeometry, converts_enumerations_to_and_from_text) {
  EXPECT_EQ(Tomokkos::to_string(Tomokkos::Projector::strip), "strip");
  EXPECT_EQ(Tomokkos::from_string<Tomokkos::Projector>("linear"), Tomokkos::Projector::linear);
  EXPECT_FALSE(Tomokkos::from_string<Tomokkos::Projector>("joseph"));
  EXPECT_EQ(Tomokkos::from_string<Tomokkos::Beam>("fan_beam"), Tomokkos::Beam::fan);
}

TEST(ViewAngles, chosen_views_keep_their_directions) {
  const ViewAngles all = ViewAngles::evenly_spaced(28);
  const ViewAngles some = all.chosen({0, 5, 14, 3});
  ASSERT_EQ(some.count(), 4);
  EXPECT_FALSE(some.is_evenly_spaced());
  const Ordinal views[] = {0, 5, 14, 3};
  for (Ordinal k = 0; k < 4; ++k) {
    EXPECT_EQ(some.radians(k), all.radians(views[k]));
    EXPECT_EQ(some.direction(k).a, all.direction(views[k]).a);
    EXPECT_EQ(some.direction(k).b, all.direction(views[k]).b);
    EXPECT_EQ(some.direction(k).symmetry, all.direction(views[k]).symmetry);
  }
  EXPECT_THROW(all.chosen({}), Tomokkos::Refused);
}

TEST(ViewAngles, are_described_by_first_last_and_step) {
  const auto listed = [](std::vector<double> degrees) {
    for (double& angle : degrees) angle *= pi / 180;
    return describe_angles(ViewAngles::list(std::move(degrees)));
  };
  EXPECT_EQ(
      describe_angles(ViewAngles::evenly_spaced(181, Angle::degrees(0.4), Angle::degrees(180))),
      "181 views, 0.4 to 179.4 deg, step 0.994 deg");
  std::vector<double> clockwise;
  for (int view = 0; view <= 180; ++view) clockwise.push_back(-0.4 - view);
  EXPECT_EQ(listed(clockwise), "181 views, -0.4 to -180.4 deg, step -1.000 deg");
  EXPECT_EQ(listed({0, 0.5, 2.6, 3.1}), "4 views, 0 to 3.1 deg, steps 0.5 to 2.1 deg");
  EXPECT_EQ(listed({0, 10, 5}), "3 views, 0 to 5 deg, steps -5 to 10 deg");
  EXPECT_EQ(listed({0, 0.02, 0.04}), "3 views, 0 to 0.04 deg, step 0.0200 deg");
  EXPECT_EQ(listed({30}), "1 view, at 30 deg");
  EXPECT_EQ(listed({5, 5, 5}), "3 views, 5 to 5 deg, step 0.000 deg");
}

TEST(ViewAngles, clockwise_angles_are_negated) {
  using Tomokkos::AngleDirection;
  using Tomokkos::counterclockwise_angles;
  const auto even = ViewAngles::evenly_spaced(7, Angle::degrees(0.4), Angle::degrees(180));
  const auto listed = ViewAngles::list({0.1, -2, 3});
  for (const ViewAngles& views : {even, listed}) {
    const ViewAngles same = counterclockwise_angles(views, AngleDirection::counterclockwise);
    const ViewAngles turned = counterclockwise_angles(views, AngleDirection::clockwise);
    ASSERT_EQ(turned.count(), views.count());
    EXPECT_EQ(turned.is_evenly_spaced(), views.is_evenly_spaced());
    for (Ordinal view = 0; view < views.count(); ++view) {
      EXPECT_EQ(same.radians(view), views.radians(view));
      EXPECT_EQ(turned.radians(view), -views.radians(view));
    }
  }
  const ViewAngles turned = counterclockwise_angles(even, AngleDirection::clockwise);
  EXPECT_TRUE(turned.start().is_fraction() && turned.range().is_fraction());
  EXPECT_EQ(describe_angles(
                counterclockwise_angles(ViewAngles::evenly_spaced(4), AngleDirection::clockwise)),
            "4 views, 0 to -135 deg, step -45.000 deg");
}

}  // namespace
