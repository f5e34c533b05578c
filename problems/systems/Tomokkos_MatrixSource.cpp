// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_SampledRows.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <vector>

namespace Tomokkos {
namespace {

/// Pieces of consecutive rows that are built, and about the nonzeros of all of them.
constexpr int pieces = 48;
constexpr double nonzeros_of_pieces = 2e6;
/// Fewest rows of a piece: formats store rows in chunks.
constexpr double least_rows = 16;

/// Range of rows of piece \p k.
RowRange rows_of_piece(int k, Ordinal length, Ordinal num_rows) {
  const double room = static_cast<double>(num_rows) / pieces - length;
  const auto begin =
      static_cast<Ordinal>(k * (static_cast<double>(num_rows) / pieces) + golden_place(k) * room);
  return {begin, std::min<Ordinal>(begin + length, num_rows)};
}

}  // namespace

template <class ExecutionSpace>
MatrixSample sample_matrix(const ExecutionSpace& exec, const RowSource& source, bool with_sizes) {
  MatrixSample sample;
  if (const auto* const beam = std::get_if<ConeBeamRows>(&source)) {
    // One view has the entries of the first row of blocks.
    const Ordinal elements = beam->circulant_size().block_rows;
    const Ordinal length = std::max<Ordinal>(
        1, std::min<Ordinal>(elements / pieces, 4 * static_cast<Ordinal>(least_rows)));
    double counted = 0, rows = 0;
    for (int k = 0; k < std::min<Ordinal>(pieces, elements); ++k) {
      const RowRange range = rows_of_piece(k, length, elements);
      counted +=
          static_cast<double>(count_cone_beam_nonzeros(exec, beam->volume, beam->scan, range));
      rows += range.end - range.begin;
    }
    sample.nonzeros = counted / std::max(rows, 1.0) * static_cast<double>(num_rows(source));
    return sample;
  }
  const Ordinal count = num_rows(source);
  sample.nonzeros = sampled_nonzeros(exec, source);
  if (!with_sizes) return sample;
  const double mean = std::max(sample.nonzeros / std::max<double>(count, 1), 1e-3);
  const auto length = static_cast<Ordinal>(std::clamp(
      nonzeros_of_pieces / pieces / mean, least_rows, std::max(least_rows, 1.0 * count / pieces)));
  std::vector<Offset> offsets{0};
  std::vector<Ordinal> columns;
  for (int k = 0; k < pieces; ++k) {
    const RowRange range = rows_of_piece(k, std::min(length, count / pieces), count);
    if (range.begin >= range.end) continue;
    const auto part = build_rows<ExecutionSpace, float>(exec, source, range);
    const auto part_offsets =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part.row_offsets);
    const auto part_columns =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part.columns);
    for (std::size_t row = 1; row < part_offsets.extent(0); ++row)
      offsets.push_back(static_cast<Offset>(columns.size()) + part_offsets(row));
    columns.insert(columns.end(), part_columns.data(),
                   part_columns.data() + part_columns.extent(0));
  }
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  sample.sampled = static_cast<double>(columns.size());
  sample.sizes = format_sizes(
      {static_cast<Ordinal>(offsets.size()) - 1, num_cols(source),
       Kokkos::View<const Offset*, Kokkos::HostSpace, Unmanaged>(offsets.data(), offsets.size()),
       Kokkos::View<const Ordinal*, Kokkos::HostSpace, Unmanaged>(columns.data(), columns.size())});
  return sample;
}

template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> make_stencil(const ExecutionSpace& exec,
                                              const StencilRows& stencil, RowRange rows) {
  const auto all = static_cast<Ordinal>(stencil.num_rows());
  const double count = rows.size(all);
  const double nonzeros = stencil.most_nonzeros() * count / all;
  Impl::require_memory(
      Impl::whole_bytes(count * sizeof(Offset) + nonzeros * (sizeof(Ordinal) + sizeof(Scalar))),
      "the matrix of the stencil needs", available_memory(exec), "choose a smaller grid");
  return stencil.build<ExecutionSpace, Scalar>(exec, rows);
}

