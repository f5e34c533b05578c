// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are stored: converted from CSR, or built directly in ray tiles.
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_VisitOrder.hpp>
#include <algorithm>
#include <impl/Tomokkos_SystemBuilder_impl.hpp>
#include <utility>

namespace Tomokkos::Impl {

std::string obstacle_to_streaming(const SystemTask& task) {
  const OperatorWish& wish = task.wish;
  if (builds_tiles_directly(task) || wish.is(MatrixFormat::csr) || wish.is_automatic()) return {};
  if (wish.is(MatrixFormat::ray_tiles))
    return "ray_tiles of a file or with a mask cannot be streamed from host memory; csr can";
  return "the entries of " + wish.format_name() +
         " cannot be streamed from host memory; csr and ray_tiles can";
}

/// Divides \p all rows, in the order of the run, into ordered subsets or blocks.
template <class ExecutionSpace, class Scalar>
const RowSubsets& SystemBuilder<ExecutionSpace, Scalar>::divide_rows(Ordinal all) {
  if (task.needs.blocks) {
    const Ordinal unit = task.needs.block_rows.value_or(all);
    subsets = RowSubsets(all, std::max(1, (all - 1) / unit + 1), unit);
  } else {
    const auto [unit, begins] = subsets_of(task);
    subsets = RowSubsets(all, task.needs.subsets, unit, begins);
  }
  return *subsets;
}

/// Cuts all rows, in the order of the run, into the shares of the ranks, subset by subset, and
/// restricts the order to those of this rank. Returns them as ranges.
template <class ExecutionSpace, class Scalar>
std::vector<RowRange> SystemBuilder<ExecutionSpace, Scalar>::keep_rows(const HostOffsets& offsets,
                                                                       Ordinal natural_size) {
  const auto all = static_cast<Ordinal>(offsets.extent(0)) - 1;
  RankRows rows = share_rows(offsets, divide_rows(all), share->weights, share->rank);
  subset_begins = std::move(rows.subset_begins);
  order.rows = restrict_map(exec, order.rows, natural_size, rows.ranges);
  return std::move(rows.ranges);
}

/// Puts rows in the order in which block ART visits them.
template <class ExecutionSpace, class Scalar>
void SystemBuilder<ExecutionSpace, Scalar>::order_by_visits() {
  if (task.needs.blocks) set_visit_order(exec, task.visits, task.masks.rows, order);
}

/// Sets the order of the rows of this rank in a scan or a scanner. Returns the offsets of all rows.
template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::keep_traced_rows() -> Offsets {
  const Offsets natural = Kokkos::create_mirror_view_and_copy(memory_space(), share->unit_offsets);
  order = built_order(exec, task);
  order_by_visits();
  keep_rows(OrderedRows<ExecutionSpace, Scalar>(exec, task.rows, order, natural).row_offsets(),
            static_cast<Ordinal>(natural.extent(0)) - 1);
  return natural;
}

template <class ExecutionSpace, class Scalar>
HostCsrMatrix<Scalar> SystemBuilder<ExecutionSpace, Scalar>::read(
    RankMatrixFile<Scalar>& file) const {
  std::optional<IndexMap<Kokkos::HostSpace>> columns;
  if (order.columns) columns = map_on_host(*order.columns);
  return file.read(map_on_host(*order.rows), columns);
}

/// Reads the rows of this rank from a file.
template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::read_share() -> Matrix {
  RankMatrixFile<Scalar> file(std::get<FileRows>(task.rows).file);
  task.check_shape(file.num_rows(), file.num_cols());
  order = built_order(exec, task, file.num_rows());
  order_by_visits();
  // The length of a row after masking is not known here; its full length is close enough.
  HostOffsets offsets = file.row_offsets();
  if (order.rows) offsets = mapped_offsets(offsets, map_on_host(*order.rows).to_natural);
  keep_rows(offsets, file.num_rows());
  const HostCsrMatrix<Scalar> rows = read(file);
  require_read_memory(exec, task, rows, MatrixUse::products);
  return copy_to<memory_space>(exec, rows);
}

template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::stored_rows() -> System {
  const RowTraits traits = traits_of(task.rows);
  if (share != nullptr && is_geometric(task.wish.ordering) && !traits.is_circulant)
    return traits.is_read ? convert(read_share()) : traced_rows(keep_traced_rows());
  if (share == nullptr && builds_tiles_directly(task)) {
    // The time of building and converting counts as that of the matrix.
    observer.matrix_begins("building the matrix in ray tiles");
    const auto offsets = counted_offsets<ExecutionSpace, Scalar>(exec, task, MatrixUse::tiles);
    order = built_order(exec, task);
    return traced_rows(offsets);
  }
  observer.matrix_begins("building the matrix");
  auto ordered = make_ordered_matrix<ExecutionSpace, Scalar>(exec, task);
  Matrix& A = ordered.A;
  if (task.needs.blocks) number_rows_by_visit(exec, task.visits, task.masks.rows, ordered);
  order = std::move(ordered.order);
  MatrixGrids grids;
  if (share != nullptr) {
    // The order depends on the whole matrix, or a block-circulant matrix has been expanded.
    const auto ranges =
        keep_rows(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets),
                  order.rows ? static_cast<Ordinal>(order.rows->natural_size()) : A.num_rows);
    A = csr_mapped<ExecutionSpace, Scalar>(
        exec, A, restrict_map<ExecutionSpace>(exec, {}, A.num_rows, ranges),
        identity_map(exec, A.num_cols));
  } else {
    grids = grids_of(task.rows);
    // The rays that a mask keeps do not form a grid.
    if (!task.masks.rows.empty()) grids.views = grids.detectors = 0;
  }
  return convert(A, grids);
}

