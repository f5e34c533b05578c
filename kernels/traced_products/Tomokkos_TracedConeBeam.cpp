// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, so that entries have the bits of the matrix.
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_ConeBeamTeams_impl.hpp>
#include <impl/Tomokkos_TracedProducts_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Rows of `TracedRowsProjection` for the elements of a cone beam in all views. The rows of an
/// element have the trace of view 0, rotated.
template <class ExecutionSpace>
struct TracedElements {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Teams = ConeBeamTeam<ExecutionSpace>;
  using Policy = typename Teams::Policy;
  using Member = typename Policy::member_type;
  static constexpr int lanes = Teams::lanes;
  /// On a GPU the sums of all lanes have to fit into scratch memory.
  static constexpr Ordinal most_rows = is_host_space<ExecutionSpace> ? 1024 : 8;

  PolarScan<MemorySpace> scan;
  Ordinal views;
  Kokkos::View<const Ordinal*, MemorySpace> rows;  // natural row of each row; empty: natural order

  Ordinal rows_together() const { return rows.data() == nullptr ? views : 1; }
  std::size_t memory_bytes() const {
    return scan.rings.extent(0) * sizeof(PolarRing) +
           scan.directions.extent(0) * sizeof(PolarDirection) + rows.extent(0) * sizeof(Ordinal);
  }
  Policy policy(const ExecutionSpace& exec, Ordinal teams, std::size_t more_scratch) const {
    Policy result = Teams::policy(exec, scan, teams);
    result.set_scratch_size(
        0, Kokkos::PerTeam(static_cast<int>(Teams::Tracer::scratch_bytes(scan.numbers.num_rays()) +
                                            more_scratch)));
    return result;
  }
  KOKKOS_FUNCTION Ordinal natural(Ordinal row) const {
    return rows.data() == nullptr ? row : rows(row);
  }
  KOKKOS_FUNCTION Ordinal column(std::uint32_t position, Ordinal row) const {
    const auto pitch = static_cast<std::uint32_t>(scan.numbers.pitch);
    const auto block = static_cast<Ordinal>(position % pitch) + natural(row) % views;
    return static_cast<Ordinal>(position / pitch) * views + (block < views ? block : block - views);
  }

  struct Visit {
    const typename Teams::Tracer& tracer;
    Ordinal slice, outer;
    template <class Visitor>
    KOKKOS_FUNCTION void operator()(int lane, Visitor& visitor) const {
      tracer.visit(lane, slice, outer - lane, visitor);
    }
  };

  struct Team {
    const TracedElements& of;
    typename Teams::Tracer tracer;

    KOKKOS_FUNCTION Team(const Member& member, const TracedElements& elements)
        : of(elements), tracer(member, elements.scan) {}

    template <class Take>
    KOKKOS_FUNCTION void trace(Ordinal row, const Take& take) const {
      tracer.trace(of.natural(row) / of.views,
                   [&](const Ordinal slice, const Ordinal outer, const Ordinal rings) {
                     take(rings, Visit{tracer, slice, outer});
                   });
    }
  };
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
std::shared_ptr<const TracedProjection<ExecutionSpace, Scalar>> make_traced_projection(
    const ExecutionSpace& exec, const PolarVolume& volume, const ConeBeamScan& scan,
    const IndexMap<typename ExecutionSpace::memory_space>& ray_map) {
  Impl::ScopedRegion region("Tomokkos::make_traced_projection");
  check(volume, scan);
  const PolarGrid grid(volume);
  check_circulant_shape(static_cast<Ordinal>(scan.num_elements()), grid.block_cols(),
                        grid.blocks());
  using Rows = Impl::TracedElements<ExecutionSpace>;
  Rows rows{Impl::make_polar_scan(exec, grid, scan), grid.blocks(), {}};
  auto height = static_cast<Ordinal>(scan.num_rows());
  if (ray_map.from_natural.data() != nullptr) {
    require_equal("indices of the row map", ray_map.natural_size(), "rows of the cone beam",
                  height);
    rows.rows = ray_map.to_natural;
    height = ray_map.size();
  }
  // No ray is longer within a voxel than within the cylinder.
  const double diagonal =
      std::sqrt(4 * volume.radius * volume.radius + volume.height * volume.height);
  return std::make_shared<const Impl::TracedRowsProjection<ExecutionSpace, Scalar, Rows>>(
      height, static_cast<Ordinal>(grid.num_voxels()), std::move(rows), 1.01 * diagonal);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  template std::shared_ptr<const TracedProjection<SPACE, SCALAR>>                              \
  make_traced_projection<SPACE, SCALAR>(const SPACE&, const PolarVolume&, const ConeBeamScan&, \
                                        const IndexMap<SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
