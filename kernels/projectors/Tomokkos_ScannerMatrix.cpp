// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, so that every backend gives the same bits.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <impl/Tomokkos_PairRows_impl.hpp>

namespace Tomokkos {
namespace Impl {

inline constexpr const char* scanner_matrix_label = "Tomokkos::scanner_matrix";

template <class ExecutionSpace>
struct CountPairs {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Member = typename PairPolicy<ExecutionSpace>::member_type;

  PairRows<MemorySpace> pairs;
  Kokkos::View<Offset*, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal* const positions = pairs.counted_positions();
    Offset sum = 0;
    pairs.trace(member, [&](TracedLines& lines) {
      Offset count = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, tracer_lanes),
          [&](const int lane, Offset& nonzeros) {
            CountNonzeros visit{positions};
            lines.visit(lane, pairs.scan.least, visit);
            nonzeros += visit.count;
          },
          count);
      sum += count;
    });
    Kokkos::single(Kokkos::PerThread(member), [&] { counts(member.league_rank()) = sum; });
  }
};

template <class ExecutionSpace, class Scalar>
struct FillPairs {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Member = typename PairPolicy<ExecutionSpace>::member_type;

  PairRows<MemorySpace> pairs;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal* const positions = pairs.positions.data();
    Offset begin = row_offsets(member.league_rank());
    pairs.trace(member, [&](TracedLines& lines) {
      Offset count = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, tracer_lanes),
          [&](const int lane, Offset& nonzeros) {
            CountNonzeros visit{pairs.counted_positions()};
            lines.visit(lane, pairs.scan.least, visit);
            lines.nonzeros[lane] = static_cast<int>(visit.count);
            nonzeros += visit.count;
          },
          count);
      member.team_barrier();
      Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member, tracer_lanes),
                            [&](const int lane, Offset& place, const bool final) {
                              if (final) {
                                StoreNonzeros<Scalar> visit{positions,
                                                            columns.data() + begin + place,
                                                            values.data() + begin + place};
                                lines.visit(lane, pairs.scan.least, visit);
                              }
                              place += lines.nonzeros[lane];
                            });
      begin += count;
    });
  }
};

template <class ExecutionSpace, class MemorySpace>
auto count_pairs(const ExecutionSpace& exec, const PairRows<MemorySpace>& pairs, Ordinal num_rows) {
  return [=](const Kokkos::View<Offset*, MemorySpace>& counts) {
    Kokkos::parallel_for("Tomokkos::scanner_matrix::count", pair_policy(exec, pairs, num_rows),
                         CountPairs<ExecutionSpace>{pairs, counts});
  };
}

template <class Scalar, class ExecutionSpace, class MemorySpace>
auto fill_pairs(const ExecutionSpace& exec, const PairRows<MemorySpace>& pairs, Ordinal num_rows) {
  return [=](const CsrArrays<Scalar, MemorySpace>& arrays) {
    Kokkos::parallel_for("Tomokkos::scanner_matrix::fill", pair_policy(exec, pairs, num_rows),
                         FillPairs<ExecutionSpace, Scalar>{pairs, arrays.row_offsets,
                                                           arrays.columns, arrays.values});
  };
}

template <class Scalar, class ExecutionSpace, class MemorySpace>
CsrMatrix<Scalar, MemorySpace> build_pairs(const ExecutionSpace& exec,
                                           const PairRows<MemorySpace>& pairs, Ordinal num_rows,
                                           Ordinal num_cols) {
  return build_rows<Scalar>(exec, scanner_matrix_label, num_rows, num_cols,
                            pairs.positions.data() != nullptr, count_pairs(exec, pairs, num_rows),
                            fill_pairs<Scalar>(exec, pairs, num_rows));
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_scanner_matrix(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    RowRange rows) {
  Impl::ScopedRegion region("Tomokkos::build_scanner_matrix");
  check(volume, scanner);
  rows = Impl::resolved_rows(rows, scanner.num_rows());
  return Impl::build_pairs<Scalar>(exec, Impl::make_pair_rows(exec, volume, scanner, rows.begin),
                                   rows.end - rows.begin,
                                   static_cast<Ordinal>(volume.num_voxels()));
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_mapped_scanner_matrix(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    const IndexMap<typename ExecutionSpace::memory_space>& row_map,
    const IndexMap<typename ExecutionSpace::memory_space>& voxel_map, RowRange rows,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& row_offsets) {
  Impl::ScopedRegion region("Tomokkos::build_mapped_scanner_matrix");
  check(volume, scanner);
  require_equal("indices of the row map", row_map.natural_size(), "rows of the scanner",
                scanner.num_rows());
  require_equal("indices of the voxel map", voxel_map.natural_size(), "voxels of the volume",
                volume.num_voxels());
  rows = Impl::resolved_rows(rows, row_map.size());
  const Ordinal num_rows = rows.end - rows.begin;
  auto pairs = Impl::make_pair_rows(exec, volume, scanner, rows.begin);
  pairs.rows = row_map.to_natural;
  // Identity maps share their arrays. Rows are then sorted already.
  const bool is_sorted = voxel_map.to_natural.data() == voxel_map.from_natural.data();
  if (!is_sorted) pairs.positions = voxel_map.from_natural;
  pairs.leaves_out = !voxel_map.is_permutation();
  if (row_offsets.extent(0) == 0 || pairs.leaves_out)
    return Impl::build_pairs<Scalar>(exec, pairs, num_rows, voxel_map.size());
  return Impl::fill_rows<Scalar>(
      exec, Impl::known_offsets(exec, Impl::scanner_matrix_label, row_offsets, row_map, rows),
      voxel_map.size(), !is_sorted, Impl::fill_pairs<Scalar>(exec, pairs, num_rows));
}

template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> scanner_row_offsets(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    RowRange rows) {
  Impl::ScopedRegion region("Tomokkos::scanner_row_offsets");
  check(volume, scanner);
  rows = Impl::resolved_rows(rows, scanner.num_rows());
  const Ordinal num_rows = rows.end - rows.begin;
  const auto pairs = Impl::make_pair_rows(exec, volume, scanner, rows.begin);
  const auto offsets = Impl::count_rows(exec, Impl::scanner_matrix_label, num_rows,
                                        Impl::count_pairs(exec, pairs, num_rows));
  Impl::fence(exec, "scanner_row_offsets: the offsets are complete");
  return offsets;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                           \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                     \
  build_scanner_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const VolumeGeometry3D&, \
                                               const RingScanner&, RowRange);                  \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                     \
  build_mapped_scanner_matrix<ExecutionSpace, Scalar>(                                         \
      const ExecutionSpace&, const VolumeGeometry3D&, const RingScanner&,                      \
      const IndexMap<ExecutionSpace::memory_space>&,                                           \
      const IndexMap<ExecutionSpace::memory_space>&, RowRange,                                 \
      const Kokkos::View<const Offset*, ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace)                                          \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                  \
  scanner_row_offsets<ExecutionSpace>(const ExecutionSpace&, const VolumeGeometry3D&, \
                                      const RingScanner&, RowRange);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