template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::traced_rows(const Offsets& natural_offsets) -> System {
  if (!builds_tiles_directly(task))
    return convert(
        build_ordered_rows<ExecutionSpace, Scalar>(exec, task.rows, natural_offsets, order));
  auto tiles = make_direct_tiles<ExecutionSpace, Scalar>(exec, task, order, natural_offsets,
                                                         observer.wants_fingerprint, {}, streamed);
  built(tiles.statistics, tiles.made.A.memory_bytes(), " in ray tiles",
        [&] { return tiles.fingerprint; });
  observer.operator_begins(0);
  auto result = prepare_built_operator<ExecutionSpace, Scalar>(exec, task, std::move(tiles.made),
                                                               tiles.statistics);
  if (is_part) return result;
  result.report.set("built", describe_map({{"blocks", tiles.blocks}, {"kept", tiles.kept}}, true));
  return result;
}

template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::convert(const Matrix& A, const MatrixGrids& grids)
    -> System {
  built({A.num_rows, A.num_cols, A.num_nonzeros()}, A.memory_bytes(), {},
        [&] { return csr_fingerprint<ExecutionSpace, Scalar>(exec, A); });
  observer.operator_begins(static_cast<double>(A.num_nonzeros()));
  return streamed != nullptr ? convert_streamed(A)
                             : prepare_operator<ExecutionSpace, Scalar>(exec, task, A, grids);
}

template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::convert_streamed(const Matrix& A) -> System {
  const OperatorWish& wish = task.wish;
  if (const std::string obstacle = obstacle_to_streaming(task); !obstacle.empty())
    throw ConfigError("operator.format: " + obstacle);
  OperatorOptions options;
  options.spmv = spmv_options(task.needs, wish, wish.variant);
  options.transpose_spmv = spmv_options(task.needs, wish, wish.transpose_variant);
  options.transpose = TransposeMethod::atomic;  // never used without a transposed product
  std::optional<Matrix> transposed;
  if (task.needs.transpose) {
    options.transpose = TransposeMethod::stored;
    transposed = with_streamed_entries(
        exec, transpose<ExecutionSpace, Scalar>(exec, A, {.variant = wish.transposition}),
        *streamed);
  }
  const auto statistics = row_statistics(exec, A);
  CsrOperator<ExecutionSpace, Scalar> made(exec, with_streamed_entries(exec, A, *streamed), options,
                                           transposed);
  return {AnyOperator<ExecutionSpace, Scalar>(std::move(made)), statistics,
          describe_map({{"format", MatrixFormat::csr}, {"transpose", *options.transpose}})};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template const RowSubsets& SystemBuilder<SPACE, SCALAR>::divide_rows(Ordinal);                   \
  template void SystemBuilder<SPACE, SCALAR>::order_by_visits();                                   \
  template SystemBuilder<SPACE, SCALAR>::Offsets SystemBuilder<SPACE, SCALAR>::keep_traced_rows(); \
  template HostCsrMatrix<SCALAR> SystemBuilder<SPACE, SCALAR>::read(RankMatrixFile<SCALAR>&)       \
      const;                                                                                       \
  template BuiltSystem<SPACE, SCALAR> SystemBuilder<SPACE, SCALAR>::stored_rows();                 \
  template BuiltSystem<SPACE, SCALAR> SystemBuilder<SPACE, SCALAR>::traced_rows(                   \
      const SystemBuilder<SPACE, SCALAR>::Offsets&);                                               \
  template BuiltSystem<SPACE, SCALAR> SystemBuilder<SPACE, SCALAR>::convert(                       \
      const MatrixOn<SPACE, SCALAR>&, const MatrixGrids&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Impl
