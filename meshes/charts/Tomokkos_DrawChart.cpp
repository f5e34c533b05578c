// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshPictures.hpp>
#include <Tomokkos_Png.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_Scanline.hpp>
#include <optional>

namespace Tomokkos {
namespace {

// With shorter edges, the edges would cover most of the area between them.
constexpr double visible_edge = 4;
// Side of the smallest visible fields of a checkerboard, in pixels.
constexpr double visible_field = 8;
constexpr int half_cross = 3;

/// Transformation from the plane of the chart to pixels.
struct ChartFrame {
  double left = 0;
  double top = 0;
  double scale = 1;
  double margin = 0;

  Point2 place(const Point2& p) const {
    return {margin + (p[0] - left) * scale, margin + (top - p[1]) * scale};
  }

  /// True if the centre of a pixel lies in a dark field, for fields of \p side pixels.
  bool is_dark(std::size_t row, std::size_t column, double side) const {
    const double i = std::floor((static_cast<double>(row) + 0.5 - margin) / side);
    const double j = std::floor((static_cast<double>(column) + 0.5 - margin) / side);
    return std::fmod(i + j, 2) != 0;
  }
};

class ChartCanvas {
 public:
  ChartCanvas(const TriangleMesh& mesh, std::span<const Point2> uv, std::size_t size)
      : mesh_(mesh), uv_(uv) {
    Point2 low{0, 0}, high{0, 0};
    bool any = false;
    for (const Point2& p : uv) {
      if (!std::isfinite(p[0]) || !std::isfinite(p[1])) continue;
      if (!any) low = high = p;
      any = true;
      for (std::size_t k = 0; k < 2; ++k) {
        low[k] = std::min(low[k], p[k]);
        high[k] = std::max(high[k], p[k]);
      }
    }
    const double longer = std::max(high[0] - low[0], high[1] - low[1]);
    frame_.margin = 0.02 * static_cast<double>(size) + 1;
    const double room = static_cast<double>(size) - 2 * frame_.margin;
    if (longer > 0) frame_.scale = std::isfinite(longer) ? room / longer : 0;
    frame_.left = low[0];
    frame_.top = high[1];
    const auto pixels = [&](double length) {
      const double side = std::isfinite(length) ? length * frame_.scale : room;
      return std::min(size, static_cast<std::size_t>(std::ceil(side + 2 * frame_.margin)));
    };
    image_.columns = pixels(high[0] - low[0]);
    image_.rows = pixels(high[1] - low[1]);
    image_.pixels.assign(3 * image_.rows * image_.columns, 255);
  }

  RgbImage draw(const std::vector<bool>& flipped) {
    const std::size_t count = mesh_.triangles.size();
    const AreaScales scales = area_scales(mesh_, uv_);
    const double side = field_pixels(checkerboard_side(mesh_, scales) * frame_.scale);
    for (std::size_t t = 0; t < count; ++t) {
      if (flipped[t]) continue;
      const Rgb light = tint(chart_fill, scales.relative[t]);
      const Rgb dark = tint(chart_dark_fill, scales.relative[t]);
      fill(t, [&](std::size_t row, std::size_t column) {
        return frame_.is_dark(row, column, side) ? dark : light;
      });
    }
    for (std::size_t t = 0; t < count; ++t) {
      if (edges_are_visible(t)) outline(t, chart_edge);
    }
    for (std::size_t t = 0; t < count; ++t) {
      if (!flipped[t]) continue;
      fill(t, [](std::size_t, std::size_t) { return chart_flip; });
      // Outline and cross make triangles visible that cover no pixel centre.
      outline(t, chart_flip);
      cross(t);
    }
    return std::move(image_);
  }

 private:
  /// Corners of a triangle in pixels; empty if they are not finite.
  std::optional<std::array<Point2, 3>> corners(std::size_t triangle) const {
    std::array<Point2, 3> result;
    for (std::size_t k = 0; k < 3; ++k) {
      result[k] = frame_.place(uv_[static_cast<std::size_t>(mesh_.triangles[triangle][k])]);
      if (!std::isfinite(result[k][0]) || !std::isfinite(result[k][1])) return std::nullopt;
    }
    return result;
  }

