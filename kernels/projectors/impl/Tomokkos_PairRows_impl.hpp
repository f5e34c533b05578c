// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a PET scanner on the device, and the teams that trace them.
#pragma once

#include <Tomokkos_RingScanner.hpp>
#include <algorithm>
#include <impl/Tomokkos_PairTracer_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>
#include <vector>

namespace Tomokkos::Impl {

inline ScannerParameters make_scanner_parameters(const VolumeGeometry3D& volume,
                                                 const RingScanner& scanner) {
  const CrystalLayer& last = scanner.layers.back();
  return {volume.slices,
          volume.rows,
          volume.columns,
          static_cast<Ordinal>(scanner.num_crystals()),
          volume.pixel,
          volume.thickness,
          scanner.crystal_size[0],
          scanner.crystal_size[1],
          scanner.field_of_view.value_or(-1.0),
          0x1p-46 * (last.radius + last.length),
          0x1p-40 * std::min(volume.pixel, volume.thickness)};
}

/// Rows of some pairs, with the crystals and rays of the scanner.
template <class MemorySpace>
struct PairRows {
  ScannerParameters scan;
  Ordinal first_row;
  Ordinal num_rays;
  Kokkos::View<const CrystalPlace*, MemorySpace> places;
  Kokkos::View<const RaySample*, MemorySpace> samples;
  /// Natural row of each row; empty: rows are in natural order.
  Kokkos::View<const Ordinal*, MemorySpace> rows = {};
  /// Columns of the voxels, see `column_of`; empty: natural order.
  Kokkos::View<const Ordinal*, MemorySpace> positions = {};
  /// Whether `positions` leaves out voxels, which are not counted.
  bool leaves_out = false;

  /// Positions to use when counting: only needed if voxels are left out.
  KOKKOS_FUNCTION const Ordinal* counted_positions() const {
    return leaves_out ? positions.data() : nullptr;
  }

  /// Calls take(lines) for the voxels of a row. The whole team calls it.
  template <class Member, class Take>
  KOKKOS_FUNCTION void trace(const Member& member, const Take& take) const {
    const Ordinal row = first_row + member.league_rank();
    const Ordinal pair = rows.data() == nullptr ? row : rows(row);
    const Ordinal from = pair / scan.crystals, to = pair % scan.crystals;
    if (from >= to) return;
    const PairTracer<Member> tracer(member, scan, num_rays);
    tracer.trace(places(from), places(to), samples.data(), take);
  }
};

/// Rows that miss the volume are cheap and adjacent, so threads fetch rows dynamically.
template <class ExecutionSpace>
using PairPolicy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;

/// Assigns a row to one thread on a host and to one warp on a GPU.
template <class ExecutionSpace, class MemorySpace>
PairPolicy<ExecutionSpace> pair_policy(const ExecutionSpace& exec,
                                       const PairRows<MemorySpace>& pairs, Ordinal num_rows) {
  PairPolicy<ExecutionSpace> policy(exec, num_rows, 1,
                                    is_host_space<ExecutionSpace> ? 1 : tracer_lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(TracerScratch::bytes(pairs.num_rays)));
  return policy;
}

/// Copies crystals and rays to the device.
template <class ExecutionSpace>
PairRows<typename ExecutionSpace::memory_space> make_pair_rows(const ExecutionSpace& exec,
                                                               const VolumeGeometry3D& volume,
                                                               const RingScanner& scanner,
                                                               Ordinal first_row) {
  const std::vector<CrystalPlace> places = scanner.places();
  const std::vector<RaySample> samples = ray_samples(scanner.rays);
  const auto device_places = copy_of(exec, "Tomokkos::ScannerMatrix::places", places);
  const auto device_samples = copy_of(exec, "Tomokkos::ScannerMatrix::samples", samples);
  // The host copies are destroyed at the end of this function.
  Impl::fence(exec, "scanner_matrix::make_pair_rows: crystals have arrived");
  return {make_scanner_parameters(volume, scanner), first_row, scanner.rays, device_places,
          device_samples};
}

}  // namespace Tomokkos::Impl
