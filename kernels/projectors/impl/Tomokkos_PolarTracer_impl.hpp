// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces the rays of a detector element with one team. Its lanes share the rays where rays are
// made, and the rings of a slice where lengths are added. Each voxel is therefore summed by one
// lane over the rays in their order, and voxels are produced in the order of `PolarGrid`: groups of
// rings from the mantle inwards, within a group slice by slice, then ring by ring inwards.
#pragma once

#include <Tomokkos_Views.hpp>
#include <impl/Tomokkos_PolarSectors_impl.hpp>

namespace Tomokkos::Impl {

/// Volume and scan in device memory.
template <class MemorySpace>
struct PolarScan {
  PolarParameters numbers;
  Kokkos::View<const PolarRing*, MemorySpace> rings;
  Kokkos::View<const PolarDirection*, MemorySpace> directions;
};

/// Traces the rays of one element. \p lanes: number of rings that a team processes at a time.
template <class Member, class MemorySpace, int lanes>
class PolarTracer {
 public:
  static std::size_t scratch_bytes(Ordinal num_rays) {
    // Each of the four is aligned to 16 bytes.
    return static_cast<std::size_t>(num_rays) *
               (sizeof(PolarRay) + sizeof(RayPart) + lanes * sizeof(RayHalves)) +
           lanes * sizeof(int) + 64;
  }

  KOKKOS_FUNCTION PolarTracer(const Member& member, const PolarScan<MemorySpace>& scan)
      : member_(member), scan_(scan), num_rays_(scan.numbers.num_rays()) {
    const auto& scratch = member.team_shmem();
    rays_ = static_cast<PolarRay*>(scratch.get_shmem_aligned(num_rays_ * sizeof(PolarRay), 16));
    parts_ = static_cast<RayPart*>(scratch.get_shmem_aligned(num_rays_ * sizeof(RayPart), 16));
    halves_ = static_cast<RayHalves*>(
        scratch.get_shmem_aligned(num_rays_ * lanes * sizeof(RayHalves), 16));
    found_ = static_cast<int*>(scratch.get_shmem_aligned(lanes * sizeof(int), 16));
  }

  /// Scratch memory for one number per lane.
  KOKKOS_FUNCTION int* found() const { return found_; }

