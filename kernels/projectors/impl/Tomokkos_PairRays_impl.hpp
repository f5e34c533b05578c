// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rays between two crystals, and their lengths in the voxels of a line.
//
// A ray runs from a point of one crystal (t = 0) to a point of the other (t = 1). The voxels on
// both sides of a plane use the same t for it, so the lengths of a ray in all voxels add up to its
// length within the volume.
#pragma once

#include <Tomokkos_RingScanner.hpp>
#include <impl/Tomokkos_RayParts_impl.hpp>

namespace Tomokkos::Impl {

/// Parameters of a scanner and a volume, in the length unit of the scan.
struct ScannerParameters {
  Ordinal slices, rows, columns;
  Ordinal crystals;
  double pixel, thickness;
  double width, height;  // of a crystal
  double field_of_view;  // radius; negative: no limit
  double negligible;     // a component of a direction that moves a ray by no more than rounding
                         // does
  double least;          // mean lengths up to this are rounding errors

  // Planes between voxels. Numbers with a half are exact, so planes on both sides of the middle are
  // mirror images.
  KOKKOS_FUNCTION double slice_plane(Ordinal index) const {
    return (index - 0.5 * slices) * thickness;
  }
  KOKKOS_FUNCTION double row_plane(Ordinal index) const { return (0.5 * rows - index) * pixel; }
  KOKKOS_FUNCTION double column_plane(Ordinal index) const {
    return (index - 0.5 * columns) * pixel;
  }
};

/// Returns the range of t in which p + t d is between two planes. A ray within a plane belongs half
/// to either side of it. \p per_d is 1 / d, or 0 for d = 0.
KOKKOS_INLINE_FUNCTION RayPart part_between(double p, double per_d, double low, double high) {
  if (per_d == 0) {
    if (p < low || p > high) return {1, 0, 0};
    return {0, 1, p == low || p == high ? 0.5 : 1.0};
  }
  const double a = (low - p) * per_d;
  const double b = (high - p) * per_d;
  return {smaller(a, b), larger(a, b), 1};
}

/// Ray (x, y, z) + t (dx, dy, dz); only the part from begin to end counts.
struct PairRay {
  double x, y, z;
  double dx, dy, dz;
  double per_x, per_y;  // 1 / dx, 1 / dy; 0 if that component is 0
  double length;
  double begin, end;
};

/// Computes one end of a ray. The sample is in units of the crystal's size.
KOKKOS_INLINE_FUNCTION void place_sample(const ScannerParameters& scan, const CrystalPlace& place,
                                         const double (&sample)[3], double& x, double& y,
                                         double& z) {
  const double side = sample[0] * scan.width;
  const double out = sample[2] * place.length;
  x = place.x + (out * place.cosine - side * place.sine);
  y = place.y + (out * place.sine + side * place.cosine);
  z = place.z + sample[1] * scan.height;
}

KOKKOS_INLINE_FUNCTION PairRay make_pair_ray(const ScannerParameters& scan,
                                             const CrystalPlace& from, const CrystalPlace& to,
                                             const RaySample& sample) {
  PairRay ray;
  place_sample(scan, from, sample.from, ray.x, ray.y, ray.z);
  place_sample(scan, to, sample.to, ray.dx, ray.dy, ray.dz);
  ray.dx -= ray.x;
  ray.dy -= ray.y;
  ray.dz -= ray.z;
  if (Impl::fabs(ray.dx) <= scan.negligible) ray.dx = 0;
  if (Impl::fabs(ray.dy) <= scan.negligible) ray.dy = 0;
  if (Impl::fabs(ray.dz) <= scan.negligible) ray.dz = 0;
  ray.per_x = inverse_or_zero(ray.dx);
  ray.per_y = inverse_or_zero(ray.dy);
  const double square = ray.dx * ray.dx + ray.dy * ray.dy;
  ray.length = Impl::sqrt(square + ray.dz * ray.dz);
  ray.begin = 0;
  ray.end = 1;
  if (scan.field_of_view < 0) return ray;
  // |(x, y) + t (dx, dy)|^2 = R^2
  const double outside = (ray.x * ray.x + ray.y * ray.y) - scan.field_of_view * scan.field_of_view;
  const double half = ray.x * ray.dx + ray.y * ray.dy;
  const double discriminant = half * half - square * outside;
  if (square == 0 ? outside > 0 : !(discriminant > 0)) ray.end = 0;
  if (square == 0 || ray.end == 0) return ray;
  const double root = Impl::sqrt(discriminant);
  ray.begin = larger(ray.begin, (-half - root) / square);
  ray.end = smaller(ray.end, (-half + root) / square);
  return ray;
}

/// Part of ray \p index within a slice, and the factor of its length in the mean.
struct ActiveRay {
  double begin, end;
  double weight;
  Ordinal index;

  KOKKOS_FUNCTION RayPart part_in_row(const PairRay& ray, double bottom, double top) const {
    return part_between(ray.y, ray.per_y, bottom, top).clipped(begin, end);
  }
};

/// Number of voxels of a row that are processed together: a register of values on a host.
inline constexpr int line_width = 8;

/// Adds the length of a part of a ray in `line_width` voxels from column \p first on. The last
/// voxels may be beyond the volume.
KOKKOS_INLINE_FUNCTION void add_lengths(const ScannerParameters& scan, const PairRay& ray,
                                        const RayPart& part, double weight, Ordinal first,
                                        double (&lengths)[line_width]) {
  const double scale = weight * part.share;
  if (ray.per_x == 0) {
    for (int c = 0; c < line_width; ++c)
      lengths[c] +=
          scale * (part.end - part.begin) *
          part_between(ray.x, 0, scan.column_plane(first + c), scan.column_plane(first + c + 1))
              .share;
    return;
  }
  double met[line_width + 1];
  for (int c = 0; c <= line_width; ++c) {
    const double t = (scan.column_plane(first + c) - ray.x) * ray.per_x;
    met[c] = smaller(larger(t, part.begin), part.end);
  }
  for (int c = 0; c < line_width; ++c) lengths[c] += scale * Impl::fabs(met[c + 1] - met[c]);
}

}  // namespace Tomokkos::Impl