namespace {

/// Builds the matrix of a scan or a scanner in \p order, which may leave out rows and columns.
template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> build_in_order(const ExecutionSpace& exec, const SystemTask& task,
                                                const OrderOn<ExecutionSpace>& order,
                                                MatrixUse use) {
  OffsetsOn<ExecutionSpace> offsets;
  if (traits_of(task.rows).counts_first)
    offsets = counted_offsets<ExecutionSpace, Scalar>(exec, task, use);
  else
    require_memory_to_build<ExecutionSpace, Scalar>(exec, task, use);
  return build_ordered_rows<ExecutionSpace, Scalar>(exec, task.rows, offsets, order);
}

/// Leaves out the rows and columns that masks exclude.
template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> without_masked(const ExecutionSpace& exec, const SystemTask& task,
                                                const MatrixOn<ExecutionSpace, Scalar>& whole) {
  if (!task.masks.any()) return whole;
  const auto order = geometric_order(exec, {}, grids_of(task.rows), task.masks);
  return csr_mapped<ExecutionSpace, Scalar>(exec, whole,
                                            map_or_identity(exec, order.rows, whole.num_rows),
                                            map_or_identity(exec, order.columns, whole.num_cols));
}

}  // namespace

template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> make_matrix(const ExecutionSpace& exec, const SystemTask& task,
                                             MatrixUse use) {
  const RowTraits traits = traits_of(task.rows);
  if (traits.in_any_order)
    return build_in_order<ExecutionSpace, Scalar>(
        exec, task, geometric_order(exec, {}, grids_of(task.rows), task.masks), use);
  if (traits.is_circulant) {
    const auto expanded = [&] {
      const auto A = make_block_row<ExecutionSpace, Scalar>(exec, task, use);
      Impl::require_memory(system_matrix_bytes<Scalar>(A.num_rows(), A.num_nonzeros()),
                           "a matrix of " + std::to_string(A.num_nonzeros()) + " nonzeros needs",
                           available_memory(exec));
      return csr_from_block_circulant<ExecutionSpace, Scalar>(exec, A, CirculantOrder::rotations);
    };
    return without_masked<ExecutionSpace, Scalar>(exec, task, expanded());
  }
  if (!traits.is_read)
    return make_stencil<ExecutionSpace, Scalar>(exec, std::get<StencilRows>(task.rows));
  // The matrix is checked before it is copied to the device.
  const HostCsrMatrix<Scalar> A = read_matrix<Scalar>(std::get<FileRows>(task.rows).file);
  task.check_shape(A.num_rows, A.num_cols);
  require_read_memory(exec, task, A, use);
  return without_masked<ExecutionSpace, Scalar>(
      exec, task, copy_to<typename ExecutionSpace::memory_space>(exec, A));
}

template <class ExecutionSpace>
OrderOn<ExecutionSpace> built_order(const ExecutionSpace& exec, const SystemTask& task,
                                    Ordinal single_rows) {
  const OrderingOptions& ordering = task.wish.ordering;
  MatrixGrids grids = grids_of(task.rows);
  if (single_rows > 0 && ordering.rows == Ordering::subsets && grids.views == 0) {
    grids.views = single_rows;
    grids.detectors = 1;
  }
  return in_order([&] { return geometric_order(exec, ordering, grids, task.masks); });
}

template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix(const ExecutionSpace& exec,
                                                          const SystemTask& task) {
  const OrderingOptions& ordering = task.wish.ordering;
  if (is_natural(ordering) || !task.is_built_in_order()) {
    const auto A = make_matrix<ExecutionSpace, Scalar>(exec, task, MatrixUse::products);
    return in_order([&] {
      return order_matrix<ExecutionSpace, Scalar>(exec, ordering, grids_of(task.rows), A,
                                                  task.masks);
    });
  }
  const auto order = built_order(exec, task);
  return {build_in_order<ExecutionSpace, Scalar>(exec, task, order, MatrixUse::products), order};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template MatrixOn<SPACE, SCALAR> make_stencil<SPACE, SCALAR>(const SPACE&, const StencilRows&, \
                                                               RowRange);                        \
  template MatrixOn<SPACE, SCALAR> make_matrix<SPACE, SCALAR>(const SPACE&, const SystemTask&,   \
                                                              MatrixUse);                        \
  template OrderedMatrix<SPACE, SCALAR> make_ordered_matrix<SPACE, SCALAR>(const SPACE&,         \
                                                                           const SystemTask&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE)                                                 \
  template MatrixSample sample_matrix<SPACE>(const SPACE&, const RowSource&, bool); \
  template OrderOn<SPACE> built_order<SPACE>(const SPACE&, const SystemTask&, Ordinal);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
