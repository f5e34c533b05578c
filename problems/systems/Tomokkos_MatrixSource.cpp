// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_SystemMatrix.hpp>

namespace Tomokkos {

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

#define TOMOKKOS_INSTANTIATE(SPACE) \
  template OrderOn<SPACE> built_order<SPACE>(const SPACE&, const SystemTask&, Ordinal);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
