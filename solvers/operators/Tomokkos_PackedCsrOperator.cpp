// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PackedCsrOperator.hpp>
#include <impl/Tomokkos_ColumnByColumn.hpp>
#include <utility>

namespace Tomokkos {

template <class ExecutionSpace, class Matrix>
PackedCsrOperator<ExecutionSpace, Matrix>::PackedCsrOperator(const ExecutionSpace& exec, Matrix A,
                                                             PackedTranspose<Matrix> transpose)
    : A_(std::move(A)), transpose_(std::move(transpose)) {
  if (!transpose_.method) return;
  switch (*transpose_.method) {
    case TransposeMethod::stored:
      require(transpose_.copy.has_value(), "packed rows: the stored transpose is missing");
      require_equal("rows of the transposed copy", transpose_.copy->num_rows, "columns of A",
                    A_.num_cols);
      require_equal("columns of the transposed copy", transpose_.copy->num_cols, "rows of A",
                    A_.num_rows);
      return;
    case TransposeMethod::private_images:
      images_ = PrivateImages<ExecutionSpace, scalar_type>(exec, transpose_.images, A_.num_cols);
      return;
    case TransposeMethod::atomic:
      return;
    case TransposeMethod::windowed:
    case TransposeMethod::fixed_point:
    case TransposeMethod::direct:
    case TransposeMethod::automatic:
      break;
  }
  throw Error(
      "packed rows are transposed by a stored copy, by atomic additions or by private "
      "images, not " +
      std::string(to_string(*transpose_.method)));
}

template <class ExecutionSpace, class Matrix>
std::size_t PackedCsrOperator<ExecutionSpace, Matrix>::memory_bytes() const {
  return A_.memory_bytes() + (transpose_.copy ? transpose_.copy->memory_bytes() : 0) +
         images_.memory_bytes() + work_.extent(0) * sizeof(scalar_type);
}

template <class ExecutionSpace, class Matrix>
std::size_t PackedCsrOperator<ExecutionSpace, Matrix>::pattern_bytes() const {
  if constexpr (!is_plain) return 0;
  const auto pattern = [](const Matrix& M) {
    return M.memory_bytes() - static_cast<std::size_t>(M.num_stored()) * sizeof(scalar_type);
  };
  return pattern(A_) + (transpose_.copy ? pattern(*transpose_.copy) : 0);
}

template <class ExecutionSpace, class Matrix>
std::size_t PackedCsrOperator<ExecutionSpace, Matrix>::bytes_of(const Matrix& M,
                                                                int vectors) const {
  const std::size_t entries = static_cast<std::size_t>(M.num_rows) + M.num_cols;
  // Each of several vectors is copied to a contiguous one and back, too.
  const std::size_t copies = vectors > 1 ? 2 : 0;
  return static_cast<std::size_t>(vectors) *
         (M.memory_bytes() + (1 + copies) * entries * sizeof(scalar_type));
}

template <class ExecutionSpace, class Matrix>
std::size_t PackedCsrOperator<ExecutionSpace, Matrix>::apply_transpose_bytes(int vectors) const {
  if (!transpose_.method) return 0;
  if (transpose_.copy) return bytes_of(*transpose_.copy, vectors);
  // An entry meets all vectors at once, and at best the caches hold the image. Private images are
  // written and read.
  const auto count = static_cast<std::size_t>(vectors);
  const std::size_t entries = static_cast<std::size_t>(A_.num_rows) + A_.num_cols;
  return A_.memory_bytes() + count * entries * sizeof(scalar_type) +
         2 * count * static_cast<std::size_t>(images_.count()) *
             static_cast<std::size_t>(A_.num_cols) * sizeof(scalar_type);
}

template <class ExecutionSpace, class Matrix>
void PackedCsrOperator<ExecutionSpace, Matrix>::reserve(const ExecutionSpace& exec,
                                                        int vectors) const {
  reserve_images(exec, vectors);
  reserve_work(exec, vectors);
}

template <class ExecutionSpace, class Matrix>
void PackedCsrOperator<ExecutionSpace, Matrix>::reserve_images(const ExecutionSpace& exec,
                                                               int vectors) const {
  if (images_.count() == 0 || images_.vectors() >= vectors) return;
  images_ = {};  // never both at a time
  images_ =
      PrivateImages<ExecutionSpace, scalar_type>(exec, transpose_.images, A_.num_cols, vectors);
}

template <class ExecutionSpace, class Matrix>
void PackedCsrOperator<ExecutionSpace, Matrix>::reserve_work(const ExecutionSpace& exec,
                                                             int vectors) const {
  const std::size_t size = static_cast<std::size_t>(A_.num_rows) + A_.num_cols;
  if (vectors > 1 && work_.extent(0) < size)
    work_ = allocate<Vector<scalar_type, memory_space>>(exec, "Tomokkos::PackedCsrOperator::work",
                                                        size);
}

template <class ExecutionSpace, class Matrix>
void PackedCsrOperator<ExecutionSpace, Matrix>::multiply(const ExecutionSpace& exec,
                                                         const Matrix& M, scalar_type alpha,
                                                         const Input& X, scalar_type beta,
                                                         const Output& Y) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "the length of its vectors",
                M.num_cols);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "the length of its vectors",
                M.num_rows);
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  const auto product = [&](const VectorView<const scalar_type, memory_space>& x,
                           const VectorView<scalar_type, memory_space>& y) {
    spmv<ExecutionSpace, scalar_type, Matrix::tile_values>(exec, M, alpha, x, beta, y);
  };
  if (X.extent(1) == 1) {
    product(as_vector(X), as_vector(Y));
    return;
  }
  reserve_work(exec, static_cast<int>(X.extent(1)));
  Impl::column_by_column<ExecutionSpace, scalar_type>(exec, work_, X, beta, Y, product);
}

