// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, so that every backend gives the same bits.
#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_ConeBeamTeams_impl.hpp>

namespace Tomokkos {
namespace Impl {

inline constexpr const char* cone_beam_label = "Tomokkos::cone_beam_matrix";

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
