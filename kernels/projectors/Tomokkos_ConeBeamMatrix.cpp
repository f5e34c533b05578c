// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, so that every backend gives the same bits.
#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <algorithm>
#include <impl/Tomokkos_PolarTracer_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>
#include <map>
#include <vector>

namespace Tomokkos {
namespace Impl {

inline constexpr const char* cone_beam_label = "Tomokkos::cone_beam_matrix";

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

struct CountPositions {
  Offset count = 0;
  KOKKOS_FUNCTION void operator()(std::uint32_t, double length) {
    count += is_stored(length) ? 1 : 0;
  }
};

template <class Scalar>
struct StorePositions {
  std::uint32_t* positions;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::uint32_t position, double length) {
    if (!is_stored(length)) return;
    *positions++ = position;
    *values++ = static_cast<Scalar>(length);
  }
};

template <class ExecutionSpace>
struct CountConeBeam {
  using Team = ConeBeamTeam<ExecutionSpace>;
  using Member = typename Team::Member;

  typename Team::Scan scan;
  Ordinal first_element;
  Kokkos::View<Offset*, typename ExecutionSpace::memory_space> counts;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const typename Team::Tracer tracer(member, scan);
    Offset sum = 0;
    tracer.trace(first_element + member.league_rank(),
                 [&](const Ordinal slice, const Ordinal outer, const Ordinal rings) {
                   Offset count = 0;
                   Kokkos::parallel_reduce(
                       Kokkos::ThreadVectorRange(member, rings),
                       [&](const int lane, Offset& entries) {
                         CountPositions visit;
                         tracer.visit(lane, slice, outer - lane, visit);
                         entries += visit.count;
                       },
                       count);
                   sum += count;
                 });
    Kokkos::single(Kokkos::PerThread(member), [&] { counts(member.league_rank()) = sum; });
  }
};

template <class ExecutionSpace, class Scalar>
struct FillConeBeam {
  using Team = ConeBeamTeam<ExecutionSpace>;
  using Member = typename Team::Member;
  using MemorySpace = typename ExecutionSpace::memory_space;

  typename Team::Scan scan;
  Ordinal first_element;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<std::uint32_t*, MemorySpace> positions;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const typename Team::Tracer tracer(member, scan);
    Offset begin = row_offsets(member.league_rank());
    tracer.trace(first_element + member.league_rank(), [&](const Ordinal slice, const Ordinal outer,
                                                           const Ordinal rings) {
      if (Team::lanes == 1) {
        StorePositions<Scalar> visit{positions.data() + begin, values.data() + begin};
        tracer.visit(0, slice, outer, visit);
        begin = visit.positions - positions.data();
        return;
      }
      // A lane needs to know how many entries the lanes before it find.
      Offset count = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, rings),
          [&](const int lane, Offset& entries) {
            CountPositions visit;
            tracer.visit(lane, slice, outer - lane, visit);
            tracer.found()[lane] = static_cast<int>(visit.count);
            entries += visit.count;
          },
          count);
      member.team_barrier();
      Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member, rings),
                            [&](const int lane, Offset& place, const bool final) {
                              if (final) {
                                StorePositions<Scalar> visit{positions.data() + begin + place,
                                                             values.data() + begin + place};
                                tracer.visit(lane, slice, outer - lane, visit);
                              }
                              place += tracer.found()[lane];
                            });
      member.team_barrier();
      begin += count;
    });
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

/// Input of the two passes over some elements.
template <class ExecutionSpace>
struct ConeBeamRows {
  using MemorySpace = typename ExecutionSpace::memory_space;

  PolarScan<MemorySpace> scan;
  RowRange elements;
  Ordinal block_cols, blocks;

  Ordinal count() const { return elements.end - elements.begin; }
};

template <class ExecutionSpace>
ConeBeamRows<ExecutionSpace> make_cone_beam_rows(const ExecutionSpace& exec,
                                                 const PolarVolume& volume,
                                                 const ConeBeamScan& scan, RowRange elements) {
  check(volume, scan);
  const PolarGrid grid(volume);
  const auto num_elements = static_cast<Ordinal>(scan.num_elements());
  check_circulant_shape(num_elements, grid.block_cols(), grid.blocks());
  elements = resolved_rows(elements, num_elements);
  return {make_polar_scan(exec, grid, scan), elements, grid.block_cols(), grid.blocks()};
}