  /// Side of a field of the checkerboard in pixels, large enough to be visible; a default if there
  /// is no scale.
  static double field_pixels(double side) {
    if (!(side > 0) || !std::isfinite(side)) return visible_field;
    while (side < visible_field) side *= 2;
    return side;
  }

  /// Blends \p color towards the colour of squeezed or stretched triangles. \p scale is a ratio of
  /// areas.
  static Rgb tint(const Rgb& color, double scale) {
    if (std::isnan(scale)) return color;
    // Half of its logarithm is that of lengths; 2 means a factor of 4.
    const double amount = std::clamp(0.25 * std::log2(scale), -1.0, 1.0);
    const Rgb& target = amount < 0 ? chart_squeezed : chart_stretched;
    Rgb result;
    for (std::size_t k = 0; k < 3; ++k)
      result[k] = static_cast<std::uint8_t>(
          std::lround(color[k] + std::abs(amount) * 0.8 * (target[k] - color[k])));
    return result;
  }

  bool edges_are_visible(std::size_t triangle) const {
    const auto points = corners(triangle);
    if (!points) return false;
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Point2 &p = (*points)[k], &q = (*points)[(k + 1) % 3];
      sum += std::hypot(q[0] - p[0], q[1] - p[1]);
    }
    return sum >= 3 * visible_edge;
  }

  void set(std::size_t row, std::size_t column, const Rgb& color) {
    std::copy(
        color.begin(), color.end(),
        image_.pixels.begin() + static_cast<std::ptrdiff_t>(3 * (row * image_.columns + column)));
  }

  template <class Color>
  void fill(std::size_t triangle, const Color& color) {
    const auto points = corners(triangle);
    if (!points) return;
    Impl::for_each_pixel(*points, image_.rows, image_.columns,
                         [&](std::size_t row, std::size_t column, const auto&) {
                           set(row, column, color(row, column));
                         });
  }

  void outline(std::size_t triangle, const Rgb& color) {
    const auto points = corners(triangle);
    if (!points) return;
    for (std::size_t k = 0; k < 3; ++k)
      Impl::for_each_line_pixel(
          (*points)[k], (*points)[(k + 1) % 3], image_.rows, image_.columns,
          [&](std::size_t row, std::size_t column) { set(row, column, color); });
  }

  /// Draws a cross over the centre of a triangle.
  void cross(std::size_t triangle) {
    const auto points = corners(triangle);
    if (!points) return;
    Point2 middle{0, 0};
    for (const Point2& p : *points)
      for (std::size_t k = 0; k < 2; ++k) middle[k] += p[k] / 3;
    for (const double slope : {1.0, -1.0})
      Impl::for_each_line_pixel(
          {middle[0] - half_cross, middle[1] - slope * half_cross},
          {middle[0] + half_cross, middle[1] + slope * half_cross}, image_.rows, image_.columns,
          [&](std::size_t row, std::size_t column) { set(row, column, chart_flip); });
  }

  const TriangleMesh& mesh_;
  std::span<const Point2> uv_;
  ChartFrame frame_;
  RgbImage image_;
};

}  // namespace

double checkerboard_side(const TriangleMesh& mesh, const AreaScales& scales) {
  constexpr double fields = 24;
  const double side = std::sqrt(scales.median * area(mesh)) / fields;
  return std::isfinite(side) ? side : 0;
}

RgbImage draw_chart(const TriangleMesh& mesh, std::span<const Point2> uv, std::size_t size,
                    int sense) {
  require(size >= 16 && size <= 16384,
          "the size of a picture of a chart must be 16 to 16384 pixels");
  const std::vector<bool> flipped = flipped_triangles(mesh, uv, sense);
  return ChartCanvas(mesh, uv, size).draw(flipped);
}

void write_png(const std::filesystem::path& path, const RgbImage& image) {
  write_png_rgb(path, image.pixels, image.rows, image.columns);
}

}  // namespace Tomokkos
