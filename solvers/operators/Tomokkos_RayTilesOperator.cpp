// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RayTilesOperator.hpp>
#include <impl/Tomokkos_ColumnByColumn.hpp>
#include <utility>

namespace Tomokkos {

template <class ExecutionSpace, class Matrix>
RayTilesOperator<ExecutionSpace, Matrix>::RayTilesOperator(const ExecutionSpace& exec, Matrix A)
    : A_(std::move(A)), plan_(exec, A_) {}

template <class ExecutionSpace, class Matrix>
std::size_t RayTilesOperator<ExecutionSpace, Matrix>::apply_bytes(int vectors) const {
  const std::size_t entries = static_cast<std::size_t>(A_.num_rows) + A_.num_cols;
  // Each of several vectors is copied to a contiguous one and back, too.
  const std::size_t copies = vectors > 1 ? 2 : 0;
  return static_cast<std::size_t>(vectors) *
         (A_.memory_bytes() + (1 + copies) * entries * sizeof(scalar_type));
}

template <class ExecutionSpace, class Matrix>
void RayTilesOperator<ExecutionSpace, Matrix>::reserve(const ExecutionSpace& exec,
                                                       int vectors) const {
  const std::size_t size = static_cast<std::size_t>(A_.num_rows) + A_.num_cols;
  if (vectors > 1 && work_.extent(0) < size)
    work_ =
        allocate<Vector<scalar_type, memory_space>>(exec, "Tomokkos::RayTilesOperator::work", size);
}

/// How many they are. Checked first: what shapes say of a range that there is not is misleading.
template <class ExecutionSpace, class Matrix>
Ordinal RayTilesOperator<ExecutionSpace, Matrix>::rows_in(RowRange rows) const {
  return Impl::checked_range(rows, A_.num_rows, "rows").size(A_.num_rows);
}

template <class ExecutionSpace, class Matrix>
void RayTilesOperator<ExecutionSpace, Matrix>::require_columns(
    const MultiVectorView<const scalar_type, memory_space>& X,
    const MultiVectorView<scalar_type, memory_space>& Y, Ordinal rows_of_x,
    Ordinal rows_of_y) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "the length of its vectors",
                rows_of_x);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "the length of its vectors",
                rows_of_y);
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
}

/// `product(x, y)` for every column of X and Y.
template <class ExecutionSpace, class Matrix>
template <class Product>
void RayTilesOperator<ExecutionSpace, Matrix>::for_columns(
    const ExecutionSpace& exec, const MultiVectorView<const scalar_type, memory_space>& X,
    scalar_type beta, const MultiVectorView<scalar_type, memory_space>& Y,
    const Product& product) const {
  if (X.extent(1) == 1) {
    product(as_vector(X), as_vector(Y));
    return;
  }
  reserve(exec, static_cast<int>(X.extent(1)));
  Impl::column_by_column<ExecutionSpace, scalar_type>(exec, work_, X, beta, Y, product);
}

template <class ExecutionSpace, class Matrix>
void RayTilesOperator<ExecutionSpace, Matrix>::apply(
    const ExecutionSpace& exec, scalar_type alpha,
    const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
    const MultiVectorView<scalar_type, memory_space>& Y, RowRange rows) const {
  require_columns(X, Y, A_.num_cols, rows_in(rows));
  for_columns(exec, X, beta, Y,
              [&](const VectorView<const scalar_type, memory_space>& x,
                  const VectorView<scalar_type, memory_space>& y) {
                spmv(exec, plan_, A_, alpha, x, beta, y, rows);
              });
}

template <class ExecutionSpace, class Matrix>
void RayTilesOperator<ExecutionSpace, Matrix>::apply_transpose(
    const ExecutionSpace& exec, scalar_type alpha,
    const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
    const MultiVectorView<scalar_type, memory_space>& Y, RowRange rows) const {
  require_columns(X, Y, rows_in(rows), A_.num_cols);
  for_columns(exec, X, beta, Y,
              [&](const VectorView<const scalar_type, memory_space>& x,
                  const VectorView<scalar_type, memory_space>& y) {
                spmv_transpose(exec, plan_, A_, alpha, x, beta, y, rows);
              });
}

template <class ExecutionSpace, class Matrix>
void RayTilesOperator<ExecutionSpace, Matrix>::prepare_slabs(
    const ExecutionSpace& exec, const MultiVectorView<const scalar_type, memory_space>& X) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "the length of its vectors",
                A_.num_rows);
  if (X.extent(1) == 1) prepare_transpose_columns(exec, plan_, A_, as_vector(X));
}

template <class ExecutionSpace, class Matrix>
void RayTilesOperator<ExecutionSpace, Matrix>::apply_transpose_columns(
    const ExecutionSpace& exec, scalar_type alpha,
    const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
    const MultiVectorView<scalar_type, memory_space>& Y, RowRange columns) const {
  const RowRange slab = Impl::checked_slab(columns, A_.num_cols, slab_unit());
  require_columns(X, Y, A_.num_rows, slab.size(A_.num_cols));
  for_columns(exec, X, beta, Y,
              [&](const VectorView<const scalar_type, memory_space>& x,
                  const VectorView<scalar_type, memory_space>& y) {
                if (X.extent(1) > 1) prepare_transpose_columns(exec, plan_, A_, x);
                spmv_transpose_columns(exec, plan_, A_, slab, alpha, x, beta, y);
              });
}

template <class ExecutionSpace, class Matrix>
void RayTilesOperator<ExecutionSpace, Matrix>::row_sums(
    const ExecutionSpace& exec, const VectorView<scalar_type, memory_space>& sums) const {
  const auto ones = allocate<Vector<scalar_type, memory_space>>(
      exec, "Tomokkos::RayTilesOperator::ones", A_.num_cols);
  fill<ExecutionSpace, scalar_type>(exec, ones, scalar_type(1));
  spmv(exec, plan_, A_, scalar_type(1), VectorView<const scalar_type, memory_space>(ones),
       scalar_type(0), sums);
  Impl::fence(exec, "row_sums: the ones go");
}

template <class ExecutionSpace, class Matrix>
void RayTilesOperator<ExecutionSpace, Matrix>::column_sums(
    const ExecutionSpace& exec, const VectorView<scalar_type, memory_space>& sums) const {
  const auto ones = allocate<Vector<scalar_type, memory_space>>(
      exec, "Tomokkos::RayTilesOperator::ones", A_.num_rows);
  fill<ExecutionSpace, scalar_type>(exec, ones, scalar_type(1));
  spmv_transpose(exec, plan_, A_, scalar_type(1), VectorView<const scalar_type, memory_space>(ones),
                 scalar_type(0), sums);
  Impl::fence(exec, "column_sums: the ones go");
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template class RayTilesOperator<SPACE, RayTilesMatrix<SCALAR, SPACE::memory_space>>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                                              \
  template class RayTilesOperator<SPACE,                                                         \
                                  RayTilesMatrix<float, SPACE::memory_space, TileValues::half>>; \
  template class RayTilesOperator<SPACE,                                                         \
                                  RayTilesMatrix<float, SPACE::memory_space, TileValues::scaled>>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
