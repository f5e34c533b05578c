// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_PolarImages.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipse.hpp>
#include <numbers>
#include <vector>

namespace {

using namespace Tomokkos;
using std::numbers::pi;

double phantom_value(const EllipsoidPhantom& phantom, const Impl::HalfExtent3D& extent, double x,
                     double y, double z) {
  return Impl::density(Impl::cut(Impl::place(phantom, extent), z), phantom.clamp_at_zero, x, y);
}

/// Integral of an image in polar voxels.
template <class Scalar>
double mass(const PolarGrid& grid, const std::vector<Scalar>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += values[i] * grid.voxel_volume(grid.voxel(static_cast<Ordinal>(i)).ring);
  return sum;
}

TEST(SolidPhantoms, shepp_logan_has_the_known_densities) {
  const Impl::HalfExtent3D extent{10, 10, 5};
  const auto value = [&](SolidPhantomKind kind, double x, double y, double z) {
    return phantom_value(make_solid_phantom(kind), extent, 10 * x, 10 * y, 5 * z);
  };
  struct Point {
    double x, y, z, modified, original;
  };
  for (const Point& p : {Point{0, 0.9, 0, 1.0, 2.0},        // skull
                         Point{0, 0, 0.8, 1.0, 2.0},        // its top
                         Point{0, 0, 0.82, 0.0, 0.0},       // above it
                         Point{0, -0.8, 0, 0.2, 1.02},      // brain
                         Point{0.22, 0, 0, 0.0, 1.0},       // right ventricle
                         Point{0.22, 0, 0.23, 0.2, 1.02},   // above it
                         Point{-0.22, 0, 0.23, 0.0, 1.0},   // the left ventricle is higher
                         Point{0, 0.45, -0.3, 0.3, 1.03},   // large tumour
                         Point{0, 0.45, -0.57, 0.2, 1.02},  // below it
                         Point{0, 0.12, 0.25, 0.3, 1.03},   // a small tumour above the middle
                         Point{-0.08, -0.605, 0.04, 0.3, 1.03}}) {
    EXPECT_NEAR(value(SolidPhantomKind::shepp_logan, p.x, p.y, p.z), p.modified, 1e-15);
    EXPECT_NEAR(value(SolidPhantomKind::shepp_logan_original, p.x, p.y, p.z), p.original, 1e-15);
  }
}

TEST(SolidPhantoms, every_name_gives_its_kind) {
  for (const auto& [kind, name] : EnumNames<SolidPhantomKind>::names) {
    EXPECT_EQ(from_string<SolidPhantomKind>(name), kind);
    EXPECT_FALSE(make_solid_phantom(kind).shapes.empty());
  }
}

TEST(SolidPhantoms, voxels_are_means_of_values_at_points) {
  const VolumeGeometry3D volume{5, 6, 7, 0.5, 0.8};
  EllipsoidPhantom phantom{{{2, 0.1, -0.2, 0.15, 0.7, 0.4, 0.6, 0.5}, {-3, 0, 0, 0, 1, 1, 1}}};
  for (const bool clamp : {false, true}) {
    phantom.clamp_at_zero = clamp;
    const auto values = sample_phantom(phantom, volume, 2);
    ASSERT_EQ(values.size(), 210U);
    for (Ordinal index = 0; index < 210; ++index) {
      double mean = 0;
      for (const double dz : {-0.2, 0.2})
        for (const double dy : {-0.125, 0.125})
          for (const double dx : {-0.125, 0.125})
            mean += phantom_value(phantom, {1.75, 1.5, 2.0}, volume.slice().x(index % 7) + dx,
                                  volume.slice().y(index / 7 % 6) + dy, volume.z(index / 42) + dz) /
                    8;
      ASSERT_NEAR(values[static_cast<std::size_t>(index)], mean, 1e-14);
    }
  }
  // Slice 0 is at the smallest z.
  phantom = {{{1, 0, 0, -0.9, 2, 2, 0.2}}};
  const auto below = sample_phantom(phantom, volume);
  EXPECT_EQ(below.front(), 1);
  EXPECT_EQ(below.back(), 0);
}

TEST(SolidPhantoms, refuse_invalid_shapes_and_samplings) {
  const EllipsoidPhantom ball = make_solid_phantom(SolidPhantomKind::ball);
  EXPECT_THROW(sample_phantom(ball, VolumeGeometry3D{1, 1, 1, 1, 1}, 0), Error);
  EXPECT_THROW(sample_phantom(ball, VolumeGeometry3D{0, 1, 1, 1, 1}), Error);
  EXPECT_THROW(sample_phantom(ball, PolarGrid({1, 1, 1, 1, 5, 1}), -1), Error);
  EXPECT_THROW(
      sample_phantom(EllipsoidPhantom{{{1, 0, 0, 0, 1, 0, 1}}}, VolumeGeometry3D{1, 1, 1, 1, 1}),
      Error);
  EXPECT_THROW(phantom_value(ball, {1, 0, 1}, 0, 0, 0), Error);
}

/// Most voxels lie entirely inside or outside the shapes, and the mass equals that of the
/// ellipsoids.
TEST(PolarImages, phantoms_keep_their_position_and_mass) {
  const PolarGrid grid({10, 16, 24, 20, 30, 1});
  for (const int s : {1, 3}) {
    const EllipsoidPhantom phantom{
        {{1.5, 0.3, -0.2, 0.1, 0.5, 0.25, 0.6, 0.7}, {0.5, -0.4, 0.4, -0.3, 0.3, 0.3, 0.3}}};
    const auto values = sample_phantom(phantom, grid, s);
    ASSERT_EQ(values.size(), static_cast<std::size_t>(grid.num_voxels()));
    const double expected = 4 * pi / 3 * 100 * 8 * (1.5 * 0.5 * 0.25 * 0.6 + 0.5 * 0.3 * 0.3 * 0.3);
    EXPECT_NEAR(mass(grid, values) / expected, 1, s == 1 ? 0.03 : 0.01);
    Ordinal inner = 0;
    for (Ordinal i = 0; i < grid.num_voxels(); ++i) {
      const auto [x, y, z] = grid.center(grid.voxel(i));
      const double value = values[static_cast<std::size_t>(i)];
      const double middle = phantom_value(phantom, {10, 10, 8}, x, y, z);
      if (value == 1.5 || value == 0.5 || value == 0) ++inner;
      EXPECT_LT(std::fabs(value - middle), s == 1 ? 2.1 : 1.45) << i;
    }
    EXPECT_GT(inner, grid.num_voxels() * 9 / 10);
  }
}

TEST(PolarImages, plane_phantoms_extend_through_all_slices) {
  const PolarGrid grid({10, 16, 30, 4, 40, 1});
  const EllipsePhantom disc = make_phantom(PhantomKind::off_center_disc);
  const auto values = sample_phantom(disc, grid, 3);
  EXPECT_NEAR(mass(grid, values) / (pi * 9 * 16), 1, 0.01);
  for (Ordinal ring = 0; ring < 30; ++ring)
    for (Ordinal sector = 0; sector < grid.sectors(ring); ++sector) {
      const auto [x, y, z] = grid.center({0, ring, sector});
      const double apart = std::hypot(x - 3.5, y + 2.5);
      for (Ordinal slice = 0; slice < 4; ++slice) {
        const double value = values[static_cast<std::size_t>(grid.index({slice, ring, sector}))];
        if (apart < 2.6) {
          EXPECT_EQ(value, 1);
        }
        if (apart > 3.4) {
          EXPECT_EQ(value, 0);
        }
      }
    }
}

TEST(PolarImages, constant_images_stay_constant) {
  const PolarGrid grid({10, 12, 9, 6, 8, 1});
  const VolumeGeometry3D volume{12, 42, 40, 0.5, 1};
  const std::vector<float> ones(static_cast<std::size_t>(volume.num_voxels()), 2.5F);
  for (const int s : {1, 2, 3}) {
    const auto polar = polar_from_cartesian<float>(grid, volume, ones, s);
    for (const float value : polar) ASSERT_EQ(value, 2.5F);
    const auto back = cartesian_from_polar<float>(volume, grid, polar, s);
    for (std::size_t i = 0; i < back.size(); ++i) {
      const auto index = static_cast<Ordinal>(i);
      const double apart =
          std::hypot(volume.slice().x(index % 40), volume.slice().y(index / 40 % 42));
      if (apart < 9.6) {
        ASSERT_EQ(back[i], 2.5F);
      }
      if (apart > 10.4) {
        ASSERT_EQ(back[i], 0.0F);
      }
    }
  }
  // Everything beyond the cylinder or the box is zero.
  const auto tall = cartesian_from_polar<double>(
      {3, 1, 1, 1, 12}, grid, std::vector<double>(static_cast<std::size_t>(grid.num_voxels()), 1));
  EXPECT_EQ(tall, (std::vector<double>{0, 1, 0}));
  const auto part = polar_from_cartesian<double>(grid, {1, 1, 1, 1, 2}, std::vector<double>{1});
  EXPECT_EQ(part.front(), 0);
  EXPECT_EQ(*std::max_element(part.begin(), part.end()), 0);
  const auto beside =
      polar_from_cartesian<double>(grid, {1, 4, 4, 1, 2}, std::vector<double>(16, 1));
  EXPECT_EQ(beside[static_cast<std::size_t>(grid.index({2, 0, 0}))], 1);
  EXPECT_EQ(beside[static_cast<std::size_t>(grid.index({2, 3, 0}))], 0);
  EXPECT_EQ(beside[static_cast<std::size_t>(grid.index({1, 0, 0}))], 0);
}

/// A conversion and the conversion back change a smooth image by about as much as it varies between
/// neighbouring voxels.
TEST(PolarImages, a_smooth_image_comes_back) {
  const PolarGrid grid({10, 10, 40, 20, 30, 1});
  const VolumeGeometry3D volume{20, 80, 80, 0.25, 0.5};
  const auto smooth = [](double x, double y, double z) {
    return 2 + std::cos(0.3 * x + 0.1) * std::sin(0.25 * y - 0.2) + 0.3 * std::cos(0.4 * z);
  };
  std::vector<double> image;
  for (Ordinal i = 0; i < volume.num_voxels(); ++i)
    image.push_back(
        smooth(volume.slice().x(i % 80), volume.slice().y(i / 80 % 80), volume.z(i / 6400)));
  const auto polar = polar_from_cartesian<double>(grid, volume, image, 3);
  for (Ordinal i = 0; i < grid.num_voxels(); ++i) {
    const auto [x, y, z] = grid.center(grid.voxel(i));
    ASSERT_NEAR(polar[static_cast<std::size_t>(i)], smooth(x, y, z), 0.04) << i;
  }
  const auto back = cartesian_from_polar<double>(volume, grid, polar, 3);
  double worst = 0, squares = 0, count = 0;
  for (Ordinal i = 0; i < volume.num_voxels(); ++i) {
    if (std::hypot(volume.slice().x(i % 80), volume.slice().y(i / 80 % 80)) > 9.6) continue;
    const double error = back[static_cast<std::size_t>(i)] - image[static_cast<std::size_t>(i)];
    worst = std::max(worst, std::fabs(error));
    squares += error * error;
    ++count;
  }
  EXPECT_LT(worst, 0.06);
  EXPECT_LT(std::sqrt(squares / count), 0.015);
}

TEST(PolarImages, refuse_values_of_another_volume) {
  const PolarGrid grid({1, 1, 2, 1, 5, 1});
  const VolumeGeometry3D volume{1, 2, 2, 1, 1};
  const std::vector<float> three(3), four(4);
  EXPECT_THROW(polar_from_cartesian<float>(grid, volume, three), DimensionMismatch);
  EXPECT_THROW(polar_from_cartesian<float>(grid, volume, four, 0), Error);
  EXPECT_THROW(cartesian_from_polar<float>(volume, grid, three), DimensionMismatch);
  const std::vector<float> all(static_cast<std::size_t>(grid.num_voxels()));
  EXPECT_NO_THROW(cartesian_from_polar<float>(volume, grid, all));
  EXPECT_THROW(cartesian_from_polar<float>(volume, grid, all, 0), Error);
}

}  // namespace
