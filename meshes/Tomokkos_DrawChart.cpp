// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChartQuality.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshPictures.hpp>
#include <Tomokkos_Png.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_Scanline.hpp>
#include <optional>

namespace Tomokkos {
namespace {

// Below this, edges would cover most of what lies between them.
constexpr double visible_edge = 4;

/// From the plane of the chart to pixels.
struct ChartFrame {
  double left = 0;
  double top = 0;
  double scale = 1;
  double margin = 0;

  Point2 place(const Point2& p) const {
    return {margin + (p[0] - left) * scale, margin + (top - p[1]) * scale};
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
    for (std::size_t t = 0; t < count; ++t) {
      if (!flipped[t]) fill(t, chart_fill);
    }
    if (edges_are_visible()) {
      for (std::size_t t = 0; t < count; ++t) outline(t);
    }
    for (std::size_t t = 0; t < count; ++t) {
      if (!flipped[t]) continue;
      fill(t, chart_flip);
      mark(t);
    }
    return std::move(image_);
  }

 private:
  /// Nothing for corners that are not finite.
  std::optional<std::array<Point2, 3>> corners(std::size_t triangle) const {
    std::array<Point2, 3> result;
    for (std::size_t k = 0; k < 3; ++k) {
      result[k] = frame_.place(uv_[static_cast<std::size_t>(mesh_.triangles[triangle][k])]);
      if (!std::isfinite(result[k][0]) || !std::isfinite(result[k][1])) return std::nullopt;
    }
    return result;
  }

  bool edges_are_visible() const {
    double sum = 0;
    double count = 0;
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const auto points = corners(t);
      if (!points) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        const Point2 &p = (*points)[k], &q = (*points)[(k + 1) % 3];
        sum += std::hypot(q[0] - p[0], q[1] - p[1]);
        ++count;
      }
    }
    return sum >= visible_edge * count;
  }

  void set(std::size_t row, std::size_t column, const Rgb& color) {
    std::copy(
        color.begin(), color.end(),
        image_.pixels.begin() + static_cast<std::ptrdiff_t>(3 * (row * image_.columns + column)));
  }

  void fill(std::size_t triangle, const Rgb& color) {
    const auto points = corners(triangle);
    if (!points) return;
    Impl::for_each_pixel(
        *points, image_.rows, image_.columns,
        [&](std::size_t row, std::size_t column, const auto&) { set(row, column, color); });
  }

  void outline(std::size_t triangle) {
    const auto points = corners(triangle);
    if (!points) return;
    for (std::size_t k = 0; k < 3; ++k)
      Impl::for_each_line_pixel(
          (*points)[k], (*points)[(k + 1) % 3], image_.rows, image_.columns,
          [&](std::size_t row, std::size_t column) { set(row, column, chart_edge); });
  }

  /// So that what covers no centre of a pixel is seen.
  void mark(std::size_t triangle) {
    const auto points = corners(triangle);
    if (!points) return;
    for (std::size_t k = 0; k < 3; ++k)
      Impl::for_each_line_pixel(
          (*points)[k], (*points)[(k + 1) % 3], image_.rows, image_.columns,
          [&](std::size_t row, std::size_t column) { set(row, column, chart_flip); });
  }

  const TriangleMesh& mesh_;
  std::span<const Point2> uv_;
  ChartFrame frame_;
  RgbImage image_;
};

}  // namespace

RgbImage draw_chart(const TriangleMesh& mesh, std::span<const Point2> uv, std::size_t size,
                    int sense) {
  require(size >= 16 && size <= 16384, "a picture of a chart has 16 to 16384 pixels a side");
  const std::vector<bool> flipped = flipped_triangles(mesh, uv, sense);
  return ChartCanvas(mesh, uv, size).draw(flipped);
}

void write_png(const std::filesystem::path& path, const RgbImage& image) {
  write_png_rgb(path, image.pixels, image.rows, image.columns);
}

}  // namespace Tomokkos
