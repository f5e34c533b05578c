// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PairBlockedOperator.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <impl/Tomokkos_ColumnByColumn.hpp>
#include <utility>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
PairBlockedOperator<ExecutionSpace, Scalar>::PairBlockedOperator(
    const ExecutionSpace& exec, matrix_type A, std::optional<PairTranspose> transpose)
    : A_(std::move(A)), transpose_(transpose) {
  if (transpose_) plan_ = PairBlockedPlan<ExecutionSpace, Scalar>(exec, A_, *transpose_);
}

template <class ExecutionSpace, class Scalar>
std::size_t PairBlockedOperator<ExecutionSpace, Scalar>::apply_bytes(int vectors) const {
  const std::size_t entries = static_cast<std::size_t>(A_.num_rows) + A_.num_cols;
  // Each of several vectors is copied to a contiguous one and back, too.
  const std::size_t copies = vectors > 1 ? 2 : 0;
  return static_cast<std::size_t>(vectors) *
         (A_.memory_bytes() + (1 + copies) * entries * sizeof(Scalar));
}

template <class ExecutionSpace, class Scalar>
std::size_t PairBlockedOperator<ExecutionSpace, Scalar>::apply_transpose_bytes(int vectors) const {
  if (!transpose_) return 0;
  return apply_bytes(vectors) + static_cast<std::size_t>(vectors) * 2 * plan_.memory_bytes();
}

template <class ExecutionSpace, class Scalar>
void PairBlockedOperator<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                                          int vectors) const {
  const std::size_t size = static_cast<std::size_t>(A_.num_rows) + A_.num_cols;
  if (vectors > 1 && work_.extent(0) < size)
    work_ =
        allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::PairBlockedOperator::work", size);
}

/// `product(x, y)` for every column of X and Y.
template <class ExecutionSpace, class Scalar>
template <class Product>
void PairBlockedOperator<ExecutionSpace, Scalar>::for_columns(const ExecutionSpace& exec,
                                                              const Input& X, Ordinal length_of_x,
                                                              Scalar beta, const Output& Y,
                                                              Ordinal length_of_y,
                                                              const Product& product) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "the length of its vectors",
                length_of_x);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "the length of its vectors",
                length_of_y);
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  if (X.extent(1) == 1) {
    product(as_vector(X), as_vector(Y));
    return;
  }
  reserve(exec, static_cast<int>(X.extent(1)));
  Impl::column_by_column<ExecutionSpace, Scalar>(exec, work_, X, beta, Y, product);
}

template <class ExecutionSpace, class Scalar>
void PairBlockedOperator<ExecutionSpace, Scalar>::apply(const ExecutionSpace& exec, Scalar alpha,
                                                        const Input& X, Scalar beta,
                                                        const Output& Y) const {
  for_columns(exec, X, A_.num_cols, beta, Y, A_.num_rows,
              [&](const VectorView<const Scalar, memory_space>& x,
                  const VectorView<Scalar, memory_space>& y) {
                spmv<ExecutionSpace, Scalar>(exec, A_, alpha, x, beta, y);
              });
}

template <class ExecutionSpace, class Scalar>
void PairBlockedOperator<ExecutionSpace, Scalar>::apply_transpose(const ExecutionSpace& exec,
                                                                  Scalar alpha, const Input& X,
                                                                  Scalar beta,
                                                                  const Output& Y) const {
  require(has_transpose(), "this operator was made without a transpose");
  for_columns(exec, X, A_.num_rows, beta, Y, A_.num_cols,
              [&](const VectorView<const Scalar, memory_space>& x,
                  const VectorView<Scalar, memory_space>& y) {
                spmv_transpose<ExecutionSpace, Scalar>(exec, plan_, A_, alpha, x, beta, y);
              });
}

template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space>
PairBlockedOperator<ExecutionSpace, Scalar>::ones(const ExecutionSpace& exec, Ordinal n) const {
  const auto result =
      allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::PairBlockedOperator::ones", n);
  fill<ExecutionSpace, Scalar>(exec, result, Scalar(1));
  return result;
}

template <class ExecutionSpace, class Scalar>
void PairBlockedOperator<ExecutionSpace, Scalar>::row_sums(
    const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& sums) const {
  const auto x = ones(exec, A_.num_cols);
  apply(exec, Scalar(1), as_multivector(VectorView<const Scalar, memory_space>(x)), Scalar(0),
        as_multivector(sums));
  Impl::fence(exec, "row_sums: the ones go");
}

template <class ExecutionSpace, class Scalar>
void PairBlockedOperator<ExecutionSpace, Scalar>::column_sums(
    const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& sums) const {
  const auto y = ones(exec, A_.num_rows);
  apply_transpose(exec, Scalar(1), as_multivector(VectorView<const Scalar, memory_space>(y)),
                  Scalar(0), as_multivector(sums));
  Impl::fence(exec, "column_sums: the ones go");
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class PairBlockedOperator<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
