// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshPictures.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_Scanline.hpp>
#include <limits>

namespace Tomokkos {
namespace {

constexpr std::size_t samples = 2;  // along each side of a pixel
constexpr Point3 surface_color{196, 205, 216};
constexpr double ambient = 0.25;
constexpr double dark_field = 0.72;  // brightness relative to a light field

/// Unit vector; a zero vector is unchanged.
Point3 unit(const Point3& p) {
  const double length = std::hypot(p[0], p[1], p[2]);
  return length > 0 ? Point3{p[0] / length, p[1] / length, p[2] / length} : p;
}

/// True if the surface is thin along an axis, so that it should be viewed from the side of this
/// axis.
bool is_thin(const Point3& extent, std::size_t axis) {
  return extent[axis] < 0.5 * std::min(extent[(axis + 1) % 3], extent[(axis + 2) % 3]);
}

/// Axis that points up: the one along which the surface is thin, or y.
std::size_t choose_up(const Point3& extent) {
  const auto thinnest =
      static_cast<std::size_t>(std::min_element(extent.begin(), extent.end()) - extent.begin());
  return is_thin(extent, thinnest) ? thinnest : 1;
}

/// Directions of the picture in space.
struct Camera {
  Point3 right;
  Point3 up;
  Point3 eye;
  Point3 light;
};

Camera make_camera(const BoundingBox& box, const Point3& direction) {
  Point3 extent;
  for (std::size_t k = 0; k < 3; ++k) extent[k] = box.high[k] - box.low[k];
  const std::size_t up = choose_up(extent);
  Camera camera;
  camera.eye = direction;
  if (direction == Point3{0, 0, 0}) {
    camera.eye[up] = is_thin(extent, up) ? 0.7 : 0.45;
    camera.eye[(up + 1) % 3] = 0.65;
    camera.eye[(up + 2) % 3] = 0.35;
  }
  camera.eye = unit(camera.eye);
  Point3 axis{0, 0, 0};
  axis[std::abs(camera.eye[up]) < 0.999 ? up : (up + 1) % 3] = 1;
  camera.right = unit(cross(axis, camera.eye));
  camera.up = cross(camera.eye, camera.right);
  for (std::size_t k = 0; k < 3; ++k)
    camera.light[k] = camera.eye[k] - 0.6 * camera.right[k] + 0.5 * camera.up[k];
  camera.light = unit(camera.light);
  return camera;
}

class Renderer {
 public:
  Renderer(const TriangleMesh& mesh, std::size_t size, const ShadingOptions& options)
      : mesh_(mesh), camera_(make_camera(bounding_box(mesh), options.direction)) {
    place_vertices();
    fit(size);
    if (options.smooth) find_normals();
    if (options.chart.empty()) return;
    side_ = checkerboard_side(mesh, area_scales(mesh, options.chart));
    if (side_ > 0) chart_ = options.chart;
  }

  RgbImage render() {
    for (Ordinal t = 0; t < num_triangles(mesh_); ++t) draw(t);
    return average();
  }

 private:
  const Triangle& corners(Ordinal triangle) const {
    return mesh_.triangles[static_cast<std::size_t>(triangle)];
  }

  /// Coordinates along right, down and towards the viewer, scaled so that sums do not overflow.
  void place_vertices() {
    double largest = 0;
    for (const Point3& p : mesh_.vertices) {
      for (const double x : p) {
        require(std::isfinite(x), "the coordinates of the surface must be finite");
        largest = std::max(largest, std::abs(x));
      }
    }
    const int exponent = largest > 0 ? -std::ilogb(largest) : 0;
    placed_.reserve(mesh_.vertices.size());
    for (Point3 p : mesh_.vertices) {
      for (double& x : p) x = std::ldexp(x, exponent);
      placed_.push_back({dot(p, camera_.right), -dot(p, camera_.up), dot(p, camera_.eye)});
    }
  }

  /// Scales to the samples of the picture.
  void fit(std::size_t size) {
    Point2 low{0, 0}, high{0, 0};
    if (!placed_.empty()) low = high = {placed_[0][0], placed_[0][1]};
    for (const Point3& p : placed_) {
      for (std::size_t k = 0; k < 2; ++k) {
        low[k] = std::min(low[k], p[k]);
        high[k] = std::max(high[k], p[k]);
      }
    }
    const double margin = 0.03 * static_cast<double>(size) + 1;
    const double room = static_cast<double>(size) - 2 * margin;
    const double longer = std::max(high[0] - low[0], high[1] - low[1]);
    const double scale = longer > 0 ? room / longer : 1;
    const auto pixels = [&](double length) {
      return std::min(size, static_cast<std::size_t>(std::ceil(length * scale + 2 * margin)));
    };
    columns_ = samples * pixels(high[0] - low[0]);
    rows_ = samples * pixels(high[1] - low[1]);
    for (Point3& p : placed_) {
      for (std::size_t k = 0; k < 2; ++k)
        p[k] = static_cast<double>(samples) * (margin + (p[k] - low[k]) * scale);
    }
    depth_.assign(rows_ * columns_, -std::numeric_limits<double>::infinity());
    shade_.assign(rows_ * columns_, -1.0f);
  }

