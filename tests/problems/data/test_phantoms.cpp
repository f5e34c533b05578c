// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Phantoms.hpp>

#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipse.hpp>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "Complaint.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double area(double radius) { return std::numbers::pi * radius * radius; }

double phantom_value(const EllipsePhantom& phantom, const HalfExtent& extent, double x, double y) {
  double sum = 0.0;
  for (const Impl::PlacedEllipse& ellipse : Impl::place(phantom, extent))
    if (ellipse.contains(x, y)) sum += ellipse.value;
  return phantom.clamp_at_zero ? std::max(sum, 0.0) : sum;
}

EllipsePhantom single_ellipse(PhantomScaling scaling) {
  EllipsePhantom phantom;
  phantom.shapes.push_back({2.0, 0.1, -0.2, 0.6, 0.3, std::numbers::pi / 6});
  phantom.scaling = scaling;
  return phantom;
}

TEST(Phantoms, every_name_gives_its_kind) {
  std::set<std::string_view> names;
  for (const auto& [kind, name] : EnumNames<PhantomKind>::names) {
    EXPECT_EQ(from_string<PhantomKind>(name), kind);
    EXPECT_EQ(to_string(kind), name);
    EXPECT_EQ(sample_phantom(kind, 6, 9).size(), 54u) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 8u);
  EXPECT_FALSE(from_string<PhantomKind>("shepp-logan").has_value());
}

// Densities at points in known parts of the head.
TEST(Phantoms, shepp_logan_has_the_known_densities) {
  const auto value = [](PhantomKind kind, double x, double y) {
    return phantom_value(make_phantom(kind), {1.0, 1.0}, x, y);
  };
  struct Case {
    double x, y, modified, original;
  };
  for (const Case& c : {Case{0.0, 0.9, 1.0, 2.0},        // skull
                        Case{0.0, -0.8, 0.2, 1.02},      // brain
                        Case{0.22, 0.0, 0.0, 1.0},       // right ventricle
                        Case{-0.22, 0.0, 0.0, 1.0},      // left ventricle
                        Case{0.0, 0.45, 0.3, 1.03},      // upper large tumour
                        Case{-0.08, -0.605, 0.3, 1.03},  // lower small tumour
                        Case{0.0, 0.12, 0.4, 1.04},      // two overlapping tumours
                        Case{0.95, 0.95, 0.0, 0.0}}) {   // outside
    EXPECT_NEAR(value(PhantomKind::shepp_logan, c.x, c.y), c.modified, 1e-15);
    EXPECT_NEAR(value(PhantomKind::shepp_logan_original, c.x, c.y), c.original, 1e-15);
  }
}

