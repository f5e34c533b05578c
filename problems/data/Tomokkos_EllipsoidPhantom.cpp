// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_EllipsoidPhantom.hpp>
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipsoid.hpp>
#include <numbers>
#include <string>

namespace Tomokkos {
namespace Impl {

void PlacedEllipsoid::cut(double at, std::vector<CutEllipsoid>& ellipses) const {
  const double height = (at - z) * per_c;
  const double limit = 1.0 - height * height;
  if (!(limit >= 0)) return;
  ellipses.push_back(ellipse);
  ellipses.back().limit = limit;
  ellipses.back().reach = longest * std::sqrt(limit);
}

std::vector<PlacedEllipsoid> place(const EllipsoidPhantom& phantom, const HalfExtent3D& extent) {
  const auto is_length = [](double length) { return std::isfinite(length) && length > 0; };
  if (!is_length(extent.width) || !is_length(extent.height) || !is_length(extent.depth))
    throw Error("a phantom needs a volume of positive size, not of half width " +
                std::to_string(extent.width) + ", half height " + std::to_string(extent.height) +
                " and half depth " + std::to_string(extent.depth));
  std::vector<PlacedEllipsoid> placed;
  for (const Ellipsoid& shape : phantom.shapes) {
    if (!is_length(shape.a) || !is_length(shape.b) || !is_length(shape.c))
      throw Error("ellipsoid " + std::to_string(placed.size()) + " has the semi-axes " +
                  std::to_string(shape.a) + ", " + std::to_string(shape.b) + " and " +
                  std::to_string(shape.c) + "; all must be positive");
    const double a = shape.a * extent.width, b = shape.b * extent.height;
    const double longest = std::max(a, b);
    placed.push_back({{shape.value, shape.x * extent.width, shape.y * extent.height, 1 / a, 1 / b,
                       std::cos(shape.rotation), std::sin(shape.rotation), 1.0, longest},
                      shape.z * extent.depth,
                      1 / (shape.c * extent.depth),
                      longest});
  }
  return placed;
}

double density(const std::vector<CutEllipsoid>& ellipses, bool clamp_at_zero, double x, double y) {
  double sum = 0;
  for (const CutEllipsoid& ellipse : ellipses)
    if (ellipse.contains(x, y)) sum += ellipse.value;
  return clamp_at_zero ? std::max(sum, 0.0) : sum;
}

}  // namespace Impl

EllipsoidPhantom make_solid_phantom(SolidPhantomKind kind) {
  if (kind == SolidPhantomKind::ball) return {{{1.0, 0, 0, 0, 0.5, 0.5, 0.5}}};
  struct Row {
    double x, y, z, a, b, c, degrees, original, modified;
  };
  constexpr std::array<Row, 10> table{{
      {0.00, 0.0000, 0.00, 0.6900, 0.920, 0.810, 0, 2.00, 1.0},
      {0.00, -0.0184, 0.00, 0.6624, 0.874, 0.780, 0, -0.98, -0.8},
      {0.22, 0.0000, 0.00, 0.1100, 0.310, 0.220, -18, -0.02, -0.2},
      {-0.22, 0.0000, 0.00, 0.1600, 0.410, 0.280, 18, -0.02, -0.2},
      {0.00, 0.3500, -0.15, 0.2100, 0.250, 0.410, 0, 0.01, 0.1},
      {0.00, 0.1000, 0.25, 0.0460, 0.046, 0.050, 0, 0.01, 0.1},
      {0.00, -0.1000, 0.25, 0.0460, 0.046, 0.050, 0, 0.01, 0.1},
      {-0.08, -0.6050, 0.00, 0.0460, 0.023, 0.050, 0, 0.01, 0.1},
      {0.00, -0.6050, 0.00, 0.0230, 0.023, 0.020, 0, 0.01, 0.1},
      {0.06, -0.6050, 0.00, 0.0230, 0.046, 0.020, 0, 0.01, 0.1},
  }};
  EllipsoidPhantom phantom;
  phantom.clamp_at_zero = true;
  for (const Row& row : table)
    phantom.shapes.push_back({kind == SolidPhantomKind::shepp_logan ? row.modified : row.original,
                              row.x, row.y, row.z, row.a, row.b, row.c,
                              row.degrees * (std::numbers::pi / 180)});
  return phantom;
}

double phantom_value(const EllipsoidPhantom& phantom, const HalfExtent3D& extent, double x,
                     double y, double z) {
  std::vector<Impl::CutEllipsoid> ellipses;
  for (const auto& shape : Impl::place(phantom, extent)) shape.cut(z, ellipses);
  return Impl::density(ellipses, phantom.clamp_at_zero, x, y);
}

std::vector<double> sample_phantom(const EllipsoidPhantom& phantom, const VolumeGeometry3D& volume,
                                   int supersampling) {
  check(volume);
  if (supersampling < 1)
    throw Error("supersampling must be at least 1, not " + std::to_string(supersampling));
  const HalfExtent3D extent{0.5 * volume.columns * volume.pixel, 0.5 * volume.rows * volume.pixel,
                            0.5 * volume.slices * volume.thickness};
  const auto shapes = Impl::place(phantom, extent);
  const auto pixels = static_cast<std::size_t>(volume.slice().num_pixels());
  const auto s = static_cast<std::size_t>(supersampling);
  const double step = volume.pixel / supersampling;
  std::vector<double> values(static_cast<std::size_t>(volume.num_voxels()), 0.0);
  std::vector<Impl::CutEllipsoid> ellipses;
  for (std::size_t k = 0; k < static_cast<std::size_t>(volume.slices) * s; ++k) {
    ellipses.clear();
    const double z = (static_cast<double>(k) + 0.5) * volume.thickness / supersampling;
    for (const auto& shape : shapes) shape.cut(z - extent.depth, ellipses);
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
