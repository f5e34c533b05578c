// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reference for the lengths of cone-beam rays in polar voxels, by other means: each ray of each
// view in its own position is cut at all circles, planes and half-planes, and its pieces are added
// to the voxels that contain their midpoints, in long double. Slow and simple, and only for rays
// that do not run within a border.
#pragma once

#include <Tomokkos_ConeBeamScan.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

namespace ConeBeamReference {

using Real = long double;
using Tomokkos::ConeBeamScan;
using Tomokkos::Ordinal;
using Tomokkos::PolarGrid;
using Tomokkos::PolarVolume;

constexpr Real turn = 2 * std::numbers::pi_v<Real>;

/// Ray p + t d, from the source at t = 0 to the detector at t = 1.
struct Ray {
  Real px, py, pz, dx, dy, dz;

  Real length() const { return std::sqrt(dx * dx + dy * dy + dz * dz); }
};

/// Ray (i, j) of rays x rays of an element in a view.
inline Ray ray(const ConeBeamScan& scan, Ordinal u, Ordinal v, Ordinal view, Ordinal i, Ordinal j) {
  const auto position = [&](std::size_t axis, Ordinal element, Ordinal part) {
    const Real center = (scan.detectors[axis] - 1) / Real{2} - scan.detector_offset[axis];
    return (element - center + (part + Real{0.5}) / scan.rays - Real{0.5}) *
           scan.detector_width[axis];
  };
  const Real t = turn * view / scan.views, s = position(0, u, i);
  const Real sx = std::sin(t) * scan.source_to_origin, sy = -std::cos(t) * scan.source_to_origin;
  const Real x = -std::sin(t) * scan.origin_to_detector + s * std::cos(t);
  const Real y = std::cos(t) * scan.origin_to_detector + s * std::sin(t);
  return {sx, sy, 0, x - sx, y - sy, position(1, v, j)};
}

/// Values of t at which the ray enters and leaves the cylinder; equal if it misses it.
inline std::pair<Real, Real> within(const Ray& r, Real radius, Real height) {
  const Real a = r.dx * r.dx + r.dy * r.dy, b = r.px * r.dx + r.py * r.dy;
  const Real c = r.px * r.px + r.py * r.py - radius * radius;
  if (b * b - a * c <= 0) return {0, 0};
  const Real root = std::sqrt(b * b - a * c);
  Real begin = (-b - root) / a, end = (-b + root) / a;
  if (r.dz == 0) return {begin, end};
  const Real low = (-height / 2 - r.pz) / r.dz, high = (height / 2 - r.pz) / r.dz;
  begin = std::max(begin, std::min(low, high));
  end = std::min(end, std::max(low, high));
  return end > begin ? std::pair{begin, end} : std::pair{Real{0}, Real{0}};
}

/// Mean chord of the rays of an element, which is the sum of a row.
inline double chord(const PolarVolume& volume, const ConeBeamScan& scan, Ordinal u, Ordinal v) {
  Real sum = 0;
  for (Ordinal i = 0; i < scan.rays; ++i)
    for (Ordinal j = 0; j < scan.rays; ++j) {
      const Ray r = ray(scan, u, v, 0, i, j);
      const auto [begin, end] = within(r, volume.radius, volume.height);
      sum += (end - begin) * r.length();
    }
  return static_cast<double>(sum / (scan.rays * scan.rays));
}

/// All t at which a ray may pass from one voxel to another.
inline std::vector<Real> borders(const PolarGrid& grid, const Ray& r) {
  const PolarVolume& volume = grid.volume();
  const auto [begin, end] = within(r, volume.radius, volume.height);
  std::vector<Real> cuts{begin, end};
  const auto cut = [&, first = begin, last = end](Real t) {
    if (t > first && t < last) cuts.push_back(t);
  };
  for (Ordinal ring = 1; ring <= volume.rings; ++ring) {
    const auto [near, far] =
        within(r, ring * static_cast<Real>(volume.radius) / volume.rings, 1e30L);
    cut(near);
    cut(far);
  }
  for (Ordinal slice = 1; slice < volume.slices && r.dz != 0; ++slice)
    cut(((slice - volume.slices / Real{2}) * volume.height / volume.slices - r.pz) / r.dz);
  for (Ordinal ring = 0; ring < volume.rings; ++ring)
    for (Ordinal sector = 0; sector < grid.sectors(ring); ++sector) {
      const Real angle = turn * sector / grid.sectors(ring);
      const Real across = std::cos(angle) * r.dy - std::sin(angle) * r.dx;
      if (across != 0) cut((std::sin(angle) * r.px - std::cos(angle) * r.py) / across);
    }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

/// Entries of row (element, view) by voxel.
inline std::map<Ordinal, double> row(const PolarGrid& grid, const ConeBeamScan& scan, Ordinal u,
                                     Ordinal v, Ordinal view) {
  std::map<Ordinal, double> lengths;
  for (Ordinal i = 0; i < scan.rays; ++i)
    for (Ordinal j = 0; j < scan.rays; ++j) {
      const Ray r = ray(scan, u, v, view, i, j);
      const std::vector<Real> cuts = borders(grid, r);
      for (std::size_t k = 1; k < cuts.size(); ++k) {
        const Real t = (cuts[k - 1] + cuts[k]) / 2, length = (cuts[k] - cuts[k - 1]) * r.length();
        if (length == 0) continue;
        const auto voxel = grid.index_at(static_cast<double>(r.px + t * r.dx),
                                         static_cast<double>(r.py + t * r.dy),
                                         static_cast<double>(r.pz + t * r.dz));
        if (voxel) lengths[*voxel] += static_cast<double>(length) / (scan.rays * scan.rays);
      }
    }
  return lengths;
}

}  // namespace ConeBeamReference
