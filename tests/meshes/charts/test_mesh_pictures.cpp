// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChartQuality.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_MeshPictures.hpp>
#include <impl/Tomokkos_Scanline.hpp>
#include <limits>

#include "FileTesting.hpp"
#include "MeshTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

std::size_t count_color(const RgbImage& image, const Rgb& color) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < image.rows; ++i) {
    for (std::size_t j = 0; j < image.columns; ++j) count += image.at(i, j) == color;
  }
  return count;
}

/// Counts pixels in the plain colours of the checkerboard, where nothing is squeezed or stretched.
std::size_t count_filled(const RgbImage& image) {
  return count_color(image, chart_fill) + count_color(image, chart_dark_fill);
}

std::vector<Point2> plane_coordinates(const TriangleMesh& mesh) {
  std::vector<Point2> uv;
  for (const Point3& p : mesh.vertices) uv.push_back({p[0], p[1]});
  return uv;
}

TEST(Scanline, visits_the_pixels_whose_centres_lie_inside) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-5, 25);
  for (int trial = 0; trial < 300; ++trial) {
    std::array<Point2, 3> corners;
    for (Point2& p : corners) p = {uniform(random), uniform(random)};
    std::vector<int> visited(20 * 17, 0);
    Impl::for_each_pixel(
        corners, 20, 17,
        [&](std::size_t row, std::size_t column, const std::array<double, 3>& weights) {
          ++visited[row * 17 + column];
          Point2 p{0, 0};
          for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_GE(weights[k], -1e-9);
            p[0] += weights[k] * corners[k][0];
            p[1] += weights[k] * corners[k][1];
          }
          EXPECT_NEAR(p[0], static_cast<double>(column) + 0.5, 1e-9);
          EXPECT_NEAR(p[1], static_cast<double>(row) + 0.5, 1e-9);
        });
    for (std::size_t k = 0; k < visited.size(); ++k) {
      const Point2 p{static_cast<double>(k % 17) + 0.5, static_cast<double>(k / 17) + 0.5};
      int left = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const Point2 &a = corners[i], &b = corners[(i + 1) % 3];
        left += (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0;
      }
      EXPECT_EQ(visited[k], left == 0 || left == 3) << trial << " " << k;
    }
  }
}

TEST(DrawChart, grids_are_drawn_with_fill_and_edges) {
  const TriangleMesh mesh = flat_grid(5, 10);
  const RgbImage image = draw_chart(mesh, plane_coordinates(mesh), 400);
  EXPECT_EQ(image.columns, 400u);
  EXPECT_NEAR(static_cast<double>(image.rows), 209, 2);
  EXPECT_EQ(image.pixels.size(), 3 * image.rows * image.columns);
  EXPECT_EQ(count_color(image, chart_flip), 0u);
  EXPECT_EQ(image.at(0, 0), chart_background);
  const std::size_t filled = count_filled(image), edges = count_color(image, chart_edge);
  const double scale = (400 - 2 * 9.0) / 10;
  EXPECT_NEAR(static_cast<double>(filled + edges) / (50 * scale * scale), 1, 0.01);
  // Half of the checkerboard is dark.
  EXPECT_NEAR(static_cast<double>(count_color(image, chart_dark_fill)),
              0.5 * static_cast<double>(filled), 0.05 * static_cast<double>(filled));
  EXPECT_GT(edges, 5000u);
  EXPECT_LT(edges, 9000u);
}

TEST(DrawChart, edges_too_short_to_see_are_omitted) {
  const TriangleMesh mesh = flat_grid(100, 100);
  const RgbImage image = draw_chart(mesh, plane_coordinates(mesh), 200);
  EXPECT_EQ(count_color(image, chart_edge), 0u);
  // No pixel between two triangles is missed.
  const auto side = static_cast<std::size_t>(std::lround(200 - 2 * 5.0));
  EXPECT_EQ(count_filled(image), side * side);
}

TEST(DrawChart, large_triangles_keep_their_edges_among_small_ones) {
  // Beside a fine grid lie two triangles that together are as large as the grid.
  TriangleMesh mesh = flat_grid(100, 100);
  const Ordinal first = num_vertices(mesh);
  mesh.vertices.insert(mesh.vertices.end(),
                       {{110, 0, 0}, {210, 0, 0}, {210, 100, 0}, {110, 100, 0}});
  mesh.triangles.insert(mesh.triangles.end(),
                        {{first, first + 1, first + 2}, {first, first + 2, first + 3}});
  const RgbImage image = draw_chart(mesh, plane_coordinates(mesh), 200);
  EXPECT_GT(count_color(image, chart_edge), 300u);
  for (std::size_t i = 0; i < image.rows; ++i) {
    for (std::size_t j = 0; j < 90; ++j) EXPECT_NE(image.at(i, j), chart_edge) << i << " " << j;
  }
}

