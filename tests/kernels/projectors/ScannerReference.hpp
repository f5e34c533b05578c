// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reference for the mean lengths of the rays of a pair of crystals, by other means: each ray is
// clipped separately at the sides of each voxel in long double. Slow and simple.
#pragma once

#include <Tomokkos_RingScanner.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ScannerReference {

using Real = long double;
using Tomokkos::CrystalPlace;
using Tomokkos::Ordinal;
using Tomokkos::RaySample;
using Tomokkos::RingScanner;
using Tomokkos::VolumeGeometry3D;

struct Ray {
  std::array<Real, 3> p, d;
  Real begin = 0, end = 1;

  Real length() const { return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]); }
};

inline std::array<Real, 3> end_of(const RingScanner& scanner, const CrystalPlace& place,
                                  const double (&sample)[3]) {
  const Real side = sample[0] * static_cast<Real>(scanner.crystal_size[0]);
  const Real out = sample[2] * static_cast<Real>(place.length);
  return {place.x + out * place.cosine - side * place.sine,
          place.y + out * place.sine + side * place.cosine,
          place.z + sample[1] * static_cast<Real>(scanner.crystal_size[1])};
}

/// Keeps the part within the cylinder of radius \p R around the z axis.
inline void clip_to_cylinder(Ray& ray, Real R) {
  const auto& [p, d, begin, end] = ray;
  const Real a = d[0] * d[0] + d[1] * d[1], b = p[0] * d[0] + p[1] * d[1];
  const Real c = p[0] * p[0] + p[1] * p[1] - R * R;
  if (b * b - a * c <= 0) {
    ray.end = ray.begin;
    return;
  }
  const Real root = std::sqrt(b * b - a * c);
  ray.begin = std::max(begin, (-b - root) / a);
  ray.end = std::min(end, (-b + root) / a);
}

/// Length in the box.
inline Real clipped_length(const Ray& ray, const std::array<Real, 3>& low,
                           const std::array<Real, 3>& high) {
  Real begin = ray.begin, end = ray.end, share = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::fabs(ray.d[i]) < 1e-12L) {
      if (ray.p[i] < low[i] || ray.p[i] > high[i]) return 0;
      if (ray.p[i] == low[i] || ray.p[i] == high[i]) share /= 2;
      continue;
    }
    const Real t = (low[i] - ray.p[i]) / ray.d[i], u = (high[i] - ray.p[i]) / ray.d[i];
    begin = std::max(begin, std::min(t, u));
    end = std::min(end, std::max(t, u));
  }
  return end > begin ? share * (end - begin) * ray.length() : 0;
}

inline std::vector<Ray> rays_of(const RingScanner& scanner, Ordinal from, Ordinal to) {
  const auto places = scanner.places();
  std::vector<Ray> rays;
  for (const RaySample& sample : Tomokkos::ray_samples(scanner.rays)) {
    Ray ray;
    ray.p = end_of(scanner, places[static_cast<std::size_t>(from)], sample.from);
    ray.d = end_of(scanner, places[static_cast<std::size_t>(to)], sample.to);
    for (std::size_t i = 0; i < 3; ++i) ray.d[i] -= ray.p[i];
    if (scanner.field_of_view) clip_to_cylinder(ray, *scanner.field_of_view);
    rays.push_back(ray);
  }
  return rays;
}

/// Row of the matrix with all voxels.
inline std::vector<double> row(const VolumeGeometry3D& volume, const RingScanner& scanner,
                               Ordinal from, Ordinal to) {
  std::vector<double> result;
  const auto rays = rays_of(scanner, from, to);
  const Real pixel = volume.pixel, thickness = volume.thickness;
  for (Ordinal k = 0; k < volume.slices; ++k)
    for (Ordinal j = 0; j < volume.rows; ++j)
      for (Ordinal i = 0; i < volume.columns; ++i) {
        const Real x = (i - volume.columns / 2.0L) * pixel, y = (volume.rows / 2.0L - j) * pixel;
        const Real z = (k - volume.slices / 2.0L) * thickness;
        Real sum = 0;
        for (const Ray& ray : rays)
          sum += clipped_length(ray, {x, y - pixel, z}, {x + pixel, y, z + thickness});
        result.push_back(static_cast<double>(sum / rays.size()));
      }
  return result;
}

/// The mean length of the rays in the whole volume.
inline double chord(const VolumeGeometry3D& volume, const RingScanner& scanner, Ordinal from,
                    Ordinal to) {
  const auto rays = rays_of(scanner, from, to);
  const Real x = volume.columns * volume.pixel / 2, y = volume.rows * volume.pixel / 2;
  const Real z = volume.slices * volume.thickness / 2;
  Real sum = 0;
  for (const Ray& ray : rays) sum += clipped_length(ray, {-x, -y, -z}, {x, y, z});
  return static_cast<double>(sum / rays.size());
}

}  // namespace ScannerReference
