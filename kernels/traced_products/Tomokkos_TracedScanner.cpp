// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, so that entries have the bits of the matrix.
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_PairRows_impl.hpp>
#include <impl/Tomokkos_TracedProducts_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Rows of `TracedRowsProjection` for pairs of crystals.
template <class ExecutionSpace>
struct TracedPairs {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = PairPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int lanes = tracer_lanes;
  static constexpr Ordinal most_rows = 1;

  PairRows<MemorySpace> pairs;

  Ordinal rows_together() const { return 1; }
  std::size_t memory_bytes() const {
    return pairs.places.extent(0) * sizeof(CrystalPlace) +
           pairs.samples.extent(0) * sizeof(RaySample) +
           (pairs.rows.extent(0) + pairs.positions.extent(0)) * sizeof(Ordinal);
  }
  Policy policy(const ExecutionSpace& exec, Ordinal teams, std::size_t more_scratch) const {
    Policy result = pair_policy(exec, pairs, teams);
    result.set_scratch_size(
        0, Kokkos::PerTeam(static_cast<int>(TracerScratch::bytes(pairs.num_rays) + more_scratch)));
    return result;
  }
  KOKKOS_FUNCTION Ordinal column(Ordinal voxel, Ordinal) const {
    return column_of(pairs.positions.data(), voxel);
  }

  struct Visit {
    const TracedLines& lines;
    double least;
    template <class Visitor>
    KOKKOS_FUNCTION void operator()(int lane, Visitor& visitor) const {
      lines.visit(lane, least, visitor);
    }
  };

  struct Team {
    const TracedPairs& of;
    PairTracer<Member> tracer;

    KOKKOS_FUNCTION Team(const Member& member, const TracedPairs& rows)
        : of(rows), tracer(member, rows.pairs.scan, rows.pairs.num_rays) {}

    template <class Take>
    KOKKOS_FUNCTION void trace(Ordinal row, const Take& take) const {
      const Ordinal pair = of.pairs.rows.data() == nullptr ? row : of.pairs.rows(row);
      const Ordinal from = pair / of.pairs.scan.crystals, to = pair % of.pairs.scan.crystals;
      if (from >= to) return;
      tracer.trace(of.pairs.places(from), of.pairs.places(to), of.pairs.samples.data(),
                   [&](TracedLines& lines) {
                     take(lanes, Visit{lines, of.pairs.scan.least});
                   });
    }
  };
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
std::shared_ptr<const TracedProjection<ExecutionSpace, Scalar>> make_traced_projection(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    const IndexMap<typename ExecutionSpace::memory_space>& pair_map,
    const IndexMap<typename ExecutionSpace::memory_space>& voxel_map) {
  Impl::ScopedRegion region("Tomokkos::make_traced_projection");
  check(volume, scanner);
  using Rows = Impl::TracedPairs<ExecutionSpace>;
  Rows rows{Impl::make_pair_rows(exec, volume, scanner, 0)};
  auto height = static_cast<Ordinal>(scanner.num_rows());
  auto width = static_cast<Ordinal>(volume.num_voxels());
  if (pair_map.from_natural.data() != nullptr) {
    require_equal("indices of the row map", pair_map.natural_size(), "rows of the scanner", height);
    rows.pairs.rows = pair_map.to_natural;
    height = pair_map.size();
  }
  if (voxel_map.from_natural.data() != nullptr) {
    require_equal("indices of the voxel map", voxel_map.natural_size(), "voxels of the volume",
                  width);
    rows.pairs.positions = voxel_map.from_natural;
    width = voxel_map.size();
  }
  // No ray is longer within a voxel than its diagonal.
  const double diagonal =
      std::sqrt(2 * volume.pixel * volume.pixel + volume.thickness * volume.thickness);
  return std::make_shared<const Impl::TracedRowsProjection<ExecutionSpace, Scalar, Rows>>(
      height, width, std::move(rows), 1.01 * diagonal);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template std::shared_ptr<const TracedProjection<SPACE, SCALAR>>                                  \
  make_traced_projection<SPACE, SCALAR>(const SPACE&, const VolumeGeometry3D&, const RingScanner&, \
                                        const IndexMap<SPACE::memory_space>&,                      \
                                        const IndexMap<SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