  /// Normals of the vertices: sums of the area vectors around them.
  void find_normals() {
    normals_.assign(mesh_.vertices.size(), Point3{0, 0, 0});
    for (Ordinal t = 0; t < num_triangles(mesh_); ++t) {
      const Point3 normal = area_vector(mesh_, t);
      for (const Ordinal v : corners(t)) {
        for (std::size_t k = 0; k < 3; ++k) normals_[static_cast<std::size_t>(v)][k] += normal[k];
      }
    }
    for (Point3& normal : normals_) normal = unit(normal);
  }

  double lambert(const Point3& normal) const {
    // Both sides look the same: the normal on the viewer's side counts.
    const double facing = dot(normal, camera_.eye) < 0 ? -1 : 1;
    return ambient + (1 - ambient) * std::max(0.0, facing * dot(normal, camera_.light));
  }

  void draw(Ordinal triangle) {
    std::array<Point2, 3> points;
    std::array<double, 3> heights;
    for (std::size_t k = 0; k < 3; ++k) {
      const Point3& p = placed_[static_cast<std::size_t>(corners(triangle)[k])];
      points[k] = {p[0], p[1]};
      heights[k] = p[2];
    }
    const double flat = normals_.empty() ? lambert(unit(area_vector(mesh_, triangle))) : 0;
    Impl::for_each_pixel(
        points, rows_, columns_,
        [&](std::size_t row, std::size_t column, const std::array<double, 3>& weights) {
          const double height =
              weights[0] * heights[0] + weights[1] * heights[1] + weights[2] * heights[2];
          const std::size_t k = row * columns_ + column;
          if (height <= depth_[k]) return;
          depth_[k] = height;
          const double shade = normals_.empty() ? flat : smooth(triangle, weights);
          shade_[k] = static_cast<float>(is_dark(triangle, weights) ? dark_field * shade : shade);
        });
  }

  /// True if a point of a triangle lies in a dark field of the checkerboard of the chart.
  bool is_dark(Ordinal triangle, const std::array<double, 3>& weights) const {
    if (chart_.empty()) return false;
    Point2 place{0, 0};
    for (std::size_t k = 0; k < 3; ++k) {
      const Point2& corner = chart_[static_cast<std::size_t>(corners(triangle)[k])];
      for (std::size_t x = 0; x < 2; ++x) place[x] += weights[k] * corner[x];
    }
    return std::fmod(std::floor(place[0] / side_) + std::floor(place[1] / side_), 2) != 0;
  }

  double smooth(Ordinal triangle, const std::array<double, 3>& weights) const {
    Point3 normal{0, 0, 0};
    for (std::size_t k = 0; k < 3; ++k) {
      const Point3& part = normals_[static_cast<std::size_t>(corners(triangle)[k])];
      for (std::size_t x = 0; x < 3; ++x) normal[x] += weights[k] * part[x];
    }
    return lambert(unit(normal));
  }

  /// Averages samples to pixels. Pixels without triangles are white.
  RgbImage average() const {
    RgbImage image;
    image.rows = rows_ / samples;
    image.columns = columns_ / samples;
    image.pixels.reserve(3 * image.rows * image.columns);
    for (std::size_t row = 0; row < image.rows; ++row) {
      for (std::size_t column = 0; column < image.columns; ++column) {
        Point3 sum{0, 0, 0};
        for (std::size_t i = 0; i < samples * samples; ++i) {
          const std::size_t k =
              (samples * row + i / samples) * columns_ + samples * column + i % samples;
          for (std::size_t x = 0; x < 3; ++x)
            sum[x] += shade_[k] < 0 ? 255.0 : surface_color[x] * static_cast<double>(shade_[k]);
        }
        for (const double value : sum)
          image.pixels.push_back(
              static_cast<std::uint8_t>(std::lround(value / (samples * samples))));
      }
    }
    return image;
  }

  const TriangleMesh& mesh_;
  Camera camera_;
  std::vector<Point3> placed_;
  std::vector<Point3> normals_;
  std::span<const Point2> chart_;
  double side_ = 0;  // of the fields of the checkerboard
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<double> depth_;
  std::vector<float> shade_;
};

}  // namespace

RgbImage render_shaded(const TriangleMesh& mesh, std::size_t size, const ShadingOptions& options) {
  require(size >= 16 && size <= 8192,
          "the size of a picture of a surface must be 16 to 8192 pixels");
  return Renderer(mesh, size, options).render();
}

}  // namespace Tomokkos