TEST(Phantoms, forbild_head_has_the_known_densities) {
  const EllipsePhantom head = make_phantom(PhantomKind::forbild_head);
  EXPECT_EQ(head.shapes.size(), 80u + 17u + 54u);
  const auto value = [&](double x, double y) { return phantom_value(head, {12.8, 12.8}, x, y); };
  EXPECT_NEAR(value(0.0, 11.7), 1.800, 1e-12);  // skull
  EXPECT_NEAR(value(0.0, 1.5), 1.050, 1e-12);   // brain
  EXPECT_NEAR(value(-4.7, 4.3), 1.060, 1e-12);  // eye
  EXPECT_NEAR(value(0.0, 7.0), 0.0, 1e-12);     // frontal sinus: air
  EXPECT_NEAR(value(0.0, 9.6), 1.800, 1e-12);   // bone in it, cut to 0.4 x 1.2
  EXPECT_NEAR(value(0.21, 9.6), 0.0, 1e-12);
  EXPECT_NEAR(value(0.0, 10.21), 0.0, 1e-12);
  EXPECT_NEAR(value(0.19, 10.2), 1.800, 1e-12);
  EXPECT_NEAR(value(-0.19, 9.0), 1.800, 1e-12);
  EXPECT_NEAR(value(-0.21, 9.6), 0.0, 1e-12);
  EXPECT_NEAR(value(0.0, 8.99), 0.0, 1e-12);
  EXPECT_NEAR(value(1.19, 3.85), 1.800, 1e-12);  // bar below it, cut to 2.4 x 0.56
  EXPECT_NEAR(value(1.21, 3.85), 1.050, 1e-12);
  EXPECT_NEAR(value(-1.19, 3.33), 1.800, 1e-12);
  EXPECT_NEAR(value(-1.21, 3.6), 1.050, 1e-12);
  EXPECT_NEAR(value(0.0, 3.89), 1.050, 1e-12);
  EXPECT_NEAR(value(0.0, 3.31), 1.050, 1e-12);
  EXPECT_NEAR(value(0.0, -3.6), 1.045, 1e-12);  // ventricle
  EXPECT_NEAR(value(6.39395, -6.39395), 1.055, 1e-12);
  EXPECT_NEAR(value(-1.08, -9.0), 1.0525, 1e-12);
  EXPECT_NEAR(value(1.08, -9.0), 1.0475, 1e-12);
  EXPECT_NEAR(value(0.0, -11.0), 1.800, 1e-12);  // occipital protuberance
  EXPECT_NEAR(value(0.0, -10.8), 1.800, 1e-12);
  EXPECT_NEAR(value(0.0, -10.5), 1.800, 1e-12);
  EXPECT_NEAR(value(0.6, -10.5), 1.050, 1e-12);
  EXPECT_NEAR(value(-0.6, -10.5), 1.050, 1e-12);
  EXPECT_NEAR(value(5.2, 0.0), 1.800, 1e-12);  // right ear: bone ...
  EXPECT_NEAR(value(8.8, 0.0), 0.0, 1e-12);    // ... with holes
  EXPECT_NEAR(value(8.6, 0.2 * std::sqrt(3.0)), 0.0, 1e-12);
  EXPECT_NEAR(value(8.6, 0.0), 1.800, 1e-12);
  EXPECT_NEAR(value(8.95, 0.9), 1.800, 1e-12);   // skull beside the cut
  EXPECT_NEAR(value(-7.0, -1.0), 1.800, 1e-12);  // left ear: discs of bone in brain
  EXPECT_NEAR(value(-7.0, -1.0 + 0.0357), 1.050, 1e-12);
  EXPECT_NEAR(value(-6.76, -1.0 + 3 * 0.48 + 8 * 0.0250), 1.800, 1e-12);
  EXPECT_NEAR(value(-9.7, 0.0), 0.0, 1e-12);
}

// Without the clamp, no density is negative beyond rounding. Analytic sinograms ignore the clamp,
// so this is necessary for them to match the sampled phantom.
TEST(Phantoms, clamp_only_removes_rounding) {
  for (const auto& [kind, name] : EnumNames<PhantomKind>::names) {
    if (!is_made_of_ellipses(kind)) continue;
    EllipsePhantom phantom = make_phantom(kind);
    phantom.clamp_at_zero = false;
    const std::vector<double> image = sample_phantom(phantom, 701, 699);
    EXPECT_GE(*std::min_element(image.begin(), image.end()), -1e-15) << name;
    EXPECT_GE(*std::max_element(image.begin(), image.end()), 1.0) << name;
  }
}

TEST(Phantoms, clamp_applies_to_each_point) {
  EllipsePhantom phantom;
  phantom.shapes.push_back({1.0, -0.5, 0.0, 0.5, 2.0, 0.0});
  phantom.shapes.push_back({-1.0, 0.5, 0.0, 0.5, 2.0, 0.0});
  EXPECT_NEAR(sample_phantom(phantom, 1, 1, 64)[0], 0.0, 1e-12);
  phantom.clamp_at_zero = true;
  EXPECT_GT(sample_phantom(phantom, 1, 1, 64)[0], 0.4);
}

