// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_RayTilesPlan_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Calls `launch(selection, count)` with the rows and blocks that a kernel processes for \p rows,
/// and the number of blocks.
template <class ExecutionSpace, class Plan, class Matrix, class Launch>
void for_rows(const ExecutionSpace& exec, const Plan& plan, const Matrix& A, RowRange rows,
              const Launch& launch) {
  if (rows == RowRange{0, A.num_rows}) {
    const auto& list = plan.largest_first();
    launch(EveryRow{list.data()}, static_cast<Offset>(list.extent(0)));
  } else if (rows.begin == rows.end) {
    launch(RowsOfGroups{nullptr, rows.begin, rows.end}, Offset{0});
  } else if (const auto* list = plan.largest_of_rows(exec, A, rows)) {
    launch(RowsOfGroups{list->data(), rows.begin, rows.end}, static_cast<Offset>(list->extent(0)));
  } else {
    const BlocksOfGroups all = blocks_of_groups(plan, A, groups_of(A, rows));
    launch(RowsOfGroups{all.blocks, rows.begin, rows.end}, all.count);
  }
}

/// Number of parts into which a group is cut on a host, so that threads get enough work items, each
/// of at least 8 rows.
template <class Matrix>
int parts_of_groups(const Matrix& A, Offset groups) {
  constexpr Offset units = 64, rows = 8;
  return static_cast<int>(std::clamp<Offset>((units + groups - 1) / std::max<Offset>(groups, 1), 1,
                                             std::max<Offset>(A.group_rows / rows, 1)));
}

}  // namespace Impl

template <class ExecutionSpace, class Matrix>
void spmv(const ExecutionSpace& exec, const RayTilesPlan<ExecutionSpace, Matrix>& plan,
          const Matrix& A, typename Matrix::scalar_type alpha,
          const InputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
          typename Matrix::scalar_type beta,
          const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& y, RowRange rows) {
  using Scalar = typename Matrix::scalar_type;
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const Ordinal count = range.size(A.num_rows);
  Impl::require_operands(Impl::Operand("x", x, "columns of A", A.num_cols),
                         Impl::Operand("y", y, Impl::rows_in(range, A.num_rows), count));
  plan.set_slabs_of(nullptr);
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Offset, Kokkos::Schedule<Kokkos::Dynamic>>;
    const Impl::GroupRange groups = Impl::groups_of(A, range);
    const int parts = Impl::parts_of_groups(A, groups.last - groups.first);
    Kokkos::parallel_for(
        "Tomokkos::spmv::ray_tiles", Policy(exec, 0, (groups.last - groups.first) * parts),
        Impl::RayTilesHostForward<Scalar, Matrix::stored_precision>{
            Impl::RayTilesStreams<Scalar, Matrix::stored_precision>(A), A.group_offsets.data(),
            A.group_blocks.data(), range.begin, range.end, parts, alpha, beta, x.data(), y.data()});
  } else {
    Impl::largest_finite(exec, Impl::tiles_largest, x.data(), A.num_cols, 1, plan.bound());
    Impl::for_rows(exec, plan, A, range, [&](const auto& of_rows, Offset blocks) {
      Impl::launch_blocks(exec, "Tomokkos::spmv::ray_tiles", A, blocks,
                          Impl::forward_kernel<false, ExecutionSpace>(
                              A, of_rows, x.data(), plan.bound().data(), plan.row_bound(),
                              plan.row_sums().data(), plan.row_faults().data()));
    });
    Impl::store_fixed_sums(
        exec, "Tomokkos::spmv::ray_tiles_finish", count,
        Impl::FixedSums<Scalar, long long>{plan.bound().data(), plan.row_bound(),
                                           Impl::fixed_point_bits<long long>, alpha, beta,
                                           plan.row_sums().data() + range.begin,
                                           plan.row_faults().data() + range.begin, y.data()});
  }
}

