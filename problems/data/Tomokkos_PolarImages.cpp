// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PolarImages.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipse.hpp>
#include <numbers>
#include <string>

namespace Tomokkos {
namespace {

/// Sampling points of the voxels of a ring within a slice.
class RingPoints {
 public:
  RingPoints(const PolarGrid& grid, Ordinal ring, int supersampling) {
    const auto s = static_cast<std::size_t>(supersampling);
    const double inner = grid.volume().circle(ring), outer = grid.volume().circle(ring + 1);
    for (std::size_t i = 0; i < s; ++i) {
      const double share = (static_cast<double>(i) + 0.5) / supersampling;
      radii_.push_back(std::sqrt(inner * inner + share * (outer - inner) * (outer + inner)));
    }
    const auto directions = static_cast<std::size_t>(grid.sectors(ring)) * s;
    for (std::size_t i = 0; i < directions; ++i) {
      const double angle =
          2 * std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(directions);
      cosines_.push_back(std::cos(angle));
      sines_.push_back(std::sin(angle));
    }
  }

  /// Returns the sum of value(x, y) over the points of a sector.
  template <class Value>
  double sum(Ordinal sector, const Value& value) const {
    const std::size_t s = radii_.size(), first = static_cast<std::size_t>(sector) * s;
    double result = 0;
    for (std::size_t i = first; i < first + s; ++i)
      for (const double radius : radii_) result += value(radius * cosines_[i], radius * sines_[i]);
    return result;
  }