template <class ExecutionSpace, class Matrix>
void PackedCsrOperator<ExecutionSpace, Matrix>::apply(const ExecutionSpace& exec, scalar_type alpha,
                                                      const Input& X, scalar_type beta,
                                                      const Output& Y) const {
  multiply(exec, A_, alpha, X, beta, Y);
}

template <class ExecutionSpace, class Matrix>
void PackedCsrOperator<ExecutionSpace, Matrix>::apply_transpose(const ExecutionSpace& exec,
                                                                scalar_type alpha, const Input& X,
                                                                scalar_type beta,
                                                                const Output& Y) const {
  require(has_transpose(), "this operator was made without a transpose");
  constexpr TileValues values = Matrix::tile_values;
  if (transpose_.copy) {
    multiply(exec, *transpose_.copy, alpha, X, beta, Y);
  } else if (transpose_.method == TransposeMethod::private_images) {
    reserve_images(exec, static_cast<int>(X.extent(1)));
    spmv_transpose_private<ExecutionSpace, scalar_type, values>(exec, images_, A_, alpha, X, beta,
                                                                Y);
  } else {
    spmv_transpose_atomic<ExecutionSpace, scalar_type, values>(exec, A_, alpha, X, beta, Y);
  }
}

template <class ExecutionSpace, class Matrix>
Vector<typename Matrix::scalar_type, typename ExecutionSpace::memory_space>
PackedCsrOperator<ExecutionSpace, Matrix>::ones(const ExecutionSpace& exec, Ordinal n) const {
  const auto result =
      allocate<Vector<scalar_type, memory_space>>(exec, "Tomokkos::PackedCsrOperator::ones", n);
  fill<ExecutionSpace, scalar_type>(exec, result, scalar_type(1));
  return result;
}

template <class ExecutionSpace, class Matrix>
void PackedCsrOperator<ExecutionSpace, Matrix>::row_sums(
    const ExecutionSpace& exec, const VectorView<scalar_type, memory_space>& sums) const {
  const auto x = ones(exec, A_.num_cols);
  apply(exec, scalar_type(1), as_multivector(VectorView<const scalar_type, memory_space>(x)),
        scalar_type(0), as_multivector(sums));
  Impl::fence(exec, "row_sums: the ones go");
}

template <class ExecutionSpace, class Matrix>
void PackedCsrOperator<ExecutionSpace, Matrix>::column_sums(
    const ExecutionSpace& exec, const VectorView<scalar_type, memory_space>& sums) const {
  const auto y = ones(exec, A_.num_rows);
  apply_transpose(exec, scalar_type(1),
                  as_multivector(VectorView<const scalar_type, memory_space>(y)), scalar_type(0),
                  as_multivector(sums));
  Impl::fence(exec, "column_sums: the ones go");
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template class PackedCsrOperator<SPACE, PackedCsrMatrix<SCALAR, SPACE::memory_space>>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                                                \
  template class PackedCsrOperator<SPACE,                                                          \
                                   PackedCsrMatrix<float, SPACE::memory_space, TileValues::half>>; \
  template class PackedCsrOperator<                                                                \
      SPACE, PackedCsrMatrix<float, SPACE::memory_space, TileValues::scaled>>;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
