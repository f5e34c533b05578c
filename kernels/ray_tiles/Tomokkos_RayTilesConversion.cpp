// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RayTilesBuilder.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <impl/Tomokkos_RayTilesStreams.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
RayTilesSize ray_tiles_size(const ExecutionSpace& exec,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            Ordinal tile) {
  RayTilesLayout<ExecutionSpace> layout(exec, A.num_rows, A.num_cols, A.num_nonzeros(), {tile, 0});
  layout.count(exec, A.row_offsets, A.columns);
  return layout.size(exec);
}

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values> ray_tiles_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RayTilesOptions& options) {
  RayTilesBuilder<ExecutionSpace, Scalar, Values> builder(exec, A.num_rows, A.num_cols,
                                                          A.num_nonzeros(), options);
  builder.count(exec, A);
  builder.fill(exec, A);
  return builder.finish(exec);
}

namespace Impl {

/// Counts the entries of each row without padding or, if `fills`, writes them.
template <class Scalar, class MemorySpace, StoredPrecision Values>
struct CountTileEntries {
  RayTilesStreams<Scalar, Values> A;
  Kokkos::View<const Offset*, MemorySpace> group_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> group_blocks;
  Kokkos::View<Offset*, MemorySpace> counts;  // entries of each row; once scanned, the next
                                              // position in it
  bool fills;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  /// One thread handles a group. This is not fast, but the order of tiles is the order of columns.
  KOKKOS_FUNCTION void operator()(const Offset group) const {
    for (Offset b = group_offsets(group); b < group_offsets(group + 1); ++b) {
      const auto block = A.block(group_blocks(b));
      unsigned segment = 0;
      for (unsigned p = 0; p < block.num_chunks * tile_chunk; ++p) {
        const auto pack = block.pack(p);
        if (pack.begins_segment()) ++segment;
        for (int c = 0; c < tile_pack; ++c) {
          if (pack.index(c) >= static_cast<unsigned>(A.tile)) continue;
          const Offset at = counts(block.first_row + block.rows[segment - 1])++;
          if (!fills) continue;
          columns(at) = static_cast<Ordinal>(block.first_column + pack.index(c));
          values(at) = block.value(pack, c);
        }
      }
    }
  }
};

/// Restores the row offsets: filling has moved each beginning to the end of its row, where the next
/// row begins.
template <class MemorySpace>
struct MoveOffsetsOn {
  Kokkos::View<const Offset*, MemorySpace> moved;
  Kokkos::View<Offset*, MemorySpace> offsets;
  KOKKOS_FUNCTION void operator()(const Offset i) const { offsets(i) = i > 0 ? moved(i - 1) : 0; }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Offsets = Kokkos::View<Offset*, MemorySpace>;
  const auto counts =
      allocate<Offsets>(exec, "Tomokkos::RayTiles::row_counts", Offset{A.num_rows} + 1);
  const auto offsets =
      allocate<Offsets>(exec, "Tomokkos::RayTiles::row_offsets", Offset{A.num_rows} + 1);
  const auto columns = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::columns", A.num_nonzeros());
  const auto values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
      exec, "Tomokkos::RayTiles::csr_values", A.num_nonzeros());
  Kokkos::deep_copy(exec, counts, Offset{0});
  Impl::CountTileEntries<Scalar, MemorySpace, Values> work{Impl::RayTilesStreams<Scalar, Values>(A),
                                                           A.group_offsets,
                                                           A.group_blocks,
                                                           counts,
                                                           false,
                                                           columns,
                                                           values};
  Kokkos::parallel_for("Tomokkos::ray_tiles::count_entries",
                       Impl::element_range(exec, A.num_groups()), work);
  Impl::exclusive_scan(exec, "Tomokkos::ray_tiles::scan", counts);
  work.fills = true;
  Kokkos::parallel_for("Tomokkos::ray_tiles::to_csr", Impl::element_range(exec, A.num_groups()),
                       work);
  Kokkos::parallel_for("Tomokkos::ray_tiles::offsets",
                       Impl::element_range(exec, Offset{A.num_rows} + 1),
                       Impl::MoveOffsetsOn<MemorySpace>{counts, offsets});
  CsrMatrix<Scalar, MemorySpace> result;
  result.num_rows = A.num_rows;
  result.num_cols = A.num_cols;
  result.row_offsets = offsets;
  result.columns = columns;
  result.values = values;
  Impl::fence(exec, "to_csr: any instance may read it from now on");
  return result;
}

#define TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, VALUES)                                  \
  template RayTilesMatrix<SCALAR, SPACE::memory_space, VALUES>                              \
  ray_tiles_from_csr<SPACE, SCALAR, VALUES>(                                                \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const RayTilesOptions&); \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR, VALUES>(            \
      const SPACE&, const RayTilesMatrix<SCALAR, SPACE::memory_space, VALUES>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                          \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, StoredPrecision::plain) \
  template RayTilesSize ray_tiles_size<SPACE, SCALAR>(               \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, StoredPrecision::half) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, StoredPrecision::scaled)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_VALUES

}  // namespace Tomokkos