/// Counts the entries of some elements and returns their offsets. No fence.
template <class ExecutionSpace>
auto count_cone_beam(const ExecutionSpace& exec, const ConeBeamRows<ExecutionSpace>& rows) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  return count_rows(
      exec, cone_beam_label, rows.count(), [&](const Kokkos::View<Offset*, MemorySpace>& counts) {
        Kokkos::parallel_for("Tomokkos::cone_beam_matrix::count",
                             ConeBeamTeam<ExecutionSpace>::policy(exec, rows.scan, rows.count()),
                             CountConeBeam<ExecutionSpace>{rows.scan, rows.elements.begin, counts});
      });
}

inline std::uint64_t cone_beam_bytes(Ordinal elements, Offset entries, std::size_t value_bytes) {
  return (static_cast<std::uint64_t>(elements) + 1) * sizeof(Offset) +
         static_cast<std::uint64_t>(entries) * (sizeof(std::uint32_t) + value_bytes);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> build_cone_beam_matrix(
    const ExecutionSpace& exec, const PolarVolume& volume, const ConeBeamScan& scan,
    RowRange elements) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Impl::ScopedRegion region("Tomokkos::build_cone_beam_matrix");
  const auto rows = Impl::make_cone_beam_rows(exec, volume, scan, elements);
  const auto row_offsets = Impl::count_cone_beam(exec, rows);
  const Offset entries = Impl::read_entry(exec, row_offsets, static_cast<std::size_t>(rows.count()),
                                          "build_cone_beam_matrix: number of entries has arrived");
  Kokkos::View<std::uint32_t*, MemorySpace> positions;
  Kokkos::View<Scalar*, MemorySpace> values;
  Impl::allocate_for_matrix(Impl::cone_beam_bytes(rows.count(), entries, sizeof(Scalar)), [&] {
    positions = allocate<Kokkos::View<std::uint32_t*, MemorySpace>>(
        exec, "Tomokkos::BlockCirculantMatrix::positions", entries);
    values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
        exec, "Tomokkos::BlockCirculantMatrix::values", entries);
    return 0;
  });
  Kokkos::parallel_for("Tomokkos::cone_beam_matrix::fill",
                       Impl::ConeBeamTeam<ExecutionSpace>::policy(exec, rows.scan, rows.count()),
                       Impl::FillConeBeam<ExecutionSpace, Scalar>{rows.scan, rows.elements.begin,
                                                                  row_offsets, positions, values});
  Impl::fence(exec, "build_cone_beam_matrix: the matrix is complete");
  return {rows.count(), rows.block_cols, rows.blocks, rows.scan.numbers.pitch,
          row_offsets,  positions,       values};
}

template <class ExecutionSpace>
Offset count_cone_beam_nonzeros(const ExecutionSpace& exec, const PolarVolume& volume,
                                const ConeBeamScan& scan, RowRange elements) {
  Impl::ScopedRegion region("Tomokkos::count_cone_beam_nonzeros");
  const auto rows = Impl::make_cone_beam_rows(exec, volume, scan, elements);
  return Impl::read_entry(exec, Impl::count_cone_beam(exec, rows),
                          static_cast<std::size_t>(rows.count()),
                          "count_cone_beam_nonzeros: the number has arrived");
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                        \
  template BlockCirculantMatrix<Scalar, ExecutionSpace::memory_space>                       \
  build_cone_beam_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const PolarVolume&, \
                                                 const ConeBeamScan&, RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> cone_beam_row_offsets(
    const ExecutionSpace& exec, const PolarVolume& volume, const ConeBeamScan& scan,
    RowRange elements) {
  const auto offsets =
      Impl::count_cone_beam(exec, Impl::make_cone_beam_rows(exec, volume, scan, elements));
  Impl::fence(exec, "cone_beam_row_offsets: the offsets are complete");
  return offsets;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace)                                       \
  template Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>      \
  cone_beam_row_offsets<ExecutionSpace>(const ExecutionSpace&, const PolarVolume&, \
                                        const ConeBeamScan&, RowRange);            \
  template Offset count_cone_beam_nonzeros<ExecutionSpace>(                        \
      const ExecutionSpace&, const PolarVolume&, const ConeBeamScan&, RowRange);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
