// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ray in polar voxels. Seen along the axis it is p(t) = D n + t d, with the direction d, the
// length t from the point closest to the axis, n to the right of d, and the distance |D| from the
// axis. The ray runs counter-clockwise if D > 0, and
//  - meets the circle of radius r at t = -/+ sqrt(r^2 - D^2);
//  - meets the half-plane of direction e, if cross(e, d) has the sign of D, once, at
//    t = D dot(e, d) / cross(e, d);
//  - is at the height z + t slope.
// The voxels on both sides of a surface use the same t for it, so the lengths in all voxels add up
// to the length within the cylinder. Only operations that every backend rounds alike are used.
#pragma once

#include <Tomokkos_ConeBeamScan.hpp>
#include <impl/Tomokkos_RayParts_impl.hpp>

namespace Tomokkos::Impl {

struct PolarDirection {
  double cosine, sine;
};

/// Ring of voxels within a slice.
struct PolarRing {
  double inner, outer;
  Ordinal first_column, slice_columns;  // of slice 0; added by each slice
  Ordinal sectors_per_rotation;
  Ordinal sectors;
  Ordinal first_direction;  // of its half-planes; the last one repeats the first
};

/// Parameters of a volume and a scan, in the length unit of the scan.
struct PolarParameters {
  Ordinal rings, slices, pitch;
  Ordinal detectors_u, rays;
  double radius, ring_width, thickness;
  double width_u, width_v, center_u, center_v;
  double source_to_origin, source_to_detector;
  double least;  // mean lengths up to this are rounding errors

  KOKKOS_FUNCTION double plane(Ordinal index) const { return (index - 0.5 * slices) * thickness; }
  KOKKOS_FUNCTION Ordinal num_rays() const { return rays * rays; }
};

struct PolarRay {
  double dx, dy;
  double distance;  // D
  double z, slope;
  double end;     // the ray is within the cylinder from -end to end
  double weight;  // factor of a piece of t in the mean
};

/// Makes ray \p index of an element in view 0. Rays above each other have successive indices; seen
/// along the axis they coincide.
KOKKOS_INLINE_FUNCTION PolarRay make_polar_ray(const PolarParameters& scan, Ordinal element,
                                               Ordinal index) {
  const auto part = [&](Ordinal k) { return (k + 0.5) / scan.rays - 0.5; };
  const double u =
      (element % scan.detectors_u - scan.center_u + part(index / scan.rays)) * scan.width_u;
  const double v =
      (element / scan.detectors_u - scan.center_v + part(index % scan.rays)) * scan.width_v;
  const double length = Impl::sqrt(u * u + scan.source_to_detector * scan.source_to_detector);
  PolarRay ray;
  ray.dx = u / length;
  ray.dy = scan.source_to_detector / length;
  ray.distance = scan.source_to_origin * ray.dx;
  if (Impl::fabs(ray.distance) <= 0x1p-40 * scan.ring_width) ray.distance = 0;
  ray.slope = v / length;
  ray.z = ray.slope * (scan.source_to_origin * ray.dy);
  // Within the cylinder the ray leaves its height by no more than rounding.
  if (Impl::fabs(ray.slope) * scan.radius <= 0x1p-46 * scan.thickness) ray.slope = ray.z = 0;
  ray.weight = Impl::sqrt(1 + ray.slope * ray.slope) / scan.num_rays();
  const double apart = Impl::fabs(ray.distance);
  ray.end = apart < scan.radius ? Impl::sqrt((scan.radius - apart) * (scan.radius + apart)) : 0.0;
  return ray;
}

/// Returns the part of a ray within a slice. A ray within a plane (that of the source) belongs half
/// to either side of it.
KOKKOS_INLINE_FUNCTION RayPart part_in_slice(const PolarParameters& scan, const PolarRay& ray,
                                             Ordinal slice) {
  const double low = scan.plane(slice), high = scan.plane(slice + 1);
  if (ray.slope == 0) {
    if (low > 0 || high < 0) return {1, 0, 0};
    return {-ray.end, ray.end, low == 0 || high == 0 ? 0.5 : 1.0};
  }
  const double a = (low - ray.z) / ray.slope, b = (high - ray.z) / ray.slope;
  return RayPart{smaller(a, b), larger(a, b), 1.0}.clipped(-ray.end, ray.end);
}

/// Parts of a ray within a ring and a slice, before and after the point closest to the axis. In
/// each part the direction from the axis turns by less than a quarter turn. Empty parts begin and
/// end at 0.
struct RayHalves {
  double near_begin, near_end;
  double far_begin, far_end;
};

/// Values |t| at which a ray meets the circles of a ring; 0 for a circle that it misses.
struct RingCrossing {
  double inner, outer;
};

KOKKOS_INLINE_FUNCTION RingCrossing cross_ring(const PolarRay& ray, const PolarRing& ring) {
  const double apart = Impl::fabs(ray.distance);
  return {apart < ring.inner ? Impl::sqrt((ring.inner - apart) * (ring.inner + apart)) : 0.0,
          apart < ring.outer ? Impl::sqrt((ring.outer - apart) * (ring.outer + apart)) : 0.0};
}

KOKKOS_INLINE_FUNCTION RayHalves halves_in_ring(const RingCrossing& crossing, const RayPart& part) {
  if (part.is_empty()) return {0, 0, 0, 0};
  RayHalves halves{larger(part.begin, -crossing.outer), smaller(part.end, -crossing.inner),
                   larger(part.begin, crossing.inner), smaller(part.end, crossing.outer)};
  if (!(halves.near_begin < halves.near_end)) halves.near_begin = halves.near_end = 0;
  if (!(halves.far_begin < halves.far_end)) halves.far_begin = halves.far_end = 0;
  return halves;
}

/// Range of t in which a ray is in a sector, and the share that counts.
struct SectorCrossing {
  double from, to;
  double share;