// The discs keep their distance, and each of the six sectors has its own size of disc.
TEST(Phantoms, derenzo_discs_form_six_lattices) {
  const EllipsePhantom phantom = make_phantom(PhantomKind::derenzo);
  std::vector<std::set<double>> radii(6);
  for (std::size_t i = 0; i < phantom.shapes.size(); ++i) {
    const Ellipse& disc = phantom.shapes[i];
    EXPECT_EQ(disc.a, disc.b);
    EXPECT_LE(std::hypot(disc.x, disc.y) + disc.a, 0.95 + 1e-12);
    const double turn = std::atan2(disc.y, disc.x) / (2.0 * std::numbers::pi);
    radii[static_cast<std::size_t>(std::floor(6.0 * (turn < 0.0 ? turn + 1.0 : turn)))].insert(
        disc.a);
    double nearest = 10.0;
    for (std::size_t j = 0; j < phantom.shapes.size(); ++j) {
      if (i == j) continue;
      const Ellipse& other = phantom.shapes[j];
      const double distance = std::hypot(disc.x - other.x, disc.y - other.y);
      EXPECT_GE(distance, 2.0 * (disc.a + other.a) * (1.0 - 1e-12));
      if (disc.a == other.a) nearest = std::min(nearest, distance);
    }
    EXPECT_NEAR(nearest, 4.0 * disc.a, 1e-12);
  }
  const double diameters[] = {4.8, 6.4, 7.9, 9.5, 11.1, 12.7};
  for (int sector = 0; sector < 6; ++sector) {
    ASSERT_EQ(radii[sector].size(), 1u) << sector;
    EXPECT_NEAR(*radii[sector].begin(), 0.5 * diameters[sector] / 108.0 * 0.95, 1e-15);
  }
}

TEST(Phantoms, row_zero_is_at_the_top) {
  const std::vector<double> image = sample_phantom(PhantomKind::off_center_disc, 40, 40);
  // The centre (0.35, -0.25) lies in column 27 and row 25. The mirrored positions are empty.
  EXPECT_EQ(image[25 * 40 + 27], 1.0);
  EXPECT_EQ(image[14 * 40 + 27], 0.0);
  EXPECT_EQ(image[25 * 40 + 12], 0.0);
}

TEST(Phantoms, symmetric_phantoms_give_symmetric_images) {
  for (const auto& [rows, columns] : {std::pair{37, 50}, std::pair{64, 64}}) {
    for (const int s : {1, 2, 3}) {
      const std::vector<double> image =
          sample_phantom(make_phantom(PhantomKind::disc), rows, columns, s);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          EXPECT_EQ(image[i * columns + j], image[i * columns + (columns - 1 - j)]);
          EXPECT_EQ(image[i * columns + j], image[(rows - 1 - i) * columns + j]);
        }
    }
  }
}

// A pixel is the value of the phantom at its centre, or the mean of s x s values.
TEST(Phantoms, pixels_are_means_of_values_at_points) {
  for (const PhantomScaling scaling : {PhantomScaling::per_axis, PhantomScaling::uniform}) {
    const EllipsePhantom phantom = single_ellipse(scaling);
    const int rows = 20, columns = 33;
    for (const int s : {1, 3}) {
      const std::vector<double> image = sample_phantom(phantom, rows, columns, s);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          double mean = 0.0;
          for (int k = 0; k < s * s; ++k) {
            const double y = 0.5 * rows - i - (k / s + 0.5) / s;
            const double x = -0.5 * columns + j + (k % s + 0.5) / s;
            mean += phantom_value(phantom, half_extent(rows, columns, 1.0), x, y) / (s * s);
          }
          EXPECT_NEAR(image[i * columns + j], mean, 1e-14);
        }
    }
  }
}

// The edge belongs to the shape: the point (0.5, 0) of a circle of radius 0.5 is a pixel centre.
TEST(Phantoms, edge_is_included) {
  EllipsePhantom phantom;
  phantom.shapes.push_back({1.0, 0.0, 0.0, 0.5, 0.5, 0.0});
  EXPECT_EQ(phantom_value(phantom, {2.0, 2.0}, 1.0, 0.0), 1.0);
  EXPECT_EQ(phantom_value(phantom, {2.0, 2.0}, std::nextafter(1.0, 2.0), 0.0), 0.0);
  EXPECT_EQ(sample_phantom(phantom, 1, 2)[0], 0.0);  // centres at +-0.5, one unit is 0.5
  phantom.shapes[0].a = 1.0;
  EXPECT_EQ(sample_phantom(phantom, 1, 2)[0], 1.0);
}