 private:
  std::vector<double> radii_, cosines_, sines_;
};

/// Returns means over the voxels of a grid: add(ring, slice, z, points, sums) adds the values of
/// the sectors of a ring at height z.
template <class Add>
std::vector<double> sample_grid(const PolarGrid& grid, int supersampling, const Add& add) {
  Impl::require_supersampling(supersampling);
  const PolarVolume& volume = grid.volume();
  std::vector<double> values(static_cast<std::size_t>(grid.num_voxels()));
  std::vector<double> sums;
  const double samples = static_cast<double>(supersampling) * supersampling * supersampling;
  for (Ordinal ring = 0; ring < volume.rings; ++ring) {
    const RingPoints points(grid, ring, supersampling);
    for (Ordinal slice = 0; slice < volume.slices; ++slice) {
      sums.assign(static_cast<std::size_t>(grid.sectors(ring)), 0.0);
      for (int part = 0; part < supersampling; ++part)
        add(ring, volume.plane(slice) + (part + 0.5) / supersampling * volume.thickness(), points,
            sums);
      for (Ordinal sector = 0; sector < grid.sectors(ring); ++sector)
        values[static_cast<std::size_t>(grid.index({slice, ring, sector}))] =
            sums[static_cast<std::size_t>(sector)] / samples;
    }
  }
  return values;
}

/// Returns the index of the cell along an axis of a box that contains a position; -1 outside. \p
/// position is in cells from the first border.
Ordinal cell_of(double position, Ordinal count) {
  if (!(position >= 0 && position <= count)) return -1;
  return std::min(static_cast<Ordinal>(position), count - 1);
}

}  // namespace

std::vector<double> sample_phantom(const EllipsoidPhantom& phantom, const PolarGrid& grid,
                                   int supersampling) {
  const PolarVolume& volume = grid.volume();
  const auto shapes = Impl::place(phantom, {volume.radius, volume.radius, 0.5 * volume.height});
  return sample_grid(
      grid, supersampling,
      [&](Ordinal ring, double z, const RingPoints& points, std::vector<double>& sums) {
        std::vector<Impl::CutEllipsoid> ellipses = Impl::cut(shapes, z);
        // Keep only the ellipses that reach the ring.
        std::erase_if(ellipses, [&](const Impl::CutEllipsoid& ellipse) {
          const double distance = std::hypot(ellipse.x, ellipse.y);
          const double reach = ellipse.reach * (1 + 1e-12);
          return distance - reach > volume.circle(ring + 1) ||
                 distance + reach < volume.circle(ring);
        });
        if (ellipses.empty()) return;
        for (std::size_t sector = 0; sector < sums.size(); ++sector)
          sums[sector] += points.sum(static_cast<Ordinal>(sector), [&](double x, double y) {
            return Impl::density(ellipses, phantom.clamp_at_zero, x, y);
          });
      });
}

std::vector<double> sample_phantom(const EllipsePhantom& phantom, const PolarGrid& grid,
                                   int supersampling) {
  Impl::require_supersampling(supersampling);
  const PolarVolume& volume = grid.volume();
  const auto shapes = Impl::place(phantom, {volume.radius, volume.radius});
  const auto value = [&](double x, double y) {
    return Impl::density(shapes, phantom.clamp_at_zero, x, y);
  };
  std::vector<double> values(static_cast<std::size_t>(grid.num_voxels()));
  const double samples = static_cast<double>(supersampling) * supersampling;
  for (Ordinal ring = 0; ring < volume.rings; ++ring) {
    const RingPoints points(grid, ring, supersampling);
    for (Ordinal sector = 0; sector < grid.sectors(ring); ++sector) {
      const double mean = points.sum(sector, value) / samples;
      for (Ordinal slice = 0; slice < volume.slices; ++slice)
        values[static_cast<std::size_t>(grid.index({slice, ring, sector}))] = mean;
    }
  }
  return values;
}

template <class Scalar>
std::vector<Scalar> polar_from_cartesian(const PolarGrid& grid, const VolumeGeometry3D& volume,
                                         std::span<const Scalar> values, int supersampling) {
  check(volume);
  require_equal("values of the image", static_cast<long long>(values.size()),
                "voxels of the volume", volume.num_voxels());
  const auto means = sample_grid(
      grid, supersampling,
      [&](Ordinal, double z, const RingPoints& points, std::vector<double>& sums) {
        const Ordinal slice = cell_of(z / volume.thickness + 0.5 * volume.slices, volume.slices);
        if (slice < 0) return;
        const auto value = [&](double x, double y) -> double {
          const Ordinal row = cell_of(0.5 * volume.rows - y / volume.pixel, volume.rows);
          const Ordinal column = cell_of(0.5 * volume.columns + x / volume.pixel, volume.columns);
          if (row < 0 || column < 0) return 0.0;
          return values[static_cast<std::size_t>((slice * volume.rows + row) * volume.columns +
                                                 column)];
        };
        for (std::size_t sector = 0; sector < sums.size(); ++sector)
          sums[sector] += points.sum(static_cast<Ordinal>(sector), value);
      });
  return {means.begin(), means.end()};
}

template <class Scalar>
std::vector<Scalar> cartesian_from_polar(const VolumeGeometry3D& volume, const PolarGrid& grid,
                                         std::span<const Scalar> values, int supersampling) {
  check(volume);
  Impl::require_supersampling(supersampling);
  require_equal("values of the image", static_cast<long long>(values.size()),
                "voxels of the polar volume", grid.num_voxels());
  const auto part = [&](int i) { return (i + 0.5) / supersampling - 0.5; };
  const double samples = static_cast<double>(supersampling) * supersampling * supersampling;
  std::vector<Scalar> result;
  result.reserve(static_cast<std::size_t>(volume.num_voxels()));
  for (Ordinal slice = 0; slice < volume.slices; ++slice)
    for (Ordinal row = 0; row < volume.rows; ++row)
      for (Ordinal column = 0; column < volume.columns; ++column) {
        double sum = 0;
        for (int i = 0; i < supersampling; ++i)
          for (int j = 0; j < supersampling; ++j)
            for (int k = 0; k < supersampling; ++k) {
              const auto index = grid.index_at(volume.slice().x(column) + part(k) * volume.pixel,
                                               volume.slice().y(row) + part(j) * volume.pixel,
                                               volume.z(slice) + part(i) * volume.thickness);
              if (index) sum += values[static_cast<std::size_t>(*index)];
            }
        result.push_back(static_cast<Scalar>(sum / samples));
      }
  return result;
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                           \
  template std::vector<Scalar> polar_from_cartesian(const PolarGrid&, const VolumeGeometry3D&, \
                                                    std::span<const Scalar>, int);             \
  template std::vector<Scalar> cartesian_from_polar(const VolumeGeometry3D&, const PolarGrid&, \
                                                    std::span<const Scalar>, int);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