namespace Impl {

/// Computes `x = alpha A(rows, columns)^T y + beta x` on a host, for the columns of whole tiles.
template <class ExecutionSpace, class Matrix, class Scalar>
void host_back(const ExecutionSpace& exec, const RayTilesPlan<ExecutionSpace, Matrix>& plan,
               const Matrix& A, RowRange rows, RowRange columns, Scalar alpha, const Scalar* y,
               Scalar beta, Scalar* x) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Offset, Kokkos::Schedule<Kokkos::Dynamic>>;
  const std::vector<Ordinal>& begins = plan.share_begins();
  const GroupRange groups = groups_of(A, rows);
  const SharesOfTiles shares{begins.data(),
                             plan.windows().data(),
                             A.tile_blocks.data(),
                             A.chunk_offsets.data(),
                             A.block_groups.data(),
                             A.num_tiles(),
                             A.tile,
                             groups.first,
                             groups.last};
  const TileRange tiles = tiles_of(A, columns);
  const Offset first = begins[static_cast<std::size_t>(tiles.first)];
  const Offset last = begins[static_cast<std::size_t>(tiles.last)];
  Kokkos::parallel_for("Tomokkos::spmv_transpose::ray_tiles", Policy(exec, first, last),
                       RayTilesHostBack<Scalar, Matrix::stored_precision>{
                           RayTilesStreams<Scalar, Matrix::stored_precision>(A), shares, rows.begin,
                           rows.end, columns.begin, alpha, beta, y, x});
  if (last - first == tiles.last - tiles.first) return;
  constexpr Offset pieces = AddTileShares<Scalar>::pieces;
  Kokkos::parallel_for(
      "Tomokkos::spmv_transpose::ray_tiles_finish",
      Policy(exec, tiles.first * pieces, tiles.last * pieces),
      AddTileShares<Scalar>{shares, A.tile, A.num_cols, columns.begin, alpha, beta, x});
}

/// Writes the sums of some columns of A^T y, formed on a GPU, to x.
template <class ExecutionSpace, class Matrix, class Scalar>
void write_column_sums(const ExecutionSpace& exec, const RayTilesPlan<ExecutionSpace, Matrix>& plan,
                       RowRange columns, int bits, Scalar alpha, Scalar beta, Scalar* x) {
  using Integer = typename RayTilesPlan<ExecutionSpace, Matrix>::integer_type;
  store_fixed_sums(exec, "Tomokkos::spmv_transpose::ray_tiles_finish", columns.end - columns.begin,
                   FixedSums<Scalar, Integer>{plan.bound().data(), plan.column_bound(), bits, alpha,
                                              beta, plan.column_sums().data() + columns.begin,
                                              plan.column_faults().data() + columns.begin, x});
}

}  // namespace Impl

template <class ExecutionSpace, class Matrix>
void spmv_transpose(const ExecutionSpace& exec, const RayTilesPlan<ExecutionSpace, Matrix>& plan,
                    const Matrix& A, typename Matrix::scalar_type alpha,
                    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
                    typename Matrix::scalar_type beta,
                    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
                    RowRange rows) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const Ordinal count = range.size(A.num_rows);
  Impl::require_operands(Impl::Operand("y", y, Impl::rows_in(range, A.num_rows), count),
                         Impl::Operand("x", x, "columns of A", A.num_cols));
  const RowRange columns{0, A.num_cols};
  plan.set_slabs_of(nullptr);
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    Impl::host_back(exec, plan, A, range, columns, alpha, y.data(), beta, x.data());
  } else {
    using Integer = typename RayTilesPlan<ExecutionSpace, Matrix>::integer_type;
    const int bits = Impl::column_sum_bits<Integer>(A.num_rows);
    Impl::largest_finite(exec, Impl::tiles_largest, y.data(), count, 1, plan.bound());
    Impl::for_rows(exec, plan, A, range, [&](const auto& of_rows, Offset blocks) {
      Impl::launch_blocks(exec, "Tomokkos::spmv_transpose::ray_tiles", A, blocks,
                          Impl::back_kernel<false, ExecutionSpace>(
                              A, of_rows, y.data(), plan.bound().data(), plan.column_bound(), bits,
                              plan.column_sums().data(), plan.column_faults().data()));
    });
    Impl::write_column_sums(exec, plan, columns, bits, alpha, beta, x.data());
  }
}

template <class ExecutionSpace, class Matrix>
void prepare_transpose_columns(const ExecutionSpace& exec,
                               const RayTilesPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
                               const InputVector<ExecutionSpace, typename Matrix::scalar_type>& y) {
  require_equal("length of y", static_cast<long long>(y.extent(0)), "rows of A", A.num_rows);
  if constexpr (!Impl::is_host_space<ExecutionSpace>)
    Impl::largest_finite(exec, Impl::tiles_largest, y.data(), A.num_rows, 1, plan.bound());
  plan.set_slabs_of(y.data());
}

