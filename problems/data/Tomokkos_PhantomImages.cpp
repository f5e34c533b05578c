// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Phantoms.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipse.hpp>
#include <string>

namespace Tomokkos {
namespace {

// Adds a shape to one row of equally spaced points: x_j = first + j * step at height y.
void add_to_row(const Impl::PlacedEllipse& ellipse, double first, double step, double y,
                std::vector<double>& row) {
  const double reach_y = std::hypot(ellipse.a * ellipse.sine, ellipse.b * ellipse.cosine);
  if (std::abs(y - ellipse.y) > reach_y * (1.0 + 1e-12)) return;
  const double reach_x = std::hypot(ellipse.a * ellipse.cosine, ellipse.b * ellipse.sine);
  const double last = static_cast<double>(row.size()) - 1.0;
  // One extra point on each side: the bounds only save time, `contains` decides.
  const double from = std::floor((ellipse.x - reach_x - first) / step) - 1.0;
  const double to = std::ceil((ellipse.x + reach_x - first) / step) + 1.0;
  if (to < 0.0 || from > last) return;
  const auto begin = static_cast<std::size_t>(std::max(from, 0.0));
  const auto end = static_cast<std::size_t>(std::min(to, last)) + 1;
  for (std::size_t j = begin; j < end; ++j)
    if (ellipse.contains(first + static_cast<double>(j) * step, y)) row[j] += ellipse.value;
}

}  // namespace

HalfExtent half_extent(long long rows, long long columns, double pixel, double aspect) {
  if (rows <= 0 || columns <= 0 || !(pixel > 0.0) || !std::isfinite(pixel) || !(aspect > 0.0) ||
      !std::isfinite(aspect))
    throw Error(
        "an image needs positive numbers of rows and columns and a positive pixel size, not " +
        std::to_string(rows) + " x " + std::to_string(columns) + " pixels of size " +
        std::to_string(pixel) + " is no image");
  return {.width = 0.5 * pixel * static_cast<double>(columns),
          .height = 0.5 * pixel * aspect * static_cast<double>(rows)};
}

std::vector<double> sample_phantom(const EllipsePhantom& phantom, long long rows, long long columns,
                                   int supersampling, double aspect) {
  const HalfExtent extent = half_extent(rows, columns, 1.0, aspect);
  Impl::require_supersampling(supersampling);
  const std::vector<Impl::PlacedEllipse> shapes = Impl::place(phantom, extent);

  const auto num_columns = static_cast<std::size_t>(columns);
  const auto s = static_cast<std::size_t>(supersampling);
  const double step = 1.0 / supersampling, row_step = aspect * step;
  const double first = 0.5 * step - extent.width;
  std::vector<double> image(static_cast<std::size_t>(rows) * num_columns, 0.0);
  std::vector<double> points(num_columns * s);
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows) * s; ++i) {
    const double y = extent.height - (static_cast<double>(i) + 0.5) * row_step;
    std::fill(points.begin(), points.end(), 0.0);
    for (const Impl::PlacedEllipse& ellipse : shapes) add_to_row(ellipse, first, step, y, points);
    double* const pixels = image.data() + (i / s) * num_columns;
    for (std::size_t j = 0; j < points.size(); ++j)
      pixels[j / s] += phantom.clamp_at_zero ? std::max(points[j], 0.0) : points[j];
  }
  if (supersampling > 1) {
    const double samples = static_cast<double>(supersampling) * supersampling;
    for (double& value : image) value /= samples;
  }
  return image;
}

std::vector<double> sample_phantom(const EllipsoidPhantom& phantom, const VolumeGeometry3D& volume,
                                   int supersampling) {
  check(volume);
  Impl::require_supersampling(supersampling);
  const Impl::HalfExtent3D extent{0.5 * volume.columns * volume.pixel,
                                  0.5 * volume.rows * volume.pixel,
                                  0.5 * volume.slices * volume.thickness};
  const auto shapes = Impl::place(phantom, extent);
  const auto pixels = static_cast<std::size_t>(volume.slice().num_pixels());
  const auto s = static_cast<std::size_t>(supersampling);
  const double step = volume.pixel / supersampling;
  std::vector<double> values(static_cast<std::size_t>(volume.num_voxels()), 0.0);
  for (std::size_t k = 0; k < static_cast<std::size_t>(volume.slices) * s; ++k) {
    const double z = (static_cast<double>(k) + 0.5) * volume.thickness / supersampling;
    const auto ellipses = Impl::cut(shapes, z - extent.depth);
    if (ellipses.empty()) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(volume.rows) * s; ++i) {
      const double y = extent.height - (static_cast<double>(i) + 0.5) * step;
      double* const row =
          values.data() + (k / s) * pixels + (i / s) * static_cast<std::size_t>(volume.columns);
      for (std::size_t j = 0; j < static_cast<std::size_t>(volume.columns) * s; ++j) {
        const double x = (static_cast<double>(j) + 0.5) * step - extent.width;
        row[j / s] += Impl::density(ellipses, phantom.clamp_at_zero, x, y);
      }
    }
  }
  const double samples = static_cast<double>(supersampling) * supersampling * supersampling;
  for (double& value : values) value /= samples;
  return values;
}

}  // namespace Tomokkos