  KOKKOS_FUNCTION double length(const RayHalves& halves) const {
    return share * (larger(0, smaller(to, halves.near_end) - larger(from, halves.near_begin)) +
                    larger(0, smaller(to, halves.far_end) - larger(from, halves.far_begin)));
  }
};

/// Computes where a ray crosses a sector. \p turning is 1 for a ray that runs counter-clockwise,
/// otherwise -1.
KOKKOS_INLINE_FUNCTION SectorCrossing cross_sector(const PolarRay& ray, double turning,
                                                   const PolarDirection& enter,
                                                   const PolarDirection& leave, double share) {
  // A ray closer to parallel does not meet the half-plane within the cylinder, apart from rounding.
  constexpr double parallel = 0x1p-46;
  const double enters = turning * (enter.cosine * ray.dy - enter.sine * ray.dx);
  const double leaves = turning * (leave.cosine * ray.dy - leave.sine * ray.dx);
  const bool is_entered = enters > parallel, is_left = leaves > parallel;
  if (!is_entered && !is_left) return {1, 0, 0};
  const double apart = Impl::fabs(ray.distance);
  return {is_entered ? apart * (enter.cosine * ray.dx + enter.sine * ray.dy) / enters : -1e300,
          is_left ? apart * (leave.cosine * ray.dx + leave.sine * ray.dy) / leaves : 1e300, share};
}

/// Crossing of a sector between two half-planes by rays above each other, which look like one ray.
/// A ray through the axis is the mean of the rays that pass it closely on either side.
struct SectorCrossings {
  SectorCrossing one, other;
  bool is_doubled;

  KOKKOS_FUNCTION SectorCrossings(const PolarRay& ray, const PolarDirection& first,
                                  const PolarDirection& second)
      : one(ray.distance < 0 ? cross_sector(ray, -1, second, first, 1)
                             : cross_sector(ray, 1, first, second, ray.distance > 0 ? 1 : 0.5)),
        other(ray.distance == 0 ? cross_sector(ray, -1, second, first, 0.5)
                                : SectorCrossing{1, 0, 0}),
        is_doubled(ray.distance == 0) {}

  KOKKOS_FUNCTION double length(const RayHalves& halves) const {
    const double length = one.length(halves);
    return is_doubled ? length + other.length(halves) : length;
  }
};

}  // namespace Tomokkos::Impl