// In an image that is not square, the half axes are scaled first. Then the ellipse is rotated.
TEST(Phantoms, ellipses_are_scaled_before_they_are_rotated) {
  const HalfExtent extent{4.0, 2.0};
  const double cosine = std::cos(std::numbers::pi / 6), sine = std::sin(std::numbers::pi / 6);
  const auto tip_is_at = [&](PhantomScaling scaling, double unit_x, double unit_y) {
    const EllipsePhantom phantom = single_ellipse(scaling);
    for (const double reach : {1.0 - 1e-9, 1.0 + 1e-9}) {
      const double along = 0.6 * unit_x * reach, across = 0.3 * unit_y * reach;
      const double cx = 0.1 * unit_x, cy = -0.2 * unit_y, expected = reach < 1.0 ? 2.0 : 0.0;
      EXPECT_EQ(phantom_value(phantom, extent, cx + along * cosine, cy + along * sine), expected);
      EXPECT_EQ(phantom_value(phantom, extent, cx - across * sine, cy + across * cosine), expected);
    }
  };
  tip_is_at(PhantomScaling::per_axis, 4.0, 2.0);
  tip_is_at(PhantomScaling::uniform, 2.0, 2.0);
}

TEST(Phantoms, supersampled_mass_is_the_area) {
  const int n = 64;
  const double unit = 0.5 * n;
  EXPECT_NEAR(sum(sample_phantom(PhantomKind::disc, n, n, {.supersampling = 16})), area(0.8 * unit),
              2e-4 * area(0.8 * unit));
  EXPECT_NEAR(sum(sample_phantom(PhantomKind::disc, n, 2 * n, {.supersampling = 16})),
              area(0.8 * unit), 2e-4 * area(0.8 * unit));
  double derenzo = 0.0;
  for (const Ellipse& disc : make_phantom(PhantomKind::derenzo).shapes)
    derenzo += area(disc.a * unit);
  EXPECT_NEAR(sum(sample_phantom(PhantomKind::derenzo, n, n, {.supersampling = 16})), derenzo,
              1e-3 * derenzo);
}

TEST(Phantoms, checkerboard_and_single_pixel_are_sampled) {
  const std::vector<double> board =
      sample_phantom(PhantomKind::checkerboard, 5, 6, {.supersampling = 3, .checkerboard_tile = 2});
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 6; ++j)
      EXPECT_EQ(board[i * 6 + j], (i / 2 + j / 2) % 2 == 0 ? 1.0 : 0.0) << i << ' ' << j;
  const std::vector<double> large = sample_phantom(PhantomKind::checkerboard, 32, 64);
  EXPECT_EQ(large[3], 1.0);  // squares of 32 / 8 pixels
  EXPECT_EQ(large[4], 0.0);
  const std::vector<double> pixel = sample_phantom(PhantomKind::single_pixel, 5, 8);
  EXPECT_EQ(sum(pixel), 1.0);
  EXPECT_EQ(pixel[2 * 8 + 4], 1.0);
}

TEST(Phantoms, refuses_invalid_sizes_and_shapes) {
  const EllipsePhantom disc = make_phantom(PhantomKind::disc);
  EXPECT_THROW(sample_phantom(disc, 0, 4), Error);
  EXPECT_THROW(sample_phantom(disc, 4, -1), Error);
  EXPECT_THROW(sample_phantom(disc, 4, 4, 0), Error);
  EXPECT_THROW(sample_phantom(PhantomKind::single_pixel, 0, 4), Error);
  EXPECT_THROW(sample_phantom(PhantomKind::checkerboard, 4, 4, {.checkerboard_tile = -2}), Error);
  EXPECT_THROW(make_phantom(PhantomKind::checkerboard), Error);
  EXPECT_THROW(make_phantom(PhantomKind::single_pixel), Error);
  EXPECT_THROW(half_extent(4, 4, 0.0), Error);
  EXPECT_THROW(half_extent(4, 4, NAN), Error);
  EllipsePhantom flat = disc;
  flat.shapes[0].b = 0.0;
  EXPECT_COMPLAINT(sample_phantom(flat, 4, 4), "0.8");
}

}  // namespace