  /// Calls take(slice, outer, count) for all rings that the rays of an element may touch, in their
  /// order: `count` rings from ring `outer` inwards, at most one per lane. The whole team calls it.
  template <class Take>
  KOKKOS_FUNCTION void trace(Ordinal element, const Take& take) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member_, num_rays_), [&](const Ordinal k) {
      rays_[k] = make_polar_ray(scan_.numbers, element, k);
    });
    member_.team_barrier();
    const IndexRange slices = slices_met();
    for (Ordinal outer = scan_.numbers.rings - 1; outer >= 0; outer -= ring_group) {
      const IndexRange group{outer - ring_group + 1 > 0 ? outer - ring_group + 1 : 0, outer};
      for (Ordinal slice = slices.first; slice <= slices.last; ++slice) {
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(member_, num_rays_), [&](const Ordinal k) {
          parts_[k] = part_in_slice(scan_.numbers, rays_[k], slice);
        });
        member_.team_barrier();
        const IndexRange met = rings_met();
        const Ordinal first = met.first > group.first ? met.first : group.first;
        const Ordinal last = met.last < group.last ? met.last : group.last;
        for (Ordinal ring = last; ring >= first; ring -= lanes)
          take(slice, ring, ring - first + 1 < lanes ? ring - first + 1 : lanes);
        member_.team_barrier();
      }
    }
  }

  /// Calls visitor(position, length) for the voxels of a ring with more than the least length, in
  /// the order of their positions. One lane calls it.
  template <class Visitor>
  KOKKOS_FUNCTION void visit(int lane, Ordinal slice, Ordinal ring_index, Visitor& visitor) const {
    const PolarRing ring = scan_.rings(ring_index);
    SectorArc near, far;
    const Ordinal above_each_other = scan_.numbers.rays;
    for (Ordinal begin = 0; begin < num_rays_; begin += above_each_other) {
      const RingCrossing crossing = cross_ring(rays_[begin], ring);
      Hull near_t, far_t;
      for (Ordinal k = begin; k < begin + above_each_other; ++k) {
        const RayHalves halves = halves_in_ring(crossing, parts_[k]);
        halves_[k * lanes + lane] = halves;
        if (halves.near_begin < halves.near_end) {
          near_t.add(halves.near_begin);
          near_t.add(halves.near_end);
        }
        if (halves.far_begin < halves.far_end) {
          far_t.add(halves.far_begin);
          far_t.add(halves.far_end);
        }
      }
      near.add(rays_[begin], near_t.low, near_t.high, ring.sectors);
      far.add(rays_[begin], far_t.low, far_t.high, ring.sectors);
    }
    const PolarDirection* const directions = scan_.directions.data() + ring.first_direction;
    const Ordinal first_column = ring.first_column + slice * ring.slice_columns;
    const SectorRanges ranges(ring, near, far);
    ranges.visit([&](const Ordinal c, const Ordinal block, const Ordinal sector) {
      const PolarDirection first = directions[sector], second = directions[sector + 1];
      double sum = 0;
      for (Ordinal begin = 0; begin < num_rays_; begin += above_each_other) {
        const SectorCrossings crossings(rays_[begin], first, second);
        for (Ordinal k = begin; k < begin + above_each_other; ++k)
          sum += rays_[k].weight * parts_[k].share * crossings.length(halves_[k * lanes + lane]);
      }
      if (sum > scan_.numbers.least)
        visitor(static_cast<std::uint32_t>(first_column + c) *
                        static_cast<std::uint32_t>(scan_.numbers.pitch) +
                    static_cast<std::uint32_t>(block),
                sum);
    });
  }

 private:
  KOKKOS_FUNCTION IndexRange slices_met() const {
    return cells_met(scan_.numbers.slices, [&](const Ordinal k) {
      const PolarRay& ray = rays_[k];
      Hull hull;
      if (ray.end > 0) {
        const double middle = 0.5 * scan_.numbers.slices;
        hull.add((ray.z - ray.end * ray.slope) / scan_.numbers.thickness + middle);
        hull.add((ray.z + ray.end * ray.slope) / scan_.numbers.thickness + middle);
      }
      return hull;
    });
  }

  KOKKOS_FUNCTION IndexRange rings_met() const {
    return cells_met(scan_.numbers.rings, [&](const Ordinal k) {
      const RayPart& part = parts_[k];
      Hull hull;
      if (!part.is_empty()) {
        const double apart = rays_[k].distance;
        const double last = larger(-part.begin, part.end);
        const double first = part.begin > 0 ? part.begin : part.end < 0 ? part.end : 0;
        hull.add(Impl::sqrt(apart * apart + first * first) / scan_.numbers.ring_width);
        hull.add(Impl::sqrt(apart * apart + last * last) / scan_.numbers.ring_width);
      }
      return hull;
    });
  }

  /// Returns the cells that the rays touch; ends(k) is the hull of ray k.
  template <class Ends>
  KOKKOS_FUNCTION IndexRange cells_met(Ordinal count, const Ends& ends) const {
    Hull met;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member_, num_rays_),
        [&](const Ordinal k, double& low) { low = smaller(low, ends(k).low); },
        Kokkos::Min<double>(met.low));
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member_, num_rays_),
        [&](const Ordinal k, double& high) { high = larger(high, ends(k).high); },
        Kokkos::Max<double>(met.high));
    return met.cells(count);
  }

  const Member& member_;
  const PolarScan<MemorySpace>& scan_;
  Ordinal num_rays_;
  PolarRay* rays_;
  RayPart* parts_;
  RayHalves* halves_;  // for each ray, one per lane
  int* found_;
};

}  // namespace Tomokkos::Impl