TEST(DrawChart, colors_show_where_areas_are_squeezed_and_stretched) {
  const TriangleMesh mesh = flat_grid(6, 30);
  // The middle third keeps its size. Along x, the left third is squeezed and the right third is
  // stretched by a factor of 16.
  std::vector<Point2> uv = plane_coordinates(mesh);
  for (Point2& p : uv) {
    if (p[0] < 10) p[0] = 9.375 + p[0] / 16;  // 1/16 of the area, 1/4 of the mean length
    if (p[0] > 20) p[0] = 20 + 16 * (p[0] - 20);
  }
  const RgbImage image = draw_chart(mesh, uv, 400);
  const auto has_light = [&](const Rgb& target) {
    const auto part = [&](std::size_t k) {
      return static_cast<std::uint8_t>(
          std::lround(chart_fill[k] + 0.8 * (target[k] - chart_fill[k])));
    };
    return count_color(image, {part(0), part(1), part(2)}) > 0;
  };
  EXPECT_TRUE(has_light(chart_squeezed));
  EXPECT_TRUE(has_light(chart_stretched));
  EXPECT_GT(count_filled(image), 0u);
  EXPECT_EQ(count_filled(draw_chart(mesh, plane_coordinates(mesh), 400)) > 10000, true);
}

TEST(RenderShaded, the_surface_shows_a_checkerboard_of_the_chart) {
  const TriangleMesh mesh = flat_grid(4, 4);
  // Counts the borders of fields along x and along y for a chart scaled by `factor` along y.
  const auto changes = [&](double factor) {
    std::vector<Point2> uv = plane_coordinates(mesh);
    for (Point2& p : uv) p = {p[0] + 0.001, factor * p[1] + 0.001};
    const RgbImage image = render_shaded(mesh, 480, {.direction = {0, 0, 1}, .chart = uv});
    // The picture lies on its side: its rows run along y. A border may fall within a pixel, hence
    // the tolerances.
    std::array<int, 2> count{0, 0};
    const auto is_dark = [&](std::size_t i, std::size_t j) { return image.at(i, j)[0] < 150; };
    for (std::size_t k = 20; k < 460; ++k) {
      count[1] += is_dark(239, k) != is_dark(239, k - 1);
      count[0] += is_dark(k, 239) != is_dark(k - 1, 239);
    }
    return count;
  };
  // A chart without distortion has 24 fields in each direction.
  EXPECT_NEAR(changes(1)[0], 23, 1);
  EXPECT_NEAR(changes(1)[1], 23, 1);
  // The median area is a quarter, so fields are half as long: 48 lie along x and 12 along y.
  EXPECT_NEAR(changes(0.25)[0], 47, 2);
  EXPECT_NEAR(changes(0.25)[1], 11, 1);
  EXPECT_NE(render_shaded(mesh, 100).pixels,
            render_shaded(mesh, 100, {.chart = plane_coordinates(mesh)}).pixels);
  EXPECT_EQ(render_shaded(mesh, 100).pixels,
            render_shaded(mesh, 100, {.chart = std::vector<Point2>(25, Point2{1, 1})}).pixels)
      << "a chart without area has no checkerboard";
  const std::vector<Point2> few(3);
  EXPECT_THROW(render_shaded(mesh, 100, {.chart = few}), DimensionMismatch);
}

TEST(DrawChart, flips_are_red_however_small) {
  const TriangleMesh mesh = flat_grid(200, 200);
  std::vector<Point2> uv = plane_coordinates(mesh);
  const std::size_t inner = 100 * 201 + 100;
  std::swap(uv[inner], uv[inner + 1]);
  const ChartQuality quality = chart_quality(mesh, uv);
  EXPECT_GT(quality.flips, 0);
  const RgbImage image = draw_chart(mesh, uv, 100);
  const std::size_t red = count_color(image, chart_flip);
  EXPECT_GT(red, 0u);
  EXPECT_LT(red, 60u);
  // v points upwards, so the vertex lies in the middle of the picture.
  bool near = false;
  for (std::size_t i = 48; i < 53; ++i) {
    for (std::size_t j = 48; j < 53; ++j) near = near || image.at(i, j) == chart_flip;
  }
  EXPECT_TRUE(near);
  for (Point2& p : uv) p[0] = -p[0];
  const RgbImage mirrored = draw_chart(mesh, uv, 100);
  EXPECT_EQ(count_filled(mirrored), 0u) << "mirrored: everything is red except what was flipped";
  EXPECT_GT(count_filled(draw_chart(mesh, uv, 100, -1)), 8000u);
}

TEST(DrawChart, the_second_coordinate_points_up) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  const RgbImage image = draw_chart(mesh, plane_coordinates(mesh), 100);
  EXPECT_TRUE(image.at(80, 20) == chart_fill || image.at(80, 20) == chart_dark_fill);
  EXPECT_EQ(image.at(20, 80), chart_background);
}

