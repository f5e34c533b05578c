// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cone beam and polar voxels on the device, and the teams that trace the elements.
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_ConeBeamScan.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <algorithm>
#include <impl/Tomokkos_PolarTracer_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>
#include <map>
#include <vector>

namespace Tomokkos::Impl {

/// Assigns an element to one thread on a host and to one warp on a GPU. Elements that miss the
/// cylinder are cheap and adjacent, so threads fetch elements dynamically.
template <class ExecutionSpace>
struct ConeBeamTeam {
  static constexpr int lanes = is_host_space<ExecutionSpace> ? 1 : 32;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
  using Member = typename Policy::member_type;
  using Scan = PolarScan<typename ExecutionSpace::memory_space>;
  using Tracer = PolarTracer<Member, typename ExecutionSpace::memory_space, lanes>;

  static Policy policy(const ExecutionSpace& exec, const Scan& scan, Ordinal elements) {
    Policy policy(exec, elements, 1, lanes);
    policy.set_scratch_size(
        0, Kokkos::PerTeam(static_cast<int>(Tracer::scratch_bytes(scan.numbers.num_rays()))));
    return policy;
  }
};

/// Copies the rings, and the half-planes between sectors for each distinct number of sectors, to
/// the device.
template <class ExecutionSpace>
auto make_polar_scan(const ExecutionSpace& exec, const PolarGrid& grid, const ConeBeamScan& scan) {
  const PolarVolume& volume = grid.volume();
  std::vector<PolarRing> rings;
  std::vector<PolarDirection> directions;
  std::map<Ordinal, Ordinal> first_directions;  // first direction for each number of sectors
  for (Ordinal ring = 0; ring < volume.rings; ++ring) {
    const Ordinal sectors = grid.sectors(ring);
    const auto [first, is_new] =
        first_directions.try_emplace(sectors, static_cast<Ordinal>(directions.size()));
    if (is_new) {
      // Half-planes that are mirror images of each other have mirrored bits.
      const auto angles = ViewAngles::evenly_spaced(sectors, {}, ViewAngles::full_turn());
      for (Ordinal sector = 0; sector <= sectors; ++sector) {
        const ViewDirection direction = angles.direction(sector % sectors);
        directions.push_back({direction.cosine(), direction.sine()});
      }
    }
    rings.push_back({volume.circle(ring), volume.circle(ring + 1), grid.first_column(ring),
                     grid.slice_columns(ring), grid.sectors_per_rotation(ring), sectors,
                     first->second});
  }
  const PolarParameters numbers{volume.rings,
                                volume.slices,
                                static_cast<Ordinal>(circulant_pitch(volume.rotations)),
                                scan.detectors[0],
                                scan.rays,
                                volume.radius,
                                volume.ring_width(),
                                volume.thickness(),
                                scan.detector_width[0],
                                scan.detector_width[1],
                                scan.center_index(0),
                                scan.center_index(1),
                                scan.source_to_origin,
                                scan.source_to_origin + scan.origin_to_detector,
                                0x1p-40 * std::min(volume.ring_width(), volume.thickness())};
  using MemorySpace = typename ExecutionSpace::memory_space;
  const PolarScan<MemorySpace> result{
      numbers, copy_of(exec, "Tomokkos::ConeBeamMatrix::rings", rings),
      copy_of(exec, "Tomokkos::ConeBeamMatrix::directions", directions)};
  // The host copies are destroyed at the end of this function.
  Impl::fence(exec, "cone_beam_matrix::make_polar_scan: rings have arrived");
  return result;
}

}  // namespace Tomokkos::Impl