template <class ExecutionSpace, class Matrix>
void spmv_transpose_columns(const ExecutionSpace& exec,
                            const RayTilesPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
                            RowRange columns, typename Matrix::scalar_type alpha,
                            const InputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
                            typename Matrix::scalar_type beta,
                            const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& x) {
  const RowRange slab = Impl::checked_slab(columns, A.num_cols, A.tile);
  Impl::require_operands(
      Impl::Operand("y", y, "rows of A", A.num_rows),
      Impl::Operand("x", x, Impl::columns_in(slab, A.num_cols), slab.size(A.num_cols)));
  require(plan.slabs_of() == y.data(),
          "slabs of A^T y need a y that has been prepared for them, without another product "
          "in between");
  if (slab.begin == slab.end) return;
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    Impl::host_back(exec, plan, A, {0, A.num_rows}, slab, alpha, y.data(), beta, x.data());
  } else {
    using Integer = typename RayTilesPlan<ExecutionSpace, Matrix>::integer_type;
    const int bits = Impl::column_sum_bits<Integer>(A.num_rows);
    const Impl::TileRange tiles = Impl::tiles_of(A, slab);
    const Offset first = plan.tile_blocks()[static_cast<std::size_t>(tiles.first)];
    const Offset last = plan.tile_blocks()[static_cast<std::size_t>(tiles.last)];
    const auto* const list = plan.largest_of_columns(exec, A, slab);
    const auto of_tiles =
        list != nullptr ? Impl::EveryRow{list->data()} : Impl::EveryRow{nullptr, first};
    const Offset blocks = list != nullptr ? static_cast<Offset>(list->extent(0)) : last - first;
    Impl::launch_blocks(exec, "Tomokkos::spmv_transpose::ray_tiles", A, blocks,
                        Impl::back_kernel<false, ExecutionSpace>(
                            A, of_tiles, y.data(), plan.bound().data(), plan.column_bound(), bits,
                            plan.column_sums().data(), plan.column_faults().data()));
    Impl::write_column_sums(exec, plan, slab, bits, alpha, beta, x.data());
  }
}

#define TOMOKKOS_INSTANTIATE_TILES(SPACE, SCALAR, ...)                                             \
  template class RayTilesPlan<SPACE, __VA_ARGS__>;                                                 \
  template void spmv<SPACE, __VA_ARGS__>(                                                          \
      const SPACE&, const RayTilesPlan<SPACE, __VA_ARGS__>&, const __VA_ARGS__&, SCALAR,           \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                                \
      const VectorView<SCALAR, SPACE::memory_space>&, RowRange);                                   \
  template void spmv_transpose<SPACE, __VA_ARGS__>(                                                \
      const SPACE&, const RayTilesPlan<SPACE, __VA_ARGS__>&, const __VA_ARGS__&, SCALAR,           \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                                \
      const VectorView<SCALAR, SPACE::memory_space>&, RowRange);                                   \
  template void prepare_transpose_columns<SPACE, __VA_ARGS__>(                                     \
      const SPACE&, const RayTilesPlan<SPACE, __VA_ARGS__>&, const __VA_ARGS__&,                   \
      const VectorView<const SCALAR, SPACE::memory_space>&);                                       \
  template void spmv_transpose_columns<SPACE, __VA_ARGS__>(                                        \
      const SPACE&, const RayTilesPlan<SPACE, __VA_ARGS__>&, const __VA_ARGS__&, RowRange, SCALAR, \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                                \
      const VectorView<SCALAR, SPACE::memory_space>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_INSTANTIATE_TILES(SPACE, SCALAR, RayTilesMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                                             \
  TOMOKKOS_INSTANTIATE_TILES(SPACE, float,                                                      \
                             RayTilesMatrix<float, SPACE::memory_space, StoredPrecision::half>) \
  TOMOKKOS_INSTANTIATE_TILES(SPACE, float,                                                      \
                             RayTilesMatrix<float, SPACE::memory_space, StoredPrecision::scaled>)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_TILES

}  // namespace Tomokkos