TEST(DrawChart, degenerate_charts_are_drawn) {
  const TriangleMesh mesh = flat_grid(3, 3);
  std::vector<Point2> uv = plane_coordinates(mesh);
  uv[5] = {std::numeric_limits<double>::quiet_NaN(), 0};
  uv[6] = {0, std::numeric_limits<double>::infinity()};
  EXPECT_GT(count_filled(draw_chart(mesh, uv, 64)), 100u);
  std::fill(uv.begin(), uv.end(), Point2{1, 1});
  EXPECT_GT(draw_chart(mesh, uv, 64).rows, 0u);
  for (std::size_t k = 0; k < uv.size(); ++k) uv[k] = {k % 2 == 0 ? -1e308 : 1e308, 0.0};
  EXPECT_GT(draw_chart(mesh, uv, 64).rows, 0u);
  for (std::size_t k = 0; k < uv.size(); ++k) uv[k] = {k == 0 ? -1e308 : 8e307 - 1e306 * k, 0.0};
  EXPECT_GT(draw_chart(mesh, uv, 64).rows, 0u);
  std::fill(uv.begin(), uv.end(), Point2{0, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_GT(draw_chart(mesh, uv, 64).rows, 0u);
  EXPECT_GT(draw_chart({}, {}, 64).rows, 0u);
  EXPECT_THROW(draw_chart(mesh, uv, 0), Error);
  EXPECT_THROW(draw_chart(mesh, std::span(uv).first(3), 64), DimensionMismatch);
}

TEST(RenderShaded, the_nearer_surface_hides_the_other) {
  // Two squares seen from above. The upper one is smaller, and darker because it is tilted.
  TriangleMesh mesh = flat_grid(1, 1);
  mesh.vertices.insert(
      mesh.vertices.end(),
      {{0.25, 0.25, 0.1}, {0.75, 0.25, 0.6}, {0.75, 0.75, 0.6}, {0.25, 0.75, 0.1}});
  for (const bool reversed : {false, true}) {
    TriangleMesh both = mesh;
    both.triangles.insert(reversed ? both.triangles.begin() : both.triangles.end(),
                          {{4, 5, 6}, {4, 6, 7}});
    const RgbImage image = render_shaded(both, 100, {.direction = {0, 0, 1}});
    EXPECT_EQ(image.rows, 100u);
    EXPECT_EQ(image.columns, 100u);
    EXPECT_EQ(image.at(0, 0), (Rgb{255, 255, 255}));
    const Rgb lower = image.at(15, 15), upper = image.at(50, 50);
    EXPECT_NE(lower, upper);
    EXPECT_EQ(count_color(image, upper) > 1500 && count_color(image, upper) < 2500, true);
    EXPECT_GT(count_color(image, lower), 4000u);
    // Seen from below, the lower square hides the upper one.
    const RgbImage below = render_shaded(both, 100, {.direction = {0, 0, -1}});
    EXPECT_EQ(below.at(50, 50), below.at(15, 15));
    EXPECT_EQ(below.at(15, 15), lower) << "both sides look alike";
  }
}

TEST(RenderShaded, smooth_shading_of_a_sphere_follows_the_sphere) {
  const TriangleMesh mesh = cap({.triangles = 2000}, 1, 90);
  const RgbImage smooth = render_shaded(mesh, 200, {.smooth = true, .direction = {0, 0, 1}});
  const RgbImage flat = render_shaded(mesh, 200, {.direction = {0, 0, 1}});
  const auto roughness = [](const RgbImage& image) {
    int sum = 0;
    for (std::size_t i = 60; i < 140; ++i) {
      for (std::size_t j = 60; j < 140; ++j)
        sum += std::abs(2 * image.at(i, j)[0] - image.at(i, j - 1)[0] - image.at(i, j + 1)[0]);
    }
    return sum;
  };
  EXPECT_LT(2 * roughness(smooth), roughness(flat));
}

TEST(RenderShaded, every_shape_is_visible) {
  const TemporaryFolder folder;
  for (const MeshShape shape :
       {MeshShape::hills, MeshShape::cap, MeshShape::disk, MeshShape::swiss_roll}) {
    SCOPED_TRACE(to_string(shape));
    const RgbImage image = render_shaded(generate_mesh(shape, {.triangles = 5000}), 120);
    EXPECT_EQ(std::max(image.rows, image.columns), 120u);
    const std::size_t pixels = image.rows * image.columns;
    const std::size_t background = count_color(image, {255, 255, 255});
    EXPECT_LT(background, 7 * pixels / 10);
    EXPECT_GT(background, pixels / 20);
    write_png(folder / "a.png", image);
    EXPECT_EQ(read_bytes(folder / "a.png").substr(1, 3), "PNG");
  }
  EXPECT_GT(render_shaded({}, 64).rows, 0u);
  EXPECT_GT(render_shaded(tetrahedron(), 64).rows, 0u);
  EXPECT_THROW(render_shaded({}, 1), Error);
  TriangleMesh mesh = tetrahedron();
  for (const double scale : {1e300, 1e-300}) {
    TriangleMesh scaled = mesh;
    for (Point3& p : scaled.vertices) {
      for (double& x : p) x *= scale;
    }
    EXPECT_EQ(render_shaded(scaled, 64).rows, render_shaded(mesh, 64).rows) << scale;
  }
  mesh.vertices[1][1] = NAN;
  EXPECT_THROW(render_shaded(mesh, 64), Error);
}

}  // namespace
